// Removes a workspace: its worktree, git's note of it and its branch. Refuses where work was done in it.
// The folder is renamed before its files are deleted: a deletion that is killed half way has removed `.git`, which proves that the
// folder is offshoot's; the new name still proves it, so any later removal deletes the rest.
import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileErrorCode } from '../lib/file-errors.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { describeChanges, type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findOperation } from './operation.ts'
import { removingPath } from './removing-path.ts'
import { findRepository } from './repository.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { readStatus } from './status.ts'
import type { Workspace } from './workspace.ts'
import { provesWorkspace } from './workspace-proof.ts'

export interface RemoveOptions {
  /** Whatever was done in it, commits on its branch included. */
  readonly force?: boolean
  /** Even then: for what a crash left unfinished, where the branch may since be somebody else's. */
  readonly keepMovedBranch?: boolean
  /** How it was when it was made; without it only an untouched clean HEAD may go. */
  readonly made?: Fingerprint
}

export interface RemoveResult {
  /** Why the branch was left; `null` when it is gone too. */
  readonly branchKept: string | null
}

export async function removeWorkspace(git: Git, workspace: Workspace, options: RemoveOptions = {}): Promise<RemoveResult> {
  const { path, commonDir } = workspace
  const kind = await identify(workspace)
  if (kind === 'foreign') {
    await deleteRemoving(workspace)
    throw new AppError(
      'refused',
      `${path} does not prove to be the workspace offshoot made in ${commonDir}; it is left as it is.`,
    )
  }
  if (kind === 'ours' && !options.force) await refuseUsed(git, workspace, options.made)
  if (kind !== 'absent') await moveAside(workspace)
  const branchKept = (await look(commonDir)) === null ? null : await removeFromRepository(git, workspace, options)
  // Last, so that the folder shows every later command that the removal is not complete.
  await deleteRemoving(workspace)
  await removeParent(workspace)
  return { branchKept }
}

async function removeFromRepository(git: Git, workspace: Workspace, options: RemoveOptions): Promise<string | null> {
  return withRepositoryLock(workspace.commonDir, async () => {
    await removeNote(git, workspace)
    const anyCommit = options.force === true && options.keepMovedBranch !== true
    return removeBranch(git, workspace, anyCommit)
  })
}

/** A crash may have left an empty folder, which is ours too; anything else at this path is somebody's. */
async function identify({ path, commonDir }: Workspace): Promise<'ours' | 'absent' | 'empty' | 'foreign'> {
  const stats = await look(path)
  if (stats === null) return 'absent'
  if (!stats.isDirectory()) return 'foreign'
  if ((await readdir(path)).length === 0) return 'empty'
  const link = await loadRegularText(join(path, '.git')).catch(() => '')
  return provesWorkspace(link, commonDir) ? 'ours' : 'foreign'
}

/** Only looks: throws where `removeWorkspace` without force would. */
export async function refuseUsedWorkspace(git: Git, workspace: Workspace, made: Fingerprint | undefined): Promise<void> {
  const kind = await identify(workspace)
  if (kind === 'ours') await refuseUsed(git, workspace, made)
  if (kind === 'absent') await refuseMoved(workspace)
}

/** Git keeps the repositories of a work tree's submodules with its own note: where the folder was moved, that is the only copy. */
async function refuseMoved({ path, commonDir }: Workspace): Promise<void> {
  const notes = join(commonDir, 'worktrees')
  for (const name of await readdir(notes).catch(() => [])) {
    const dotGit = await loadRegularText(join(notes, name, 'gitdir')).catch(() => '')
    if (dotGit.trim() !== join(path, '.git') || (await look(join(notes, name, 'modules'))) === null) continue
    throw new AppError('workspace_used', `${path} is gone, and may have been moved: git still keeps its submodules for it.`, {
      hint: 'Move the folder back and try again. `offshoot undo --force` deletes the submodules with all that was committed in them.',
      details: { changes: ['its folder is gone, and git keeps submodules for it'] },
    })
  }
}

