// A file cannot tell a turn that is running from one whose process was killed: both just lack an end.
import { agentOf } from '../agents/agent-of.ts'
import type { Turn } from '../model/session.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'

/** Not every system lets us see who has a session open; a file untouched for so long is no one's work in progress. */
const quietMs = 10 * 60_000

/** True when no one works on the session any more, so that its open turn was interrupted. */
export function isAtRest(context: CatalogContext, { agent, id, state, modifiedAt }: StoredSession): boolean {
  if (state !== 'present') return true
  if (context.now() - modifiedAt < quietMs) return false
  return !agentOf(context, agent)
    .live(context.env)
    .some(({ sessionId }) => sessionId === id)
}

export function settleTurn(turn: Turn, atRest: boolean): Turn {
  return atRest && turn.state === 'running' ? { ...turn, state: 'interrupted' } : turn
}
