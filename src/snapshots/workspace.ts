// Makes a workspace: a git worktree with a branch of its own, filled with clean HEAD, with the present state of the source or
// with one of the past. Whatever fails on the way, nothing is left behind.

import { mkdir, rmdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { explainMachine, isDiskFull, toMachineFault } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import { checkBranch } from './branch-name.ts'
import type { CarryReport } from './carry.ts'
import { type CodeWish, planFilling, submoduleFilling } from './fill-workspace.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { findRepository, type Repository, type WorkTree } from './repository.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { readStatus } from './status.ts'
import { addExtras, type Extras } from './workspace-extras.ts'
import { type WorkspaceUse, writeMarker } from './workspace-marker.ts'
import type { WorkspacePlan } from './workspace-plan.ts'
import { branchMadeFor, removeWorkspace } from './workspace-remove.ts'

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

/** A file that does not fit is taken away again by git: what is free then is what it did not fit into. */
const fullBelowBytes = 64 * 1024 * 1024

export function workspaceOf(
  { commonDir }: Pick<Repository, 'commonDir'>,
  { id, path, branch, baseCommit }: WorkspacePlan,
): Workspace {
  return { id, path, branch, baseCommit, commonDir }
}

export interface CreateOptions {
  /** The work tree submodules and ignored files come from; absent: the source's own, `null`: there is none. */
  readonly extrasFrom?: WorkTree | null
  /** Called once path and branch are known to be free and ours: only from then on is there something to undo. */
  readonly onClaimed?: () => void
  /** Written down in the workspace: with it, each turn there becomes a commit. */
  readonly use?: WorkspaceUse
}

/** A snapshot brings its own base (`findSnapshotBase`), whatever the plan says. */
export async function createWorkspace(
  git: Git,
  source: Repository,
  wish: WorkspacePlan,
  code: CodeWish,
  { extrasFrom = workTreeOf(source), onClaimed, use }: CreateOptions = {},
): Promise<MadeWorkspace> {
  const { baseCommit, links, fill } = await planFilling(git, source, wish, code)
  const plan = { ...wish, baseCommit }
  const workspace = workspaceOf(source, plan)
  await makeFolder(plan.path)
  let cleanUp: () => Promise<unknown> = () => rmdir(plan.path)
  try {
    await withRepositoryLock(source.commonDir, async () => {
      await makeBranch(git, source, plan)
      cleanUp = () => removeWorkspace(git, workspace, { force: true, keepMovedBranch: true })
      onClaimed?.()
      await addWorktree(git, source, plan)
    })
    const child = await openWorkTree(git, plan.path)
    const filled = await fill(child)
    const inside = submoduleFilling(git, code)
    const extras = await addExtras(git, { from: extrasFrom, child, links: await links(), inside })
    const report = await withExtras(git, child, filled, extras)
    if (use !== undefined) await writeMarker(child.gitDir, { version: 1, id: plan.id, branch: plan.branch, ...use })
    return { workspace, report }
  } catch (failure) {
    const error = await explain(failure, plan.path)
    await cleanUp().catch((reason) => {
      const hint = `Remove ${plan.path} by hand, or run \`offshoot doctor --fix\`.`
      const [why, left] = [error, reason].map((each) => errorMessage(toMachineFault(each) ?? each).replace(/\.$/, ''))
      throw new AppError('failed', `${why}. What was begun could not be removed: ${left}.`, {
        hint,
        cause: error,
      })
    })
    throw error
  }
}

function workTreeOf(repository: Repository): WorkTree | null {
  const { root } = repository
  return root === null ? null : { ...repository, root }
}

/** A submodule that is checked out may be at another commit than the index says: that is no work done in the workspace. */
async function withExtras(git: Git, child: WorkTree, report: CarryReport, extras: Extras): Promise<CarryReport> {
  const { submodules, included, differences, missing, notes } = extras
  const made =
    submodules.length === 0
      ? report.made
      : await takeFingerprint(child.root, await readStatus(git, child.root), report.made.operation)
  return {
    ...report,
    made,
    copiedFiles: report.copiedFiles + included,
    differences: [...report.differences, ...differences],
    notes: [...report.notes, ...notes],
    emptySubmodules: missing,
  }
}

/** Not by `worktree add -b`: failing half way it leaves the branch, and trying again would fail because of it. */
async function makeBranch(git: Git, source: Repository, { id, branch, baseCommit }: WorkspacePlan): Promise<void> {
  const cwd = source.root ?? source.commonDir
  if (baseCommit === null) return checkBranch(git, cwd, branch)
  try {
    const made = ['--create-reflog', '-m', branchMadeFor(id)]
    await git(['update-ref', ...made, `refs/heads/${branch}`, baseCommit, ''], { cwd, keepReflog: true })
  } catch (error) {
    await checkBranch(git, cwd, branch)
    throw error
  }
}

async function addWorktree(git: Git, source: Repository, { path, branch, baseCommit }: WorkspacePlan): Promise<void> {
  const cwd = source.root ?? source.commonDir
  const add = ['worktree', 'add', '--quiet', '--no-checkout']
  if (baseCommit !== null) return tryTwice(() => git([...add, path, branch], { cwd }))
  // `worktree add --orphan` came with git 2.42: any commit serves to make it, then HEAD is turned to a branch without one.
  const tree = (await git(['mktree'], { cwd })).stdout.trim()
  const seed = (await git(['commit-tree', tree, '-m', 'offshoot: start of an unborn branch'], { cwd })).stdout.trim()
  await tryTwice(() => git([...add, '--detach', path, seed], { cwd }))
  await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { cwd: path })
}

/** Somebody else's `worktree add` at the same time: git reads its half-made folder and gives up (2 of 60 times). */
async function tryTwice(add: () => Promise<unknown>): Promise<void> {
  try {
    await add()
  } catch (error) {
    if (!(error instanceof AppError && /commondir|\.lock\b/.test(error.message))) throw error
    await add()
  }
}

async function openWorkTree(git: Git, path: string): Promise<WorkTree> {
  const child = await findRepository(git, path)
  if (child.root === null) throw new Error(`git made no work tree in ${path}`)
  return { ...child, root: child.root }
}

/** Exclusive: two worktrees made on one path leave a wreck of both. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await mkdir(path)
  } catch (error) {
    const taken = fileErrorCode(error) === 'EEXIST' && error instanceof Error && 'path' in error && error.path === path
    if (!taken) throw await explain(error, path)
    throw new AppError('file_exists', `${path} exists already.`, {
      hint: 'Choose another place for the workspace.',
      cause: error,
    })
  }
}

async function explain(error: unknown, path: string): Promise<unknown> {
  if (isDiskFull(error) || (await foundDiskFull(error, path))) {
    return new AppError('disk_full', `The disk is full: the workspace ${path} was not made.`, { cause: error })
  }
  const code = fileErrorCode(error) ?? ''
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) {
    const hint = 'Choose another place for workspaces, or make this one writable.'
    return new AppError('failed', `The workspace ${path} cannot be written (${code}).`, { hint, cause: error })
  }
  return explainMachine(error)
}

/** git says no more than "unable to write file x". */
async function foundDiskFull(error: unknown, path: string): Promise<boolean> {
  if (!(error instanceof AppError && /unable to (write|create)/.test(error.message))) return false
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize < fullBelowBytes
}
