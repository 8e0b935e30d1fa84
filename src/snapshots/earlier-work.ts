// Work in a workspace that was there, uncommitted, when a turn began: carried into it, or edited by hand. It is not the turn's, so the
// turn's commit must not hold it.
import { rm } from 'node:fs/promises'
import { AppError } from '../model/error.ts'
import { joinRecords } from './byte-path.ts'
import { listTreeChanges, type TreeChange } from './diff-trees.ts'
import type { Git } from './git.ts'
import type { TreeLook } from './look-at-tree.ts'
import type { WorkTree } from './repository.ts'

/** The work tree as a prompt found it. */
export interface TurnStart {
  readonly tree: string
  /** HEAD at that time; `null` before the first commit, absent when nobody looked. */
  readonly head?: string | null
}

interface EarlierRequest {
  readonly workTree: WorkTree
  /** The private index; a scratch one is made beside it. */
  readonly index: string
  readonly look: TreeLook
  readonly start: TurnStart
}

/** The tree of HEAD with that work alone, without what the turn did; `null` when there was none. */
export async function findEarlierTree(git: Git, { workTree, index, look, start }: EarlierRequest): Promise<string | null> {
  const { head, tree } = look
  if (start.head === head.commit) return start.tree === head.tree ? null : start.tree
  if (head.tree === null) return null
  // HEAD moved during the turn (the agent committed): of what is still uncommitted, the files the turn did not touch.
  const [open, touched] = await Promise.all([
    listTreeChanges(git, workTree.commonDir, head.tree, tree),
    listTreeChanges(git, workTree.commonDir, start.tree, tree),
  ])
  const byTurn = new Set(touched.map(({ path }) => path))
  const toTakeOut = open.filter(({ path }) => byTurn.has(path))
  if (toTakeOut.length === open.length) return null
  return toTakeOut.length === 0 ? tree : takeOut(git, workTree, `${index}.earlier`, tree, toTakeOut)
}

/** `null` where a file has taken the place of a folder, or the reverse: then the two cannot be told apart. */
async function takeOut(
  git: Git,
  { root, hashBytes }: WorkTree,
  scratch: string,
  tree: string,
  changes: readonly TreeChange[],
): Promise<string | null> {
  const call = { cwd: root, index: scratch }
  const record = ({ path, before }: TreeChange) =>
    before.mode === 0 ? `0 ${'0'.repeat(hashBytes * 2)}\t${path}` : `${before.mode.toString(8)} ${before.blob}\t${path}`
  // What has to go first: it may stand where something else comes.
  const ordered = [...changes].sort((a, b) => Number(a.before.mode !== 0) - Number(b.before.mode !== 0))
  try {
    await git(['read-tree', tree], call)
    await git(['update-index', '-z', '--index-info'], { ...call, input: joinRecords(ordered.map(record)) })
    return (await git(['write-tree'], call)).stdout.trim()
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  } finally {
    await rm(scratch, { force: true })
  }
}
