// Whether a workspace can go without losing anything: nothing changed in it since it was made or last committed, and every
// commit of its branch is reachable from elsewhere (merged, pushed, or tagged).
import type { Fingerprint } from './fingerprint.ts'
import { describeChanges, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findOperation } from './operation.ts'
import { findRepositoryIfAny } from './repository.ts'
import { readStatus } from './status.ts'
import type { Workspace } from './workspace.ts'

/** Why it has to stay; `null` when it may go. `made` is how it was when it was made, where that is known. */
export async function whyWorkspaceStays(git: Git, workspace: Workspace, made: Fingerprint | null): Promise<string | null> {
  const { path, commonDir } = workspace
  if ((await look(commonDir)) === null) return 'its repository is gone, nobody can tell whether work was done in it'
  if ((await look(path)) === null) return countOwnCommits(git, workspace)
  const child = await findRepositoryIfAny(git, path)
  if (child?.root !== path || child.commonDir !== commonDir || !child.linked) return 'it is not the worktree offshoot made'
  const [status, operation] = await Promise.all([readStatus(git, path), findOperation(child.gitDir)])
  const now = await takeFingerprint(path, status, operation?.kind ?? null)
  if (made !== null && describeChanges(made, now).length === 0) return null
  if (operation !== null) return `a ${operation.kind} is in progress`
  if (status.branch === null) return 'it is not on a branch'
  const changed = status.entries.length
  if (changed > 0) return `${changed} ${changed === 1 ? 'file is' : 'files are'} changed or untracked`
  const own = await countOwnCommits(git, workspace)
  return own ?? (status.branch === workspace.branch ? null : `it is on another branch now (${status.branch})`)
}

/** Commits that would be lost with the branch. */
async function countOwnCommits(git: Git, { branch, baseCommit, commonDir: cwd }: Workspace): Promise<string | null> {
  const ref = `refs/heads/${branch}`
  const { stdout: id } = await git(['for-each-ref', '--format=%(objectname)', ref], { cwd })
  if (id.trim() === '' || id.trim() === baseCommit) return null
  const others = ['--not', `--exclude=${branch}`, '--branches', '--tags', '--remotes']
  const { stdout } = await git(['rev-list', '--count', ref, ...others], { cwd })
  const count = Number(stdout.trim())
  if (count === 0) return null
  return `${count} ${count === 1 ? 'commit' : 'commits'} of ${branch} ${count === 1 ? 'is' : 'are'} neither merged nor pushed`
}
