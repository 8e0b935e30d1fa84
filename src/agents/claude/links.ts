// Finishes the tree of rows once all lines are in: a missing parent is bridged as the CLI does it, and every tool result is
// given to the message it answers.
import { climb } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { missingRow, noRow } from './row.ts'
import type { RowTable } from './row-table.ts'

/** A row whose parent is not in the file continues the newest earlier row of at most this age: so does the CLI. */
const bridgeMs = 5000
const maxBridgeTries = 32

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
