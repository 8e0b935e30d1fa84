// Decides where a new workspace goes and what its branch is called, before anything is made: pure reading.
import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { AppError } from '../model/error.ts'
import { checkBranch, chooseBranch } from './branch-name.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findRepositoryIfAny, type Repository } from './repository.ts'
import { makeShortId } from './short-id.ts'

export interface WorkspacePlan {
  readonly id: string
  readonly path: string
  readonly branch: string
  /** `null`: the source has no commit yet, the workspace starts without one too. */
  readonly baseCommit: string | null
  readonly notes: readonly string[]
}

export interface WorkspaceWish {
  /** `$OFFSHOOT_HOME/worktrees`, or what the settings say. */
  readonly worktreesRoot: string
  readonly baseCommit: string | null
  readonly branch?: string
  /** Absolute, or relative to `worktreesRoot`. */
  readonly path?: string
}

export async function planWorkspace(git: Git, repository: Repository, wish: WorkspaceWish): Promise<WorkspacePlan> {
  const { id, path } = await choosePlace(repository, wish)
  await refuseUnignored(git, path)
  const cwd = repository.root ?? repository.commonDir
  if (wish.branch === undefined) {
    const { branch, note } = await chooseBranch(git, cwd, id)
    return { id, path, branch, baseCommit: wish.baseCommit, notes: note === null ? [] : [note] }
  }
  await checkBranch(git, cwd, wish.branch)
  return { id, path, branch: wish.branch, baseCommit: wish.baseCommit, notes: [] }
}

async function choosePlace({ name }: Repository, { worktreesRoot, path }: WorkspaceWish): Promise<{ id: string; path: string }> {
  const id = makeShortId()
  const place = path === undefined ? join(worktreesRoot, name, id) : resolve(worktreesRoot, path)
  const existing = await findExisting(place)
  if (existing === place) {
    throw new AppError('file_exists', `${place} exists already.`, { hint: 'Choose another place for the workspace.' })
  }
  const real = await realpath(existing).catch((error) => {
    throw new AppError('failed', `${existing} is a link that leads nowhere.`, { hint: 'Choose another place.', cause: error })
  })
  return { id, path: resolve(real, relative(existing, place)) }
}

/** A worktree inside a work tree shows up there as untracked and would be added by `git add -A`. */
async function refuseUnignored(git: Git, path: string): Promise<void> {
  const existing = await findExisting(path)
  const around = await findRepositoryIfAny(git, (await look(existing))?.isDirectory() ? existing : dirname(existing))
  if (around === null) return
  if (around.root === null) throw new AppError('refused', `${path} lies inside the git folder ${around.gitDir}.`)
  const { exitCode } = await git(['check-ignore', '--quiet', '--no-index', '--', `${path}/`], {
    cwd: around.root,
    accept: [0, 1],
  })
  if (exitCode === 0) return
  throw new AppError('refused', `${path} lies inside the work tree ${around.root} and is not ignored there.`, {
    hint: `Choose another folder for workspaces, or add it to ${join(around.commonDir, 'info', 'exclude')}.`,
  })
}

/** The path itself or the nearest folder above it that is there. */
async function findExisting(path: string): Promise<string> {
  return (await look(path)) !== null || dirname(path) === path ? path : findExisting(dirname(path))
}
