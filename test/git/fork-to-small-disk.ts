// Run by a test inside a mount namespace of its own: forks a repository onto a disk that is too small, tells what happened.
import { existsSync, readdirSync } from 'node:fs'
import { AppError } from '../../src/model/error.ts'
import { readCodeState } from '../../src/snapshots/code-state.ts'
import { createWorkspace } from '../../src/snapshots/workspace.ts'
import { planWorkspace } from '../../src/snapshots/workspace-plan.ts'
import { git as plainGit, testGit } from './scratch.ts'

const [root = '', disk = '', snapshot = ''] = process.argv.slice(2)
const git = testGit()
const { repository, commit } = await readCodeState(git, root)
const plan = await planWorkspace(git, repository, { worktreesRoot: disk, baseCommit: commit })
const error = await createWorkspace(git, repository, plan, snapshot === '' ? 'now' : { snapshot }).then(
  () => null,
  (reason: unknown) => reason,
)
const told = {
  code: error instanceof AppError ? error.code : null,
  message: error instanceof Error ? error.message : null,
  made: existsSync(plan.path),
  left: readdirSync(disk),
  branches: plainGit(root, ['branch', '--format=%(refname:short)']),
  worktrees: plainGit(root, ['worktree', 'list']).trim().split('\n').length,
}
console.log(JSON.stringify(told))
