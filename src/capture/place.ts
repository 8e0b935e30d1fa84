// Which work tree an event speaks of. The agent's folder follows its `cd`: into a repository nested in the one the session
// works in is not where its work is, into a worktree of the same repository it is.
import { sep } from 'node:path'
import type { Git } from '../snapshots/git.ts'
import { findRepositoryIfAny, type WorkTree } from '../snapshots/repository.ts'
import { readMarker, type WorkspaceMarker } from '../snapshots/workspace-marker.ts'

export interface Place {
  readonly workTree: WorkTree
  /** Set in a workspace of ours. */
  readonly marker: WorkspaceMarker | null
}

/** `folders`: the agent's folder first, then where to look when that is gone. `usualRoot`: where the session was last seen. */
export async function findPlace(git: Git, folders: readonly string[], usualRoot: string | null): Promise<Place | null> {
  for (const folder of folders) {
    const found = await findWorkTree(git, folder)
    if (found === null) continue
    const workTree = usualRoot === null ? found : await leaveNested(git, found, usualRoot)
    return { workTree, marker: workTree.linked ? await readMarker(workTree.gitDir) : null }
  }
  return null
}

async function leaveNested(git: Git, found: WorkTree, usualRoot: string): Promise<WorkTree> {
  if (!found.root.startsWith(`${usualRoot}${sep}`)) return found
  const usual = await findWorkTree(git, usualRoot)
  return usual === null || usual.commonDir === found.commonDir ? found : usual
}

async function findWorkTree(git: Git, folder: string): Promise<WorkTree | null> {
  const repository = await findRepositoryIfAny(git, folder)
  const root = repository?.root ?? null
  return repository === null || root === null ? null : { ...repository, root }
}
