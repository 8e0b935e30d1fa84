// One headless turn as a stream of neutral events, and the questions an agent asks in it. Pure.
import type { Question } from './question.ts'
import type { Usage } from './session.ts'

/** What an agent wants to do and may not without a yes. */
export interface PermissionRequest {
  /** The agent's own id of the question; unique within its session. */
  readonly id: string
  /** As the agent names it: `Bash`, `Write`, `exec_command`, `mcp__x__y`. */
  readonly tool: string
  /** `question`: the agent asks the person something; the answer goes in `Decision.answers`. */
  readonly kind: 'command' | 'edit' | 'tool' | 'question'
  /** One line for a person: the command, the file, the tool with its arguments. */
  readonly summary: string
  readonly arguments: unknown
  /** The tool call it stands for, where the agent says so. */
  readonly callId: string | null
  /** Whether `allow_session` is possible. */
  readonly canRemember: boolean
  /** Of kind `question`, where the agent tells them apart: a yes needs an answer to each. */
  readonly questions?: readonly Question[]
}

export type PermissionVerdict = 'allow' | 'allow_session' | 'deny' | 'abort'

/** `abort` denies and ends the turn. */
export interface Decision {
  readonly verdict: PermissionVerdict
  /** Told to the agent with a refusal. */
  readonly reason?: string
  /** For questions: the key of each to its answer. */
  readonly answers?: Readonly<Record<string, string>>
}

/** How questions are answered without a person: `allow` only what is on the list, `accept_edits` edits inside the folder. */
export type PermissionPolicy = 'ask' | 'accept_edits' | 'allow_list' | 'deny'

export type RunOutcome = 'complete' | 'interrupted' | 'failed'

export type RunEvent =
  /** The agent has taken the prompt. */
  | { readonly kind: 'started'; readonly sessionId: string; readonly turnId: string | null; readonly model: string | null }
  | { readonly kind: 'text'; readonly delta: string }
  | { readonly kind: 'thinking'; readonly delta: string }
  /** A whole message of the assistant; its text came before as deltas where the agent streams. */
  | { readonly kind: 'message'; readonly messageId: string | null; readonly text: string }
  | { readonly kind: 'tool_call'; readonly callId: string; readonly tool: string; readonly arguments: unknown }
  /** More output of a call that still runs. */
  | { readonly kind: 'tool_output'; readonly callId: string; readonly delta: string }
  | {
      readonly kind: 'tool_result'
      readonly callId: string
      readonly output: string
      readonly exitCode: number | null
      readonly failed: boolean
    }
  | { readonly kind: 'permission'; readonly request: PermissionRequest }
  /** Answered, or no longer asked (`verdict` null: the turn ended before). */
  | { readonly kind: 'permission_resolved'; readonly requestId: string; readonly verdict: PermissionVerdict | null }
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** Something the person should know: retries, a refused MCP server, a queue. */
  | { readonly kind: 'notice'; readonly text: string }
  /** Always the last. */
  | { readonly kind: 'end'; readonly outcome: RunOutcome; readonly error: string | null }
