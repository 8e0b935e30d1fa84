// The files that a sparse checkout leaves out: they are in the index, marked `skip-worktree`, and not on disk.
import { asBytePath, placeOf, showPath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'

/** Of these paths, relative to the root. */
export async function findLeftOut(git: Git, root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = new Set(paths)
  const { stdout } = await git(['ls-files', '-z', '-t'], { cwd: root })
  const leftOut = new Set<string>()
  for (const record of splitRecords(stdout)) {
    const path = asBytePath(record.slice(2))
    if (record.startsWith('S ') && asked.has(showPath(path)) && (await look(placeOf(root, path))) === null)
      leftOut.add(showPath(path))
  }
  return leftOut
}
