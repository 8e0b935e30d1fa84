// Which row the session goes on from. The rules are those of the loaders of 2.1.197 and 2.1.325, read in their code and checked
// by resuming files with either.
import { chainTo, climb, isMessageKind } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { noRow } from './row.ts'

/**
 * The row the next prompt would hang on. The last `last-prompt` names it, unless the newest row descends from the one it
 * names (the checkpoint is stale) or it was followed by a compaction; without one it is the newest row in file order.
 */
export function liveLeaf(index: LineIndex): number {
  const { checkpoint, lastRow } = index
  if (checkpoint.cleared) return noRow
  const named = checkpoint.leafUuid === null ? undefined : index.rows.byUuid.get(checkpoint.leafUuid)
  if (named === undefined) return lastRow
  if (checkpoint.explicit) return named
  if (endsInPreserved(index)) return hasReply(index, named) ? lastRow : named
  return goesOnFrom(index, lastRow, named) ? lastRow : named
}

const liveChains = new WeakMap<LineIndex, readonly number[]>()

/** The chain to that row, worked out once: an index does not change any more once its rows are linked. */
export function liveChain(index: LineIndex): readonly number[] {
  const known = liveChains.get(index)
  if (known !== undefined) return known
  const chain = chainTo(index, liveLeaf(index))
  liveChains.set(index, chain)
  return chain
}

/** After a compaction that kept messages the CLI looks at the ends of the tree instead: a checkpoint must be one of them. */
export function endsInPreserved({ boundaries, preservedBefore }: LineIndex): boolean {
  return boundaries.size === 0 ? preservedBefore : [...boundaries.values()].at(-1)?.preserved != null
}

function hasReply({ rows }: LineIndex, named: number): boolean {
  if (!isMessageKind(rows.kind(named))) return true
  for (let at = 0; at < rows.count; at += 1) if (rows.parent(at) === named && isMessageKind(rows.kind(at))) return true
  return false
}

/** Tools that run in parallel end in any order, so going on from any line of the same message counts as well. */
function goesOnFrom(index: LineIndex, from: number, named: number): boolean {
  const batch = batchOf(index, named)
  return climb(index, from).some((at) => at === named || (batch !== noRow && index.rows.group(at) === batch))
}

function batchOf(index: LineIndex, at: number): number {
  const base = climb(index, at).find((above) => !index.rows.passive(above))
  const group = base === undefined ? noRow : index.rows.group(base)
  return index.groups.tools(group) > 0 ? group : noRow
}
