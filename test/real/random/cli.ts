// What the driver needs of an agent's CLI. One file per agent implements it; nothing else in this folder knows an agent.
import type { Entry } from '../../../src/agents/reading.ts'
import type { AgentId } from '../../../src/model/session.ts'
import type { SeenItem } from '../lib/history.ts'
import type { Sandbox } from '../lib/sandbox.ts'

/** What a prompt makes the stand-in model do before it answers. */
export const promptKinds = ['plain', 'tool', 'parallel', 'failing', 'long', 'think', 'edit', 'subagent', 'refused'] as const
export type PromptKind = (typeof promptKinds)[number]

/** Where the model stands still until the driver lets it go on. */
export type Hold = 'tool' | 'answer'

export interface Cli {
  /** `claude-2.1.325` */
  readonly name: string
  readonly agent: AgentId
  readonly sandbox: Sandbox
  /** The environment in which offshoot finds this CLI and its home. */
  readonly vars: Readonly<Record<string, string>>

  prompt(kind: PromptKind, words: string, variant: number): string
  heldPrompt(hold: Hold, words: string): HeldPrompt
  /** True when the API was asked with this prompt since `since` requests had been logged. */
  isAsked(prompt: string): boolean
  /** What a refused request leaves its turn as. */
  readonly refusedState: 'failed' | 'complete'

  /** One prompt without a terminal; `null` starts a new session. Returns once the session is known and the model was asked. */
  start(sessionId: string | null, prompt: string): Promise<Headless>
  /** The terminal UI, ready for input. */
  open(sessionId: string | null): Promise<Client>

  /** Every file of the session that the agent needs to resume it. */
  files(sessionId: string): readonly string[]
  /** Resumes the session, or forks it with the agent's own command, in a copy of the home, and returns what the API received. */
  probe(sessionId: string, how: ProbeKind, prompts: ReadonlySet<string>): Promise<Probe>
  /** Entries of offshoot's reading as items of the comparison. */
  seen(entries: AsyncIterable<Entry>): Promise<SeenItem[]>
}

export interface HeldPrompt {
  readonly prompt: string
  release(): void
}

/** A prompt that runs without a terminal. */
export interface Headless {
  readonly sessionId: string
  /** Resolves once the process is gone. */
  ended(): Promise<void>
  kill(): Promise<void>
}

/** The terminal UI of an agent. */
export interface Client {
  /** `null` until the agent has named one. */
  sessionId(): string | null
  /** Types and sends it; returns once the model was asked. */
  submit(prompt: string): Promise<void>
  /** Waits until the turn that answers this prompt is over, on the screen and on disk. */
  settle(prompt: string, answered: boolean): Promise<void>
  exit(): Promise<void>
  kill(): Promise<void>
}

export type ProbeKind = 'resume' | 'fork'

/** What the API received when a copy was resumed. */
export interface Probe {
  /** Set when the agent refused to resume: its own words. */
  readonly refused: string | null
  /** Prompts of the driver that are in the history, in order. */
  readonly prompts: readonly string[]
  /** Texts of the compaction summaries in the history. */
  readonly summaries: readonly string[]
  /** Compares offshoot's reading with the history; empty when they are equal. */
  diff(ours: readonly SeenItem[]): string
}
