// Reads some turns of a thread from the end of its history. Rollouts are written in order, so reading may begin where a turn
// starts: a bit before these turns, because tokens are told as a difference to what was told last.
import { isObject } from '../../lib/jsonl.ts'
import type { Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { boundsOf, fitsKnown, guessBytes } from '../read-stretch.ts'
import type { Entry, Stretch, StretchOptions } from '../reading.ts'
import { emitBranch } from './emit.ts'
import { type HistoryPart, scanHistory } from './history.ts'
import { type HistoryEnd, historyEnds } from './history-ends.ts'
import { breathe, pause, type RolloutRecord, textOrNull } from './lines.ts'

const marginBytes = 1 << 16

export async function readStretch(file: SessionFile, env: AgentEnv, options: StretchOptions): Promise<Stretch | null> {
  const { path } = file
  const bounds = path.endsWith('.zst') ? null : boundsOf(file, options, 0)
  if (bounds === null) return null
  for (const end of historyEnds(path, env, bounds.end, guessBytes(options, bounds, marginBytes))) {
    const found = await findTurns(end, bounds.end, options)
    if (found === 'not here') continue
    if (found === 'cannot be told') return null
    const { entries, turns } = await tell(found, options)
    if (fitsKnown(turns, options, bounds))
      return { entries, firstEnd: found.path === path ? found.firstEnd : Number.POSITIVE_INFINITY }
  }
  return null
}

interface Place {
  readonly part: number
  readonly offset: number
}

interface Found {
  /** What to read: from a turn before the first of these on, up to the start of the one behind the last. */
  readonly parts: readonly HistoryPart[]
  readonly to: number
  /** Where the line ends that the first of these turns starts with. */
  readonly path: string
  readonly firstEnd: number
}

async function findTurns(
  { parts, isAll }: HistoryEnd,
  to: number,
  { known, before }: StretchOptions,
): Promise<Found | 'not here' | 'cannot be told'> {
  const wanted = known[0]
  let start: Place | undefined
  let warmUp: Place | undefined
  let first: Place | undefined
  let firstEnd: number | undefined
  let last: Place = { part: parts.length - 1, offset: to }
  let isOver = false
  for (const record of scanHistory({ parts, meta: null, firstMeta: null, broken: null, missing: null }, { to })) {
    if (record === pause) {
      await breathe()
      continue
    }
    const { part, offset, type, subtype } = record
    if (first?.part === part) firstEnd ??= offset
    if (isOver) {
      last = { part, offset }
      break
    }
    if (first === undefined && tellsTokens(record)) warmUp = start
    if (type !== 'event_msg') continue
    // The turns it drops are told apart only by a survey of the whole.
    if (subtype === 'thread_rolled_back' && first !== undefined) return 'cannot be told'
    if (subtype !== 'task_started' && subtype !== 'turn_started') continue
    const turnId = textOrNull(record.payload?.turn_id)
    if (turnId === wanted?.id) first ??= { part, offset }
    else if (first === undefined) start = { part, offset }
    isOver = before !== undefined && turnId === before.turnId
  }
  const begin = wanted?.number === 1 ? undefined : (warmUp ?? start)
  if (first === undefined || (before !== undefined && !isOver) || (begin === undefined && !isAll)) return 'not here'
  return { ...cut(parts, begin, last), path: parts[first.part]?.path ?? '', firstEnd: firstEnd ?? to }
}

function tellsTokens(record: RolloutRecord): boolean {
  if (record.type === 'token_usage_record') return true
  return record.type === 'event_msg' && record.subtype === 'token_count' && isObject(record.payload?.info)
}

function cut(parts: readonly HistoryPart[], begin: Place | undefined, last: Place): Pick<Found, 'parts' | 'to'> {
  const at = begin?.part ?? 0
  const kept = parts.slice(at, last.part + 1)
  const [top] = kept
  if (begin === undefined || top === undefined) return { parts: kept, to: last.offset }
  return { parts: [{ ...top, from: begin.offset }, ...kept.slice(1)], to: last.offset }
}

async function tell({ parts, to }: Found, { known, before }: StretchOptions): Promise<{ entries: Entry[]; turns: Turn[] }> {
  const first = known[0]
  const entries: Entry[] = []
  const turns: Turn[] = []
  let inside = first?.number === 1
  for await (const entry of emitBranch(
    { history: { parts, meta: null, firstMeta: null, broken: null, missing: null }, to },
    'all',
  )) {
    if (entry.kind === 'skipped') continue
    if (entry.kind !== 'turn') {
      if (inside) entries.push(entry)
      continue
    }
    if (entry.turn.id === before?.turnId) break
    inside ||= entry.turn.id === first?.id
    if (!inside) continue
    const number = (first?.number ?? 1) + turns.length
    const afterCompaction = entry.turn.afterCompaction || (first?.afterCompaction ?? false)
    // A turn that names no folder is in that of the turn before.
    const cwd = entry.turn.cwd ?? (turns.at(-1) ?? first)?.cwd
    const turn = { ...entry.turn, number, afterCompaction, ...(cwd === undefined ? {} : { cwd }) }
    turns.push(turn)
    entries.push({ kind: 'turn', turn })
  }
  return { entries, turns }
}
