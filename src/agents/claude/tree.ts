// The rows of a transcript as a tree: which row the agent goes on from, the chain from the root to it, and the parts of that
// chain the model is still sent. The rules are those of the loaders of 2.1.197 and 2.1.325, not only what files look like.
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow, type Row } from './row.ts'

/** A row whose parent is not in the file continues the newest earlier row of at most this age: so does the CLI. */
const bridgeMs = 5000
const maxBridgeTries = 32

/** Finishes the tree: bridges missing parents and gives every tool result to the message it answers. */
export function linkRows(index: LineIndex): void {
  bridgeMissingParents(index)
  for (const [at, row] of index.rows.entries()) {
    if (row.kind !== 'result') continue
    row.group = groupAbove(index, at)
    index.groups[row.group]?.results.push(at)
  }
}

/** The message a result answers: the nearest assistant row above it. */
function groupAbove(index: LineIndex, at: number): number {
  const seen = new Set<number>()
  for (let row = index.rows[at]; row && !seen.has(row.parent); row = index.rows[row.parent]) {
    if (row.kind === 'assistant') return row.group
    if (row.kind === 'prompt' || row.kind === 'boundary') return noRow
    seen.add(row.parent)
  }
  return noRow
}

function bridgeMissingParents(index: LineIndex): void {
  const orphans = index.rows.filter((row) => row.parent === missingRow)
  if (orphans.length === 0) return
  const timed = index.rows.map((row, at) => ({ row, at })).filter(({ row }) => row.at !== null)
  timed.sort((a, b) => (a.row.at ?? 0) - (b.row.at ?? 0))
  for (const orphan of orphans) {
    index.skip('dangling', orphan.offset)
    const bridge = orphan.at === null ? undefined : findBridge(index, timed, orphan, orphan.at)
    if (bridge !== undefined) orphan.parent = bridge
  }
}

function findBridge(index: LineIndex, timed: readonly { row: Row; at: number }[], orphan: Row, time: number): number | undefined {
  let low = 0
  let high = timed.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((timed[middle]?.row.at ?? 0) <= time) low = middle + 1
    else high = middle
  }
  for (let i = low - 1; i >= 0 && i >= low - maxBridgeTries; i -= 1) {
    const candidate = timed[i]
    if (candidate === undefined || time - (candidate.row.at ?? 0) > bridgeMs) return undefined
    if (candidate.row !== orphan && !descends(index, candidate.at, orphan)) return candidate.at
  }
  return undefined
}

function descends(index: LineIndex, from: number, ancestor: Row): boolean {
  return climb(index, from).some((at) => index.rows[at] === ancestor)
}

/** The rows from `from` up to the root; a cycle ends it. */
export function climb(index: LineIndex, from: number): number[] {
  const path: number[] = []
  const seen = new Set<number>()
  for (let at = from; at >= 0 && !seen.has(at); at = index.rows[at]?.parent ?? noRow) {
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
  const named = checkpoint.leafUuid === null ? undefined : index.byUuid.get(checkpoint.leafUuid)
  if (named === undefined) return lastRow
  if (checkpoint.explicit) return named
  return goesOnFrom(index, lastRow, named) ? lastRow : named
}

/** Tools that run in parallel end in any order, so going on from any line of the same message counts as well. */
function goesOnFrom(index: LineIndex, from: number, named: number): boolean {
  const batch = batchOf(index, named)
  return climb(index, from).some((at) => at === named || (batch !== noRow && index.rows[at]?.group === batch))
}

function batchOf(index: LineIndex, at: number): number {
  const base = climb(index, at).find((above) => !index.rows[above]?.passive)
  const group = base === undefined ? noRow : (index.rows[base]?.group ?? noRow)
  return (index.groups[group]?.tools ?? 0) > 0 ? group : noRow
}

/** Root to leaf, with what the CLI hung below the last message (hook context, durations), across compactions. */
export function chainTo(index: LineIndex, leaf: number): number[] {
  const path = climb(index, leaf)
  const firstMessage = path.findIndex((at) => isMessageRow(index.rows[at]))
  const chain = path.slice(Math.max(0, firstMessage)).reverse()
  const last = chain.at(-1)
  return last === undefined ? chain : chain.concat(tailOf(index, last, new Set(chain)))
}

function isMessageRow(row: Row | undefined): boolean {
  return row !== undefined && row.kind !== 'aside' && row.kind !== 'boundary'
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
  return tail.sort((a, b) => (index.rows[a]?.at ?? 0) - (index.rows[b]?.at ?? 0) || a - b)
}

function asidesByParent(index: LineIndex): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const [at, row] of index.rows.entries()) {
    if (row.kind !== 'aside' || row.parent < 0) continue
    const siblings = children.get(row.parent)
    if (siblings) siblings.push(at)
    else children.set(row.parent, [at])
  }
  return children
}

/**
 * What is left of a chain in the model's context: after the last compaction its summary, then the messages it preserved,
 * then what came later.
 */
export function contextOf(index: LineIndex, chain: readonly number[]): number[] {
  const start = chain.findLastIndex((at) => index.rows[at]?.kind === 'boundary')
  const boundary = chain[start]
  if (boundary === undefined) return [...chain]
  const summary = chain.findIndex((at, i) => i > start && index.rows[at]?.kind === 'summary')
  const kept = preservedRows(index, boundary)
  if (kept.length === 0 || summary === -1) return chain.slice(start)
  const rest = chain.slice(summary + 1).filter((at) => !kept.includes(at))
  return [...chain.slice(start, summary + 1), ...kept, ...rest]
}

function preservedRows(index: LineIndex, boundary: number): number[] {
  const preserved = index.boundaries.get(boundary)
  if (!preserved) return []
  if (preserved.tail === null) {
    const rows = preserved.uuids.map((uuid) => index.byUuid.get(uuid))
    return rows.every((at) => at !== undefined) ? rows : []
  }
  const tail = index.byUuid.get(preserved.tail)
  const path = tail === undefined ? [] : climb(index, tail)
  const head = path.findIndex((at) => index.rows[at]?.uuid === preserved.head)
  return path.slice(0, head + 1).reverse()
}
