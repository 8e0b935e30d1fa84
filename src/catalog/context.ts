// What every part of the catalogue is handed: the store, the agents, and the world outside.
import type { Agent } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Exec } from '../lib/exec.ts'
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
