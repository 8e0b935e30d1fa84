import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { git, makeRepository, makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'
import { parseIndex } from './index-file.ts'

describe('parseIndex', () => {
  let scratch: Scratch
  let root: string
  beforeEach(() => {
    scratch = makeScratch()
    root = join(scratch.path, 'repo')
  })
  afterEach(() => scratch.remove())
  const indexPath = () => join(root, '.git', 'index')

  /** Odd names, flags, all sides of a conflict, a name too long for its field. */
  function fill(): void {
    writeFiles(root, { a: 'one', 'd/e/f': 'three', 'd/e/g': '', 'ü x': 'four', z: 'last' })
    git(root, ['add', '-A'])
    const blob = git(root, ['hash-object', '-w', '--stdin'], { input: 'x' }).trim()
    const sides = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tc\xff\n\0`).join('')
    const others = [`100644 ${blob} 0\tl/${'x'.repeat(5000)}`, `120000 ${blob} 0\tlink`, `160000 ${blob} 0\tsub`]
    git(root, ['update-index', '-z', '--index-info'], { input: `${sides}${others.join('\0')}\0` })
    writeFileSync(join(root, 'new'), 'n')
    git(root, ['add', '-N', 'new'])
    git(root, ['update-index', '--skip-worktree', 'a'])
    git(root, ['update-index', '--assume-unchanged', 'z'])
  }

  /** The same, told by git. */
  function tell(): unknown[] {
    const told = git(root, ['ls-files', '--stage', '-v', '--debug', '-z'])
    const pattern = /(\w) (\d+) (\w+) (\d)\t([^\0]+)\0(?: {2}.*\n){4} {2}size: (\d+)\tflags: (\w+)\n/g
    return Array.from(told.matchAll(pattern), ([, tag = '', mode = '', blob, stage, path, size, flags = '']) => ({
      path,
      mode: Number.parseInt(mode, 8),
      blob,
      stage: Number(stage),
      hidden: /[Sa-z]/.test(tag),
      skipWorktree: /s/i.test(tag),
      intentToAdd: (Number.parseInt(flags, 16) & 0x20000000) !== 0,
      sizeBytes: Number(size),
      at: expect.any(Number),
    }))
  }

  it.each([
    ['version 3', 'sha1', '3'],
    ['version 4', 'sha1', '4'],
    ['version 3 with SHA-256', 'sha256', '3'],
    ['version 4 with SHA-256', 'sha256', '4'],
  ])('sees what git sees, %s', (_, format, version) => {
    git(scratch.path, ['init', '-q', `--object-format=${format}`, root])
    fill()
    git(root, ['update-index', '--index-version', version])
    const index = readFileSync(indexPath())
    expect(index.readUInt32BE(4)).toBe(Number(version))
    const { entries, partial } = parseIndex(index, format === 'sha256' ? 32 : 20)
    expect(entries).toEqual(tell())
    expect(entries).toHaveLength(12)
    expect(partial).toBe(false)
  })

  it('knows version 2, and that it is whole', () => {
    makeRepository(root, { a: '1', 'link.ts': '2', sdir: '3' })
    const index = readFileSync(indexPath())
    expect(index.readUInt32BE(4)).toBe(2)
    expect(parseIndex(index, 20)).toEqual({ entries: tell(), partial: false })
  })

  it('knows that a split or a sparse index is not whole', () => {
    makeRepository(root)
    git(root, ['update-index', '--split-index'])
    expect(parseIndex(readFileSync(indexPath()), 20).partial).toBe(true)
    git(root, ['update-index', '--no-split-index'])
    writeFiles(root, { 'x/y': '1' })
    git(root, ['add', '-A'])
    git(root, ['commit', '-qm', 'x'])
    git(root, ['sparse-checkout', 'set', '--cone', '--sparse-index', 'd'])
    expect(parseIndex(readFileSync(indexPath()), 20).partial).toBe(true)
  })
})
