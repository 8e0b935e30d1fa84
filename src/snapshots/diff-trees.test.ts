import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { at, git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { type DiffOptions, diffTrees, listTreeChanges } from './diff-trees.ts'

describe('the difference of two trees', () => {
  const its = useWorkspaces()
  let first: string
  const committed = () => git(its.root, ['rev-parse', 'HEAD^{tree}']).trim()
  const commit = () => {
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'next'])
    return committed()
  }
  const diff = (b: string, options?: DiffOptions) => diffTrees(testGit(), join(its.root, '.git'), first, b, options)
  beforeEach(() => {
    const lines = Array.from({ length: 20 }, (_, number) => `line ${number}\n`).join('')
    writeFiles(its.root, { 'gone.txt': '1\n2\n', 'long.txt': lines, 'x.bin': 'a\0b', 'kind.txt': 'file\n', 'run.sh': 'x\n' })
    first = commit()
  })

  it('is empty for the same tree', async () => {
    expect(await diff(first, { patch: true })).toEqual({ files: [], added: 0, removed: 0, patch: '' })
  })

  it('tells names, kinds, counted lines, renames and binary files', async () => {
    writeFiles(its.root, { 'a.txt': 'a\nb\n', 'new/\t"q" \n.txt': 'x\ny\n', 'x.bin': 'a\0c' })
    writeFileSync(at(its.root, ':n\xff'), 'odd\n')
    for (const name of ['gone.txt', 'kind.txt']) rmSync(join(its.root, name))
    symlinkSync('a.txt', join(its.root, 'kind.txt'))
    chmodSync(join(its.root, 'run.sh'), 0o755)
    renameSync(join(its.root, 'long.txt'), join(its.root, 'longer.txt'))
    const found = await diff(commit())
    expect(found).toEqual({
      files: [
        { path: ':n\ufffd', status: 'A', added: 1, removed: 0 },
        { path: 'a.txt', status: 'M', added: 1, removed: 0 },
        { path: 'gone.txt', status: 'D', added: 0, removed: 2 },
        { path: 'kind.txt', status: 'T', added: 1, removed: 1 },
        { path: 'longer.txt', status: 'R', from: 'long.txt', added: 0, removed: 0 },
        { path: 'new/\t"q" \n.txt', status: 'A', added: 2, removed: 0 },
        { path: 'run.sh', status: 'M', added: 0, removed: 0, executable: true },
        { path: 'x.bin', status: 'M', added: null, removed: null },
      ],
      added: 5,
      removed: 3,
      patch: '',
    })
    const apart = await diff(committed(), { renames: false })
    expect(apart.files.filter(({ path }) => path.startsWith('long')).map(({ status }) => status)).toEqual(['D', 'A'])
  })

  it('gives a patch that git applies', async () => {
    writeFiles(its.root, { 'a.txt': 'ä\n', 'new.txt': 'x\n', 'x.bin': 'a\0c' })
    rmSync(join(its.root, 'gone.txt'))
    const then = commit()
    const { patch } = await diff(then, { patch: true, paths: ['a.txt', 'new.txt', 'gone.txt'] })
    git(its.root, ['read-tree', '--reset', '-u', first])
    git(its.root, ['apply', '--index'], { input: Buffer.from(patch).toString('latin1') })
    expect(git(its.root, ['diff', '--name-only', then])).toBe('x.bin\n')
  })

  it('looks at the named files and folders only, and takes names as they are', async () => {
    writeFiles(its.root, { 'a.txt': 'changed\n', 'd/b.txt': 'changed\n', 'd/c/e': 'x', '*': 'star\n' })
    const then = commit()
    const namesOf = async (...paths: string[]) => (await diff(then, { paths })).files.map(({ path }) => path)
    expect(await namesOf('d')).toEqual(['d/b.txt', 'd/c/e'])
    expect(await namesOf('*', 'd/c')).toEqual(['*', 'd/c/e'])
    expect(await namesOf('nothing')).toEqual([])
  })

  it('takes more names than a command line holds, and names that no argument can be', async () => {
    writeFiles(its.root, { 'a.txt': 'changed\n', 'b.txt': 'changed\n' })
    writeFileSync(at(its.root, 'n\xff'), 'odd\n')
    const many = Array.from({ length: 30_000 }, (_, number) => `${'long'.repeat(25)}/${number}`)
    const listed = await listTreeChanges(testGit(), join(its.root, '.git'), first, commit(), ['a.txt', 'n\ufffd', ...many])
    expect(listed.map(({ path }) => path)).toEqual(['a.txt', 'n\xff'])
  })

  it('gives the bytes of a patch where it is no UTF-8', async () => {
    writeFileSync(join(its.root, 'a.txt'), Buffer.from('caf\xe9\n', 'latin1'))
    writeFileSync(at(its.root, 'n\xff'), 'odd\n')
    const then = commit()
    const { patch, patchBytes } = await diff(then, { patch: true })
    expect(patch).toContain('+caf\ufffd')
    git(its.root, ['read-tree', '--reset', '-u', first])
    git(its.root, ['apply', '--index'], { input: Buffer.from(patchBytes ?? '').toString('latin1') })
    expect(git(its.root, ['write-tree']).trim()).toBe(then)
  })

  it('leaves the longest files out of a patch that would be too long, and says so', async () => {
    writeFiles(its.root, { 'small.txt': 'x\n', 'huge.txt': 'y\n'.repeat(500) })
    writeFileSync(at(its.root, 'n\xff'), 'odd\n')
    const found = await diff(commit(), { patch: true, maxPatchLines: 100 })
    expect(found.leftOut).toEqual(['n\ufffd', 'huge.txt'])
    expect(found.patch).toContain('small.txt')
    expect(found.patch).not.toContain('huge.txt')
    expect(found.added).toBe(502)
    expect(await diff(committed(), { patch: true, paths: ['huge.txt'], maxPatchLines: 100 })).toMatchObject({ patch: '' })
  })

  it('does not count the lines of a file of many megabytes', async () => {
    writeFiles(its.root, { 'huge.txt': 'line\n'.repeat(2_000_000) })
    const found = await diff(commit(), { patch: true })
    expect(found.files).toEqual([{ path: 'huge.txt', status: 'A', added: null, removed: null }])
    expect(found.patch.length).toBeLessThan(1000)
  })

  it('runs no diff program of the person', async () => {
    git(its.root, ['config', 'diff.external', '/bin/false'])
    git(its.root, ['config', 'diff.shout.textconv', '/bin/false'])
    writeFiles(its.root, { '.gitattributes': '*.txt diff=shout\n', 'a.txt': 'b\n' })
    expect((await diff(commit(), { patch: true, paths: ['a.txt'] })).patch).toContain('-a\n+b\n')
  })
})
