import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import type { Fingerprint } from './fingerprint.ts'
import { whyWorkspaceStays } from './judge-workspace.ts'
import type { Workspace } from './workspace.ts'

describe('whether a workspace may go', () => {
  const its = useWorkspaces()
  const why = (workspace: Workspace, made: Fingerprint | null = null) => whyWorkspaceStays(testGit(), workspace, made)
  const commit = (path: string) => {
    writeFiles(path, { 'turn.txt': 'a turn\n' })
    git(path, ['add', '-A'])
    git(path, ['commit', '-qm', 'turn 1'])
  }

  it('yes, when nothing was done in it, carried changes included', async () => {
    writeFiles(its.root, { 'a.txt': 'carried\n', 'new.txt': 'carried\n' })
    const { workspace, report } = await its.fork()
    expect(await why(workspace, report.made)).toBeNull()
    expect(await why(workspace)).toBe('2 files are changed or untracked')
    writeFiles(workspace.path, { 'new.txt': 'work\n' })
    expect(await why(workspace, report.made)).toBe('2 files are changed or untracked')
  })

  it('no, with commits that are nowhere else; yes, once they are merged or pushed', async () => {
    const { workspace, report, path } = await its.fork(its.root, 'head')
    commit(path)
    expect(await why(workspace, report.made)).toBe(`1 commit of ${workspace.branch} is neither merged nor pushed`)
    git(its.root, ['update-ref', 'refs/remotes/origin/x', workspace.branch])
    expect(await why(workspace, report.made)).toBeNull()
    git(its.root, ['update-ref', '-d', 'refs/remotes/origin/x'])
    git(its.root, ['merge', '-q', workspace.branch])
    expect(await why(workspace, report.made)).toBeNull()
    writeFiles(path, { 'more.txt': 'x' })
    expect(await why(workspace, report.made)).toBe('1 file is changed or untracked')
  })

  it('no, when it is somewhere else than its branch, or in the middle of something', async () => {
    const { workspace, path } = await its.fork(its.root, 'head')
    git(path, ['checkout', '-q', '--detach'])
    expect(await why(workspace)).toBe('it is not on a branch')
    git(path, ['checkout', '-qb', 'other'])
    expect(await why(workspace)).toBe('it is on another branch now (other)')
    git(path, ['checkout', '-q', workspace.branch])
    commit(path)
    git(path, ['bisect', 'start'])
    expect(await why(workspace)).toBe('a bisect is in progress')
  })

  it('no, when it is not ours, or its repository is gone', async () => {
    const { workspace, path } = await its.fork(its.root, 'head')
    expect(await why({ ...workspace, path: its.root })).toBe('it is not the worktree offshoot made')
    commit(path)
    rmSync(path, { recursive: true })
    expect(await why(workspace)).toContain('neither merged nor pushed')
    writeFiles(path, { 'precious.txt': 'x' })
    expect(await why(workspace)).toBe('it is not the worktree offshoot made')
    rmSync(join(its.root, '.git'), { recursive: true })
    expect(await why(workspace)).toContain('its repository is gone')
  })
})
