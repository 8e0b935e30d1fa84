// BT1: Escape enters at the newest message, each further one steps back; three within 600 ms of the one that entered leave, as
// does Escape at the oldest. Later fast presses only step.
import type { Backtrack, Tab } from '../state.ts'

const leaveWithinMs = 600

/** Prompts and answers, oldest first: a fork at a tool's result alone would be a cut inside a turn. */
export function stopsOf({ transcript, dropped }: Pick<Tab, 'transcript' | 'dropped'>): readonly string[] {
  return transcript.messages
    .filter(({ id, role, text }) => (role === 'user' || role === 'assistant') && text !== '' && id !== dropped)
    .map(({ id }) => id)
}

export function enterBacktrack(tab: Tab, at: number): Backtrack | null {
  const stops = stopsOf(tab)
  return stops.length === 0 ? null : { stops, at: stops.length - 1, presses: [at] }
}

/** `null`: the mode is left. `hasMore`: the oldest that was read is not the oldest there is. */
export function escapeBacktrack(mode: Backtrack, at: number, hasMore: boolean): Backtrack | null {
  const presses = [...mode.presses, at].slice(0, 4)
  const isThird = presses.length === 3 && at - (presses[0] ?? 0) <= leaveWithinMs
  if (isThird || (mode.at === 0 && !hasMore)) return null
  return { ...mode, at: Math.max(0, mode.at - 1), presses }
}

export function moveBacktrack(mode: Backtrack, by: number): Backtrack {
  return { ...mode, at: Math.max(0, Math.min(mode.stops.length - 1, mode.at + by)) }
}
