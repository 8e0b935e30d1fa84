// From the rows of the tracker to the turns others see.
import type { Turn } from '../../model/session.ts'
import type { TrackState, TurnRow } from './turns.ts'

export function describeTurn(rows: readonly TurnRow[], index: number, number: number | null, openState: Turn['state']): Turn {
  const row = rows[index]
  if (row === undefined) throw new Error(`no turn ${index}`)
  const { id, prompt, startedAt, endedAt, messages, lastMessageId, afterCompaction, usage } = row
  const state = row.state === 'running' ? openState : row.state
  return { number, id, prompt, startedAt, endedAt, messages, lastMessageId, state, afterCompaction, usage }
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
