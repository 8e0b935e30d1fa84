import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { readCodeState } from './code-state.ts'
import { createWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'

describe('carrying the present state', () => {
  const its = useWorkspaces()

  it('keeps staged, unstaged and untracked apart and touches nothing', async () => {
    writeFiles(its.root, { 'a.txt': 'staged\n', 'new.txt': 'untracked\n' })
    git(its.root, ['add', 'a.txt'])
    writeFiles(its.root, { 'a.txt': 'unstaged\n' })
    git(its.root, ['stash', 'store', '-m', 'kept', git(its.root, ['stash', 'create']).trim()])
    const wanted = observe(its.root)
    const before = takeInventory(its.root)
    const { path, report, workspace } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(listTouched(before, takeInventory(its.root))).toEqual([])
    expect(report).toMatchObject({ differences: [], leftBehind: [], copiedFiles: 2, operation: null })
    expect(git(path, ['rev-parse', '--abbrev-ref', 'HEAD']).trim()).toBe(workspace.branch)
    expect(git(path, ['show', ':a.txt'])).toBe('staged\n')
  })

  it('gives clean HEAD where that is asked for', async () => {
    writeFiles(its.root, { 'a.txt': 'changed\n', 'new.txt': 'untracked\n' })
    const { path } = await its.fork(its.root, 'head')
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n')
    expect(existsSync(join(path, 'new.txt'))).toBe(false)
  })

  it('sees an edit made in the second of `git add`, with the same size', async () => {
    writeFiles(its.root, { r: '11111111' })
    git(its.root, ['add', 'r'])
    writeFiles(its.root, { r: '22222222' })
    const { path } = await its.fork()
    expect(readFileSync(join(path, 'r'), 'utf8')).toBe('22222222')
    expect(git(path, ['status', '--porcelain', 'r'])).toBe('AM r\n')
  })

  it('carries edits that assume-unchanged and skip-worktree hide', async () => {
    git(its.root, ['update-index', '--assume-unchanged', 'a.txt'])
    git(its.root, ['update-index', '--skip-worktree', 'd/b.txt'])
    writeFiles(its.root, { 'a.txt': 'hidden\n', 'd/b.txt': 'hidden too\n' })
    const wanted = observe(its.root)
    const { path } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('hidden\n')
  })

  it('holds what git stores for a file of clean HEAD whose filter fails, and says so', async () => {
    writeFiles(its.root, { '.gitattributes': '*.big filter=big\n', 'x.big': 'pointer\n', y: 'y\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'filtered'])
    git(its.root, ['config', 'filter.big.clean', 'cat'])
    git(its.root, ['config', 'filter.big.smudge', 'false'])
    git(its.root, ['config', 'filter.big.required', 'true'])
    const { path, report } = await its.fork(its.root, 'head')
    expect(readFileSync(join(path, 'x.big'), 'utf8')).toBe('pointer\n')
    expect(readFileSync(join(path, 'y'), 'utf8')).toBe('y\n')
    expect(report.notes).toEqual(['The filter big failed: its files hold what git stores for them.'])
  })

  it('takes the chosen ignored files along, as .worktreeinclude has it, and links as links', async () => {
    writeFiles(its.root, {
      '.gitignore': '.env*\nbuild/\nconfig.local\n',
      '.worktreeinclude': '.env*\n!.env.prod\n/build/keep/\n',
      '.env': 'SECRET=1',
      '.env.prod': 'SECRET=2',
      'd/.env.test': 'SECRET=3',
      'build/keep/x': 'kept',
      'build/out.js': 'left',
      'config.local': 'left',
      'plain.txt': 'untracked',
    })
    writeFiles(its.scratch.path, { 'outside/secret': 's' })
    symlinkSync(join(its.scratch.path, 'outside'), join(its.root, 'build/keep/link'))
    const state = await readCodeState(testGit(), its.root)
    expect([...state.included].sort()).toEqual(['.env', 'build/keep/link', 'build/keep/x', 'd/.env.test'])
    const { path } = await its.fork()
    expect(readFileSync(join(path, 'd/.env.test'), 'utf8')).toBe('SECRET=3')
    expect(readlinkSync(join(path, 'build/keep/link'))).toBe(join(its.scratch.path, 'outside'))
    for (const left of ['.env.prod', 'build/out.js', 'config.local']) expect(existsSync(join(path, left)), left).toBe(false)
  })

  it('does not read patterns from a linked .worktreeinclude', async () => {
    writeFiles(its.root, { '.gitignore': '.env\n', '.env': 'x' })
    writeFiles(its.scratch.path, { patterns: '.env\n' })
    symlinkSync('../patterns', join(its.root, '.worktreeinclude'))
    const { path } = await its.fork()
    expect(existsSync(join(path, '.env'))).toBe(false)
  })

  it('reports a tracked file that became a pipe', async () => {
    rmSync(join(its.root, 'a.txt'))
    execFileSync('mkfifo', [join(its.root, 'a.txt')])
    const { report } = await its.fork()
    expect(report.leftBehind).toEqual([{ path: 'a.txt', reason: 'special-file', files: 1 }])
    expect(report.differences).toEqual(['a.txt'])
  })

  it('runs none of the person’s hooks', async () => {
    const log = join(its.scratch.path, 'hooks.txt')
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor']) {
      writeFileSync(join(its.root, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >>${log}\n`, { mode: 0o755 })
    }
    git(its.root, ['config', 'core.fsmonitor', join(its.root, '.git', 'hooks', 'fsmonitor')])
    writeFiles(its.root, { 'a.txt': 'changed\n' })
    await its.fork()
    await its.fork(its.root, 'head')
    expect(existsSync(log)).toBe(false)
  })

  it('is not stopped by a lock on the index', async () => {
    writeFiles(its.root, { 'a.txt': 'changed\n', '.git/index.lock': '' })
    const { path } = await its.fork()
    expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
  })

  it('says so when HEAD moves between plan and copy', async () => {
    const state = await readCodeState(testGit(), its.root)
    const plan = await planWorkspace(testGit(), state.repository, {
      worktreesRoot: join(its.scratch.path, 'w'),
      baseCommit: state.commit,
    })
    git(its.root, ['commit', '-q', '--allow-empty', '-m', 'meanwhile'])
    await expect(createWorkspace(testGit(), state.repository, plan, 'now')).rejects.toMatchObject({ code: 'busy' })
    expect(existsSync(plan.path)).toBe(false)
    expect(git(its.root, ['branch', '--list', 'offshoot/*'])).toBe('')
  })
})
