// Takes a workspace away again: its worktree, git's note of it and its branch. Refuses where work was done in it.
// Files are moved aside and deleted later: right after a big deletion ext4 takes 15 s for what takes one (inode reuse).
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileErrorCode } from '../lib/file-errors.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { describeChanges, type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findOperation } from './operation.ts'
import { findRepository } from './repository.ts'
import { withRepositoryLock } from './repository-lock.ts'
import { makeShortId } from './short-id.ts'
import { readStatus } from './status.ts'
import type { Workspace } from './workspace.ts'

export interface RemoveOptions {
  /** Whatever was done in it, commits on its branch included. */
  readonly force?: boolean
  /** Even then: for what a crash left unfinished, where the branch may since be somebody else's. */
  readonly keepMovedBranch?: boolean
  /** How it was when it was made; without it only an untouched clean HEAD may go. */
  readonly made?: Fingerprint
  /** Folder to move the files to (same disk); absent: they are deleted at once. */
  readonly trash?: string
}

export interface RemoveResult {
  /** Why the branch was left; `null` when it is gone too. */
  readonly branchKept: string | null
}

export async function removeWorkspace(git: Git, workspace: Workspace, options: RemoveOptions = {}): Promise<RemoveResult> {
  const { path, commonDir } = workspace
  const kind = await identify(workspace)
  if (kind === 'foreign') throw new AppError('refused', `${path} is not the workspace offshoot made; it is left as it is.`)
  if (kind === 'ours' && !options.force) await refuseUsed(git, workspace, options.made)
  await removeFiles(workspace, options.trash)
  if ((await look(commonDir)) === null) return { branchKept: null }
  return withRepositoryLock(commonDir, async () => {
    // Twice: also one that git locked, as it does while it makes it.
    await git(['worktree', 'remove', '--force', '--force', path], { cwd: commonDir, accept: [0, 128] })
    const anyCommit = options.force === true && options.keepMovedBranch !== true
    return { branchKept: await removeBranch(git, workspace, anyCommit) }
  })
}

/** A crash may have left an empty folder, which is ours too; anything else at this path is somebody's. */
async function identify({ path, commonDir }: Workspace): Promise<'ours' | 'absent' | 'empty' | 'foreign'> {
  const stats = await look(path)
  if (stats === null) return 'absent'
  if (!stats.isDirectory()) return 'foreign'
  if ((await readdir(path)).length === 0) return 'empty'
  const link = await loadRegularText(join(path, '.git')).catch(() => '')
  return link.startsWith(`gitdir: ${join(commonDir, 'worktrees')}/`) ? 'ours' : 'foreign'
}

/** Only looks: throws where `removeWorkspace` without force would. */
export async function refuseUsedWorkspace(git: Git, workspace: Workspace, made: Fingerprint | undefined): Promise<void> {
  if ((await identify(workspace)) === 'ours') await refuseUsed(git, workspace, made)
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

async function removeFiles({ path, id }: Workspace, trash: string | undefined): Promise<void> {
  if (trash !== undefined && (await look(path)) !== null) {
    await mkdir(trash, { recursive: true, mode: 0o700 })
    try {
      await rename(path, join(trash, makeShortId()))
    } catch (error) {
      if (fileErrorCode(error) !== 'EXDEV') throw error
    }
  }
  await rm(path, { recursive: true, force: true })
  // The folder of a repository goes with its last workspace; a place the person chose is not ours.
  if (basename(path) !== id) return
  await rmdir(dirname(path)).catch((error) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EACCES', 'EBUSY'].includes(fileErrorCode(error) ?? '')) throw error
  })
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

/** What was moved aside earlier; to be called when nobody waits. */
export async function emptyTrash(trash: string): Promise<void> {
  await rm(trash, { recursive: true, force: true })
}
