// What offshoot asks of a coding agent. One folder per agent implements this; nothing above agents/ knows a file format.
import type { CommandSpec, Cut } from '../model/fork.ts'
import type { AgentId, Message } from '../model/session.ts'
import type { Abilities, AgentEnv } from './agent-env.ts'
import type { CommandRequest, ForkChoice, ForkCircumstances, ForkedFile, ForkTarget, StartTarget } from './forking.ts'
import type { AgentHooks } from './hooks.ts'
import type { AgentInert } from './inert.ts'
import type { Entry, Pair, ReadOptions, SessionSummary, Stretch, StretchOptions } from './reading.ts'
import type { RecordedEdits } from './recorded-edits.ts'
import type { AgentRuns } from './runs.ts'

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

export interface LiveSession {
  readonly sessionId: string
  readonly pid: number | null
  readonly busy: boolean
  /** Since when the process has had it open, or earlier: a turn begun before is none of its own. `null`: not known. */
  readonly since: number | null
  /** When the agent said whether it is busy; `null` where that is read off the session itself. */
  readonly saidAt: number | null
}

export interface Agent {
  readonly id: AgentId
  readonly label: string
  /** The agent gives every session its id itself: the one asked for is not taken. */
  readonly choosesIds?: boolean
  /** Its command line can put a prompt into the composer without sending it. */
  readonly prefills?: boolean
  /** The folder that must exist for there to be any sessions; named in empty states and by doctor. */
  sessionsFolder(env: AgentEnv): string
  /** How many folders lie between it and a session's file: nothing deeper is watched, wherever a link leads. */
  readonly sessionsDepth: number
  /** Never throws for a missing folder; what cannot be read is reported and passed over. */
  discover(env: AgentEnv, onProblem?: OnProblem): Iterable<SessionFile>
  /**
   * Of the files of one session, by their paths alone: which one is live, and the older ones, newest first. Absent: every file is
   * a session of its own, so that one id may be in two folders.
   */
  arrangeFiles?(paths: readonly string[]): Pick<SessionFile, 'path' | 'olderPaths'>
  /**
   * Of these paths, those of files that the session is read from and that are not where the agent keeps files. Absent: a session
   * is read from its own files alone.
   */
  missingFiles?(file: SessionFile, env: AgentEnv, paths: readonly string[]): Promise<readonly string[]>
  /** Changes when a session is given a name that is kept apart from its files. Absent: names are in the files. */
  namesStamp?(env: AgentEnv): string
  /** Sessions given a name since the stamp was this; all named ones where that cannot be told. */
  namedSince?(env: AgentEnv, stamp: string | null): readonly string[]
  /** One pass over the file, or over what was appended since `previous`. Total on bad input. */
  summarise(file: SessionFile, env: AgentEnv, previous?: SessionSummary): Promise<SessionSummary>
  /** Entries in order: each turn mark before its messages. Total on bad input; an unknown `upTo` throws AppError. */
  read(file: SessionFile, env: AgentEnv, options?: ReadOptions): AsyncIterable<Entry>
  /**
   * Some turns, of all the file only read what holds them: a way to what `read` says that costs what is wanted, not what there
   * is. `null` where that cannot be told for sure (or is not what is known): then only `read` can. See read-stretch.ts.
   */
  readStretch?(file: SessionFile, env: AgentEnv, options: StretchOptions): Promise<Stretch | null>
  /**
   * The parent's branch beside the whole of its child, for who wants to know whether they are the same: a faster way to what
   * two `read`s say. `options` are for the parent; `byAgent`: the agent made the child, and may have left out what it never sends.
   */
  readBoth?(
    parent: SessionFile,
    child: SessionFile,
    env: AgentEnv,
    options: ReadOptions & { readonly byAgent: boolean },
  ): AsyncIterable<Pair>
  /** Files the agent keeps beside the session and needs to resume it whole (subagents, tool results): archived with it. */
  sideFiles?(file: SessionFile): readonly string[]
  /** Sessions that cannot be resumed without this one's file, because theirs refer to it; absent where forks are copies. */
  dependents?(file: SessionFile, env: AgentEnv): Promise<readonly SessionFile[]>
  /** Days after which the agent deletes untouched sessions by itself; `null` or absent: it keeps them. */
  purgeAfterDays?(env: AgentEnv): number | null
  /** Sessions some agent process has open now. */
  live(env: AgentEnv): LiveSession[]
  /** Whether `live` surely names a session of this version of the agent while a process has it open. */
  tellsLive(env: AgentEnv, cliVersion: string | null): boolean
  /** Probed from the installed CLI, with a time limit; never throws. */
  abilities(env: AgentEnv): Promise<Abilities>
  /** The best way to fork this cut, or an AppError that says why there is none. Pure reading. */
  chooseFork(source: SessionFile, env: AgentEnv, cut: Cut, circumstances: ForkCircumstances): Promise<ForkChoice>
  /** Reads now what writing a prefix and proving it both need of the source, and keeps it until the answer is called. */
  holdSource?(source: SessionFile, env: AgentEnv, cut: Cut): Promise<() => void>
  /** `prefix`: the session's own lines up to the cut, under a new id, where the agent looks for it from `target.cwd`. */
  writePrefix(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile>
  /** Takes back what `writePrefix` noted of these sessions outside their files, once they are removed. */
  forgetForks?(env: AgentEnv, sessionIds: ReadonlySet<string>): void
  /** `native` where the agent forks by a machine interface, without being launched for a person (Codex app-server). */
  forkNatively?(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile>
  /**
   * A session without a turn that can be opened by its id: for an agent that chooses ids itself, so that ours is known from
   * birth. Absent where the id can be handed over with the command.
   */
  startSession?(env: AgentEnv, target: StartTarget): Promise<ForkedFile>
  /** Where the agent will write a session of this id that it is started with in `cwd`; absent where it makes the file at once. */
  pathOf?(env: AgentEnv, sessionId: string, cwd: string): string
  /** True when the agent, started in `cwd`, finds the session at `path`; absent where the file itself names its folder. */
  isFoundFrom?(env: AgentEnv, path: string, cwd: string): boolean
  /** Argv, never a shell line; nothing a prompt or a name holds can become a flag. */
  command(request: CommandRequest): CommandSpec
  /** A message without what the agent's own harness put in (reminders, instructions, environment); `null` where nothing is left. Pure. */
  withoutHarness(message: Message): Message | null
  /** Turns in which it can do nothing; loaded when first needed. */
  inert(): Promise<AgentInert>
  /** The model a session started in `cwd` runs on unless it is told another; `null` where only a run would tell. */
  defaultModel(env: AgentEnv, cwd: string): Promise<string | null>
  readonly hooks: AgentHooks
  /**
   * Edits by the agent's own tools along the live branch up to `upTo`, in order; shell commands leave none, so what they did
   * is counted: `unrecorded` names tools whose effect on files the transcript does not hold. Pure reading.
   */
  readEdits(file: SessionFile, env: AgentEnv, upTo: { readonly turnId: string }): Promise<RecordedEdits>
  /** How it is run by workers; loaded when first needed, since listing sessions needs none of it. */
  runs(): Promise<AgentRuns>
}
