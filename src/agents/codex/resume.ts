// What is kept of a reading so that the next one can go on behind it. Turns stand in the summary already, so only what the
// summary does not say of them is kept here.
import { stillHolds } from '../../lib/file-mark.ts'
import { isObject } from '../../lib/jsonl.ts'
import type { Turn, Usage } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { Base, SessionSummary } from '../reading.ts'
import type { Facts } from './facts.ts'
import { basesOf, type History } from './history.ts'
import { pathTo } from './survey.ts'
import type { TrackState, TurnRow } from './turn-state.ts'

/** Raised with every change of what is saved: an older one is not read. */
const format = 5

/** What older segments of the thread add. */
export interface Elsewhere {
  readonly deadTurns: readonly Turn[]
  readonly usage: Usage
  readonly builtOn: readonly Base[]
}

export interface Earlier {
  readonly track: TrackState
  readonly facts: Facts
  readonly elsewhere: Elsewhere
}

/** What a turn does not tell of its row. */
type SavedRow = Pick<TurnRow, 'parent' | 'prompts' | 'lead' | 'compacted' | 'inherited' | 'tail' | 'takenBack'>

interface Saved {
  readonly format: typeof format
  readonly rows: readonly SavedRow[]
  /** Inherited turns that were rolled back are in no summary. */
  readonly unlisted: readonly TurnRow[]
  readonly track: Omit<TrackState, 'rows'>
  readonly facts: Facts
  readonly elsewhere: Elsewhere
  readonly bases: readonly string[]
  readonly olderPaths: readonly string[]
}

export function saveResume(file: SessionFile, history: History, { track, facts, elsewhere }: Earlier): unknown {
  const { rows, ...rest } = track
  const live = new Set(pathTo(rows, track.top))
  const saved: Saved = {
    format,
    rows: rows.map(({ parent, prompts, lead, compacted, inherited, tail, takenBack }) => ({
      ...{ parent, prompts, lead, compacted, inherited },
      ...(tail === undefined ? {} : { tail }),
      ...(takenBack === undefined ? {} : { takenBack }),
    })),
    unlisted: rows.filter((row, index) => row.inherited && !live.has(index)),
    track: rest,
    facts,
    elsewhere,
    bases: basesOf(history).map(({ path }) => path),
    olderPaths: file.olderPaths,
  }
  return saved
}

/** What was saved last time, if the file only grew since and all it builds on is the same. */
export function resumeFrom(file: SessionFile, history: History, previous: SessionSummary): Earlier | undefined {
  if (!isObject(previous.resume) || previous.resume.format !== format || previous.broken !== null) return undefined
  const saved = structuredClone(previous.resume) as unknown as Saved
  const bases = basesOf(history).map(({ path }) => path)
  if (!isSame(saved.bases, bases) || !isSame(saved.olderPaths, file.olderPaths)) return undefined
  if (!stillHolds(file.path, previous.mark)) return undefined
  const rows = restoreRows(saved, previous)
  if (rows === undefined) return undefined
  return { track: { ...saved.track, rows }, facts: saved.facts, elsewhere: saved.elsewhere }
}

/** Rows come back in the order of the file: the live ones from the turns, the rolled back ones from the dead turns. */
function restoreRows({ rows, unlisted, track }: Saved, { turns, deadTurns }: SessionSummary): TurnRow[] | undefined {
  const live = new Set<number>()
  for (let at = track.top; at >= 0; at = rows[at]?.parent ?? -1) live.add(at)
  const sources = { live: turns.values(), dead: deadTurns.values(), unlisted: unlisted.values() }
  const restored: TurnRow[] = []
  for (const [index, row] of rows.entries()) {
    const { value: turn } = sources[live.has(index) ? 'live' : row.inherited ? 'unlisted' : 'dead'].next()
    if (turn === undefined || turn.usage === undefined) return undefined
    const { id, prompt, startedAt, endedAt, afterCompaction, usage } = turn
    const messages = turn.messages + (row.takenBack?.ids.length ?? 0)
    const lastMessageId = row.takenBack?.ids.at(-1) ?? turn.lastMessageId
    const state = index === track.top && track.open !== null ? 'running' : turn.state
    const context = turn.contextTokens === undefined ? {} : { contextTokens: turn.contextTokens }
    const folder = turn.cwd === undefined ? {} : { cwd: turn.cwd }
    restored.push({
      ...row,
      id,
      prompt,
      startedAt,
      endedAt,
      messages,
      lastMessageId,
      afterCompaction,
      usage,
      ...context,
      ...folder,
      state,
    })
  }
  return restored
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((path, index) => path === b[index])
}
