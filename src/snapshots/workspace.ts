// Makes a workspace: a git worktree with a branch of its own, filled with clean HEAD or with the present state of the source.
// Whatever fails on the way, nothing is left behind.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { checkBranch } from './branch-name.ts'
import { type CarryReport, carryNow, type WorkTree } from './carry.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { findRepository, type Repository } from './repository.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { readStatus } from './status.ts'
import type { WorkspacePlan } from './workspace-plan.ts'
import { removeWorkspace } from './workspace-remove.ts'

export interface Workspace {
  readonly id: string
  readonly path: string
  readonly branch: string
  readonly baseCommit: string | null
  /** The repository it belongs to: its shared git folder. */
  readonly commonDir: string
}

export interface MadeWorkspace {
  readonly workspace: Workspace
  readonly report: CarryReport
}

const checkoutTimeoutMs = 30 * 60_000

export function workspaceOf({ commonDir }: Repository, { id, path, branch, baseCommit }: WorkspacePlan): Workspace {
  return { id, path, branch, baseCommit, commonDir }
}

/** `onClaimed` is called once path and branch are known to be free and ours: only from then on is there something to undo. */
export async function createWorkspace(
  git: Git,
  source: Repository,
  plan: WorkspacePlan,
  code: 'now' | 'head',
  onClaimed?: () => void,
): Promise<MadeWorkspace> {
  const { root } = source
  if (code === 'now' && root === null) {
    throw new AppError('refused', `${source.gitDir} has no work tree whose present state could be carried.`, {
      hint: 'Use --code head.',
    })
  }
  const workspace = workspaceOf(source, plan)
  await makeFolder(dirname(plan.path))
  let claimed = false
  try {
    await addWorktree(git, source, plan, () => {
      claimed = true
      onClaimed?.()
    })
    const child = await openWorkTree(git, plan.path)
    const report =
      root !== null && code === 'now' ? await carryNow(git, { ...source, root }, child) : await fillWithHead(git, plan, child)
    return { workspace, report }
  } catch (error) {
    // What was there before us, under the same path or name, is somebody's.
    if (claimed) await removeWorkspace(git, workspace, { force: true })
    throw explain(error, plan.path)
  }
}

async function addWorktree(
  git: Git,
  source: Repository,
  { path, branch, baseCommit }: WorkspacePlan,
  onClaimed: () => void,
): Promise<void> {
  const cwd = source.root ?? source.commonDir
  const add = ['worktree', 'add', '--quiet', '--no-checkout']
  await withRepositoryLock(source.commonDir, async () => {
    await checkBranch(git, cwd, branch)
    // Exclusive: two worktrees made on one path leave a wreck of both.
    await mkdir(path)
    onClaimed()
    if (baseCommit !== null) {
      await git([...add, '--no-track', '-b', branch, path, baseCommit], { cwd, keepReflog: true })
      return
    }
    // `worktree add --orphan` came with git 2.42: any commit serves to make it, then HEAD is turned to a branch without one.
    const tree = (await git(['mktree'], { cwd })).stdout.trim()
    const seed = (await git(['commit-tree', tree, '-m', 'offshoot: start of an unborn branch'], { cwd })).stdout.trim()
    await git([...add, '--detach', path, seed], { cwd })
    await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { cwd: path })
  })
}

async function openWorkTree(git: Git, path: string): Promise<WorkTree> {
  const child = await findRepository(git, path)
  if (child.root === null) throw new Error(`git made no work tree in ${path}`)
  return { ...child, root: child.root }
}

async function fillWithHead(git: Git, { baseCommit }: WorkspacePlan, child: WorkTree): Promise<CarryReport> {
  if (baseCommit !== null) {
    await git(['read-tree', '--reset', '-u', baseCommit], { cwd: child.root, timeoutMs: checkoutTimeoutMs })
  }
  const status = await readStatus(git, child.root, { refresh: true })
  const made = await takeFingerprint(child.root, status, null)
  return { differences: [], leftBehind: [], copiedFiles: 0, operation: null, made }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explain(error, path)
  }
}

function explain(error: unknown, path: string): unknown {
  const hint = 'Choose another place for workspaces, or make this one writable.'
  switch (fileErrorCode(error)) {
    case 'EEXIST':
      return new AppError('file_exists', `${path} exists already.`, {
        hint: 'Choose another place for the workspace.',
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return new AppError('failed', `The workspace ${path} cannot be written.`, { hint, cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('failed', `The disk is full: the workspace ${path} was not made.`, {
        hint: 'Free some space and try again.',
        cause: error,
      })
    default:
      return error
  }
}
