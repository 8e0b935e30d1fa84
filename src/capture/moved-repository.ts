// Where a repository is that was moved since something of it was recorded. The catalogue decides which repository it is; this is the
// one place that asks it, for forks, comparisons, restores and their undo alike.
import { basename, dirname } from 'node:path'
import { isFolder } from '../lib/is-folder.ts'
import type { Store } from '../store/store.ts'
import type { CaptureContext } from './context.ts'

/** As it was recorded. */
interface Recorded {
  readonly commonDir: string
  readonly root: string
  /** A snapshot or a ref of ours that the repository holds. */
  readonly holds: string
  /** Folder of the session it is of. */
  readonly cwd?: string | null
}

/** The common folder as it is now; the recorded one where the repository is not found. */
export async function findCommonDir(context: CaptureContext, recorded: Recorded): Promise<string> {
  const { commonDir, root, holds, cwd = null } = recorded
  if (isFolder(commonDir)) return commonDir
  const folders = [context.cwd, root, cwd].filter((folder) => folder !== null).filter(isFolder)
  // The catalogue learns of a move when it looks at a folder of the repository.
  for (const folder of folders) await context.catalog.repositoryOf(folder)
  return findKnown(context.store(), commonDir) ?? (await findHolder(context, folders, holds)) ?? commonDir
}

/** Where the catalogue saw the repository last; `null`: it is not there any more, or was never seen. */
export function findKnown({ repositories }: Store, commonDir: string): string | null {
  if (isFolder(commonDir)) return commonDir
  const id = repositories.folders().find(({ folder }) => folder === commonDir)?.repoId
  const known = repositories.all().find((record) => record.id === id)
  return known !== undefined && isFolder(known.commonDir) ? known.commonDir : null
}

/** The catalogue may not have seen the repository before the move, or cannot know it again (no commit, a shallow clone). */
async function findHolder({ git }: CaptureContext, folders: readonly string[], holds: string): Promise<string | null> {
  const [{ findRepositoryIfAny }, { findMissing }] = await Promise.all([
    import('../snapshots/repository.ts'),
    import('../snapshots/read-objects.ts'),
  ])
  for (const folder of folders) {
    const found = await findRepositoryIfAny(git, folder)
    if (found !== null && (await findMissing(git, found.commonDir, [holds])).length === 0) return found.commonDir
  }
  return null
}

/** The root of a work tree as it is now; the recorded one where the work tree is not found. `commonDir` as it is now. */
export function findRoot(context: CaptureContext, commonDir: string, root: string): string {
  if (isFolder(root)) return root
  const main = context
    .store()
    .repositories.all()
    .find((record) => record.commonDir === commonDir)?.root
  return main !== undefined && listRoots(context, commonDir, main).includes(root) ? main : root
}

/** Every path under which a work tree was known; several only of a main work tree that was moved. */
export function listRoots({ store }: CaptureContext, commonDir: string, root: string): string[] {
  const { repositories } = store()
  const record = repositories.all().find((each) => each.commonDir === commonDir)
  if (record === undefined || record.root !== root) return [root]
  // A linked worktree has a file there, which is nobody's common folder.
  const former = repositories
    .folders()
    .filter(({ folder, repoId }) => repoId === record.id && basename(folder) === '.git' && !isFolder(folder))
  return [root, ...former.map(({ folder }) => dirname(folder))]
}
