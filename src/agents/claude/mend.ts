// Makes a tree of rows whose parents are damaged: afterwards every row leads to a root, and nothing runs in a circle.
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow } from './row.ts'
import type { RowTable } from './row-table.ts'

/** A row whose parent is not in the file continues the newest earlier row of at most this age: so does the CLI. */
const bridgeMs = 5000
const maxBridgeTries = 32

/** Compactions are left out: `links.ts` hangs them on what stood before them, however long ago that was. */
export function mendTree(index: LineIndex): void {
  const { rows } = index
  breakCycles(index)
  const orphans = allRows(rows).filter((at) => rows.parent(at) === missingRow && rows.kind(at) !== 'boundary')
  bridgeOrphans(index, orphans)
}

/** Opens every circle, so that each row leads to a root. */
export function breakCycles(index: LineIndex): void {
  const { rows } = index
  const walkOf = new Int32Array(rows.count).fill(noRow)
  for (let start = 0; start < rows.count; start += 1) {
    let at = start
    while (at >= 0) {
      if (walkOf[at] === start) at = openCircle(index, at)
      else if (walkOf[at] !== noRow) break
      else {
        walkOf[at] = start
        at = rows.parent(at)
      }
    }
  }
}

/**
 * Opens the circle that a row is on, and returns what the opened row hangs on afterwards. A compaction that keeps an earlier one
 * makes `/branch` write the lines of that one twice, the second time below the later compaction, which hangs on them: the first
 * of the two lines leads on to the root. Any other circle is damage, and is cut above the row of it that is first in the file.
 */
function openCircle(index: LineIndex, on: number): number {
  const { rows, replaced } = index
  const circle = [on]
  for (let at = rows.parent(on); at !== on; at = rows.parent(at)) circle.push(at)
  const repeated = circle.find((at) => replaced.has(at)) ?? noRow
  const earlier = replaced.get(repeated)
  if (earlier !== undefined) {
    replaced.delete(repeated)
    rows.set(repeated, earlier)
    return earlier.parent
  }
  // A compaction names the last message it kept, which may be written behind it: links.ts finds what stood before it.
  const boundary = circle.find((at) => rows.kind(at) === 'boundary')
  if (boundary !== undefined) {
    rows.setParent(boundary, missingRow)
    return noRow
  }
  const first = circle.reduce((a, b) => Math.min(a, b))
  index.skip('cycle', rows.get(first)?.offset ?? 0)
  rows.setParent(first, noRow)
  index.mended.add(first)
  return noRow
}

/** Hangs rows whose parents are not there on a row before them in time, where there is one. */
export function bridgeOrphans(index: LineIndex, orphans: readonly number[], has: (at: number) => boolean = () => true): void {
  const { rows } = index
  if (orphans.length === 0) return
  for (const orphan of orphans) rows.setParent(orphan, missingRow)
  const timed = allRows(rows).filter((at) => rows.time(at) !== null && has(at))
  // Of rows written at the same moment the CLI takes the first.
  timed.sort((a, b) => (rows.time(a) ?? 0) - (rows.time(b) ?? 0) || b - a)
  const rootOf = createRootFinder(rows)
  for (const orphan of orphans) {
    const time = rows.time(orphan)
    const bridge = time === null ? undefined : findBridge(rows, timed, time, (at) => rootOf(at) !== orphan)
    if (bridge === undefined) {
      index.cutOffAt = Math.max(index.cutOffAt, time ?? Number.NEGATIVE_INFINITY)
      // A session that goes on from another one begins with a row whose parent is in that one: nothing is lost.
      if (orphan > 0) index.skip('cut-off', rows.line(orphan))
      continue
    }
    index.skip('bridged', rows.line(orphan))
    rows.setParent(orphan, bridge)
    index.mended.add(orphan)
  }
}

function allRows(rows: RowTable): number[] {
  return Array.from({ length: rows.count }, (_, at) => at)
}

/** The newest row of the last seconds that is no descendant. */
function findBridge(rows: RowTable, timed: readonly number[], time: number, isFree: (at: number) => boolean): number | undefined {
  let low = 0
  let high = timed.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows.time(timed[middle] ?? noRow) ?? 0) <= time) low = middle + 1
    else high = middle
  }
  const tries = timed.slice(Math.max(0, low - maxBridgeTries), low).reverse()
  return tries.find((at) => time - (rows.time(at) ?? 0) <= bridgeMs && isFree(at))
}

/** The row at the top, remembering the way: thousands of orphans may hang on one another. */
function createRootFinder(rows: RowTable): (at: number) => number {
  const above = new Int32Array(rows.count).fill(noRow)
  const up = (at: number) => {
    const known = above[at] ?? noRow
    return known === noRow ? rows.parent(at) : known
  }
  return (from) => {
    let root = from
    for (let at = from; at >= 0; at = up(at)) root = at
    for (let at = from; at !== root; ) {
      const next = up(at)
      above[at] = root
      at = next
    }
    return root
  }
}
