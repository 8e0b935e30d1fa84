// The words as types: session, turn, message, lineage. Pure; times are epoch milliseconds, `null` where no agent recorded one.

import type { TurnSnapshot } from './capture.ts'

export const agentIds = ['claude', 'codex'] as const
export type AgentId = (typeof agentIds)[number]

export type Role = 'user' | 'assistant' | 'tool' | 'system' | 'error' | 'summary'

export interface ToolCall {
  readonly name: string
  readonly arguments: unknown
  /** `null` while no result is recorded: the call is open. */
  readonly output: string | null
  readonly exitCode: number | null
  /** True too where a person or a rule refused it. `null` where the agent recorded neither: still open, or a result that does not say. */
  readonly failed: boolean | null
  readonly callId: string
}

export interface Message {
  readonly id: string
  /** Empty string for what stands before the first turn. */
  readonly turnId: string
  readonly role: Role
  readonly text: string
  /** How many characters of its harness the agent put beside the user's words; they are not in `text`. */
  readonly leftOut?: number
  readonly thinking?: string
  readonly tool?: ToolCall
  readonly at: number | null
  /** Of a `system` text: the folders whose instructions, hooks or state it reports, where the agent records or names them. */
  readonly folders?: readonly string[]
}

export type TurnState = 'complete' | 'interrupted' | 'failed' | 'running'

export interface Turn {
  /** From 1 along the live chain; `null` on a dead branch, whose turns are named by id only. */
  readonly number: number | null
  readonly id: string
  readonly prompt: string
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly messages: number
  readonly lastMessageId: string | null
  readonly state: TurnState
  readonly afterCompaction: boolean
  /** Tokens of this turn alone, where the agent reports them: what a fork inherited is taken off its statistics by these. */
  readonly usage?: Usage
  /** Tokens the model was sent with the last request of this turn, and its answer: what going on from here begins with. */
  readonly contextTokens?: number
  /** The folder in which its prompt was given, where the agent records it. */
  readonly cwd?: string
  /** The code as this turn left it; `null` where it was not captured. Absent where nobody asked for it. */
  readonly snapshot?: TurnSnapshot | null
}

/** Tokens as the agent reported them, added up over the turns a session ran itself. */
export interface Usage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

/**
 * How a child came from its parent: `native` the agent's own fork, `branch` Claude's /branch, `prefix` and `seed` made by
 * offshoot, `inferred` from shared message ids where the agent recorded nothing.
 */
export type ForkKind = 'native' | 'branch' | 'prefix' | 'seed' | 'inferred'

export interface ParentLink {
  readonly agent: AgentId
  readonly sessionId: string
  readonly turnId: string | null
  readonly turnNumber: number | null
  readonly messageId: string | null
  readonly kind: ForkKind
}

export interface Session {
  readonly agent: AgentId
  readonly id: string
  readonly title: string
  readonly cwd: string | null
  readonly repoRoot: string | null
  readonly branch: string | null
  readonly model: string | null
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly turns: number
  readonly messages: number
  readonly bytes: number
  readonly path: string
  readonly live: boolean
  readonly parent: ParentLink | null
}
