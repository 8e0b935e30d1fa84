// Reads some turns of a thread from a part of its file. Rollouts are written in order, so reading may begin where a turn starts;
// one turn more is read in front, for what turns tell only as a difference to the one before (token counts).
import { lineStarts } from '../../lib/line-starts.ts'
import type { Turn } from '../../model/session.ts'
import type { AgentEnv, Entry, SessionFile, Stretch, StretchOptions } from '../agent.ts'
import { boundsOf, fitsKnown, guessBytes } from '../read-stretch.ts'
import { emitBranch } from './emit.ts'
import { type History, resolveHistory } from './history.ts'
import { breathe, pause, scanRecords, textOrNull } from './lines.ts'

export async function readStretch(file: SessionFile, env: AgentEnv, options: StretchOptions): Promise<Stretch | null> {
  const { path } = file
  const bounds = path.endsWith('.zst') ? null : boundsOf(file, options, marginBytes)
  if (bounds === null) return null
  for (const from of lineStarts(path, bounds.end, guessBytes(options, bounds))) {
    const part = await findPart(path, from, bounds.end, options)
    if (part === undefined) continue
    if (part === null || (part.from === 0 && isContinued(path, env))) return null
    const { entries, turns } = await tell(path, part, options)
    return fitsKnown(turns, options, bounds) ? { entries, offset: part.offset } : null
  }
  return null
}

/** The line of `before` itself, which is short. */
const marginBytes = 1 << 16

interface Part {
  readonly from: number
  readonly to: number
  /** Where the first of the turns starts. */
  readonly offset: number
}

/** `undefined`: not in view yet; `null`: cannot be told from a part. */
async function findPart(
  path: string,
  from: number,
  end: number,
  { known, before }: StretchOptions,
): Promise<Part | null | undefined> {
  const wanted = known[0]
  let [warmUp, offset, to]: (number | undefined)[] = []
  let isOver = false
  for (const record of scanRecords(path, { from, to: end })) {
    if (record === pause) {
      await breathe()
      continue
    }
    if (isOver) {
      to = record.offset
      break
    }
    if (record.type !== 'event_msg') continue
    // The turns it drops are told apart only by a survey of the whole.
    if (record.subtype === 'thread_rolled_back' && offset !== undefined) return null
    if (record.subtype !== 'task_started' && record.subtype !== 'turn_started') continue
    const turnId = textOrNull(record.payload?.turn_id)
    if (turnId === wanted?.id) offset ??= record.offset
    else if (offset === undefined) warmUp = record.offset
    isOver = before !== undefined && turnId === before.turnId
  }
  if (offset === undefined || (before !== undefined && !isOver)) return from === 0 ? null : undefined
  if (wanted?.number === 1 || warmUp === undefined) return from === 0 ? { from: 0, to: to ?? end, offset } : undefined
  return { from: warmUp, to: to ?? end, offset }
}

/** What stands before the first turn of the file may be of another one. */
function isContinued(path: string, env: AgentEnv): boolean {
  return resolveHistory(path, env).parts.length > 1
}

async function tell(path: string, { from, to }: Part, { known, before }: StretchOptions) {
  const first = known[0]
  const history: History = {
    parts: [{ path, end: Number.POSITIVE_INFINITY, inherited: false }],
    meta: null,
    firstMeta: null,
    broken: null,
  }
  const entries: Entry[] = []
  const turns: Turn[] = []
  let inside = first?.number === 1
  for await (const entry of emitBranch({ history, from, to }, 'all')) {
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
    const turn = { ...entry.turn, number, afterCompaction }
    turns.push(turn)
    entries.push({ kind: 'turn', turn })
  }
  return { entries, turns }
}
