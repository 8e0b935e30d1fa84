// BT1: Escape enters at the newest message, each further one steps back; three within 600 ms of the one that entered leave, as
// does Escape at the oldest. Later fast presses only step.
import type { Backtrack, Tab } from '../state-tab.ts'

const leaveWithinMs = 600
/** tmux's own escape-time: it gives two quick Escapes on as one chunk, and the third, alone again, only so much later. */
const heldBackMs = 500
/** Nobody presses twice as fast; the second of a chunk is known as such a little later than the first. */
const sameChunkMs = 60

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
  const [first = 0, second = 0] = presses
  const within = second - first <= sameChunkMs ? leaveWithinMs + heldBackMs : leaveWithinMs
  const isThird = presses.length === 3 && at - first <= within
  if (isThird || (mode.at === 0 && !hasMore)) return null
  return { ...mode, at: Math.max(0, mode.at - 1), presses }
}

export function moveBacktrack(mode: Backtrack, by: number): Backtrack {
  return { ...mode, at: Math.max(0, Math.min(mode.stops.length - 1, mode.at + by)) }
}