/** Ignored files (builds, dependencies) do not count as work. */
async function refuseUsed(git: Git, { path, baseCommit, commonDir }: Workspace, made: Fingerprint | undefined): Promise<void> {
  if ((await look(commonDir)) === null) {
    throw new AppError('workspace_used', `The repository of ${path} is gone; nobody can tell whether work was done in it.`)
  }
  const child = await findRepository(git, path)
  const status = await readStatus(git, path)
  const operation = await findOperation(child.gitDir)
  const now = await takeFingerprint(path, status, operation?.kind ?? null)
  const untouched = status.commit === baseCommit && status.entries.length === 0 && operation === null
  const changes = made === undefined ? (untouched ? [] : ['it holds changes or commits']) : describeChanges(made, now)
  if (changes.length > 0) {
    throw new AppError('workspace_used', `Work was done in ${path}: ${changes.join(', ')}.`, { details: { changes } })
  }
}

/** Whether a removal was cut off while it deleted the files. */
export async function isBeingRemoved(workspace: Pick<Workspace, 'path' | 'id'>): Promise<boolean> {
  return (await look(removingPath(workspace)))?.isDirectory() ?? false
}

async function moveAside(workspace: Workspace): Promise<void> {
  const { path } = workspace
  // Left by an earlier removal, after which a workspace was put back at its path.
  await deleteRemoving(workspace)
  try {
    await rename(path, removingPath(workspace))
  } catch (error) {
    // A mount point, or a folder of a lower layer of overlayfs, keeps its name: `.git` goes last.
    if (!['EXDEV', 'EBUSY'].includes(fileErrorCode(error) ?? '')) throw error
    for (const name of await readdir(path)) if (name !== '.git') await deleteFolder(join(path, name))
    await deleteFolder(path)
  }
}

async function deleteRemoving(workspace: Workspace): Promise<void> {
  if (await isBeingRemoved(workspace)) await deleteFolder(removingPath(workspace))
}

/** Tries again for 20 s where a process that still runs in the folder writes new files while the old ones go (ENOTEMPTY). */
async function deleteFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** The folder of a repository goes with its last workspace; a place the user chose is not ours. */
async function removeParent({ path, id }: Workspace): Promise<void> {
  if (basename(path) !== id) return
  await rmdir(dirname(path)).catch((error) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EACCES', 'EBUSY'].includes(fileErrorCode(error) ?? '')) throw error
  })
}

/** The entry in the reflog of a workspace's branch that tells it from a branch of the same name that somebody else made. */
export function branchMadeFor(id: string): string {
  return `offshoot: workspace ${id}`
}

/** For a workspace that was cut off before anybody knew whether folder and branch are offshoot's: removes what is, and untouched. */
export async function removeUnclaimed(git: Git, workspace: Workspace): Promise<void> {
  const { branch, commonDir, id } = workspace
  const kind = await identify(workspace)
  if (kind === 'empty') await rmdir(workspace.path)
  if (kind === 'empty' || kind === 'absent') await removeParent(workspace)
  if ((await look(commonDir)) === null) return
  await withRepositoryLock(commonDir, async () => {
    const ref = `refs/heads/${branch}`
    const history = ['log', '--walk-reflogs', '--format=%H %gs', ref, '--']
    const { stdout } = await git(history, { cwd: commonDir, accept: [0, 128] })
    const [, commit = null] = /^(\w+) (.*)\n$/.exec(stdout) ?? []
    if (stdout !== `${commit} ${branchMadeFor(id)}\n`) return
    await removeBranch(git, { ...workspace, baseCommit: commit }, false)
  })
}

/** Git's own note of the work tree. It may be gone already. */
async function removeNote(git: Git, { path, commonDir }: Workspace): Promise<void> {
  try {
    // Twice: also one that git locked, as it does while it makes it.
    await git(['worktree', 'remove', '--force', '--force', path], { cwd: commonDir })
  } catch (error) {
    if (!(error instanceof AppError) || !error.message.includes('is not a working tree')) throw error
  }
}

async function removeBranch(git: Git, { branch, baseCommit, commonDir }: Workspace, anyCommit: boolean): Promise<string | null> {
  const ref = `refs/heads/${branch}`
  const { stdout } = await git(['for-each-ref', '--format=%(objectname) %(worktreepath)', ref], { cwd: commonDir })
  const [commit, place] = stdout.trim().split(' ')
  if (commit === undefined || commit === '') return null
  if (place !== undefined && place !== '') return `${branch} is checked out in ${place}`
  if (commit !== baseCommit && !anyCommit) return `${branch} has moved to ${commit}`
  await git(['update-ref', '-d', ref, commit], { cwd: commonDir })
  return null
}
