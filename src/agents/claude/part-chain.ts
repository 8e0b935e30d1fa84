// The rows of some turns, found in an index of a part of the file. Parents that stand before the part are missing in it, so all
// that might look different from there must be ruled out: whoever gets `null` reads more of the file.
import type { StretchOptions } from '../reading.ts'
import { chainTo, climb, keptBefore, preservedRows } from './chain.ts'
import { isLeafSure, liveLeaf } from './leaf.ts'
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow } from './row.ts'

export interface PartChain {
  readonly chain: readonly number[]
  /** The row of the first prompt. */
  readonly first: number
}

export function chainInPart(index: LineIndex, { known, before }: StretchOptions): PartChain | null {
  const { rows } = index
  const first = promptRow(index, known[0]?.id)
  const end = before === undefined ? surestLeaf(index, first) : promptRow(index, before.turnId)
  if (first === noRow || end === noRow || 'cycle' in index.skipped || hasStrays(index, first) || passesCompaction(index))
    return null
  const whole = chainTo(index, end)
  const start = whole.indexOf(first)
  const stop = before === undefined ? whole.length : whole.indexOf(end)
  if (start === -1 || stop <= start) return null
  const root = rows.parent(whole[0] ?? noRow)
  const isFirst = known[0]?.number === 1
  // What stands before the first turn is told with it.
  if (isFirst && root === missingRow) return null
  const chain = whole.slice(isFirst ? 0 : start, stop)
  if (chain.some((at) => rows.kind(at) === 'boundary' && !isSure(index, at, first))) return null
  if (!isFirst && sharesMessage(index, whole.slice(0, start), chain)) return null
  if (index.queue.used.some(({ id, isSure }) => !isSure && chain.includes(rows.byUuid.get(id) ?? noRow))) return null
  return { chain, first }
}

function promptRow({ rows }: LineIndex, uuid: string | undefined): number {
  const at = uuid === undefined ? undefined : rows.byUuid.get(uuid)
  return at === undefined || rows.kind(at) !== 'prompt' ? noRow : at
}

/** The row the session goes on from, when nothing before the part can make it another one. */
function surestLeaf(index: LineIndex, first: number): number {
  const { checkpoint, rows, lastRow } = index
  if (checkpoint.cleared || first === noRow) return noRow
  if (checkpoint.leafUuid !== null) {
    const named = rows.byUuid.get(checkpoint.leafUuid)
    if (named === undefined) return noRow
    // What is above the last row is only known as far as the part goes.
    const above = climb(index, lastRow)
    if (!above.includes(first) || (!above.includes(named) && !climb(index, named).includes(first))) return noRow
  }
  const [boundary = noRow] = [...index.boundaries.keys()].slice(-1)
  if (index.boundaries.get(boundary)?.preserved && preservedRows(index, boundary) === null) return noRow
  // A compaction before the part may have kept messages, and a line there may have named a leaf: then other rules hold.
  const leaves = [true, false].flatMap((preservedBefore) =>
    [true, checkpoint.seen].map((seen) => {
      index.preservedBefore = preservedBefore
      index.checkpoint = { ...checkpoint, seen }
      return isLeafSure(index) ? liveLeaf(index) : noRow
    }),
  )
  index.checkpoint = checkpoint
  const [leaf = noRow] = leaves
  return leaves.every((each) => each === leaf) ? leaf : noRow
}

/**
 * A row whose parent is missing continues, in the whole file, what is named or what stood there at the time. Where it is older
 * than the first prompt that is not of these turns.
 */
function hasStrays({ rows }: LineIndex, first: number): boolean {
  const since = rows.time(first) ?? Number.NEGATIVE_INFINITY
  for (let at = 0; at < rows.count; at += 1) {
    if (rows.parent(at) !== missingRow || at === first) continue
    if (at > first || (rows.time(at) ?? Number.NEGATIVE_INFINITY) >= since) return true
  }
  return false
}

/**
 * A row behind the last compaction that hangs on one before it hangs elsewhere in a file of which any compaction kept messages: such
 * a compaction may stand before the part.
 */
function passesCompaction({ rows, boundaries }: LineIndex): boolean {
  const [last = noRow] = [...boundaries.keys()].slice(-1)
  if (last === noRow || [...boundaries.values()].some(({ preserved }) => preserved !== null)) return false
  for (let at = last + 1; at < rows.count; at += 1) {
    if (rows.parent(at) >= 0 && rows.parent(at) < last && rows.kind(at) !== 'queued') return true
  }
  return false
}

/** Whether what a compaction hangs on was found with all it kept in view. */
function isSure(index: LineIndex, boundary: number, first: number): boolean {
  const { preserved, lastBefore = noRow } = index.boundaries.get(boundary) ?? {}
  // What it names may stand before the part, or nowhere.
  if (index.mended.has(boundary)) return false
  if (!preserved) return true
  const kept = preserved.anchor === index.rows.uuid(boundary) ? lastBefore : keptBefore(index, boundary).at(-1)
  return kept !== undefined && kept !== noRow && climb(index, kept).includes(first)
}

/** A message is told where its first line stands: one that began before these turns is not told in them. */
function sharesMessage({ rows }: LineIndex, before: readonly number[], chain: readonly number[]): boolean {
  const groups = new Set(before.map((at) => rows.group(at)))
  groups.delete(noRow)
  return chain.some((at) => groups.has(rows.group(at)))
}
