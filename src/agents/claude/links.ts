// Finishes the tree of rows once all lines are in: damage is mended, compactions are hung on what stood before them, and every
// tool result is given to the message it answers.
import { climb, preservedRows } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { mendTree } from './mend.ts'
import { placeQueued } from './queue.ts'
import { noRow } from './row.ts'

export function linkRows(index: LineIndex, mend: (index: LineIndex) => void = mendTree): void {
  const { rows, groups } = index
  mend(index)
  for (const boundary of index.boundaries.keys()) rows.setParent(boundary, beforeCompaction(index, boundary))
  for (let at = 0; at < rows.count; at += 1) {
    if (rows.kind(at) !== 'result') continue
    const group = groupAbove(index, at)
    rows.setGroup(at, group)
    if (group !== noRow) groups.addResult(group, at)
  }
  placeQueued(index)
}

/**
 * What stood before a compaction. Its logical parent is only where the summarised part ends ("summarise up to here": the kept
 * turns follow) or begins ("summarise from here": the summarised turns follow); nothing of that was taken back by the person.
 */
function beforeCompaction(index: LineIndex, boundary: number): number {
  const { rows } = index
  const named = rows.parent(boundary)
  const { preserved, lastBefore = noRow } = index.boundaries.get(boundary) ?? {}
  const kept = preserved?.anchor === rows.uuid(boundary) ? lastBefore : (preservedRows(index, boundary).at(-1) ?? noRow)
  const path = climb(index, kept)
  return path.includes(named) && !path.includes(boundary) ? kept : named
}

/** The message a result answers: the nearest assistant row above it. */
function groupAbove({ rows }: LineIndex, result: number): number {
  for (let at = rows.parent(result); at >= 0; at = rows.parent(at)) {
    const kind = rows.kind(at)
    if (kind === 'assistant') return rows.group(at)
    if (kind === 'prompt' || kind === 'boundary') return noRow
  }
  return noRow
}
