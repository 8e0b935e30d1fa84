// Whether the newest row goes on from the message of a row that is named, though it does not descend from that row itself: lines of
// one message are written in the order in which they come, and what follows may hang on any of them.
import type { LineIndex } from './line-index.ts'
import { climbIn, type LoadedTree } from './loaded-tree.ts'
import { noRow } from './row.ts'

export function continuesMessage(index: LineIndex, tree: LoadedTree, named: number): boolean {
  return (!index.checkpoint.chosen && isOfSameCalls(index, tree, named)) || isBesideAnswer(index, tree, named)
}

/** Tools that run in parallel end in any order: what follows hangs on the result written last, maybe that of another call. */
function isOfSameCalls(index: LineIndex, tree: LoadedTree, named: number): boolean {
  const { rows, lastRow } = index
  const call = callAt(index, tree, named)
  if (call === noRow) return false
  const group = rows.group(call)
  const above = new Set(linesAbove(index, tree, call))
  let isFromLaterCall = false
  for (const at of climbIn(tree, lastRow)) {
    const isCall = rows.kind(at) === 'assistant' && rows.group(at) === group && rows.calls(at)
    if (isCall && (at === call ? isFromLaterCall : above.has(at))) return true
    const isOtherCall = isCall && at !== call
    isFromLaterCall = isOtherCall || (isFromLaterCall && isOfMessage(index, at, group))
  }
  return false
}

/** The line of the call that the named row is, answers or accompanies. */
function callAt({ rows }: LineIndex, tree: LoadedTree, named: number): number {
  let at = named
  while (at >= 0 && rows.passive(at)) at = tree.parent(at)
  if (at >= 0 && rows.kind(at) === 'result') at = tree.parent(at)
  return at >= 0 && rows.kind(at) === 'assistant' && rows.calls(at) ? at : noRow
}

/** A hook's note may stand between two lines of an answer, and the next prompt hang on the note instead of the line behind it. */
function isBesideAnswer(index: LineIndex, tree: LoadedTree, named: number): boolean {
  const { rows, lastRow } = index
  if (lastRow === named || rows.kind(named) !== 'assistant' || rows.calls(named)) return false
  const lines = linesAbove(index, tree, named)
  const first = lines.findLastIndex((at) => rows.kind(at) === 'assistant')
  const between = lines.slice(0, Math.max(0, first)).filter((at) => rows.kind(at) !== 'assistant')
  const [note] = between
  if (note === undefined || lines.some((at) => rows.calls(at)) || between.some((at) => rows.kind(at) !== 'aside')) return false
  const path = [...climbIn(tree, lastRow)]
  const below = path.slice(0, path.indexOf(note))
  const isSaid = below.some((at) => rows.kind(at) === 'assistant' || rows.kind(at) === 'prompt')
  if (!isSaid || (rows.time(below.at(-1) ?? noRow) ?? 0) <= (rows.time(named) ?? 0)) return false
  for (let at = 0; at < rows.count; at += 1) {
    const parent = tree.parent(at)
    if (parent === named || (parent === lastRow && !rows.passive(at))) return false
  }
  return true
}

/** From a line of a message upwards: the message's lines, results of its calls, and notes between them. */
function linesAbove(index: LineIndex, tree: LoadedTree, from: number): number[] {
  const group = index.rows.group(from)
  const lines: number[] = []
  for (let at = tree.parent(from); at >= 0 && isOfMessage(index, at, group); at = tree.parent(at)) lines.push(at)
  return lines
}

function isOfMessage({ rows }: LineIndex, at: number, group: number): boolean {
  return rows.kind(at) === 'assistant' ? rows.group(at) === group : rows.passive(at) || rows.kind(at) === 'result'
}
