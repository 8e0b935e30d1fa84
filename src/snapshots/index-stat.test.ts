import { lstatSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { git, makeRepository, makeScratch, type Scratch } from '../../test/git/scratch.ts'
import { asBytePath, type BytePath } from './byte-path.ts'
import { parseIndex } from './index-file.ts'
import { type Belief, writeBeliefs } from './index-stat.ts'

const files = { a: 'one', 'd/b': 'two', 'd/bc': 'three', 'd/long-name-that-shares-a-start': '4', 'd/long-name-that-goes-on': '5' }

describe('what an index believes of files', () => {
  let scratch: Scratch
  beforeEach(() => {
    scratch = makeScratch()
  })
  afterEach(() => scratch.remove())

  it.each([
    ['version 2', [], '2'],
    ['version 4', [], '4'],
    ['SHA-256', ['--object-format=sha256'], '2'],
  ])('is set for chosen entries and left for the rest, %s', async (_, init, version) => {
    const root = join(scratch.path, 'repo')
    git(scratch.path, ['init', '-q', ...init, root])
    makeRepository(root, files)
    git(root, ['update-index', '--index-version', version])
    const index = join(root, '.git', 'index')
    expect(readFileSync(index).readUInt32BE(4)).toBe(Number(version))
    const hashBytes = init.length > 0 ? 32 : 20
    const before = parseIndex(readFileSync(index), hashBytes).entries
    utimesSync(join(root, 'd/b'), 1_000_000_000.5, 1_000_000_000.5)
    const stats = lstatSync(join(root, 'd/b'), { bigint: true })

    const beliefs = new Map<BytePath, Belief>([
      [asBytePath('d/b'), stats],
      [asBytePath('d/long-name-that-goes-on'), 'unknown'],
      [asBytePath('not there'), 'unknown'],
    ])
    await writeBeliefs(index, hashBytes, beliefs)

    const told = git(root, ['ls-files', '--debug'])
    expect(told).toMatch(/d\/b\n.*\n {2}mtime: 1000000000:500000000\n/)
    expect(told).toContain(`ino: ${stats.ino}\n`)
    const after = parseIndex(readFileSync(index), hashBytes).entries
    const wanted = before.map((entry) => (entry.path.endsWith('goes-on') ? { ...entry, sizeBytes: 0 } : entry))
    expect(after).toEqual(wanted)
    // git checks the checksum, and agrees about every file.
    expect(git(root, ['status', '--porcelain'])).toBe('')
    expect(git(root, ['-c', 'index.skipHash=false', 'fsck'])).toBe('')
  })
})
