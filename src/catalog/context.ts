// What every part of the catalogue is handed: the store, the agents, and the world outside.
import type { Agent } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Exec } from '../lib/exec.ts'
import type { AgentId } from '../model/session.ts'
import type { Store } from '../store/store.ts'

export interface CatalogContext {
  /** A function, because a store found damaged is replaced under way. */
  readonly store: () => Store
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly now: () => number
  readonly exec: Exec
}

export function agentOf(context: CatalogContext, id: AgentId): Agent {
  const agent = context.agents.find((each) => each.id === id)
  if (agent === undefined) throw new Error(`no agent ${id}`)
  return agent
}
