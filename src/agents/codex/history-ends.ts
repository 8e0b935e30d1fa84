// The end of a history, of which more and more is taken: of the thread's own file at first, then of those it builds on.
import { statSync } from 'node:fs'
import { lineStarts } from '../../lib/line-starts.ts'
import type { AgentEnv } from '../agent-env.ts'
import { type HistoryPart, resolveHistory } from './history.ts'
import { pause, scanRecords } from './lines.ts'

export interface HistoryEnd {
  readonly parts: readonly HistoryPart[]
  /** Nothing stands before it. */
  readonly isAll: boolean
}

/** `end`: where the thread's own file ends for this reading. */
export function* historyEnds(path: string, env: AgentEnv, end: number, firstBytes: number): Generator<HistoryEnd> {
  const own: HistoryPart = { path, end: Number.POSITIVE_INFINITY, inherited: false }
  for (const from of lineStarts(path, end, firstBytes)) if (from > 0) yield { parts: [{ ...own, from }], isAll: false }
  const { parts } = resolveHistory(path, env)
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at]
    if (part === undefined || part.path.endsWith('.zst')) return
    if (part.path !== path) {
      for (const from of lineStarts(part.path, endOf(part), firstBytes)) {
        if (from > 0) yield { parts: [{ ...part, from }, ...parts.slice(at + 1)], isAll: false }
      }
    }
    yield { parts: parts.slice(at), isAll: at === 0 }
  }
}

/** Nothing of the history stands behind this; where the place that was told is no longer right, all of the file comes before. */
function endOf({ path, end, endBytes = Number.POSITIVE_INFINITY }: HistoryPart): number {
  const { size } = statSync(path)
  if (endBytes >= size) return size
  for (const record of scanRecords(path, { from: endBytes })) {
    if (record === pause) continue
    return record.ordinal !== null && record.ordinal >= end ? endBytes : size
  }
  return size
}
