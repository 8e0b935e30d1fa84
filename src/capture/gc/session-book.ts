// Which sessions can still be opened, and which are open now. When an agent's folder is not there at all, nothing can be said of its
// sessions (another home, a disk that is not mounted): all of them count as alive then.
import { existsSync } from 'node:fs'
import type { AgentId } from '../../model/session.ts'
import type { CaptureContext } from '../context.ts'

export interface SessionBook {
  /** Its transcript is there, or the archive's copy. */
  isAlive(agent: AgentId, sessionId: string): boolean
  isOpen(agent: AgentId, sessionId: string): boolean
  /** A session that is open in this folder or below; `null` when there is none. */
  openIn(folder: string): string | null
  /** When it was last worked in; `null` when unknown. */
  updatedAt(agent: AgentId, sessionId: string): number | null
  /** When a session was last worked in that runs in this folder or below; `null` when there is none. */
  lastWorkIn(folder: string): number | null
  /** A living session that was forked from it, and so shares its turns. */
  childOf(agent: AgentId, sessionId: string): string | null
}

export function createSessionBook(context: CaptureContext): SessionBook {
  const rows = context.store().sessions.list()
  const name = (agent: string, id: string) => `${agent}:${id}`
  const known = new Map(rows.map((row) => [name(row.agent, row.id), row]))
  const children = new Map(
    rows.flatMap(({ agent, id, parent }) =>
      parent === null ? [] : [[name(parent.agent, parent.sessionId), name(agent, id)] as const],
    ),
  )
  const unseen = new Set(context.agents.filter((agent) => !existsSync(agent.sessionsFolder(context.env))).map(({ id }) => id))
  const open = new Set(
    context.agents.flatMap((agent) => agent.live(context.env).map(({ sessionId }) => name(agent.id, sessionId))),
  )
  const isIn = (folder: string, cwd: string | null) => cwd !== null && (cwd === folder || cwd.startsWith(`${folder}/`))
  return {
    isAlive: (agent, id) => unseen.has(agent) || known.has(name(agent, id)),
    isOpen: (agent, id) => open.has(name(agent, id)),
    openIn(folder) {
      const there = rows.find(({ agent, id, cwd }) => isIn(folder, cwd) && open.has(name(agent, id)))
      return there === undefined ? null : name(there.agent, there.id)
    },
    updatedAt: (agent, id) => known.get(name(agent, id))?.updatedAt ?? null,
    lastWorkIn(folder) {
      const times = rows.flatMap(({ cwd, updatedAt }) => (isIn(folder, cwd) && updatedAt !== null ? [updatedAt] : []))
      return times.length === 0 ? null : Math.max(...times)
    },
    childOf: (agent, id) => children.get(name(agent, id)) ?? null,
  }
}
