import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { removingPath } from './removing-path.ts'
import { workspaceOf } from './workspace.ts'
import { removeWorkspace } from './workspace-remove.ts'

describe('workspaces that are removed', () => {
  const its = useWorkspaces()

  it('are gone without a trace when nothing was done in them', async () => {
    writeFiles(its.root, { 'a.txt': 'carried\n', new: 'carried too\n' })
    const { workspace, report } = await its.create(await its.plan())
    expect(await removeWorkspace(testGit(), workspace, { made: report.made })).toEqual({ branchKept: null })
    expect(existsSync(dirname(workspace.path))).toBe(false)
    expect(its.branches()).toEqual(['main'])
    expect(its.countWorktrees()).toBe(1)
    expect(existsSync(join(its.root, '.git', 'logs', 'refs', 'heads', 'offshoot', 'session', workspace.id))).toBe(false)
    expect(git(its.root, ['status', '--porcelain'])).toBe(' M a.txt\n?? new\n')
  })

  it.each([
    ['a file was edited', (path: string) => writeFiles(path, { 'a.txt': 'work\n' })],
    ['a carried file was edited on', (path: string) => writeFiles(path, { new: 'carried, and more\n' })],
    ['a file was made', (path: string) => writeFiles(path, { 'work.txt': 'work\n' })],
    ['a commit was made', (path: string) => git(path, ['commit', '-q', '--allow-empty', '-m', 'work'])],
  ])('are kept when %s, unless forced', async (_, work) => {
    writeFiles(its.root, { new: 'carried\n' })
    const { workspace, report } = await its.create(await its.plan())
    work(workspace.path)
    await expect(removeWorkspace(testGit(), workspace, { made: report.made })).rejects.toMatchObject({ code: 'workspace_used' })
    expect(existsSync(workspace.path)).toBe(true)
    expect(its.branches()).toContain(workspace.branch)
    await removeWorkspace(testGit(), workspace, { made: report.made, force: true })
    expect(existsSync(workspace.path)).toBe(false)
    expect(its.branches()).toEqual(['main'])
  })

  it('without a note of how they were made, only clean ones go', async () => {
    const { workspace } = await its.create(await its.plan(), 'head')
    writeFiles(workspace.path, { x: 'x' })
    await expect(removeWorkspace(testGit(), workspace)).rejects.toMatchObject({ code: 'workspace_used' })
    rmSync(join(workspace.path, 'x'))
    await removeWorkspace(testGit(), workspace)
    expect(existsSync(workspace.path)).toBe(false)
  })

  it('keep a branch that moved, when their folder is already gone', async () => {
    const { workspace } = await its.create(await its.plan())
    git(workspace.path, ['commit', '-q', '--allow-empty', '-m', 'work'])
    rmSync(workspace.path, { recursive: true })
    const { branchKept } = await removeWorkspace(testGit(), workspace)
    expect(branchKept).toContain('has moved')
    expect(its.branches()).toContain(workspace.branch)
    expect(its.countWorktrees()).toBe(1)
  })

  it('of an unfinished fork leave a branch of that name with other commits', async () => {
    const planned = await its.plan({ branch: 'topic' })
    git(its.root, ['checkout', '-q', '-b', 'topic'])
    git(its.root, ['commit', '-q', '--allow-empty', '-m', 'of the person'])
    git(its.root, ['checkout', '-q', 'main'])
    const workspace = workspaceOf({ commonDir: join(its.root, '.git') }, planned)
    const { branchKept } = await removeWorkspace(testGit(), workspace, { force: true, keepMovedBranch: true })
    expect(branchKept).toContain('topic has moved')
    expect(its.branches()).toContain('topic')
  })

  it('keep a branch that is checked out elsewhere', async () => {
    const { workspace } = await its.create(await its.plan())
    git(workspace.path, ['checkout', '-q', '--detach'])
    git(its.root, ['checkout', '-q', workspace.branch])
    const { branchKept } = await removeWorkspace(testGit(), workspace, { force: true })
    expect(branchKept).toContain('checked out')
  })

  it('are left alone when something else lies at their path', async () => {
    const { workspace } = await its.create(await its.plan())
    rmSync(workspace.path, { recursive: true })
    makeRepository(workspace.path)
    await expect(removeWorkspace(testGit(), workspace, { force: true })).rejects.toMatchObject({ code: 'refused' })
    expect(existsSync(join(workspace.path, 'a.txt'))).toBe(true)
  })

  it('are left alone when their folder was replaced after a removal was cut off, but what that left is deleted', async () => {
    const { workspace } = await its.create(await its.plan())
    renameSync(workspace.path, removingPath(workspace))
    rmSync(join(removingPath(workspace), '.git'))
    writeFiles(workspace.path, { 'own.txt': 'of the user\n' })
    await expect(removeWorkspace(testGit(), workspace, { force: true })).rejects.toMatchObject({ code: 'refused' })
    expect(readdirSync(dirname(workspace.path))).toEqual([workspace.id])
    expect(readdirSync(workspace.path)).toEqual(['own.txt'])
  })

  it('do not delete what a link in place of a folder that is being removed leads to', async () => {
    const { workspace } = await its.create(await its.plan())
    writeFiles(join(its.worktreesRoot, 'theirs'), { 'own.txt': 'of the user\n' })
    symlinkSync(join(its.worktreesRoot, 'theirs'), removingPath(workspace))
    await expect(removeWorkspace(testGit(), workspace, { force: true })).rejects.toThrow(/ENOTDIR/)
    expect(existsSync(join(its.worktreesRoot, 'theirs', 'own.txt'))).toBe(true)
    expect(existsSync(join(workspace.path, 'a.txt'))).toBe(true)
  })

  it('can be removed after a crash at any point, and twice', async () => {
    const planned = await its.plan()
    const workspace = workspaceOf({ commonDir: join(its.root, '.git') }, planned)
    await removeWorkspace(testGit(), workspace, { force: true })
    mkdirSync(planned.path, { recursive: true })
    await removeWorkspace(testGit(), workspace, { force: true })
    expect(existsSync(planned.path)).toBe(false)
    git(its.root, ['branch', planned.branch])
    await removeWorkspace(testGit(), workspace, { force: true })
    expect(its.branches()).toEqual(['main'])
    mkdirSync(dirname(planned.path), { recursive: true })
    git(its.root, ['worktree', 'add', '-q', '--no-checkout', '-b', planned.branch, planned.path])
    writeFileSync(join(its.root, '.git', 'worktrees', basename(planned.path), 'locked'), 'initializing')
    await removeWorkspace(testGit(), workspace, { force: true })
    expect(its.branches()).toEqual(['main'])
    expect(its.countWorktrees()).toBe(1)
  })

  it('go when their repository is gone', async () => {
    const { workspace } = await its.create(await its.plan())
    rmSync(its.root, { recursive: true })
    await expect(removeWorkspace(testGit(), workspace)).rejects.toMatchObject({ code: 'workspace_used' })
    expect(await removeWorkspace(testGit(), workspace, { force: true })).toEqual({ branchKept: null })
    expect(existsSync(workspace.path)).toBe(false)
  })
})
