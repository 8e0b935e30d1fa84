// What offshoot asks of a coding agent. One folder per agent implements this; nothing above agents/ knows a file format.
import type { CommandSpec, Cut, Strategy } from '../model/fork.ts'
import type { ReadMark } from '../model/read-mark.ts'
import type { AgentId, Message, ParentLink, Turn, Usage } from '../model/session.ts'

/** Where an agent's files are: the only way the environment reaches an agent. */
export interface AgentEnv {
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** The clock, epoch ms: only asked where the system cannot tell who has a session open. */
  readonly now?: () => number
}

/** One session as discovery finds it: names and sizes, nothing parsed. */
export interface SessionFile {
  readonly agent: AgentId
  readonly id: string
  /** The live file: the one the agent would append to. */
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: number
  readonly inode: number
  readonly archived: boolean
  /** Older files of the same session, newest first: abandoned branches (Codex segments). */
  readonly olderPaths: readonly string[]
}

export type OnProblem = (path: string, problem: string) => void

/** Lines that were not understood, counted by reason: `torn`, `invalid`, `unknown:<type>`, `dangling`, `cycle` ... */
export type Skipped = Readonly<Record<string, number>>

/** What the catalogue keeps of a session: everything `sessions`, `turns` and `tree` show, from one pass over the file. */
export interface SessionSummary {
  /** From inside the file where the file says so; normally equal to SessionFile.id. */
  readonly id: string
  readonly title: string
  readonly titleFrom: 'custom' | 'ai' | 'prompt' | 'none'
  readonly cwd: string | null
  readonly branch: string | null
  readonly model: string | null
  readonly cliVersion: string | null
  readonly createdAt: number | null
  readonly updatedAt: number | null
  /** Usage of the session's own turns: inherited ones are left out. */
  readonly usage: Usage
  /** Tokens a request may hold, where the agent records it. */
  readonly contextWindow?: number | null
  /** What the agent itself recorded; `null` where it records nothing and lineage has to be inferred. */
  readonly parent: ParentLink | null
  /** Leading turns of the live chain that were inherited from the parent, when the file itself tells; else 0. */
  readonly inheritedTurns: number
  /** True when the file shows signs of being a copy of older lines, though it names no parent (Claude --fork-session). */
  readonly copied: boolean
  readonly messages: number
  /** The live chain from the root, inherited turns included. */
  readonly turns: readonly Turn[]
  /** Turns of dead branches, addressable by id. */
  readonly deadTurns: readonly Turn[]
  /** Set when part of the history cannot be read, e.g. the file a Codex fork refers to is gone. */
  readonly broken: string | null
  readonly skipped: Skipped
  readonly mark: ReadMark
  /** Opaque to everyone but the agent: lets it read on from `mark` instead of from the start. JSON-able. */
  readonly resume: unknown
}

export type Entry =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'compaction' }
  | { readonly kind: 'skipped'; readonly reason: string; readonly offset: number }

export interface ReadOptions {
  /** `all`: the chain from the root, across compactions. `context`: what the model is sent on the next prompt. */
  readonly view?: 'all' | 'context'
  /**
   * Read the branch that ends with this turn or message instead of the live one (dead branches included). A turn ends with
   * its last answer: a compaction run between it and the next one is left out, one run after the last turn is not.
   */
  readonly upTo?: { readonly turnId: string } | { readonly messageId: string }
}

/**
 * A piece of a parent and of its child, side by side: messages that are the same because the bytes they are read from are (and
 * how many of them are calls without a result), or what each of the two says.
 */
export type Pair =
  | { readonly kind: 'same'; readonly messages: number; readonly openCalls: number }
  | { readonly kind: 'told'; readonly parent: readonly Message[]; readonly child: readonly Message[] }

export interface Abilities {
  readonly installed: boolean
  readonly version: string | null
  readonly path: string | null
  readonly fork: boolean
  readonly forkAtTurn: boolean
  readonly hooks: boolean
  readonly problem: string | null
}

export interface LiveSession {
  readonly sessionId: string
  readonly pid: number | null
  readonly busy: boolean
}

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

export type CommandRequest =
  | { readonly kind: 'resume'; readonly sessionId: string; readonly cwd: string; readonly prompt?: string }
  /** The agent's own fork of the whole session. */
  | {
      readonly kind: 'fork'
      readonly sourceId: string
      readonly sessionId: string
      readonly cwd: string
      readonly prompt?: string
    }
  | { readonly kind: 'start'; readonly sessionId: string | null; readonly cwd: string; readonly prompt?: string }

export interface SeedRun {
  readonly sessionId: string
  readonly path: string
  readonly acknowledgement: string
}

export interface Agent {
  readonly id: AgentId
  readonly label: string
  /** The agent gives every session its id itself: the one asked for is not taken. */
  readonly choosesIds?: boolean
  /** The folder that must exist for there to be any sessions; named in empty states and by doctor. */
  sessionsFolder(env: AgentEnv): string
  /** Never throws for a missing folder; what cannot be read is reported and passed over. */
  discover(env: AgentEnv, onProblem?: OnProblem): Iterable<SessionFile>
  /** One pass over the file, or over what was appended since `previous`. Total on bad input. */
  summarise(file: SessionFile, env: AgentEnv, previous?: SessionSummary): Promise<SessionSummary>
  /** Entries in order: each turn mark before its messages. Total on bad input; an unknown `upTo` throws AppError. */
  read(file: SessionFile, env: AgentEnv, options?: ReadOptions): AsyncIterable<Entry>
  /**
   * The parent's branch beside the whole of its child, for who wants to know whether they are the same: a faster way to what
   * two `read`s say. `options` are for the parent.
   */
  readBoth?(parent: SessionFile, child: SessionFile, env: AgentEnv, options: ReadOptions): AsyncIterable<Pair>
  /** Files the agent keeps beside the session and needs to resume it whole (subagents, tool results): archived with it. */
  sideFiles?(file: SessionFile): readonly string[]
  /** Days after which the agent deletes untouched sessions by itself; `null` or absent: it keeps them. */
  purgeAfterDays?(env: AgentEnv): number | null
  /** Sessions some agent process has open now. */
  live(env: AgentEnv): LiveSession[]
  /** Probed from the installed CLI, with a time limit; never throws. */
  abilities(env: AgentEnv): Promise<Abilities>
  /** The best way to fork this cut, or an AppError that says why there is none. Pure reading. */
  chooseFork(source: SessionFile, env: AgentEnv, cut: Cut, circumstances: ForkCircumstances): Promise<ForkChoice>
  /** Reads now what writing a prefix and proving it both need of the source, and keeps it until the answer is called. */
  holdSource?(source: SessionFile, env: AgentEnv, cut: Cut): Promise<() => void>
  /** `prefix`: the session's own lines up to the cut, under a new id, where the agent looks for it from `target.cwd`. */
  writePrefix(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile>
  /** `native` where the agent forks by a machine interface, without being launched for a person (Codex app-server). */
  forkNatively?(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile>
  /** True when the agent, started in `cwd`, finds the session at `path`; absent where the file itself names its folder. */
  isFoundFrom?(env: AgentEnv, path: string, cwd: string): boolean
  /** Argv, never a shell line; nothing a prompt or a name holds can become a flag. */
  command(request: CommandRequest): CommandSpec
  /** Runs one turn that feeds the seed prompt (by stdin from its file) to a fresh session in `cwd`. */
  runSeed(
    env: AgentEnv,
    seed: { readonly promptPath: string; readonly sessionId: string; readonly cwd: string },
  ): Promise<SeedRun>
}
