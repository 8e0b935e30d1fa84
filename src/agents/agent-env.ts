// Where an agent's files are, and what the installed agent can do.

/** Where an agent's files are: the only way the environment reaches an agent. */
export interface AgentEnv {
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** The clock, epoch ms: only asked where the system cannot tell who has a session open. */
  readonly now?: () => number
  /** Copies of session files that are gone from the agent's folders, for as long as something is read with this. */
  readonly standIns?: readonly StandIn[]
}

export interface StandIn {
  /** Where the agent kept the file. */
  readonly path: string
  readonly copy: string
}

export interface Abilities {
  readonly installed: boolean
  readonly version: string | null
  readonly path: string | null
  readonly fork: boolean
  readonly forkAtTurn: boolean
  readonly hooks: boolean
  readonly problem: string | null
}

export const noAbilities: Abilities = {
  installed: false,
  version: null,
  path: null,
  fork: false,
  forkAtTurn: false,
  hooks: false,
  problem: null,
}
