// The chain of rows from the root to a leaf, and the part of it the model is still sent.
import type { LineIndex } from './line-index.ts'
import { noRow, type RowKind } from './row.ts'

/** The rows from `from` up to the root. */
export function climb({ rows }: LineIndex, from: number): number[] {
  const path: number[] = []
  for (let at = from; at >= 0; at = rows.parent(at)) path.push(at)
  return path
}

export function isMessageKind(kind: RowKind): boolean {
  return kind !== 'aside' && kind !== 'boundary'
}

/**
 * Root to leaf across compactions, with all that belongs to it: parallel calls and their results, and what the CLI hung below
 * the last message (hook context, durations).
 */
export function chainTo(index: LineIndex, leaf: number): number[] {
  const path = climb(index, leaf)
  const firstMessage = path.findIndex((at) => isMessageKind(index.rows.kind(at)))
  const chain = path.slice(Math.max(0, firstMessage)).reverse()
  const last = chain.at(-1)
  return last === undefined ? chain : completeChain(index, chain.concat(tailOf(index, last, new Set(chain))))
}

/**
 * A chain with what hangs beside it. Of parallel tools only one result is on the way to the root, and where the next message
 * hangs on the first of them, the other calls are not either: they come in the order of the file, then their results. What hooks
 * hung below such results was shown to the model all the same and comes behind the last of them.
 */
export function completeChain(index: LineIndex, chain: readonly number[]): number[] {
  const { rows, groups } = index
  const taken = new Set(chain)
  const sides = sideAsides(index, taken)
  const onChain = new Map<number, number[]>()
  for (const at of chain) if (rows.group(at) !== noRow) addTo(onChain, rows.group(at), at)
  const behind = new Map<number, number[]>()
  for (const [number, own] of onChain) {
    const group = groups.get(number)
    const lines = own.filter((at) => rows.kind(at) === 'assistant')
    const [first = noRow, last = noRow, end = noRow] = [lines[0], lines.at(-1), own.at(-1)]
    for (const at of group?.rows ?? []) if (!taken.has(at)) addTo(behind, lines.findLast((line) => line < at) ?? first, at)
    for (const at of group?.results ?? []) if (!taken.has(at)) addTo(behind, last, at)
    for (const at of sides.get(number) ?? []) addTo(behind, end, at)
  }
  return behind.size === 0 ? [...chain] : chain.flatMap((at) => [at, ...(behind.get(at) ?? [])])
}

/** What hangs below results that are not on the chain, by their message. */
function sideAsides({ rows }: LineIndex, taken: ReadonlySet<number>): Map<number, number[]> {
  const sides = new Map<number, number[]>()
  const sideOf = new Map<number, number>()
  for (let at = 0; at < rows.count; at += 1) {
    const parent = rows.parent(at)
    if (rows.kind(at) !== 'aside' || parent < 0 || taken.has(at) || taken.has(parent)) continue
    const group = rows.kind(parent) === 'result' ? rows.group(parent) : (sideOf.get(parent) ?? noRow)
    if (group === noRow) continue
    sideOf.set(at, group)
    addTo(sides, group, at)
  }
  return sides
}

function tailOf(index: LineIndex, leaf: number, taken: Set<number>): number[] {
  const asides = asidesByParent(index)
  const tail: number[] = []
  const queue = [leaf]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const child of asides.get(at) ?? []) {
      if (taken.has(child)) continue
      taken.add(child)
      tail.push(child)
      queue.push(child)
    }
  }
  return tail.sort((a, b) => (index.rows.time(a) ?? 0) - (index.rows.time(b) ?? 0) || a - b)
}

function asidesByParent({ rows }: LineIndex): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (let at = 0; at < rows.count; at += 1) {
    const parent = rows.parent(at)
    if (rows.kind(at) === 'aside' && parent >= 0) addTo(children, parent, at)
  }
  return children
}

function addTo(lists: Map<number, number[]>, key: number, at: number): void {
  const list = lists.get(key)
  if (list) list.push(at)
  else lists.set(key, [at])
}

/**
 * What is left of a chain in the model's context: after the last compaction its summary, the messages it preserved (behind
 * the line it names: the summary, or the boundary itself when only the end was summarised), then what came later.
 */
export function contextOf(index: LineIndex, chain: readonly number[]): number[] {
  const start = chain.findLastIndex((at) => index.rows.kind(at) === 'boundary')
  const boundary = chain[start]
  if (boundary === undefined) return [...chain]
  const kept = preservedRows(index, boundary) ?? []
  const anchor = index.boundaries.get(boundary)?.preserved?.anchor ?? null
  const place = chain.findIndex((at, i) => i >= start && index.rows.uuid(at) === anchor)
  if (kept.length === 0 || place === -1) return chain.slice(start)
  return [...chain.slice(start, place + 1), ...kept, ...chain.slice(place + 1)]
}

/** The rows a compaction kept, in order; `null` when one of them is not in the file: then the CLI keeps none. */
export function preservedRows(index: LineIndex, boundary: number): number[] | null {
  const preserved = index.boundaries.get(boundary)?.preserved
  if (!preserved) return null
  if (preserved.tail === null) {
    const rows = preserved.uuids.map((uuid) => index.rows.byUuid.get(uuid))
    return rows.every((at) => at !== undefined) ? rows : null
  }
  const tail = index.rows.byUuid.get(preserved.tail)
  const path = tail === undefined ? [] : climb(index, tail)
  const head = path.findIndex((at) => index.rows.uuid(at) === preserved.head)
  return head === -1 ? null : path.slice(0, head + 1).reverse()
}
