// How workers run an agent: headless as a conversation, in a pane, and by a command of the person's own.
import type { Decision, PermissionPolicy, PermissionRequest, RunEvent } from '../model/run.ts'
import type { AgentEnv } from './agent-env.ts'

/** Which requests the agent makes; `own`: those its own settings lead to. */
export type RunPolicy = PermissionPolicy | 'own'

/** How a headless conversation begins. */
export interface ConversationRequest {
  readonly begin:
    | { readonly kind: 'start'; readonly sessionId: string }
    | { readonly kind: 'resume'; readonly sessionId: string }
    /** The agent's own fork of a whole session. */
    | { readonly kind: 'fork'; readonly sourceId: string; readonly sessionId: string }
  readonly cwd: string
  readonly title?: string
  readonly model: string | null
  /** In addition to the environment: never on a command line. */
  readonly env: Readonly<Record<string, string>>
  readonly mcpConfig: string | null
  /** Flags of our own that go with every run: those of the hooks. */
  readonly flags: readonly string[]
  readonly policy: RunPolicy
}

/**
 * One session driven through the agent's machine interface, one turn at a time. Not marked as internal: its turns are captured
 * and indexed like any other.
 */
export interface Conversation {
  /** From birth: the one asked for, or the one the agent gave. */
  readonly sessionId: string
  /** Of the process that serves it; several conversations may share one. */
  readonly pid: number | null
  /** Takes a prompt as literal text (no slash commands, no flags) and gives all of the turn; `busy` while one runs. */
  send(prompt: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<RunEvent>
  /** Ends the running turn by the agent's protocol; what it started in a shell is ended too. Nothing happens when idle. */
  interrupt(): Promise<void>
  /** Answers a permission request of the running turn, once; an unknown or answered id throws `permission_not_found`. */
  answer(requestId: string, decision: Decision): Promise<void>
  /** Ends the process, or leaves the shared one; a running turn is interrupted first. Never leaves a process behind. */
  close(): Promise<void>
  /** Settles when the process has ended, however it did; `error` in words when it was not by `close`. */
  readonly ended: Promise<{ readonly status: number | null; readonly signal: string | null; readonly error: string | null }>
}

/** What the agent in a pane is doing, as far as that can be seen from its own records first and its screen last. */
export interface PaneLook {
  /** `dialog`: some question other than a permission (trust, hooks review): nothing may be sent. */
  readonly state: 'starting' | 'idle' | 'busy' | 'waiting' | 'dialog' | 'ended'
  /** What is asked, in words. */
  readonly question: string | null
  /** What stands in the composer; `null` where it cannot be seen. A placeholder counts as empty, `[Pasted text ...]` as itself. */
  readonly composer: string | null
  /** Where the answer comes from: a registry is sure, a screen is not. */
  readonly from: 'registry' | 'screen'
}

/** What a worker's settings say of an interactive run. */
export interface PaneSettings {
  readonly model: string | null
  readonly mcpConfig: string | null
  readonly policy: RunPolicy
  /** Tools (or `Tool(prefix:*)`) of policy `allow_list`. */
  readonly allow: readonly string[]
}

export interface PaneDriver {
  look(
    env: AgentEnv,
    pane: {
      readonly pid: number | null
      readonly sessionId: string | null
      readonly screen: readonly string[]
      readonly title: string
    },
  ): PaneLook
  /** The prompt so that the composer takes it as text: what would be a command or a shell line is refused (AppError `usage`) or disarmed. */
  literal(prompt: string): string
  /** Flags an interactive run in a pane of ours gets in addition (Codex: no daemon). */
  readonly flags: readonly string[]
  /** Flags that carry a worker's settings, each in one word (`--model=x`): they stand before the prompt's `--`. */
  settingFlags?(settings: PaneSettings): readonly string[]
  /** Whether `settingFlags` carry the list of allowed tools; else the agent decides by rules of its own. */
  readonly takesAllowedTools: boolean
  /** Variables it must not inherit from an agent that offshoot itself runs in. */
  readonly unset: readonly string[]
  /** How leave for this tool call is asked for: its kind, and one line about it. */
  describeCall(tool: string, args: unknown): Pick<PermissionRequest, 'kind' | 'summary'>
}

/** How an agent is run by workers: headless, in a pane, and by a command of the person's own. */
export interface AgentRuns {
  /** Opens a headless conversation; the process may only start with the first prompt. */
  converse(env: AgentEnv, request: ConversationRequest): Promise<Conversation>
  readonly pane: PaneDriver
  /**
   * A command of the person's own without what names a session (WK3): `--session-id`, `--resume`/`-r`, `--continue`/`-c`,
   * `--fork-session`, `--resume-session-at`, `resume`/`fork <id>`; all else as they wrote it, pipes and `&&` included.
   */
  baseCommand(command: string): string
  /** The id a command of the person's own gives a new session (`--session-id`); `null` when none. */
  sessionIdIn(command: string): string | null
  /** That command with what opens `begin` put in where the agent is called. */
  commandWith(command: string, begin: ConversationRequest['begin']): string
}
