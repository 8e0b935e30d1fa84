import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, makeScratch, type Scratch, testGit, writeFiles } from '../../test/git/scratch.ts'
import { AppError } from '../model/error.ts'
import { copyIndexFile } from './index-copy.ts'
import { IndexDamage } from './index-damage.ts'
import { parseIndex } from './index-file.ts'
import { scanIndex } from './index-scan.ts'
import { findRepository, type WorkTree } from './repository.ts'

let scratch: Scratch
beforeAll(() => {
  scratch = makeScratch()
})
afterAll(() => scratch.remove())

/** An index with extensions, flags and a name too long for its field. */
function makeIndex(format: string, version: string): { root: string; bytes: Buffer } {
  const root = join(scratch.path, `${format}-${version}`)
  git(scratch.path, ['init', '-q', `--object-format=${format}`, root])
  writeFiles(root, { a: 'one', 'd/e/f': 'three', 'd/e/g': '', 'ü x': 'four', z: 'last' })
  git(root, ['add', '-A'])
  git(root, ['commit', '-qm', 'first'])
  const blob = git(root, ['hash-object', '-w', '--stdin'], { input: 'x' }).trim()
  git(root, ['update-index', '-z', '--index-info'], { input: `100755 ${blob} 0\tl/${'x'.repeat(4200)}\0` })
  if (version !== '2') git(root, ['update-index', '--skip-worktree', 'a'])
  git(root, ['update-index', '--index-version', version])
  return { root, bytes: readFileSync(join(root, '.git', 'index')) }
}

/** The readers that do not know which file they read. */
function readAll(bytes: Buffer, hashBytes: number): void {
  for (const read of [parseIndex, scanIndex]) {
    try {
      read(bytes, hashBytes)
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error
    }
  }
}

function rehash(bytes: Buffer, hashBytes: number): Buffer {
  const end = Math.max(0, bytes.length - hashBytes)
  const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(bytes.subarray(0, end))
  return Buffer.concat([bytes.subarray(0, end), hash.digest()])
}

describe.each([
  ['sha1', '2'],
  ['sha1', '3'],
  ['sha1', '4'],
  ['sha256', '4'],
])('a damaged index, %s, version %s,', (format, version) => {
  const hashBytes = format === 'sha256' ? 32 : 20
  let root: string
  let bytes: Buffer
  let workTree: WorkTree
  beforeAll(async () => {
    ;({ root, bytes } = makeIndex(format, version))
    workTree = (await findRepository(testGit(), root)) as WorkTree
    mkdirSync(join(root, 'own'))
  })
  const copy = async (damaged: Buffer) => {
    writeFileSync(workTree.indexPath, damaged)
    return copyIndexFile(testGit(), workTree, join(root, 'own', 'index'))
  }
  const isExplained = async (damaged: Buffer) => {
    const error: unknown = await copy(damaged).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(AppError)
    const { code, message, hint } = error as AppError
    expect(code).toBe('failed')
    expect(message).toContain(`The index ${workTree.indexPath} is damaged`)
    expect(hint).toContain('git reset')
  }

  it('is copied where nothing is damaged', async () => {
    expect((await copy(bytes)).equals(bytes)).toBe(true)
  })

  it('is named with what to do, wherever it is cut off', async () => {
    for (let length = 0; length < 200; length++) await isExplained(bytes.subarray(0, length))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), (length) => isExplained(bytes.subarray(0, length))),
      { numRuns: 100 },
    )
  })

  it('is named with what to do, whichever bit is flipped', async () => {
    const flip = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(7) })
    await fc.assert(
      fc.asyncProperty(flip, ({ at, bit }) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit)
        return isExplained(damaged)
      }),
      { numRuns: 200 },
    )
  })

  it('is never read past its end, even where its checksum is right', () => {
    const change = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) })
    const changes = fc.array(change, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(changes, fc.nat(bytes.length), (made, length) => {
        const damaged = Buffer.from(bytes)
        for (const { at, value } of made) damaged[at] = value
        readAll(rehash(damaged, hashBytes), hashBytes)
        readAll(rehash(damaged.subarray(0, length), hashBytes), hashBytes)
        readAll(damaged.subarray(0, length), hashBytes)
      }),
      { numRuns: 2000 },
    )
  })

  it('is refused without room made for as many entries as it claims', async () => {
    for (const count of [0xffffffff, 0x7fffffff, 1 << 20]) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt32BE(count, 8)
      await isExplained(rehash(damaged, hashBytes))
    }
  })
})
