// Finishes the tree of rows once all lines are in: damage is mended, compactions are hung on what stood before them, and every
// tool result is given to the message it answers.
import { climb, isMessageKind, keptBefore } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { loadTree } from './loaded-tree.ts'
import { bridgeOrphans, mendTree } from './mend.ts'
import { placeQueued } from './queue.ts'
import { noRow } from './row.ts'

export function linkRows(index: LineIndex, mend: (index: LineIndex) => void = mendTree): void {
  const { rows, groups } = index
  mend(index)
  for (const boundary of index.boundaries.keys()) rows.setParent(boundary, beforeCompaction(index, boundary))
  for (const boundary of [...index.boundaries.keys()].slice(0, -1)) followKept(index, boundary)
  dropBeforeCompaction(index)
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
 * turns follow) or begins ("summarise from here": the summarised turns follow); nothing of that was taken back by the user.
 * A third of the compactions of 2.0 and 2.1.0 to 2.1.42 name a line that was never written: they continue the row before them.
 */
function beforeCompaction(index: LineIndex, boundary: number): number {
  const { rows } = index
  const named = rows.parent(boundary)
  const { preserved, lastBefore = noRow, summarised = null } = index.boundaries.get(boundary) ?? {}
  const kept = preserved?.anchor === rows.uuid(boundary) ? lastBefore : (keptBefore(index, boundary).at(-1) ?? noRow)
  const path = climb(index, kept)
  if (named >= 0) return path.includes(named) && !path.includes(boundary) ? lastSummarised(index, path, named, summarised) : named
  index.mended.add(boundary)
  const before = kept === noRow || path.includes(boundary) ? lastBefore : kept
  const whole = climb(index, before)
  return whole.includes(boundary) ? noRow : lastSummarised(index, whole, noRow, summarised)
}

/**
 * The last of the rows that were summarised behind `from`. A user who went back before choosing what to summarise had taken back the
 * turns behind it; no line says so but their number.
 */
function lastSummarised(index: LineIndex, path: readonly number[], from: number, count: number | null): number {
  const { rows } = index
  const [last = noRow] = path
  const downwards = [...path].reverse()
  if (count === null || downwards.some((at) => rows.kind(at) === 'boundary')) return last
  const beside = besidePath(index, path)
  let left = count
  for (let next = downwards.indexOf(from) + 1; next < downwards.length; next += 1) {
    const at = downwards[next] ?? noRow
    if (left <= 0) return left === 0 && rows.kind(at) === 'prompt' ? (downwards[next - 1] ?? last) : last
    const group = rows.group(at)
    left -= 1 + (beside.get(group) ?? 0)
    beside.delete(group)
  }
  return last
}

/** How many rows of a message are not on the path: of parallel calls only one leads on. By the message. */
function besidePath({ rows, groups }: LineIndex, path: readonly number[]): Map<number, number> {
  const onPath = new Set(path)
  const groupsOnPath = new Set(path.map((at) => rows.group(at)))
  const owner = new Map<number, number>()
  const counts = new Map<number, number>()
  for (let at = 0; at < rows.count; at += 1) {
    if (onPath.has(at)) continue
    const kind = rows.kind(at)
    const parent = rows.parent(at)
    const above = kind === 'assistant' ? rows.group(at) : (owner.get(parent) ?? rows.group(parent))
    const isBeside = kind === 'assistant' || kind === 'result' || (kind === 'aside' && owner.has(parent))
    if (!isBeside || !groupsOnPath.has(above) || !groups.get(above)?.tools) continue
    owner.set(at, above)
    counts.set(above, (counts.get(above) ?? 0) + 1)
  }
  return counts
}

/** What was written after a compaction and hangs on a message it kept follows the compaction: also when another one came later. */
function followKept(index: LineIndex, boundary: number): void {
  const { rows } = index
  const kept = new Set(keptBefore(index, boundary))
  const anchor = rows.byUuid.get(index.boundaries.get(boundary)?.preserved?.anchor ?? '') ?? noRow
  if (kept.size === 0 || anchor === noRow) return
  const aboveAnchor = new Set(climb(index, anchor))
  for (let at = boundary + 1; at < rows.count; at += 1) {
    if (kept.has(rows.parent(at)) && !kept.has(at) && !aboveAnchor.has(at) && rows.kind(at) !== 'boundary')
      hangBehindKept(index, at, kept, anchor)
  }
}

function hangBehindKept({ rows, keptUpTo }: LineIndex, at: number, kept: ReadonlySet<number>, anchor: number): void {
  const parent = rows.parent(at)
  if (parent !== [...kept].at(-1)) keptUpTo.set(at, parent)
  rows.relink(at, anchor)
}

/**
 * After a compaction that kept messages the CLI knows no others of those before it. What a second process wrote that did not see
 * the compaction, and hung on them, follows the kept ones; a note that hung on one of the others hangs on nothing.
 */
function dropBeforeCompaction(index: LineIndex): void {
  const { rows } = index
  if (index.boundaries.size === 0) return
  const { kept, anchor, has } = loadTree(index)
  const isKept = new Set(kept)
  const aboveAnchor = new Set(climb(index, anchor))
  const orphans: number[] = []
  for (let at = 0; at < rows.count; at += 1) {
    const parent = rows.parent(at)
    if (parent < 0 || !has(at) || isKept.has(at) || aboveAnchor.has(at) || rows.kind(at) === 'boundary') continue
    if (isKept.has(parent) && anchor !== noRow) hangBehindKept(index, at, isKept, anchor)
    else if (!has(parent) && isMessageKind(rows.kind(at)) && anchor !== noRow) rows.relink(at, anchor)
    else if (!has(parent)) orphans.push(at)
  }
  bridgeOrphans(index, orphans, has)
}

/**
 * The message a result answers: the nearest assistant row above it. `/branch` writes a prompt that was typed while the tool ran
 * between the call and its result.
 */
function groupAbove({ rows }: LineIndex, result: number): number {
  for (let at = rows.parent(result); at >= 0; at = rows.parent(at)) {
    const kind = rows.kind(at)
    if (kind === 'assistant') return rows.group(at)
    if (kind === 'boundary' || (kind === 'prompt' && !rows.calls(rows.parent(at)))) return noRow
  }
  return noRow
}
