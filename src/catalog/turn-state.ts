// A file cannot tell a turn that is running from one whose process was killed: both just lack an end. A turn runs while a process
// lives that had the session open when it began.
import type { LiveSession } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import type { Turn } from '../model/session.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'

/** Where nobody can tell who has a session open: a file untouched for so long is no one's work in progress. */
const quietMs = 10 * 60_000
/** What an agent says of itself and what it writes follow each other within this. */
const lagMs = 2000

/** The same turns; one without an end that nobody works on was interrupted. */
export function settleTurns(context: CatalogContext, row: StoredSession, turns: readonly Turn[]): readonly Turn[] {
  const open = turns.findLast(({ state }) => state === 'running')
  if (open === undefined || isRunning(context, row, open)) return turns
  return turns.map((turn) => (turn.state === 'running' ? { ...turn, state: 'interrupted' } : turn))
}

function isRunning(context: CatalogContext, row: StoredSession, turn: Turn): boolean {
  const { agent: agentId, id, state, modifiedAt, cliVersion } = row
  if (state !== 'present') return false
  const agent = agentOf(context, agentId)
  const holders = agent.live(context.env).filter(({ sessionId }) => sessionId === id)
  if (holders.length > 0) return holders.some((holder) => runs(context, holder, turn, modifiedAt))
  return !agent.tellsLive(context.env, cliVersion) && context.now() - modifiedAt < quietMs
}

function runs({ now }: CatalogContext, { busy, since, saidAt }: LiveSession, { startedAt }: Turn, modifiedAt: number): boolean {
  if (since !== null && startedAt !== null && startedAt < since) return false
  return busy || (saidAt !== null && now() - Math.max(saidAt, modifiedAt) < lagMs)
}
