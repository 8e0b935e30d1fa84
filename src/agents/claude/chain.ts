// The chain of rows from the root to a leaf, and the part of it the model is still sent.
import type { LineIndex } from './line-index.ts'
import { endOfFile } from './queue.ts'
import { noRow, type RowKind } from './row.ts'

/** The rows from `from` up to the root. */
export function climb(index: LineIndex, from: number): number[] {
  const path: number[] = []
  for (let at = from; at >= 0; at = rowAbove(index, at)) path.push(at)
  return path
}

/** The row told before this one: a prompt from the queue, else the parent. */
export function rowAbove({ rows, queuedBefore }: LineIndex, at: number): number {
  return (queuedBefore.size === 0 ? undefined : queuedBefore.get(at)) ?? rows.parent(at)
}

export function isMessageKind(kind: RowKind): boolean {
  return kind !== 'boundary' && !isAside(kind)
}

/** Rows the agent never goes on from. */
export function isAside(kind: RowKind): boolean {
  return kind === 'aside' || kind === 'queued'
}

/** Root to leaf, with what the CLI hung below the last message (hook context, durations), across compactions. */
export function chainTo(index: LineIndex, leaf: number): number[] {
  const path = climb(index, leaf)
  const firstMessage = path.findIndex((at) => isMessageKind(index.rows.kind(at)))
  const chain = path.slice(Math.max(0, firstMessage)).reverse()
  const last = chain.at(-1)
  if (last === undefined) return chain
  const taken = new Set(chain)
  return withSideAsides(index, chain.concat(tailOf(index, last, taken), queuedLast(index, taken)), taken)
}

/** Prompts that were handed to the model at the end of the file, before it answered. */
function queuedLast(index: LineIndex, taken: ReadonlySet<number>): number[] {
  const last = taken.has(index.lastRow) ? index.queuedBefore.get(endOfFile) : undefined
  if (last === undefined) return []
  const path = climb(index, last)
  return path.slice(0, path.indexOf(index.lastRow)).reverse()
}

/** Of parallel tools only one result is on the chain; what hooks hung below the others was shown to the model all the same. */
function withSideAsides({ rows }: LineIndex, chain: number[], taken: Set<number>): number[] {
  const sides = new Map<number, number[]>()
  const sideOf = new Map<number, number>()
  for (let at = 0; at < rows.count; at += 1) {
    const parent = rows.parent(at)
    if (rows.kind(at) !== 'aside' || parent < 0 || taken.has(at) || taken.has(parent)) continue
    const group = rows.kind(parent) === 'result' ? rows.group(parent) : (sideOf.get(parent) ?? noRow)
    if (group === noRow) continue
    sideOf.set(at, group)
    sides.set(group, [...(sides.get(group) ?? []), at])
  }
  if (sides.size === 0) return chain
  const ends = new Map(chain.map((at, i) => [rows.group(at), i]))
  return chain.flatMap((at, i) => {
    const group = rows.group(at)
    return [at, ...(ends.get(group) === i ? (sides.get(group) ?? []) : [])]
  })
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
    if (rows.kind(at) !== 'aside' || parent < 0) continue
    const siblings = children.get(parent)
    if (siblings) siblings.push(at)
    else children.set(parent, [at])
  }
  return children
}

/**
 * What is left of a chain in the model's context: after the last compaction its summary, the messages it preserved (behind
 * the line it names: the summary, or the boundary itself when only the end was summarised), then what came later.
 */
export function contextOf(index: LineIndex, chain: readonly number[]): number[] {
  const start = chain.findLastIndex((at) => index.rows.kind(at) === 'boundary')
  const boundary = chain[start]
  if (boundary === undefined) return [...chain]
  const kept = preservedRows(index, boundary)
  const anchor = index.boundaries.get(boundary)?.preserved?.anchor ?? null
  const place = chain.findIndex((at, i) => i >= start && index.rows.uuid(at) === anchor)
  if (kept.length === 0 || place === -1) return chain.slice(start)
  return [...chain.slice(start, place + 1), ...kept, ...chain.slice(place + 1)]
}

/** The rows a compaction kept, in order; none when one of them is not in the file, as in the CLI. */
export function preservedRows(index: LineIndex, boundary: number): number[] {
  const preserved = index.boundaries.get(boundary)?.preserved
  if (!preserved) return []
  if (preserved.tail === null) {
    const rows = preserved.uuids.map((uuid) => index.rows.byUuid.get(uuid))
    return rows.every((at) => at !== undefined) ? rows : []
  }
  const tail = index.rows.byUuid.get(preserved.tail)
  const path = tail === undefined ? [] : climb(index, tail)
  const head = path.findIndex((at) => index.rows.uuid(at) === preserved.head)
  return path.slice(0, head + 1).reverse()
}
