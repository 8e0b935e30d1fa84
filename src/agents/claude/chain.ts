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
function isAside(kind: RowKind): boolean {
  return kind === 'aside' || kind === 'queued'
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
  if (last === undefined || chain.length === index.rows.count) return chain
  const taken = new Uint8Array(index.rows.count)
  for (const at of chain) taken[at] = 1
  return completeChain(index, chain.concat(tailOf(index, last, taken), queuedLast(index, taken)))
}

/** Prompts that were handed to the model at the end of the file, before it answered. */
function queuedLast(index: LineIndex, taken: Uint8Array): number[] {
  const last = taken[index.lastRow] === 1 ? index.queuedBefore.get(endOfFile) : undefined
  if (last === undefined) return []
  const path = climb(index, last)
  return path.slice(0, path.indexOf(index.lastRow)).reverse()
}

/**
 * A chain with what hangs beside it. Of parallel tools only one result is on the way to the root, and where the next message
 * hangs on the first of them, the other calls are not either: they come in the order of the file, then their results. What hooks
 * hung below such results was shown to the model all the same and comes behind the last of them.
 */
export function completeChain(index: LineIndex, chain: readonly number[]): number[] {
  const { rows } = index
  // Nearly every session: nothing is beside the chain.
  if (chain.length === rows.count) return [...chain]
  const taken = new Uint8Array(rows.count)
  for (const at of chain) taken[at] = 1
  const sides = sideAsides(index, taken)
  const incomplete = new Set(sides.keys())
  for (let at = 0; at < rows.count; at += 1) if (taken[at] === 0) incomplete.add(rows.group(at))
  const complete: number[] = []
  let start = 0
  // The rows of one message follow each other, but for what hooks hung between them.
  for (let end = 1; end <= chain.length; end += 1) {
    const group = rows.group(chain[end] ?? noRow)
    const own = rows.group(chain[start] ?? noRow)
    if (end < chain.length && (group === own || (own !== noRow && group === noRow))) continue
    const stretch = chain.slice(start, end)
    complete.push(...(incomplete.has(own) ? withBeside(index, stretch, taken, sides.get(own) ?? []) : stretch))
    start = end
  }
  return complete
}

/** A stretch of the chain that begins with a row of a message and holds no row of another one. */
function withBeside({ rows, groups }: LineIndex, stretch: number[], taken: Uint8Array, sides: readonly number[]): number[] {
  const group = groups.get(rows.group(stretch[0] ?? noRow))
  const isBeside = (at: number) => taken[at] === 0
  if (group === undefined || !(group.rows.some(isBeside) || group.results.some(isBeside) || sides.length > 0)) return stretch
  const isOwn = (at: number) => rows.group(at) !== noRow
  const insert = (behind: (at: number) => boolean, added: readonly number[]) => {
    stretch.splice(stretch.findLastIndex(behind) + 1, 0, ...added)
    for (const at of added) taken[at] = 1
  }
  insert(isOwn, sides)
  for (const line of group.rows.filter(isBeside)) insert((at) => rows.kind(at) === 'assistant' && at < line, [line])
  insert((at) => rows.kind(at) === 'assistant', group.results.filter(isBeside))
  return stretch
}

/**
 * Notes below the calls and results of a message, off the chain, by their message. The CLI sends a straight line of them that ends
 * with a note; one that branches, or that a message hangs on, belongs to a branch that was left. (2.1.197 sends none of them.)
 */
function sideAsides({ rows, groups }: LineIndex, taken: Uint8Array): Map<number, number[]> {
  const below = new Map<number, number[]>()
  for (let at = 0; at < rows.count; at += 1) {
    if (taken[at] === 0 && rows.parent(at) >= 0 && rows.kind(at) !== 'queued') addTo(below, rows.parent(at), at)
  }
  const lineFrom = (first: number): number[] => {
    const line: number[] = []
    for (let next: readonly number[] = [first]; next.length > 0; next = below.get(line.at(-1) ?? noRow) ?? []) {
      const [at = noRow] = next
      if (next.length > 1 || rows.kind(at) !== 'aside') return []
      line.push(at)
    }
    return line
  }
  const sides = new Map<number, number[]>()
  for (const [parent, children] of below) {
    const group = rows.group(parent)
    if (group === noRow || groups.get(group)?.tools === 0) continue
    for (const at of children.flatMap(lineFrom)) addTo(sides, group, at)
  }
  for (const side of sides.values()) side.sort((a, b) => a - b)
  return sides
}

function tailOf(index: LineIndex, leaf: number, taken: Uint8Array): number[] {
  const asides = asidesBeside(index, taken)
  const tail: number[] = []
  const queue = [leaf]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const child of asides.get(at) ?? []) {
      if (taken[child] === 1) continue
      taken[child] = 1
      tail.push(child)
      queue.push(child)
    }
  }
  return tail.sort((a, b) => (index.rows.time(a) ?? 0) - (index.rows.time(b) ?? 0) || a - b)
}

/** By the row they hang on. */
function asidesBeside({ rows }: LineIndex, taken: Uint8Array): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (let at = 0; at < rows.count; at += 1) {
    if (taken[at] === 0 && rows.kind(at) === 'aside' && rows.parent(at) >= 0) addTo(children, rows.parent(at), at)
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
  const kept = keptBefore(index, boundary)
  const anchor = index.boundaries.get(boundary)?.preserved?.anchor ?? null
  const place = chain.findIndex((at, i) => i >= start && index.rows.uuid(at) === anchor)
  if (kept.length === 0 || place === -1) return chain.slice(start)
  const behind = chain.slice(place + 1)
  const [named = noRow] = behind.flatMap((at) => index.keptUpTo.get(at) ?? [])
  const end = kept.indexOf(named) + 1 || kept.length
  return [...chain.slice(start, place + 1), ...kept.slice(0, end), ...behind]
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

/**
 * Those of the kept rows that are written before the compaction. `/branch` writes all of them behind it, a resumed client the last
 * ones, which it had not written yet: these are on the chain already.
 */
export function keptBefore(index: LineIndex, boundary: number): number[] {
  const kept = preservedRows(index, boundary) ?? []
  const isBefore = (at: number) => !climb(index, at).includes(boundary)
  const [first = noRow] = kept
  return isBefore(first) ? kept.slice(0, kept.findLastIndex(isBefore) + 1) : []
}
