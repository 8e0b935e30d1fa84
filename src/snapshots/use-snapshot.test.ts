import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../test/git/observe.ts'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { openWorkTree, testMeta } from '../../test/git/snapshots-of.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { listSnapshots } from './read-snapshot.ts'
import { restoreFiles } from './restore-files.ts'
import type { Snapshot } from './snapshot.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { createWorkspace } from './workspace.ts'

describe('using snapshots that were taken', () => {
  const its = useWorkspaces()
  const take = async (turnKey: string, root = its.root, branch?: string): Promise<Snapshot> => {
    const { snapshot } = await takeSnapshot(testGit(), {
      workTree: await openWorkTree(root),
      index: join(its.scratch.path, 'private', 'index'),
      meta: { ...testMeta, turnKey },
      maxFileBytes: 1000,
      ...(branch === undefined ? {} : { workspace: { branch, message: turnKey, trailers: [] } }),
    })
    return snapshot
  }
  const fork = async ({ id }: Snapshot) => {
    const plan = await its.plan({ baseCommit: null })
    const made = await createWorkspace(testGit(), await openWorkTree(its.root), plan, { snapshot: id })
    return { ...made, path: plan.path }
  }
  const codeTree = ({ tree, id, meta }: Snapshot) => ({ tree, snapshot: id, notCovered: meta.notCovered })

  it('forks at every turn, whatever happened in between', async () => {
    const steps: (() => void)[] = [
      () => undefined,
      () => writeFiles(its.root, { 'a.txt': 'edited\n', 'new/deep.txt': 'new\n' }),
      () => git(its.root, ['add', '-A']),
      () => renameSync(join(its.root, 'new'), join(its.root, 'moved')),
      () => git(its.root, ['commit', '-qam', 'by hand']),
      () => undefined,
      () => rmSync(join(its.root, 'd'), { recursive: true }),
      () => writeFiles(its.root, { '.gitignore': 'ign\n', ign: 'ignored\n', '.gitattributes': '*.txt eol=crlf\n' }),
      () => git(its.root, ['commit', '-qam', 'amended', '--amend']),
    ]
    const turns: { snapshot: Snapshot; wanted: unknown }[] = []
    for (const [number, step] of steps.entries()) {
      step()
      turns.push({ wanted: observe(its.root), snapshot: await take(`turn-${number}`) })
    }
    const listed = await listSnapshots(testGit(), join(its.root, '.git'))
    expect(listed).toEqual(turns.map(({ snapshot }) => snapshot))
    for (const { snapshot, wanted } of turns) {
      const { path, report } = await fork(snapshot)
      expect(observe(path), snapshot.ref).toEqual(wanted)
      expect(report.differences, snapshot.ref).toEqual([])
    }
  })

  it('starts from the commit of the turn in a workspace, and leaves its branch alone', async () => {
    const { path: parent, workspace } = await its.fork(its.root, 'head')
    writeFiles(parent, { 'a.txt': 'one\n', 'new.txt': 'one\n' })
    const first = await take('turn-1', parent, workspace.branch)
    writeFiles(parent, { 'a.txt': 'two\n' })
    const second = await take('turn-2', parent, workspace.branch)
    const child = await fork(first)
    expect(first.meta.commit).not.toBeNull()
    expect(child.workspace.baseCommit).toBe(first.meta.commit)
    expect(git(child.path, ['status', '--porcelain'])).toBe('')
    expect(readFileSync(join(child.path, 'a.txt'), 'utf8')).toBe('one\n')
    expect(git(its.root, ['rev-parse', workspace.branch]).trim()).toBe(second.meta.commit)
  })

  it('leaves submodules and files that were too large behind, and says so', async () => {
    const library = makeRepository(join(its.scratch.path, 'library'))
    git(its.root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    writeFiles(its.root, { 'lib/a.txt': 'changed\n', 'big.txt': 'x'.repeat(2000), 'a.txt': 'changed\n' })
    const { path, report } = await fork(await take('turn-1'))
    expect(lstatSync(join(path, 'lib')).isDirectory()).toBe(true)
    expect(git(path, ['status', '--porcelain'])).toBe('A  .gitmodules\n M a.txt\nA  lib\n')
    expect(report.differences).toEqual([])
    expect(report.leftBehind).toEqual([
      { path: 'big.txt', reason: 'too-large', files: null },
      { path: 'lib', reason: 'submodule', files: null },
    ])
  })

  it('lets a filter write its files, though what sets it up is not committed', async () => {
    const store = join(its.scratch.path, 'store')
    writeFiles(store, { keep: '' })
    git(its.root, ['config', 'filter.away.clean', `f=$(mktemp ${store}/XXXXXX) && cat >$f && printf %s $f`])
    git(its.root, ['config', 'filter.away.smudge', 'cat $(cat)'])
    git(its.root, ['config', 'filter.away.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.large filter=away\n', 'x.large': 'the content\n' })
    git(its.root, ['add', 'x.large'])
    const { path, report } = await fork(await take('turn-1'))
    expect(readFileSync(join(path, 'x.large'), 'utf8')).toBe('the content\n')
    expect(git(path, ['show', ':x.large'])).toContain(store)
    expect(report.differences).toEqual([])
  })

  it('goes without a filter that fails: a workspace has what git stores, a restored file is left', async () => {
    git(its.root, ['config', 'filter.lost.clean', 'cat >/dev/null; echo pointer'])
    git(its.root, ['config', 'filter.lost.smudge', 'exit 1'])
    git(its.root, ['config', 'filter.lost.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.large filter=lost\n', 'x.large': 'x'.repeat(20), 'z.txt': 'then\n' })
    const more = Array.from({ length: 12 }, (_, number) => `y${number}.large`).sort()
    writeFiles(its.root, Object.fromEntries(more.map((name) => [name, 'y'.repeat(20)])))
    git(its.root, ['add', '.gitattributes', 'x.large'])
    git(its.root, ['commit', '-qm', 'filtered'])
    const { tree, meta } = await take('turn-1')
    const plan = await its.plan({ baseCommit: meta.head })
    const { report } = await createWorkspace(testGit(), await openWorkTree(its.root), plan, { tree })
    expect(readFileSync(join(plan.path, 'x.large'), 'utf8')).toBe('pointer\n')
    expect(report).toMatchObject({ differences: [], notes: ['The filter lost failed: its files hold what git stores for them.'] })
    for (const name of ['x.large', ...more, 'z.txt']) rmSync(join(its.root, name))
    const safety = await take('safety')
    const { restored, refused } = await restoreFiles(testGit(), await openWorkTree(its.root), codeTree(safety), { tree })
    expect(restored).toEqual(['z.txt'])
    expect(refused).toEqual(['x.large', ...more].map((path) => ({ path, reason: 'its filter lost failed' })))
  })

  it('goes without a filter that stays running, as that of LFS, and cannot be started', async () => {
    git(its.root, ['config', 'filter.lfs.clean', 'cat >/dev/null; echo pointer'])
    git(its.root, ['config', 'filter.lfs.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.large filter=lfs\n', 'x.large': 'x'.repeat(20), 'z.txt': 'then\n' })
    const then = await take('turn-1')
    // Ends when it has heard all of git's greeting: git then names no file.
    git(its.root, ['config', 'filter.lfs.process', 'head -c 40 >/dev/null'])
    const { path, report } = await fork(then)
    expect(readFileSync(join(path, 'x.large'), 'utf8')).toBe('pointer\n')
    expect(report.notes).toEqual(['The filter lfs failed: its files hold what git stores for them.'])
    for (const name of ['x.large', 'z.txt']) rmSync(join(its.root, name))
    const safety = await take('safety')
    expect(await restoreFiles(testGit(), await openWorkTree(its.root), codeTree(safety), codeTree(then))).toEqual({
      restored: ['z.txt'],
      refused: [{ path: 'x.large', reason: 'its filter lfs failed' }],
    })
  })

  it('leaves a file that is there where its filter fails, with all that is in it', async () => {
    git(its.root, ['config', 'filter.lost.clean', 'tr a-z A-Z'])
    git(its.root, ['config', 'filter.lost.smudge', 'tr A-Z a-z'])
    git(its.root, ['config', 'filter.lost.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.large filter=lost\n', 'x.large': 'then', 'z.txt': 'then' })
    const then = await take('turn-1')
    writeFiles(its.root, { 'x.large': 'only here', 'z.txt': 'now' })
    const safety = await take('safety')
    git(its.root, ['config', 'filter.lost.smudge', 'exit 1'])
    const before = lstatSync(join(its.root, 'x.large'))
    const result = await restoreFiles(testGit(), await openWorkTree(its.root), codeTree(safety), codeTree(then))
    expect(result).toEqual({ restored: ['z.txt'], refused: [{ path: 'x.large', reason: 'its filter lost failed' }] })
    expect(readFileSync(join(its.root, 'x.large'), 'utf8')).toBe('only here')
    expect(lstatSync(join(its.root, 'x.large'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
    expect(readdirSync(join(its.root, '.git')).filter((name) => name.startsWith('offshoot-'))).toEqual([])
  })

  it('brings files back and, undone, gives the state before again', async () => {
    writeFiles(its.root, { '.gitattributes': '*.txt text eol=crlf\n', 'mixed.txt': '1\n2\r\n', 'new.txt': 'then\n' })
    git(its.root, ['add', 'new.txt'])
    const then = await take('turn-1')
    writeFiles(its.root, { 'mixed.txt': '1\r\n2\r\n', 'new.txt': 'now\n', 'later.txt': 'now\n', 'huge.txt': 'x'.repeat(2000) })
    rmSync(join(its.root, 'd'), { recursive: true })
    const before = observe(its.root)
    const safety = await take('safety')
    const workTree = await openWorkTree(its.root)
    const result = await restoreFiles(testGit(), workTree, codeTree(safety), codeTree(then))
    expect(result).toEqual({ restored: ['d/b.txt', 'later.txt', 'mixed.txt', 'new.txt'], refused: [] })
    expect(readFileSync(join(its.root, 'mixed.txt'), 'utf8')).toBe('1\n2\r\n')
    expect(existsSync(join(its.root, 'huge.txt'))).toBe(true)
    const restored = await take('restored')
    expect(restored.tree).toBe(then.tree)
    await restoreFiles(testGit(), workTree, codeTree(restored), codeTree(safety))
    expect(observe(its.root)).toEqual(before)
  })
})
