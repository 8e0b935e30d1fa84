import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { git, makeRepository, makeScratch, type Scratch, testGit, writeFiles } from '../../test/git/scratch.ts'
import { type Exec, exec } from '../lib/exec.ts'
import { readCodeState } from './code-state.ts'
import { createGit, type Git } from './git.ts'
import { createWorkspace, type MadeWorkspace } from './workspace.ts'
import { planWorkspace, type WorkspacePlan, type WorkspaceWish } from './workspace-plan.ts'
import { emptyTrash, removeWorkspace } from './workspace-remove.ts'

describe('workspaces', () => {
  let scratch: Scratch
  let root: string
  let worktreesRoot: string
  beforeEach(() => {
    scratch = makeScratch()
    root = makeRepository(join(scratch.path, 'my repo'))
    worktreesRoot = join(scratch.path, 'home', 'worktrees')
  })
  afterEach(() => scratch.remove())

  async function plan(wish: Partial<WorkspaceWish> = {}): Promise<WorkspacePlan> {
    const { repository, commit } = await readCodeState(testGit(), root)
    return planWorkspace(testGit(), repository, { worktreesRoot, baseCommit: commit, ...wish })
  }

  async function create(planned: WorkspacePlan, code: 'now' | 'head' = 'now', git: Git = testGit()): Promise<MadeWorkspace> {
    return createWorkspace(git, (await readCodeState(testGit(), root)).repository, planned, code)
  }

  const branches = () => git(root, ['branch', '--list', '--format=%(refname:short)']).trim().split('\n')
  const worktrees = () => git(root, ['worktree', 'list', '--porcelain']).match(/^worktree .*$/gm)

  describe('planned', () => {
    it('have a short id, a place and a branch, and nothing is made yet', async () => {
      const planned = await plan()
      expect(planned.id).toMatch(/^[a-z2-7]{8}$/)
      expect(planned.path).toBe(join(worktreesRoot, 'my-repo', planned.id))
      expect(planned.branch).toBe(`offshoot/session/${planned.id}`)
      expect(planned.notes).toEqual([])
      expect(existsSync(worktreesRoot)).toBe(false)
      expect((await plan()).id).not.toBe(planned.id)
    })

    it.each([
      ['offshoot', 'offshoot-session/'],
      ['offshoot/session', 'offshoot-session/'],
    ])('get around a branch named %s, and say so', async (taken, prefix) => {
      git(root, ['branch', taken])
      const planned = await plan()
      expect(planned.branch).toBe(prefix + planned.id)
      expect(planned.notes).toEqual([expect.stringContaining(`beside the branch ${taken}`)])
      await create(planned)
      expect(branches()).toContain(planned.branch)
    })

    it('get around both names being taken', async () => {
      git(root, ['branch', 'offshoot'])
      git(root, ['branch', 'offshoot-session'])
      const planned = await plan()
      expect(planned.branch).toBe(`offshoot-session-${planned.id}`)
    })

    it.each(['has space', '-x', 'a..b', 'x.lock', '/x', 'x/', '@{-1}', 'HEAD', 'a:b', ''])(
      'refuse "%s" as a branch',
      async (branch) => {
        await expect(plan({ branch })).rejects.toMatchObject({ code: 'usage' })
      },
    )

    it.each([
      ['main', 'exists already'],
      ['main/deeper', 'beside the branch main'],
      ['topic', 'beside the branch topic/a'],
    ])('refuse the branch %s that cannot be made', async (branch, reason) => {
      git(root, ['branch', 'topic/a'])
      await expect(plan({ branch })).rejects.toMatchObject({ code: 'branch_taken', message: expect.stringContaining(reason) })
    })

    it('refuse a place that is taken, even by a link that leads nowhere', async () => {
      writeFiles(worktreesRoot, { file: 'x' })
      symlinkSync('nowhere', join(worktreesRoot, 'link'))
      for (const path of ['file', 'link', join(root, 'd')])
        await expect(plan({ path })).rejects.toMatchObject({ code: 'file_exists' })
      await expect(plan({ path: 'link/below' })).rejects.toMatchObject({ code: 'failed' })
    })

    it('refuse a place inside a work tree unless it is ignored there', async () => {
      const path = join(root, '.offshoot', 'one')
      await expect(plan({ path })).rejects.toMatchObject({ code: 'refused', hint: expect.stringContaining('info/exclude') })
      await expect(plan({ path: join(root, '.git', 'one') })).rejects.toMatchObject({ code: 'refused' })
      writeFileSync(join(root, '.git', 'info', 'exclude'), '.offshoot/\n')
      await create(await plan({ path }))
      expect(git(root, ['status', '--porcelain'])).toBe('')
    })

    it('see through a link into the work tree', async () => {
      symlinkSync(root, join(scratch.path, 'shortcut'))
      await expect(plan({ path: join(scratch.path, 'shortcut', 'one') })).rejects.toMatchObject({ code: 'refused' })
    })
  })

  describe('made', () => {
    it('have a branch of their own with a reflog, and leave configuration and other branches alone', async () => {
      git(root, ['config', 'branch.autoSetupMerge', 'always'])
      const config = readFileSync(join(root, '.git', 'config'), 'utf8')
      const planned = await plan({ branch: 'my/topic' })
      const { workspace } = await create(planned)
      expect(workspace).toEqual({
        id: planned.id,
        path: planned.path,
        branch: 'my/topic',
        baseCommit: planned.baseCommit,
        commonDir: join(root, '.git'),
      })
      expect(git(planned.path, ['reflog', 'my/topic'])).not.toBe('')
      expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe(config)
      expect(branches()).toEqual(['main', 'my/topic'])
    })

    it('eight at once do not meet', async () => {
      writeFiles(root, { 'a.txt': 'changed\n' })
      const plans = await Promise.all(Array.from({ length: 8 }, () => plan()))
      const made = await Promise.all(plans.map((planned) => create(planned)))
      expect(made.map(({ report }) => report.differences)).toEqual(Array.from({ length: 8 }, () => []))
      for (const { path } of plans) expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
      expect(worktrees()).toHaveLength(9)
      expect(readdirSync(join(root, '.git')).filter((name) => name.includes('lock'))).toEqual([])
    })

    it('of two with one path one is made, of two with one branch one is made', async () => {
      const planned = await plan()
      const samePath = await Promise.allSettled([create(planned), create({ ...planned, branch: 'other' })])
      expect(samePath.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
      const elsewhere = await plan({ branch: 'same' })
      const sameBranch = await Promise.allSettled([create(elsewhere), create({ ...(await plan()), branch: 'same' })])
      expect(sameBranch.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(worktrees()).toHaveLength(3)
      expect(git(root, ['rev-parse', 'same'])).toBe(git(root, ['rev-parse', 'main']))
    })

    it('leave nothing behind when the path was taken since', async () => {
      const planned = await plan()
      writeFiles(planned.path, { mine: 'x' })
      await expect(create(planned)).rejects.toMatchObject({ code: 'file_exists' })
      expect(readdirSync(planned.path)).toEqual(['mine'])
      expect(branches()).toEqual(['main'])
    })

    it('leave the branch of another when it was made since', async () => {
      const planned = await plan()
      git(root, ['branch', planned.branch])
      await expect(create(planned)).rejects.toMatchObject({ code: 'branch_taken' })
      expect(branches()).toContain(planned.branch)
      expect(existsSync(planned.path)).toBe(false)
    })

    it('are refused where nothing can be written', async () => {
      writeFiles(scratch.path, { 'a-file': 'x' })
      const planned = await plan()
      const blocked = { ...planned, path: join(scratch.path, 'a-file', 'below') }
      await expect(create(blocked)).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringContaining('cannot be written'),
      })
      expect(branches()).toEqual(['main'])
    })

    it('leave nothing behind when git fails at any step', async () => {
      const steps: string[] = []
      const listing: Exec = (command, args, options) => {
        steps.push(args.filter((arg, at) => arg !== '-c' && args[at - 1] !== '-c').join(' '))
        return exec(command, args, options)
      }
      await create(await plan(), 'now', createGit({ exec: listing, env: process.env }))
      expect(steps.length).toBeGreaterThan(8)
      for (let failing = 0; failing < steps.length; failing++) {
        let step = 0
        const breaking: Exec = async (command, args, options) =>
          step++ === failing
            ? { stdout: '', stderr: 'fatal: broken', exitCode: 128, missing: false, timedOut: false }
            : exec(command, args, options)
        const planned = await plan()
        await expect(create(planned, 'now', createGit({ exec: breaking, env: process.env })), steps[failing]).rejects.toThrow()
        expect(existsSync(planned.path), steps[failing]).toBe(false)
        expect(branches(), steps[failing]).not.toContain(planned.branch)
      }
      expect(worktrees()).toHaveLength(2)
    })

    it('try again when git stumbles over somebody else’s half-made worktree', async () => {
      let stumbled = false
      const stumbling: Exec = async (command, args, options) => {
        if (!args.includes('worktree') || stumbled) return exec(command, args, options)
        stumbled = true
        const stderr = 'fatal: failed to read .git/worktrees/x/commondir: Success'
        return { stdout: '', stderr, exitCode: 128, missing: false, timedOut: false }
      }
      const planned = await plan()
      await create(planned, 'now', createGit({ exec: stumbling, env: process.env }))
      expect(stumbled).toBe(true)
      expect(git(planned.path, ['status', '--porcelain'])).toBe('')
    })
  })

  describe('removed', () => {
    it('are gone without a trace when nothing was done in them', async () => {
      writeFiles(root, { 'a.txt': 'carried\n', new: 'carried too\n' })
      const { workspace, report } = await create(await plan())
      expect(await removeWorkspace(testGit(), workspace, { made: report.made })).toEqual({ branchKept: null })
      expect(existsSync(dirname(workspace.path))).toBe(false)
      expect(branches()).toEqual(['main'])
      expect(worktrees()).toHaveLength(1)
      expect(existsSync(join(root, '.git', 'logs', 'refs', 'heads', 'offshoot', 'session', workspace.id))).toBe(false)
      expect(git(root, ['status', '--porcelain'])).toBe(' M a.txt\n?? new\n')
    })

    it.each([
      ['a file was edited', (path: string) => writeFiles(path, { 'a.txt': 'work\n' })],
      ['a carried file was edited on', (path: string) => writeFiles(path, { new: 'carried, and more\n' })],
      ['a file was made', (path: string) => writeFiles(path, { 'work.txt': 'work\n' })],
      ['a commit was made', (path: string) => git(path, ['commit', '-q', '--allow-empty', '-m', 'work'])],
    ])('are kept when %s, unless forced', async (_, work) => {
      writeFiles(root, { new: 'carried\n' })
      const { workspace, report } = await create(await plan())
      work(workspace.path)
      await expect(removeWorkspace(testGit(), workspace, { made: report.made })).rejects.toMatchObject({ code: 'workspace_used' })
      expect(existsSync(workspace.path)).toBe(true)
      expect(branches()).toContain(workspace.branch)
      await removeWorkspace(testGit(), workspace, { made: report.made, force: true })
      expect(existsSync(workspace.path)).toBe(false)
      expect(branches()).toEqual(['main'])
    })

    it('without a note of how they were made, only clean ones go', async () => {
      const { workspace } = await create(await plan(), 'head')
      writeFiles(workspace.path, { x: 'x' })
      await expect(removeWorkspace(testGit(), workspace)).rejects.toMatchObject({ code: 'workspace_used' })
      rmSync(join(workspace.path, 'x'))
      await removeWorkspace(testGit(), workspace)
      expect(existsSync(workspace.path)).toBe(false)
    })

    it('keep a branch that moved, when their folder is already gone', async () => {
      const { workspace } = await create(await plan())
      git(workspace.path, ['commit', '-q', '--allow-empty', '-m', 'work'])
      rmSync(workspace.path, { recursive: true })
      const { branchKept } = await removeWorkspace(testGit(), workspace)
      expect(branchKept).toContain('has moved')
      expect(branches()).toContain(workspace.branch)
      expect(worktrees()).toHaveLength(1)
    })

    it('keep a branch that is checked out elsewhere', async () => {
      const { workspace } = await create(await plan())
      git(workspace.path, ['checkout', '-q', '--detach'])
      git(root, ['checkout', '-q', workspace.branch])
      const { branchKept } = await removeWorkspace(testGit(), workspace, { force: true })
      expect(branchKept).toContain('checked out')
    })

    it('are left alone when something else lies at their path', async () => {
      const { workspace } = await create(await plan())
      rmSync(workspace.path, { recursive: true })
      makeRepository(workspace.path)
      await expect(removeWorkspace(testGit(), workspace, { force: true })).rejects.toMatchObject({ code: 'refused' })
      expect(existsSync(join(workspace.path, 'a.txt'))).toBe(true)
    })

    it('move their files aside for later, where asked', async () => {
      const trash = join(worktreesRoot, '.trash')
      const { workspace, report } = await create(await plan())
      await removeWorkspace(testGit(), workspace, { made: report.made, trash })
      expect(readdirSync(trash)).toHaveLength(1)
      expect(worktrees()).toHaveLength(1)
      await emptyTrash(trash)
      expect(existsSync(trash)).toBe(false)
    })

    it('can be removed after a crash at any point, and twice', async () => {
      const planned = await plan()
      const workspace = { ...planned, commonDir: join(root, '.git') }
      await removeWorkspace(testGit(), workspace, { force: true })
      mkdirSync(planned.path, { recursive: true })
      await removeWorkspace(testGit(), workspace, { force: true })
      expect(existsSync(planned.path)).toBe(false)
      git(root, ['branch', planned.branch])
      await removeWorkspace(testGit(), workspace, { force: true })
      expect(branches()).toEqual(['main'])
      mkdirSync(dirname(planned.path), { recursive: true })
      git(root, ['worktree', 'add', '-q', '--no-checkout', '-b', planned.branch, planned.path])
      writeFileSync(join(root, '.git', 'worktrees', basename(planned.path), 'locked'), 'initializing')
      await removeWorkspace(testGit(), workspace, { force: true })
      expect(branches()).toEqual(['main'])
      expect(worktrees()).toHaveLength(1)
    })

    it('go when their repository is gone', async () => {
      const { workspace } = await create(await plan())
      rmSync(root, { recursive: true })
      expect(await removeWorkspace(testGit(), workspace, { force: true })).toEqual({ branchKept: null })
      expect(existsSync(workspace.path)).toBe(false)
    })
  })
})
