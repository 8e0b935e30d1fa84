// What the driver needs of an agent's CLI. One file per agent implements it; nothing else in this folder knows an agent. What an
// agent or a version cannot do is left out, and the actions that need it are then not possible.
import type { Entry } from '../../../src/agents/reading.ts'
import type { AgentId } from '../../../src/model/session.ts'
import type { SeenItem } from '../lib/history.ts'
import type { Sandbox } from '../lib/sandbox.ts'

/** What a prompt makes the stand-in model do before it answers. */
export const promptKinds = ['plain', 'tool', 'parallel', 'failing', 'long', 'think', 'edit', 'subagent', 'refused'] as const
export type PromptKind = (typeof promptKinds)[number]

/** Where the model stands still until the driver lets it go on. */
export type Hold = 'tool' | 'answer'

/** A place between two turns. */
export interface RewindPoint {
  /** The last prompt that stays. */
  readonly kept: string
  /** The first prompt that goes. */
  readonly dropped: string
  /** How many prompts go. */
  readonly back: number
}

export interface HeldPrompt {
  readonly prompt: string
  release(): void
}

export interface Cli {
  /** `claude-2.1.325` */
  readonly name: string
  readonly agent: AgentId
  readonly sandbox: Sandbox
  /** The environment in which offshoot finds this CLI and its home. */
  readonly vars: Readonly<Record<string, string>>
  /** False where going back past a compaction leaves a session that no two versions of the agent read alike. */
  readonly rewindsPastCompaction: boolean
  /** True where a prompt typed while the agent answers ends the answer: the model is asked anew, within the turn. */
  readonly steeringEndsAnswer: boolean
  /** The state of a turn whose request the API refused. */
  readonly refusedState: 'failed' | 'complete'

  prompt(kind: PromptKind, words: string, variant: number): string
  heldPrompt(hold: Hold, words: string): HeldPrompt
  /** Waits until the prompt is on disk and the model stands still at the given place. */
  underway(sessionId: string, prompt: string, hold: Hold): Promise<void>
  /** True once a request to the API held the prompt, in whatever wrapping. */
  isTold(prompt: string): boolean
  /** True when a prompt that was typed while the agent worked was handed to the turn that ran, false when it began one of its own. */
  joinedTurn(prompt: string): boolean

  /** One prompt without a terminal; `null` starts a new session. Returns once the model was asked, or the process has ended. */
  start(sessionId: string | null, prompt: string): Promise<Headless>
  /** The terminal UI, ready for input. */
  open(sessionId: string | null): Promise<Client>
  /** Headless: the agent's own fork of the whole session, with a first prompt. */
  fork?(sessionId: string, prompt: string): Promise<string>
  /** The terminal UI on a fork of the session. */
  openFork?(sessionId: string): Promise<Client>
  compact?(sessionId: string): Promise<void>
  /** Headless: goes back in place, and on with another prompt. */
  rewind?(sessionId: string, to: RewindPoint, prompt: string): Promise<void>

  /** Every file of the session that the agent needs to resume it; none while it has written nothing. */
  files(sessionId: string): readonly string[]
  /** True while the session's files are such that newer versions of the agent go on from another place: nothing is compared then. */
  isReadOtherwise?(sessionId: string): boolean
  /** True when the session's files hold this prompt, whether or not the model is still told it. */
  holds(sessionId: string, prompt: string): boolean
  /** Resumes the session, or forks it with the agent's own command, in a copy of the home, and returns what the API received. */
  probe(sessionId: string, how: ProbeKind, prompts: ReadonlySet<string>): Promise<Probe>
  /** What the API received in front of this prompt when the session's agent first sent it; `null` where it never did. */
  toldBefore(sessionId: string, prompt: string, prompts: ReadonlySet<string>): Probe | null
  /** What the agent handed over when it asked for this summary: an open client may have another history in mind than its files. */
  summarised?(summary: string, prompts: ReadonlySet<string>): Pick<Probe, 'prompts' | 'summaries'> | null
  /** Entries of offshoot's reading as items of the comparison. */
  seen(entries: AsyncIterable<Entry>): Promise<SeenItem[]>
}

/** A prompt that runs without a terminal. */
export interface Headless {
  /** `null` where the process ended before it named one. */
  readonly sessionId: string | null
  /** Resolves once the process is gone. */
  ended(): Promise<void>
  /** Ctrl+C. */
  interrupt(): Promise<void>
  kill(): Promise<void>
}

/** The terminal UI of an agent. */
export interface Client {
  /** `null` until the agent has named one. */
  sessionId(): string | null
  /** Types and sends it; returns once the model was asked. */
  submit(prompt: string): Promise<void>
  /** Types and sends it while the agent works; returns once the agent has taken it. */
  steer(prompt: string): Promise<void>
  /**
   * Waits until nothing is asked of the model any more and the end of the turn of `prompt` is on disk; false where the agent keeps
   * the end to itself until it is next spoken to.
   */
  settle(prompt: string): Promise<boolean>
  /** Escape while the agent works on `prompt`, then an empty input line. */
  interrupt(prompt: string): Promise<void>
  compact(): Promise<void>
  /**
   * Escape Escape: goes back to before a prompt, with the files where the agent can and is asked to; empties the input line. False
   * where the agent does not offer the prompt: nothing was done then.
   */
  rewind(to: Pick<RewindPoint, 'dropped' | 'back'>, withFiles: boolean): Promise<boolean>
  /** Has the conversation from this prompt on, or up to it, replaced by a summary; false as above. */
  summarise?(prompt: string, part: 'from' | 'up to'): Promise<boolean>
  /** Goes on in a fork, which is the client's session from then on; false as above. */
  branch?(): Promise<boolean>
  clear(): Promise<void>
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
