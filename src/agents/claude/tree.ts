// The rows of a transcript as a tree: which row the agent goes on from, the chain from the root to it, and the parts of that
// chain the model is still sent. The rules are those of the loaders of 2.1.197 and 2.1.325, not only what files look like.
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow, type RowKind } from './row.ts'
import type { RowTable } from './tables.ts'

/** A row whose parent is not in the file continues the newest earlier row of at most this age: so does the CLI. */
const bridgeMs = 5000
const maxBridgeTries = 32

/** Finishes the tree: bridges missing parents and gives every tool result to the message it answers. */
export function linkRows(index: LineIndex): void {
  const { rows, groups } = index
  bridgeMissingParents(index)
  for (let at = 0; at < rows.count; at += 1) {
    if (rows.kind(at) !== 'result') continue
    const group = groupAbove(index, at)
    rows.setGroup(at, group)
    if (group !== noRow) groups.addResult(group, at)
  }
}

/** The message a result answers: the nearest assistant row above it. */
function groupAbove({ rows }: LineIndex, result: number): number {
  const seen = new Set<number>()
  for (let at = rows.parent(result); at >= 0 && !seen.has(at); at = rows.parent(at)) {
    const kind = rows.kind(at)
    if (kind === 'assistant') return rows.group(at)
    if (kind === 'prompt' || kind === 'boundary') return noRow
    seen.add(at)
  }
  return noRow
}

function bridgeMissingParents(index: LineIndex): void {
  const { rows } = index
  const orphans = allRows(rows).filter((at) => rows.parent(at) === missingRow)
  if (orphans.length === 0) return
  const timed = allRows(rows).filter((at) => rows.time(at) !== null)
  timed.sort((a, b) => (rows.time(a) ?? 0) - (rows.time(b) ?? 0))
  for (const orphan of orphans) {
    index.skip('dangling', rows.get(orphan)?.offset ?? 0)
    const time = rows.time(orphan)
    if (time !== null) rows.setParent(orphan, findBridge(index, timed, orphan, time))
  }
}

function allRows(rows: RowTable): number[] {
  return Array.from({ length: rows.count }, (_, at) => at)
}

function findBridge(index: LineIndex, timed: readonly number[], orphan: number, time: number): number {
  const { rows } = index
  let low = 0
  let high = timed.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows.time(timed[middle] ?? noRow) ?? 0) <= time) low = middle + 1
    else high = middle
  }
  for (let i = low - 1; i >= 0 && i >= low - maxBridgeTries; i -= 1) {
    const candidate = timed[i] ?? noRow
    if (time - (rows.time(candidate) ?? 0) > bridgeMs) return missingRow
    if (candidate !== orphan && !climb(index, candidate).includes(orphan)) return candidate
  }
  return missingRow
}

/** The rows from `from` up to the root; a cycle ends it. */
export function climb({ rows }: LineIndex, from: number): number[] {
  const path: number[] = []
  const seen = new Set<number>()
  for (let at = from; at >= 0 && !seen.has(at); at = rows.parent(at)) {
    seen.add(at)
    path.push(at)
  }
  return path
}

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

/** After a compaction that kept messages the CLI looks at the ends of the tree instead: a checkpoint must be one of them. */
function endsInPreserved({ boundaries }: LineIndex): boolean {
  return [...boundaries.values()].at(-1) != null
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

/** Root to leaf, with what the CLI hung below the last message (hook context, durations), across compactions. */
export function chainTo(index: LineIndex, leaf: number): number[] {
  const path = climb(index, leaf)
  const firstMessage = path.findIndex((at) => isMessageKind(index.rows.kind(at)))
  const chain = path.slice(Math.max(0, firstMessage)).reverse()
  const last = chain.at(-1)
  if (last === undefined) return chain
  const taken = new Set(chain)
  return withSideAsides(index, chain.concat(tailOf(index, last, taken)), taken)
}

/** Of parallel tools only one result is on the chain; what hooks hung below the others was shown to the model all the same. */
function withSideAsides({ rows }: LineIndex, chain: number[], taken: Set<number>): number[] {
  const sides = new Map<number, number[]>()
  const sideOf = new Map<number, number>()
  const ends = new Map(chain.map((at, i) => [rows.group(at), i]))
  for (let at = 0; at < rows.count; at += 1) {
    const parent = rows.parent(at)
    if (rows.kind(at) !== 'aside' || parent < 0 || taken.has(at) || taken.has(parent)) continue
    const group = rows.kind(parent) === 'result' ? rows.group(parent) : (sideOf.get(parent) ?? noRow)
    if (group === noRow || !ends.has(group)) continue
    sideOf.set(at, group)
    sides.set(group, [...(sides.get(group) ?? []), at])
  }
  if (sides.size === 0) return chain
  return chain.flatMap((at, i) => {
    const group = rows.group(at)
    return [at, ...(ends.get(group) === i ? (sides.get(group) ?? []) : [])]
  })
}

function isMessageKind(kind: RowKind): boolean {
  return kind !== 'aside' && kind !== 'boundary'
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
 * What is left of a chain in the model's context: after the last compaction its summary, then the messages it preserved,
 * then what came later.
 */
export function contextOf(index: LineIndex, chain: readonly number[]): number[] {
  const start = chain.findLastIndex((at) => index.rows.kind(at) === 'boundary')
  const boundary = chain[start]
  if (boundary === undefined) return [...chain]
  const summary = chain.findIndex((at, i) => i > start && index.rows.kind(at) === 'summary')
  const kept = preservedRows(index, boundary)
  if (kept.length === 0 || summary === -1) return chain.slice(start)
  const rest = chain.slice(summary + 1).filter((at) => !kept.includes(at))
  return [...chain.slice(start, summary + 1), ...kept, ...rest]
}

function preservedRows(index: LineIndex, boundary: number): number[] {
  const preserved = index.boundaries.get(boundary)
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
