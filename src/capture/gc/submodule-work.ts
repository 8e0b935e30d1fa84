// Commits made in the submodules of a workspace. Their repositories lie in the worktree's own git folder and go with it, so what is in
// no other place would be lost, though the workspace itself is clean and merged.

import { isFolder } from '../../lib/is-folder.ts'
import { showPath } from '../../snapshots/byte-path.ts'
import { readModuleSource } from '../../snapshots/clone-module.ts'
import { listPresentLinks } from '../../snapshots/find-submodules.ts'
import { findMissing } from '../../snapshots/read-objects.ts'
import { findRepositoryIfAny, type WorkTree } from '../../snapshots/repository.ts'
import type { GcContext } from './gc.ts'

export interface SubmoduleWork {
  /** Relative to the workspace. */
  readonly path: string
  readonly repository: WorkTree
}

/** Submodules with commits that are neither at a remote nor in the repository theirs was made from. */
export async function findSubmoduleWork(gc: GcContext, workTree: WorkTree, within = ''): Promise<SubmoduleWork[]> {
  const found: SubmoduleWork[] = []
  for (const link of await listPresentLinks(gc.git, workTree)) {
    const place = `${workTree.root}/${showPath(link.path)}`
    const repository = isFolder(place) ? await findRepositoryIfAny(gc.git, place) : null
    if (repository?.root !== place || !repository.gitDir.startsWith(`${workTree.gitDir}/`)) continue
    const path = `${within}${showPath(link.path)}`
    const inside = { ...repository, root: place }
    if (await hasOwnCommits(gc, inside)) found.push({ path, repository: inside })
    found.push(...(await findSubmoduleWork(gc, inside, `${path}/`)))
  }
  return found
}

async function hasOwnCommits(gc: GcContext, { root, gitDir }: WorkTree): Promise<boolean> {
  const args = ['rev-list', 'HEAD', '--branches', '--not', '--remotes', '--tags']
  const commits = (await gc.git(args, { cwd: root })).stdout.split('\n').filter(Boolean)
  if (commits.length === 0) return false
  const source = await readModuleSource(gc.git, gitDir)
  if (source === null || !isFolder(source)) return true
  return (await findMissing(gc.git, source, commits)).length > 0
}
