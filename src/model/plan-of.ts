import type { CatalogSession } from './catalog.ts'
import type { Plan } from './fork.ts'

/** Whether the plan forks this session; one that is not written yet is forked as its parent. */
export function isPlanOf({ parent }: Plan, session: CatalogSession): boolean {
  const { agent, id } = session.unwritten?.source ?? session
  return parent.agent === agent && parent.sessionId === id
}
