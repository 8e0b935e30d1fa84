import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useSnapshots } from '../../test/git/snapshots.ts'
import { openWorkTree } from '../../test/git/snapshots-of.ts'
import { findSnapshotBase } from './open-snapshot.ts'
import { createWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'
import { removeWorkspace } from './workspace-remove.ts'

describe('a snapshot in the middle of an operation', () => {
  const its = useSnapshots()

  beforeEach(() => {
    git(its.root, ['checkout', '-q', '-b', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs\n', 'theirs.txt': 'x\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'theirs', '--author=Ann <ann@example.invalid>'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours\n' })
    git(its.root, ['commit', '-qam', 'ours'])
  })

  const fork = async (id: string) => {
    const workTree = await openWorkTree(its.root)
    const plan = await planWorkspace(testGit(), workTree, { worktreesRoot: join(its.scratch.path, 'wt'), baseCommit: null })
    return { ...(await createWorkspace(testGit(), workTree, plan, { snapshot: id })), path: plan.path }
  }
  const parents = (path: string) => git(path, ['log', '-1', '--format=%P']).trim().split(' ')
  const ids = (...names: string[]) =>
    git(its.root, ['rev-parse', ...names])
      .trim()
      .split('\n')

  it('brings a merge back: the next commit has both parents and the message git had ready', async () => {
    git(its.root, ['merge', '-q', '--no-ff', 'other'], { mayFail: true })
    const [wanted, before] = [observe(its.root), takeInventory(its.root)]
    const { snapshot } = await its.take()
    const touched = listTouched(before, takeInventory(its.root))
    expect(touched.filter((path) => !/^\.git\/(objects|refs\/offshoot)(\/|$)/.test(path))).toEqual([])
    git(its.root, ['merge', '--abort'])
    git(its.root, ['gc', '-q', '--prune=now'])
    const { path, report } = await fork(snapshot.id)
    expect(observe(path)).toEqual(wanted)
    expect(report).toMatchObject({ operation: { kind: 'merge', carried: true }, differences: [], notes: [] })
    writeFiles(path, { 'a.txt': 'both\n' })
    git(path, ['commit', '-qa', '--no-edit'])
    expect(parents(path)).toEqual(ids('main', 'other'))
    expect(git(path, ['log', '-1', '--format=%s'])).toContain("Merge branch 'other'")
  })

  it('brings back a merge that was only not committed yet, of several branches too', async () => {
    git(its.root, ['branch', 'third', 'HEAD~1'])
    git(its.root, ['checkout', '-q', 'third'])
    writeFiles(its.root, { 'third.txt': '3\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'third'])
    git(its.root, ['checkout', '-q', 'main'])
    git(its.root, ['merge', '-q', '-s', 'ours', '--no-commit', 'other', 'third'])
    const { snapshot } = await its.take()
    git(its.root, ['merge', '--abort'])
    const { path } = await fork(snapshot.id)
    git(path, ['commit', '-q', '--no-edit'])
    expect(parents(path)).toEqual(ids('main', 'other', 'third'))
  })

  it('brings a cherry-pick back with its author', async () => {
    git(its.root, ['cherry-pick', 'other'], { mayFail: true })
    const { snapshot } = await its.take()
    git(its.root, ['cherry-pick', '--abort'])
    const { path, report } = await fork(snapshot.id)
    expect(report.operation).toEqual({ kind: 'cherry-pick', carried: true })
    writeFiles(path, { 'a.txt': 'both\n' })
    git(path, ['add', 'a.txt'])
    const env = { GIT_AUTHOR_NAME: '', GIT_AUTHOR_EMAIL: '' }
    git(path, ['-c', 'core.editor=true', 'cherry-pick', '--continue'], { env })
    expect(git(path, ['log', '-1', '--format=%an %P'])).toBe(`Ann ${ids('main').join()}\n`)
  })

  it('a workspace with such a merge is as it was made, and can be taken back', async () => {
    git(its.root, ['merge', '-q', 'other'], { mayFail: true })
    const { snapshot } = await its.take()
    const { path, workspace, report } = await fork(snapshot.id)
    expect(report.made.operation).toBe('merge')
    await removeWorkspace(testGit(), workspace, { made: report.made })
    expect(existsSync(path)).toBe(false)
  })

  it('says beforehand that a rebase cannot be continued', async () => {
    git(its.root, ['rebase', 'other'], { mayFail: true })
    const wanted = observe(its.root)
    const { snapshot } = await its.take()
    const { note } = await findSnapshotBase(testGit(), join(its.root, '.git'), snapshot)
    expect(note).toBe('A rebase was in progress: the files and conflicts are as they were, but it cannot be continued there.')
    const { path, report } = await fork(snapshot.id)
    expect(observe(path)).toEqual(wanted)
    expect(report).toMatchObject({ operation: { kind: 'rebase', carried: false }, notes: [note] })
    expect(git(path, ['status'])).not.toContain('rebase')
  })

  it('says so where the merged commit is gone: the conflicts are there, a commit has one parent', async () => {
    git(its.root, ['merge', '-q', 'other'], { mayFail: true })
    const [wanted, [merged = '']] = [observe(its.root), ids('other')]
    const { snapshot } = await its.take()
    git(its.root, ['merge', '--abort'])
    git(its.root, ['branch', '-qD', 'other'])
    for (const name of ['ORIG_HEAD', 'AUTO_MERGE']) rmSync(join(its.root, '.git', name), { force: true })
    git(its.root, ['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all'])
    git(its.root, ['gc', '-q', '--prune=now'])
    const { note } = await findSnapshotBase(testGit(), join(its.root, '.git'), snapshot)
    expect(note).toContain(`commit ${merged.slice(0, 12)} is gone`)
    const { path, report } = await fork(snapshot.id)
    expect(observe(path)).toEqual(wanted)
    expect(report).toMatchObject({ operation: { kind: 'merge', carried: false }, notes: [note] })
    writeFiles(path, { 'a.txt': 'both\n' })
    git(path, ['commit', '-qam', 'one parent'])
    expect(parents(path)).toEqual(ids('main'))
  })
})
