import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isPlain, isWithin, realFolder } from './within.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-within-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const name = fc.stringMatching(/^[a-c][a-c.-]{0,2}$/).filter((text) => text !== '..' && text !== '.')
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join('/')}`)

describe('within', () => {
  test('a folder is within another exactly when no step leads up from it', () => {
    fc.assert(
      fc.property(path, path, (folder, top) => {
        const way = relative(top, folder)
        expect(isWithin(folder, top)).toBe(way !== '..' && !way.startsWith('../'))
      }),
    )
  })

  test('a sibling that begins alike is not within', () => {
    fc.assert(fc.property(path, name, (top, more) => top === '/' || !isWithin(`${top}${more}`, top)))
    expect(isWithin('/a/proj-evil', '/a/proj')).toBe(false)
    expect(isWithin('/a/proj/x', '/a/proj')).toBe(true)
    expect(isWithin('/a', '/')).toBe(true)
  })
})

describe('real folder', () => {
  test('of what exists: as the system says, whatever way leads there', () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    mkdirSync(join(root, 'c'))
    symlinkSync(join(root, 'c'), join(root, 'a/out'))
    symlinkSync('../a/b', join(root, 'c/in'))
    expect(realFolder(join(root, 'a/out'))).toBe(join(root, 'c'))
    expect(realFolder(join(root, 'a/out/in'))).toBe(join(root, 'a/b'))
    expect(realFolder(`${root}/a/out/..`)).toBe(root) // not a: the kernel goes up from c
    expect([isPlain(join(root, 'a/b')), isPlain(`${root}/a/b/`), isPlain(join(root, 'a/out'))]).toEqual([true, true, false])
  })

  test('of what is gone: below what is left of the way there', () => {
    mkdirSync(join(root, 'a'))
    mkdirSync(join(root, 'c'))
    symlinkSync(join(root, 'c'), join(root, 'a/out'))
    expect(realFolder(join(root, 'a/gone/x'))).toBe(join(root, 'a/gone/x'))
    expect(realFolder(join(root, 'a/out/gone/x'))).toBe(join(root, 'c/gone/x'))
  })

  test('a link that leads nowhere yet leads there, not here', () => {
    mkdirSync(join(root, 'a'))
    symlinkSync(join(root, 'later'), join(root, 'a/out'))
    symlinkSync('../relative', join(root, 'a/up'))
    expect(realFolder(join(root, 'a/out/x'))).toBe(join(root, 'later/x'))
    expect(realFolder(join(root, 'a/up'))).toBe(join(root, 'relative'))
  })

  test.each(['', 'relative', '.', '~', '/a\0b', '/nowhere-at-all/../etc/x'])('%j is nothing that could be told of', (text) => {
    expect(realFolder(text)).toBeNull()
  })

  test('links in a circle', () => {
    symlinkSync(join(root, 'b'), join(root, 'a'))
    symlinkSync(join(root, 'a'), join(root, 'b'))
    expect(realFolder(join(root, 'a/x'))).toBeNull()
  })

  test('any way through folders and links that exist ends where the system says, and what is made up below it stays there', () => {
    for (const folder of ['a/a', 'a/b', 'b']) mkdirSync(join(root, folder), { recursive: true })
    symlinkSync('../b', join(root, 'a/c'))
    symlinkSync(join(root, 'a'), join(root, 'b/a'))
    symlinkSync('a', join(root, 'c'))
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { maxLength: 6 }), (names) => {
        const given = join(root, ...names)
        let there = given
        while (!exists(there)) there = dirname(there)
        expect(realFolder(given)).toBe(join(realpathSync(there), relative(there, given)))
      }),
    )
  })
})

function exists(folder: string): boolean {
  try {
    return realpathSync(folder) !== ''
  } catch {
    return false // not this far
  }
}
