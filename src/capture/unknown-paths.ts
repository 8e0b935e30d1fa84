// Paths a person named that are in neither state: a typing mistake, or an ignored file. Saying "as it was already" would be untrue.
import { findNearest } from '../lib/nearest.ts'
import { AppError } from '../model/error.ts'
import { showPath } from '../snapshots/byte-path.ts'
import type { Git } from '../snapshots/git.ts'
import { createNameCheck } from '../snapshots/named-paths.ts'
import { listTree } from '../snapshots/read-objects.ts'

/** `names` do not differ between the states: what is not in this tree is in neither. */
export async function refuseUnknown(git: Git, cwd: string, tree: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const paths = [...(await listTree(git, cwd, tree)).keys()]
  const unknown = names.find((name) => !paths.some(createNameCheck([name])))
  if (unknown === undefined) return
  const [near] = findNearest(unknown, paths.map(showPath), 1)
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  throw new AppError('not_captured', `${unknown} is neither in that snapshot nor in the work tree.${meant}`, {
    hint: 'Ignored files are in no snapshot. `offshoot diff <turn> now --name-only` lists what differs.',
    details: { path: unknown },
  })
}
