// What offshoot asks of a coding agent. One folder per agent implements this; nothing above agents/ knows a file format.
import type { HookStatus } from '../model/capture.ts'
import type { CommandSpec, Cut, Strategy } from '../model/fork.ts'
import type { ReadMark } from '../model/read-mark.ts'
import type { Decision, PermissionPolicy, RunEvent } from '../model/run.ts'
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

/** Which turns of the live chain are wanted: those that are known, and what follows them. */
export interface StretchOptions {
  /** Turns in a row with their numbers, as `summarise` or `read` told them, now or earlier; at least one. */
  readonly known: readonly Turn[]
  /**
   * The turn behind the last of `known`: up to it, exclusive. Absent: up to the end, with turns that are not known yet. The line it
   * begins with ends at `notBehind` or before; `null`: anywhere.
   */
  readonly before?: { readonly turnId: string; readonly notBehind: number | null }
  /** How much to read at first, and how much around the turns at least; for tests, whose files are small. */
  readonly reach?: { readonly firstBytes: number; readonly marginBytes: number }
}

/** Some turns of a session, as `read` tells them (view `all`), without `skipped` entries. */
export interface Stretch {
  /** From the mark of the first of `known` on; of turn 1, with what stands before it. */
  readonly entries: readonly Entry[]
  /** Where the line ends that the first of these turns begins with: `notBehind` for who wants the turns before it. */
  readonly firstEnd: number
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

export interface StartTarget {
  readonly cwd: string
  readonly title: string
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

/** Where hooks are put: the person's own settings, or those of the project at `root` (shared with everybody who works on it). */
export type HookScope = { readonly kind: 'user' } | { readonly kind: 'project'; readonly root: string }

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

/** A change of a file as the transcript records it; enough to do it again on a file that is as it was then. */
export interface RecordedEdit {
  readonly turnId: string
  /** Absolute, as the agent named it (relative paths resolved against the folder of the call). */
  readonly path: string
  readonly kind: 'write' | 'edit' | 'delete' | 'move'
  /** The whole file before, where the transcript holds it: `null` = it did not exist, absent = not recorded. */
  readonly before?: string | null
  /** The whole file after, where the transcript holds it. */
  readonly after?: string | null
  /** For `edit` without `after`: replacements in order, each of which must match exactly once (or `all`). */
  readonly replacements?: readonly { readonly old: string; readonly new: string; readonly all: boolean }[]
  /**
   * For `edit` and `move` without `after`: lines (with their line breaks) to exchange, top to bottom. `line` (from 1) is where;
   * `null`: where they match, once, in a file that is made to end with a line break.
   */
  readonly hunks?: readonly { readonly line: number | null; readonly old: readonly string[]; readonly new: readonly string[] }[]
  readonly movedTo?: string
}

export interface RecordedEdits {
  readonly edits: readonly RecordedEdit[]
  /** What may have changed files without the transcript telling how, by turn: `Bash: npm`. Commands that only read are left out. */
  readonly unrecorded: readonly { readonly turnId: string; readonly tool: string }[]
  /** The commit the agent recorded when the session began; `null` where it records none. */
  readonly startCommit: string | null
}

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
  /** Edits inside the working directory go through unasked. */
  readonly acceptEdits: boolean
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
  readonly policy: PermissionPolicy
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
  /** Variables it must not inherit from an agent that offshoot itself runs in. */
  readonly unset: readonly string[]
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
  /** The session id a command of the person's own names already; `null` when none. */
  sessionIdIn(command: string): string | null
  /** That command with what opens `begin` put in where the agent is called. */
  commandWith(command: string, begin: ConversationRequest['begin']): string
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
   * Some turns, of all the file only read what holds them: a way to what `read` says that costs what is wanted, not what there
   * is. `null` where that cannot be told for sure (or is not what is known): then only `read` can. See read-stretch.ts.
   */
  readStretch?(file: SessionFile, env: AgentEnv, options: StretchOptions): Promise<Stretch | null>
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
  /**
   * A session without a turn that can be opened by its id: for an agent that chooses ids itself, so that ours is known from
   * birth. Absent where the id can be handed over with the command.
   */
  startSession?(env: AgentEnv, target: StartTarget): Promise<ForkedFile>
  /** True when the agent, started in `cwd`, finds the session at `path`; absent where the file itself names its folder. */
  isFoundFrom?(env: AgentEnv, path: string, cwd: string): boolean
  /** Argv, never a shell line; nothing a prompt or a name holds can become a flag. */
  command(request: CommandRequest): CommandSpec
  /** Runs one turn that feeds the seed prompt (by stdin from its file) to a fresh session in `cwd`. */
  runSeed(
    env: AgentEnv,
    seed: { readonly promptPath: string; readonly sessionId: string; readonly cwd: string },
  ): Promise<SeedRun>
  readonly hooks: AgentHooks
  /**
   * Edits by the agent's own tools along the live branch up to `upTo`, in order; shell commands leave none, so what they did
   * is counted: `unrecorded` names tools whose effect on files the transcript does not hold. Pure reading.
   */
  readEdits(file: SessionFile, env: AgentEnv, upTo: { readonly turnId: string }): Promise<RecordedEdits>
  /** How it is run by workers; loaded when first needed, since listing sessions needs none of it. */
  runs(): Promise<AgentRuns>
}
