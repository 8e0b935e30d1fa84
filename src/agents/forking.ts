// What an agent is asked for when a session is forked, started or opened, and what it answers.
import type { Strategy } from '../model/fork.ts'
import type { Abilities } from './agent-env.ts'

/** What decides how a cut can be forked, besides the file itself. */
export interface ForkCircumstances {
  readonly abilities: Abilities
  /** offshoot starts the agent itself, so a file that only appears with the first prompt is good enough. */
  readonly launched: boolean
  /** The source is open in an agent that is answering right now. */
  readonly busy: boolean
}

export interface ForkChoice {
  readonly strategy: Exclude<Strategy, 'seed'>
  readonly reason: string
}

export interface ForkTarget {
  /** Asked for; Codex makes its own where it forks natively: take the one in ForkedFile. */
  readonly sessionId: string
  readonly cwd: string
  readonly title: string
  readonly forkedAt: number
  /**
   * Must be told of every path (also of what is written beside it first) before it is made, and only of what is not there
   * yet: a crash is undone by removing these. Not where the agent itself makes the file.
   */
  readonly onCreate?: (path: string) => void
}

export interface ForkedFile {
  readonly sessionId: string
  /** `null` when the agent makes the file with the first prompt. */
  readonly path: string | null
  /** Everything that was created, for undo. */
  readonly created: readonly string[]
}

export interface StartTarget {
  readonly cwd: string
  readonly title: string
}

export type CommandRequest = {
  readonly cwd: string
  /** Sent at once. */
  readonly prompt?: string
  /** Put into the composer, not sent: only where the agent `prefills`. */
  readonly prefill?: string
  /** Absent: the one the agent takes by itself. */
  readonly model?: string
} & (
  | { readonly kind: 'resume'; readonly sessionId: string }
  /** The agent's own fork of the whole session. */
  | { readonly kind: 'fork'; readonly sourceId: string; readonly sessionId: string }
  | { readonly kind: 'start'; readonly sessionId: string | null }
)
