// Which row the session goes on from. The rules are those of the loader of 2.1.325, read in its code and checked by resuming
// files with it and with 2.1.197, which lacks `newestBelow` and all of same-message.ts.
import { chainTo, isMessageKind } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { climbIn, type LoadedTree, loadTree } from './loaded-tree.ts'
import { noRow } from './row.ts'
import { continuesMessage } from './same-message.ts'

const liveChains = new WeakMap<LineIndex, readonly number[]>()

/** The chain to the live leaf, worked out once: an index does not change any more once its rows are linked. */
export function liveChain(index: LineIndex): readonly number[] {
  const known = liveChains.get(index)
  if (known !== undefined) return known
  const chain = chainTo(index, liveLeaf(index))
  liveChains.set(index, chain)
  return chain
}

/**
 * The last message of the live chain. The newest row leads to it, unless a `last-prompt` line written after the last compaction
 * names a row that the newest one does not descend from, or one that the user chose and nothing was written since.
 */
export function liveLeaf(index: LineIndex): number {
  if (index.checkpoint.cleared) return noRow
  const tree = loadTree(index)
  const leaf = leafIn(index, tree)
  // Kept rows stand behind the compaction's anchor now: from there the chain goes on.
  return tree.kept.includes(leaf) ? tree.anchor : leaf
}

function leafIn(index: LineIndex, tree: LoadedTree): number {
  const { checkpoint, lastRow } = index
  const named = namedRow(index, tree)
  const leaf = decidesByEnds(index, tree, named) ? noRow : messageAbove(index, tree, checkpointOrNewest(index, tree, named))
  if (leaf !== noRow) return leaf
  const ends = endsOf(index, tree)
  if (ends.size <= 1) return [...ends][0] ?? lastRow
  const isNamed = ends.has(named) && (checkpoint.explicit || !continuesMessage(index, tree, named))
  const end = messageAbove(index, tree, isNamed ? named : lastRow)
  return end === noRow ? newestOf(index, ends) : end
}

/** After a compaction that kept messages a row that is named counts only if it is an end of the tree. */
function decidesByEnds({ checkpoint }: LineIndex, tree: LoadedTree, named: number): boolean {
  return tree.keepsMessages && !(checkpoint.explicit && named !== noRow)
}

/**
 * Whether the live leaf is that of the whole file, where the index lacks what stands before: ends of the tree in that part count
 * too, but do not change the answer while the newest row leads to an end itself.
 */
export function isLeafSure(index: LineIndex): boolean {
  const tree = loadTree(index)
  const newest = messageAbove(index, tree, index.lastRow)
  return tree.keepsMessages ? endsOf(index, tree).has(newest) : newest !== noRow
}

function newestOf({ rows }: LineIndex, ends: ReadonlySet<number>): number {
  const timeOf = (at: number) => rows.time(at) ?? Number.NEGATIVE_INFINITY
  return [...ends].reduce((newest, at) => (timeOf(at) > timeOf(newest) ? at : newest))
}

function namedRow({ checkpoint, rows }: LineIndex, tree: LoadedTree): number {
  const at = checkpoint.leafUuid === null ? undefined : rows.byUuid.get(checkpoint.leafUuid)
  return at === undefined || !tree.has(at) ? noRow : at
}

function checkpointOrNewest(index: LineIndex, tree: LoadedTree, named: number): number {
  const { checkpoint, lastRow } = index
  if (named === noRow) return checkpoint.seen ? lastRow : newestBelow(index, tree, lastRow)
  if (checkpoint.explicit) return named
  for (const at of climbIn(tree, lastRow)) if (at === named) return lastRow
  return continuesMessage(index, tree, named) ? lastRow : named
}

function messageAbove({ rows }: LineIndex, tree: LoadedTree, from: number): number {
  for (const at of climbIn(tree, from)) if (isMessageKind(rows.kind(at))) return at
  return noRow
}

/**
 * In a file that never names a leaf (none up to 2.1.42 does), the newest row by time below the last one in the file: lines are not
 * always written in the order in which they hang together. 2.1.197 stays with the last one.
 */
function newestBelow({ rows }: LineIndex, tree: LoadedTree, last: number): number {
  // The CLI does not know prompts from the queue as rows.
  const timeOf = (at: number) => (rows.kind(at) === 'queued' ? undefined : rows.time(at)) ?? Number.NEGATIVE_INFINITY
  let isNewest = true
  for (let at = 0; at < rows.count; at += 1) if (at !== last && timeOf(at) >= timeOf(last)) isNewest = false
  if (isNewest) return last
  const [below, beside] = [1, 2]
  const places = new Uint8Array(rows.count)
  places[last] = below
  let newest = last
  let newestTime = Number.NEGATIVE_INFINITY
  for (let at = 0; at < rows.count; at += 1) {
    let above = at
    while (above >= 0 && places[above] === 0) above = tree.parent(above)
    const place = (above >= 0 ? places[above] : undefined) ?? beside
    for (let each = at; each !== above && each >= 0; each = tree.parent(each)) places[each] = place
    if (at === last || places[at] !== below || timeOf(at) < newestTime) continue
    newest = at
    newestTime = timeOf(at)
  }
  return newest
}

/** Messages that no other message hangs on, found from the rows nothing hangs on. */
function endsOf(index: LineIndex, tree: LoadedTree): Set<number> {
  const { rows } = index
  const hasChild = new Uint8Array(rows.count)
  const hasMessage = new Uint8Array(rows.count)
  for (let at = 0; at < rows.count; at += 1) {
    const parent = tree.has(at) && rows.kind(at) !== 'queued' ? tree.parent(at) : noRow
    if (parent < 0) continue
    hasChild[parent] = 1
    if (isMessageKind(rows.kind(at))) hasMessage[parent] = 1
  }
  const ends = new Set<number>()
  for (let at = 0; at < rows.count; at += 1) {
    const isEnd = tree.has(at) && hasChild[at] === 0 && rows.kind(at) !== 'queued'
    const message = isEnd ? messageAbove(index, tree, at) : noRow
    if (message !== noRow && hasMessage[message] === 0) ends.add(message)
  }
  return ends
}
