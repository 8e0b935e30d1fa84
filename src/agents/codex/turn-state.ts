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
  const { id, prompt, startedAt, endedAt, messages, lastMessageId, afterCompaction, usage } = row
  const state = row.state === 'running' ? openState : row.state
  const { contextTokens, cwd } = row
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
