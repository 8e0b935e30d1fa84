// The table of turns that reading builds up, and what others see of it. JSON-able: reading goes on from it later.
import type { Role, Turn, TurnState, Usage } from '../../model/session.ts'

export interface TurnRow {
  id: string
  prompt: string
  startedAt: number | null
  endedAt: number | null
  messages: number
  lastMessageId: string | null
  state: TurnState
  afterCompaction: boolean
  usage: Usage
  contextTokens?: number
  /** The folder in which its prompt was given, where the file names one. */
  cwd?: string
  /** Index of the turn before it; -1 for the first. A rolled back turn stays in the list, but no live turn follows it. */
  parent: number
  /** How many real prompts it holds: none after /compact, several when steered. */
  prompts: number
  /** Messages in front of its first prompt. */
  lead: number
  /** The context was compacted in this turn or before. */
  compacted: boolean
  inherited: boolean
  /** The context messages at its end, and the message before them. */
  tail?: Tail
  /** The tail that went along when the turn behind it was taken back; it still stands in front of that turn. */
  takenBack?: Tail & { readonly withRow: number }
}

interface Tail {
  readonly ids: readonly string[]
  readonly after: string | null
}

interface PendingEvent {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly at: number | null
}

/** All that has to be kept to go on later; JSON-able. */
export interface TrackState {
  rows: TurnRow[]
  /** Newest turn of the live chain; -1 before the first. */
  top: number
  /** A turn of an old file has no start line: it opens with its prompt and ends with the next one. */
  open: 'explicit' | 'implicit' | null
  sawExplicit: boolean
  startMessages: number
  openCalls: string[]
  /** Calls of turns that nothing ended: another client may be at work on them still. */
  leftCalls?: string[]
  /** False while a turn has no response item: only then do events carry its messages. */
  hasItems: boolean
  events: PendingEvent[]
  /** Looks injected, but only the next line tells: a prompt is said again by an event. */
  undecided: { readonly id: string | null; readonly text: string; readonly at: number | null } | null
  answered: boolean
  error: string | null
  lastAt: number | null
  tokensSoFar: number
  sawUsageRecords: boolean
  /** The folder named last. */
  folder: string | null
  /** The row of the only compaction that recorded what it left; -1 where there are more of them, and it does not matter. */
  compactedIn?: number
  /** How many turns were taken back since, and how many rows there were. */
  rollbacks?: { readonly rows: number; readonly count: number }[]
}

/** A message that a record makes, without its content. */
export interface MadeMessage {
  readonly row: number
  readonly id: string
  readonly role: Role
  readonly at: number | null
  /** Stands in front of the first prompt of its turn. */
  readonly lead: boolean
  /** Where the content is not the record's payload. */
  readonly text?: string
}

export interface Step {
  readonly skipped?: string
  /** Messages of a line before, now decided. */
  readonly settled?: readonly MadeMessage[]
  readonly made?: readonly MadeMessage[]
  readonly compaction?: true
  readonly output?: string
}

export function startTracking(): TrackState {
  return {
    rows: [],
    top: -1,
    open: null,
    sawExplicit: false,
    startMessages: 0,
    openCalls: [],
    hasItems: false,
    events: [],
    undecided: null,
    answered: false,
    error: null,
    lastAt: null,
    tokensSoFar: 0,
    sawUsageRecords: false,
    folder: null,
  }
}

export function describeTurn(rows: readonly TurnRow[], index: number, number: number | null, openState: Turn['state']): Turn {
  const row = rows[index]
  if (row === undefined) throw new Error(`no turn ${index}`)
  const { id, prompt, startedAt, endedAt, afterCompaction, usage, takenBack } = row
  const state = row.state === 'running' ? openState : row.state
  const { contextTokens, cwd } = row
  const messages = row.messages - (takenBack?.ids.length ?? 0)
  const lastMessageId = takenBack === undefined ? row.lastMessageId : takenBack.after
  const turn = { number, id, prompt, startedAt, endedAt, messages, lastMessageId, state, afterCompaction, usage }
  return { ...turn, ...(contextTokens === undefined ? {} : { contextTokens }), ...(cwd === undefined ? {} : { cwd }) }
}

/** How the newest turn stands when nothing ended it: an old file has no end lines, there an answer is the end. */
export function lastState(state: TrackState): Turn['state'] {
  return state.open === 'implicit' && state.answered && state.openCalls.length === 0 ? 'complete' : 'running'
}

/** Messages before the first turn: also what Codex keeps of a first turn that was rolled back (all in front of its prompt). */
export function startMessages(state: TrackState, live: readonly number[]): number {
  return state.startMessages + (keepsFirstLead(state, live) ? (state.rows[0]?.lead ?? 0) : 0)
}

export function keepsFirstLead(state: TrackState, live: readonly number[]): boolean {
  return state.rows.length > 0 && live[0] !== 0
}

/** Messages on the way to a branch's end that are no part of it: Codex took them back with the turn behind them. */
export function takenBackOn(rows: readonly TurnRow[], path: readonly number[]): (made: MadeMessage) => boolean {
  const onPath = new Set(path)
  const ids = new Map<number, ReadonlySet<string>>()
  for (const row of path) {
    const { takenBack } = rows[row] ?? {}
    if (takenBack !== undefined && !onPath.has(takenBack.withRow)) ids.set(row, new Set(takenBack.ids))
  }
  return ({ row, id }) => ids.get(row)?.has(id) === true
}

/**
 * Codex counts prompts when it takes turns back, but turns when it looks for the compaction to begin with: where steering makes that
 * more, it passes over the only compaction there is and reads only what follows.
 */
export function passesOverCompaction({ rows, compactedIn = -1, rollbacks = [] }: TrackState): boolean {
  if (compactedIn === -1) return false
  let pending = 0
  let next = rows.length
  const takeTurns = (from: number) => {
    for (; next > from; next -= 1) if (pending > 0 && (rows[next - 1]?.prompts ?? 0) > 0) pending -= 1
  }
  for (const { rows: before, count } of [...rollbacks].reverse()) {
    takeTurns(before)
    pending += count
  }
  takeTurns(compactedIn + 1)
  return pending > 0
}
