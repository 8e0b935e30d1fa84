// Folds snapshots that have refs of their own under one (see folded.ts), when there are many. A hook that writes meanwhile
// changes a ref under our hands: then nothing is folded, and it is tried again after a later capture.
import { changeRefs } from './change-refs.ts'
import { foldedRef, readFolded, writeFolded } from './folded.ts'
import type { Git } from './git.ts'
import { listUnfolded } from './read-snapshot.ts'

export interface FoldOptions {
  /** Only when so many have refs of their own: each time writes the trees of what is folded anew. */
  readonly fromSnapshots: number
  readonly now: number
}

/** How many were folded. */
export async function foldSnapshots(git: Git, commonDir: string, { now, fromSnapshots }: FoldOptions): Promise<number> {
  const { stdout } = await git(['for-each-ref', '--format=x', 'refs/offshoot/'], { cwd: commonDir })
  if (stdout.length / 2 < fromSnapshots) return 0
  const live = await listUnfolded(git, commonDir)
  if (live.length < Math.max(1, fromSnapshots)) return 0
  const before = await readFolded(git, commonDir)
  const all = new Map([...before.snapshots, ...live.map(({ ref, id }): [string, string] => [ref, id])])
  const root = await writeFolded(git, commonDir, all)
  const gone = live.map(({ ref, id }) => ({ ref, from: id, to: null }))
  const problem = await changeRefs(git, commonDir, [{ ref: foldedRef, from: before.root, to: root }, ...gone], now)
  return problem === null ? live.length : 0
}
