// How an agent is made to tell offshoot of its turns, and what it then tells.
import type { HookStatus } from '../model/capture.ts'
import type { AgentEnv } from './agent-env.ts'

/** What an agent tells a hook, in neutral form. `prompt`: a turn begins; `turn_end`: it has ended. */
export interface HookEvent {
  readonly kind: 'prompt' | 'turn_end' | 'interrupt' | 'session_end'
  readonly sessionId: string
  /** May not exist yet, and may not hold what the event speaks of yet. */
  readonly transcriptPath: string | null
  readonly cwd: string
  /** Names the turn in this agent's hooks; `null` where the event speaks of none. */
  readonly turnKey: string | null
  readonly prompt: string | null
  /** A prompt that no person gave (a background task reports): the turn before goes on under this event's key. */
  readonly continues?: true
}

/** A prompt as the transcript holds it. */
export interface WrittenPrompt {
  readonly turnKey: string
  readonly prompt: string
  readonly writtenAt: number
}

/** A turn as the transcript names it. */
export interface TurnName {
  /** As everywhere else. */
  readonly id: string
  /** In the agent's hooks; in a fork several turns may have one. `null` where it has none. */
  readonly key: string | null
}

/** A command the user ran in the agent behind its last turn. */
export interface CommandBehind {
  readonly turn: TurnName
  readonly writtenAt: number | null
}

/**
 * Where hooks are put: the person's own settings, or those of the project at `root` (shared with everybody who works on it). With the
 * person's own, `root` is the project one stands in: its settings may keep them from running there.
 */
export type HookScope = { readonly kind: 'user'; readonly root?: string } | { readonly kind: 'project'; readonly root: string }

export interface HookCommand {
  /** Absolute: Node and the hook program. */
  readonly argv: readonly string[]
}

export interface HookChange {
  readonly changed: boolean
  /** Every file that was written. */
  readonly files: readonly string[]
  readonly notes: readonly string[]
}

/** How an agent is made to tell offshoot of its turns. What stands in its settings already is never disturbed. */
export interface AgentHooks {
  install(env: AgentEnv, scope: HookScope, command: HookCommand): Promise<HookChange>
  /** Exactly what `install` added goes. */
  uninstall(env: AgentEnv, scope: HookScope): Promise<HookChange>
  status(env: AgentEnv, scope: HookScope, command: HookCommand): Promise<HookStatus>
  /** Flags with which one run tells offshoot of its turns, though nothing is installed; `folder` is ours to keep a file in. */
  forRun(env: AgentEnv, command: HookCommand, folder: string): Promise<readonly string[]>
}
