import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { type Exec, exec } from '../lib/exec.ts'
import { createGit, type Git } from './git.ts'

describe('workspaces that are made', () => {
  const its = useWorkspaces()

  it('have a branch of their own with a reflog, and leave configuration and other branches alone', async () => {
    git(its.root, ['config', 'branch.autoSetupMerge', 'always'])
    const config = readFileSync(join(its.root, '.git', 'config'), 'utf8')
    const planned = await its.plan({ branch: 'my/topic' })
    const { workspace } = await its.create(planned)
    expect(workspace).toEqual({
      id: planned.id,
      path: planned.path,
      branch: 'my/topic',
      baseCommit: planned.baseCommit,
      commonDir: join(its.root, '.git'),
    })
    expect(git(planned.path, ['reflog', 'my/topic'])).not.toBe('')
    expect(readFileSync(join(its.root, '.git', 'config'), 'utf8')).toBe(config)
    expect(its.branches()).toEqual(['main', 'my/topic'])
  })

  it('eight at once do not meet', async () => {
    writeFiles(its.root, { 'a.txt': 'changed\n' })
    const plans = await Promise.all(Array.from({ length: 8 }, () => its.plan()))
    const made = await Promise.all(plans.map((planned) => its.create(planned)))
    expect(made.map(({ report }) => report.differences)).toEqual(Array.from({ length: 8 }, () => []))
    for (const { path } of plans) expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
    expect(its.countWorktrees()).toBe(9)
    expect(readdirSync(join(its.root, '.git')).filter((name) => name.includes('lock'))).toEqual([])
  })

  it('of two with one path one is made, of two with one branch one is made', async () => {
    const planned = await its.plan()
    const samePath = await Promise.allSettled([its.create(planned), its.create({ ...planned, branch: 'other' })])
    expect(samePath.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
    const elsewhere = await its.plan({ branch: 'same' })
    const sameBranch = await Promise.allSettled([its.create(elsewhere), its.create({ ...(await its.plan()), branch: 'same' })])
    expect(sameBranch.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(its.countWorktrees()).toBe(3)
    expect(git(its.root, ['rev-parse', 'same'])).toBe(git(its.root, ['rev-parse', 'main']))
  })

  it('leave nothing behind when the path was taken since', async () => {
    const planned = await its.plan()
    writeFiles(planned.path, { mine: 'x' })
    await expect(its.create(planned)).rejects.toMatchObject({ code: 'file_exists' })
    expect(readdirSync(planned.path)).toEqual(['mine'])
    expect(its.branches()).toEqual(['main'])
  })

  it('say in sentences what failed and what is left, where it cannot be removed either', async () => {
    const planned = await its.plan()
    let isFull = false
    const full = () =>
      Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write', path: '/x' })
    const real = testGit()
    const calls: Git = async (args, options) => {
      if (args.includes('worktree') && args.includes('add')) isFull = true
      if (isFull) throw full()
      return real(args, options)
    }
    const error = await its.create(planned, 'head', calls).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^The disk is full: [^;]*\. What was begun could not be removed: The disk is full: [^;]*[^.]\.$/,
      ),
      hint: expect.stringContaining(planned.path),
    })
  })

  it('leave the branch of another when it was made since', async () => {
    const planned = await its.plan()
    git(its.root, ['branch', planned.branch])
    await expect(its.create(planned)).rejects.toMatchObject({ code: 'branch_taken' })
    expect(its.branches()).toContain(planned.branch)
    expect(existsSync(planned.path)).toBe(false)
  })

  it('are refused where nothing can be written', async () => {
    writeFiles(its.scratch.path, { 'a-file': 'x' })
    const planned = await its.plan()
    const blocked = { ...planned, path: join(its.scratch.path, 'a-file', 'below') }
    await expect(its.create(blocked)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('cannot be written'),
    })
    expect(its.branches()).toEqual(['main'])
  })

  it('leave nothing behind when git fails at any step', async () => {
    const steps: string[] = []
    const listing: Exec = (command, args, options) => {
      steps.push(args.filter((arg, at) => arg !== '-c' && args[at - 1] !== '-c').join(' '))
      return exec(command, args, options)
    }
    await its.create(await its.plan(), 'now', createGit({ exec: listing, env: process.env }))
    expect(steps.length).toBeGreaterThan(8)
    for (let failing = 0; failing < steps.length; failing++) {
      let step = 0
      const breaking: Exec = async (command, args, options) =>
        step++ === failing
          ? { stdout: '', stderr: 'fatal: broken', exitCode: 128, missing: false, timedOut: false }
          : exec(command, args, options)
      const planned = await its.plan()
      await expect(its.create(planned, 'now', createGit({ exec: breaking, env: process.env })), steps[failing]).rejects.toThrow()
      expect(existsSync(planned.path), steps[failing]).toBe(false)
      expect(its.branches(), steps[failing]).not.toContain(planned.branch)
    }
    expect(its.countWorktrees()).toBe(2)
  })

  it('try again when git stumbles over somebody else’s half-made worktree', async () => {
    let stumbled = false
    const stumbling: Exec = async (command, args, options) => {
      if (!args.includes('worktree') || stumbled) return exec(command, args, options)
      stumbled = true
      const stderr = 'fatal: failed to read .git/worktrees/x/commondir: Success'
      return { stdout: '', stderr, exitCode: 128, missing: false, timedOut: false }
    }
    const planned = await its.plan()
    await its.create(planned, 'now', createGit({ exec: stumbling, env: process.env }))
    expect(stumbled).toBe(true)
    expect(git(planned.path, ['status', '--porcelain'])).toBe('')
  })
})
