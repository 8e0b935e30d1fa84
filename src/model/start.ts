// A session that offshoot starts afresh, in a workspace of its own: what is asked for, what will be done, what was made. Pure.
import type { CommandSpec, Notice, Plan, SetupOutcome, SetupPlan, TerminalChoice, WarningCode } from './fork.ts'
import type { AgentId } from './session.ts'

export interface StartRequest {
  readonly agent: AgentId
  /** The first prompt; without one the agent waits for it. */
  readonly prompt?: string
  /** Clean HEAD unless told; `now` carries the present state of the work tree. */
  readonly code?: 'head' | 'now'
  readonly branch?: string
  readonly title?: string
  /** The remote every turn's commit is pushed to, in the background; absent: as the settings say, `null`: none. */
  readonly push?: string | null
  readonly terminal?: TerminalChoice
  /** The session's id, where its agent takes one. */
  readonly sessionId?: string
}

export interface StartPlan {
  readonly agent: AgentId
  readonly title: string
  readonly prompt?: string
  readonly code: Plan['code']
  readonly workspace: { readonly path: string; readonly branch: string; readonly baseCommit: string | null }
  readonly cwd: string
  readonly push: string | null
  readonly setup: SetupPlan | null
  readonly terminal: TerminalChoice
  readonly warnings: readonly Notice<WarningCode>[]
  readonly steps: readonly string[]
}

export interface Started {
  readonly id: string
  readonly agent: AgentId
  readonly sessionId: string
  readonly title: string
  /** `null` while the agent has not made it: it does so with the first prompt. */
  readonly file: string | null
  readonly workspace: { readonly path: string; readonly branch: string; readonly baseCommit: string | null } | null
  readonly command: CommandSpec
}

export interface StartResult {
  readonly start: Started
  readonly plan: StartPlan
  /** How the workspace differs from what was planned; absent where it does not. */
  readonly notes?: readonly string[]
  /** Absent where the plan has none. */
  readonly setup?: SetupOutcome
  /** Opens it once it was opened: `start.command` takes its id and sends its prompt only once. */
  readonly again: CommandSpec
}

/** A started session as it is remembered. */
export interface StartEntry {
  readonly start: Started
  readonly state: 'making' | 'made' | 'undoing' | 'undone'
  readonly createdAt: number
}
