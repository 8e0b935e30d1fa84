import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { git, makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'
import { buildIndex } from './index-build.ts'
import { compareIndexes } from './index-compare.ts'
import { parseIndex } from './index-file.ts'
import { canonicalIndex } from './staged.ts'

describe('an index written by us', () => {
  let scratch: Scratch
  let root: string
  beforeEach(() => {
    scratch = makeScratch()
    root = join(scratch.path, 'repo')
  })
  afterEach(() => scratch.remove())

  it.each([
    ['sha1', '4'],
    ['sha1', '2'],
    ['sha256', '4'],
  ])('says the same as the one it was read from, %s, version %s', (format, version) => {
    git(scratch.path, ['init', '-q', `--object-format=${format}`, root])
    writeFiles(root, { a: 'one', 'd/e/f': 'three', 'd/e/g': '', 'ü x': 'four', z: 'last' })
    git(root, ['add', '-A'])
    const blob = git(root, ['hash-object', '-w', '--stdin'], { input: 'x' }).trim()
    const sides = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tc\xff\n\0`).join('')
    git(root, ['update-index', '-z', '--index-info'], { input: `${sides}100755 ${blob} 0\tl/${'x'.repeat(5000)}\0` })
    writeFileSync(join(root, 'new'), 'n')
    git(root, ['add', '-N', 'new'])
    git(root, ['update-index', '--skip-worktree', 'a'])
    git(root, ['update-index', '--assume-unchanged', 'z'])
    git(root, ['update-index', '--index-version', version])
    const hashBytes = format === 'sha256' ? 32 : 20
    const bytes = readFileSync(join(root, '.git/index'))
    const { entries } = parseIndex(bytes, hashBytes)
    const tell = (index: Buffer, ...args: string[]) => {
      writeFileSync(join(scratch.path, 'index'), index)
      return git(root, ['ls-files', '-z', ...args], { env: { GIT_INDEX_FILE: join(scratch.path, 'index') } })
    }
    const records = entries.map((entry) => ({
      entry,
      source: bytes,
      keepStat: true,
      assumeUnchanged: entry.path === 'z',
      skipWorktree: entry.skipWorktree,
    }))
    const whole = buildIndex(records, hashBytes)
    expect(tell(whole, '--stage', '-v', '--debug')).toBe(tell(bytes, '--stage', '-v', '--debug'))
    const canonical = canonicalIndex(entries, bytes, hashBytes)
    expect(tell(canonical, '--stage', '-v')).toBe(tell(bytes, '--stage', '-v'))
    expect(tell(canonical, '--debug')).not.toBe(tell(bytes, '--debug'))
  })

  it('is compared with another entry by entry', () => {
    git(scratch.path, ['init', '-q', root])
    const read = () => readFileSync(join(root, '.git/index'))
    writeFiles(root, { a: '1', b: '2', c: '3', d: '4' })
    git(root, ['add', '-A'])
    const before = read()
    expect(compareIndexes(before, before, 20)).toEqual({ changed: [], gone: [] })
    writeFiles(root, { aa: 'n', c: '33', e: 'n' })
    git(root, ['rm', '-q', '--cached', 'b'])
    git(root, ['add', 'aa', 'c', 'e'])
    const changes = compareIndexes(before, read(), 20)
    expect(changes?.changed.map(({ path, sizeBytes, mode }) => [path, sizeBytes, mode])).toEqual([
      ['aa', 1, 0o100644],
      ['c', 2, 0o100644],
      ['e', 1, 0o100644],
    ])
    expect(changes?.gone).toEqual(['b'])
    const all = compareIndexes(read(), before, 20)
    expect(all?.gone).toEqual(['aa', 'e'])
    expect(all?.changed.map(({ path }) => path)).toEqual(['b', 'c'])
  })
})
