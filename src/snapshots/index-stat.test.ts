import { lstatSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { git, makeRepository, makeScratch, type Scratch, testGit } from '../../test/git/scratch.ts'
import { asBytePath, type BytePath } from './byte-path.ts'
import { parseIndexEntries, readIndexEntries } from './index-entries.ts'
import { applyBeliefs, type Belief, writeBeliefs } from './index-stat.ts'

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
    const before = await readIndexEntries(testGit(), root, index)
    utimesSync(join(root, 'd/b'), 1_000_000_000.5, 1_000_000_000.5)
    const stats = lstatSync(join(root, 'd/b'), { bigint: true })

    const beliefs = new Map<BytePath, Belief>([
      [asBytePath('d/b'), stats],
      [asBytePath('d/long-name-that-goes-on'), 'unknown'],
      [asBytePath('not there'), 'unknown'],
    ])
    await writeBeliefs(index, (before[0]?.blob.length ?? 0) / 2, beliefs)

    const told = git(root, ['ls-files', '--debug'])
    expect(told).toMatch(/d\/b\n.*\n {2}mtime: 1000000000:500000000\n/)
    expect(told).toContain(`ino: ${stats.ino}\n`)
    const after = await readIndexEntries(testGit(), root, index)
    const wanted = before.map((entry) => (entry.path.endsWith('goes-on') ? { ...entry, sizeBytes: 0 } : entry))
    expect(after).toEqual(wanted)
    // git checks the checksum, and agrees about every file.
    expect(git(root, ['status', '--porcelain'])).toBe('')
    expect(git(root, ['-c', 'index.skipHash=false', 'fsck'])).toBe('')
  })

  it('finds its way through flags, conflicts and very long names', () => {
    const root = makeRepository(join(scratch.path, 'repo'), { a: 'one', z: 'last' })
    const blob = git(root, ['hash-object', '-w', '--stdin'], { input: 'x' }).trim()
    const long = `l/${'x'.repeat(5000)}`
    const sides = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tc\0`).join('')
    git(root, ['update-index', '-z', '--index-info'], { input: `${sides}100644 ${blob} 0\t${long}\0` })
    writeFileSync(join(root, 'new'), 'n')
    git(root, ['add', '-N', 'new'])
    git(root, ['update-index', '--skip-worktree', 'a'])
    const index = readFileSync(join(root, '.git', 'index'))
    expect(index.readUInt32BE(4)).toBe(3)
    const told = () => parseIndexEntries(git(root, ['ls-files', '--stage', '-v', '--debug', '-z']))
    const before = told()

    const beliefs = new Map(['a', 'c', long, 'new', 'z'].map((path): [BytePath, Belief] => [asBytePath(path), 'unknown']))
    applyBeliefs(index, 20, beliefs)
    writeFileSync(join(root, '.git', 'index'), index)

    expect(told()).toEqual(before.map((entry) => ({ ...entry, sizeBytes: 0 })))
    expect(before.map(({ path, stage, hidden, intentToAdd }) => [path.slice(0, 4), stage, hidden, intentToAdd])).toEqual([
      ['a', 0, true, false],
      ['c', 1, false, false],
      ['c', 2, false, false],
      ['c', 3, false, false],
      ['l/xx', 0, false, false],
      ['new', 0, false, true],
      ['z', 0, false, false],
    ])
  })
})
