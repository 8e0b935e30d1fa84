// The tree as the CLI holds it when it looks for the row to go on from: only the parents the lines name themselves, and after a
// compaction that kept messages nothing before it but those, put behind the line the compaction calls its anchor.
import { isMessageKind, keptBefore, preservedRows } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow } from './row.ts'

export interface LoadedTree {
  /** The last compaction kept messages besides its summary. */
  readonly keepsMessages: boolean
  /** Their rows, where they are written before the compaction. */
  readonly kept: readonly number[]
  /** What the kept rows follow; where any of them are written behind the compaction, the last of those. */
  readonly anchor: number
  has(at: number): boolean
  parent(at: number): number
}

export function* climbIn(tree: LoadedTree, from: number): Generator<number> {
  for (let at = from; at >= 0; at = tree.parent(at)) yield at
}

export function loadTree(index: LineIndex): LoadedTree {
  const { rows } = index
  const named = (at: number) => (rows.kind(at) === 'boundary' ? noRow : index.mended.has(at) ? missingRow : rows.parent(at))
  const whole = { keepsMessages: index.preservedBefore, kept: [], anchor: noRow, has: () => true, parent: named }
  if (index.boundaries.size === 0) return whole
  const [boundary = noRow] = [...index.boundaries.keys()].slice(-1)
  const isPruned = index.preservedBefore || [...index.boundaries.values()].some(({ preserved }) => preserved !== null)
  const preserved = index.boundaries.get(boundary)?.preserved ?? null
  const kept = preserved === null ? [] : preservedRows(index, boundary)
  const anchor = rows.byUuid.get(preserved?.anchor ?? '') ?? noRow
  const aboveAnchor = new Set<number>()
  for (let at = anchor; at >= boundary && at >= 0; at = named(at)) aboveAnchor.add(at)
  // As in the CLI, a compaction whose kept messages are not all there keeps the whole tree.
  if (!isPruned || kept === null || kept.some((at) => aboveAnchor.has(at))) return whole

  const last = kept.at(-1) ?? missingRow
  const before = keptBefore(index, boundary)
  const places = new Map(kept.map((at, i) => [at, i]))
  const has = (at: number) => at >= boundary || places.has(at)
  return {
    keepsMessages: kept.length > 0,
    kept: before,
    anchor: before.length < kept.length ? last : anchor,
    has,
    parent(at) {
      const place = places.get(at)
      if (place !== undefined) return kept[place - 1] ?? anchor
      const parent = named(at)
      if (parent < 0) return parent
      if (aboveAnchor.has(at)) return parent >= boundary ? parent : missingRow
      if (parent === anchor && kept.length > 0) return last
      return has(parent) ? parent : isMessageKind(rows.kind(at)) ? last : missingRow
    },
  }
}
