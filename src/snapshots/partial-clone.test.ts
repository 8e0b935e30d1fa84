import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useSnapshots } from '../../test/git/snapshots.ts'
import { packSnapshots } from './pack.ts'

describe('in a partial clone whose remote cannot be reached', () => {
  const its = useSnapshots()

  it.each([
    ['whole', []],
    ['sparse', ['--sparse']],
  ])('snapshots are taken and packed without asking it, %s', async (_, options) => {
    const origin = makeRepository(join(its.scratch.path, 'origin'), { 'a.txt': 'a\n', 'd/b.txt': 'b\n', 'e/c.txt': 'c\n' })
    git(origin, ['config', 'uploadpack.allowFilter', 'true'])
    writeFiles(origin, { 'a.txt': 'second\n', 'e/c.txt': 'other\n' })
    git(origin, ['commit', '-qam', 'second'])
    const root = join(its.scratch.path, 'clone')
    git(its.scratch.path, ['clone', '-q', '--filter=blob:none', ...options, `file://${origin}`, root])
    rmSync(origin, { recursive: true })
    writeFiles(root, { 'a.txt': 'changed\n', new: 'n' })
    git(root, ['add', 'a.txt'])
    const { snapshot } = await its.take({ root })
    writeFiles(root, { 'a.txt': 'again\n' })
    await its.take({ root, meta: { turnKey: 'turn-2' } })
    expect(await packSnapshots(testGit(), join(root, '.git'), { fromSnapshots: 1 })).toBe(true)
    expect(git(root, ['cat-file', 'blob', `${snapshot.ref}:wt/a.txt`])).toBe('changed\n')
    expect(git(root, ['ls-tree', '-r', '--name-only', `${snapshot.ref}:wt`])).toBe('a.txt\nd/b.txt\ne/c.txt\nnew\n')
  })
})
