// Plan, fork and proof as types: what the dialog, `--dry-run`, the API and MCP all show. Pure.

import type { CodeAtTurn, CodeMoment, IsOpen, RestoreUndone } from './capture.ts'
import type { CatalogSession } from './catalog.ts'
import type { AgentId, ParentLink, Turn } from './session.ts'
import type { Started } from './start.ts'

export type Strategy = 'native' | 'prefix' | 'seed'
export type CodeMode = 'turn' | 'now' | 'head' | 'none'
/** Where a session opens. `headless`: it runs without a terminal. `none`: it is made, and nobody opens it. */
export type TerminalChoice = 'here' | 'tmux' | 'wezterm' | 'iterm2' | 'print' | 'headless' | 'none'

/** Where a child's conversation ends. A cut inside a turn keeps a whole group of parallel calls with their results. */
export type Cut =
  | { readonly kind: 'tip' }
  | { readonly kind: 'turn'; readonly turnId: string }
  | { readonly kind: 'message'; readonly messageId: string }
  /** Before the first prompt: nothing is kept. */
  | { readonly kind: 'start' }

export interface ForkRequest {
  /** A session, or a turn or message of it: `claude:60309e1e@12`. */
  readonly address: string
  /** Turn by number, id, `-2`, `last`, or `m:<message id>`: the same as in an address. */
  readonly at?: string
  /** Ends just before this turn and carries its prompt as the pending prompt. */
  readonly before?: string
  readonly to?: AgentId
  readonly strategy?: 'auto' | Strategy
  readonly code?: CodeMode
  readonly codeAt?: string
  readonly branch?: string
  readonly title?: string
  /** Replaces the pending prompt: it waits unless `send` is given. */
  readonly prompt?: string
  /** Send the pending prompt at once. */
  readonly send?: boolean
  readonly allowCut?: boolean
  readonly terminal?: TerminalChoice
  /** The child's id, where its agent takes one: refused by the agent's own file rules when taken. */
  readonly sessionId?: string
  /** What the session is taken for, where only part of it may be seen: its name and the folder of its last turn that may. */
  readonly seenAs?: Pick<
    CatalogSession,
    'title' | 'titleFrom' | 'label' | 'cwd' | 'branch' | 'repoId' | 'repoRoot' | 'repoClaimed' | 'model' | 'contextWindow'
  >
  /** Whether captured code may be taken; what may not is treated like code that was not captured. Absent: all of it may. */
  readonly isOpen?: IsOpen
  /** Id of the worker that is forked, whose settings the fork gets; absent: the session alone is forked. */
  readonly worker?: string
}

/** Every warning a plan can hold. */
export const warningCodes = [
  'dirty',
  'git_operation',
  'context_high',
  'context_over',
  'price_high',
  'compaction_crossed',
  /** The last live turn is not the last one written. */
  'newer_turns',
  'source_busy',
  'submodules',
  'lfs',
  'left_behind',
  'transcript_cut',
  'source_archived',
  'code_elsewhere',
  'mid_turn',
  'no_price',
  'prompt_long',
  'workspace',
  /** The work tree as it is now, though the fork ends earlier. */
  'code_now',
  /** Taken after the turn had ended: later edits may be in it. */
  'code_late',
  /** Put together from recorded edits. */
  'code_reconstructed',
  /** The nearest commit only. */
  'code_approximate',
] as const
export type WarningCode = (typeof warningCodes)[number]

/** What `--yes` accepts without naming it: everything but a context that does not fit. */
export function acceptedByYes(confirm: readonly WarningCode[]): WarningCode[] {
  return confirm.filter((code) => code !== 'context_over')
}

/** What asking for a fork of a worker accepts: what is open in its folder is carried. */
export function isCarried(code: WarningCode): boolean {
  return !code.startsWith('context_') && !code.startsWith('code_') && code !== 'price_high'
}

export type BlockerCode =
  | 'turn_running'
  | 'context_over'
  | 'no_agent'
  | 'no_git'
  | 'no_work_tree'
  | 'parent_missing'
  | 'line_too_long'
  | 'strategy_impossible'
  | 'code_unavailable'
  | 'cwd_missing'

export interface Notice<Code extends string> {
  readonly code: Code
  readonly message: string
}

/** The code of a turn: of which, and how sure that is. */
export interface CodeSource extends CodeMoment {
  readonly kind: CodeAtTurn['kind']
  /** 0: before the first prompt; `null` on a dead branch. */
  readonly turnNumber: number | null
  /** `null` of a reconstruction: planning writes nothing. */
  readonly tree: string | null
}

export interface Plan {
  /** Of the fork to be made; the workspace and its branch are named by it. */
  readonly id: string
  readonly agent: AgentId
  readonly model: string | null
  readonly title: string
  readonly parent: ParentLink
  readonly turn: Turn | null
  readonly cut: Cut
  readonly keptTurns: number
  readonly droppedTurns: number
  readonly strategy: Strategy
  readonly strategyReason: string
  /** Of strategy `seed`: how much text of the source's harness is left out of it. */
  readonly seed: { readonly droppedMessages: number; readonly droppedCharacters: number } | null
  readonly tokens: {
    readonly estimate: number
    /** `mixed`: recorded by the agent for an earlier turn, and estimated from there on. */
    readonly source: 'observed' | 'mixed' | 'tokenizer'
    readonly contextWindow: number | null
    /** Who says so; only an `assumed` one may turn out to be larger. */
    readonly contextWindowSource: 'agent' | 'settings' | 'assumed' | null
    readonly percent: number | null
  }
  /** Of one request with this context. `cached` is null of a seed: no cache holds a text that was never sent. */
  readonly cost: { readonly cached: number | null; readonly uncached: number; readonly currency: string } | null
  readonly code: {
    readonly mode: CodeMode
    readonly commit: string | null
    readonly dirtyFiles: readonly string[]
    readonly untracked: readonly string[]
    readonly leftBehind: readonly string[]
    /** Ignored files that `.worktreeinclude` names and that come along as they are now; a folder stands for those in it. */
    readonly included: readonly string[]
    /** Submodules that are checked out as well, from where the source has them. */
    readonly submodules: readonly string[]
    /** Of mode `turn`: where it comes from. */
    readonly from?: CodeSource
  }
  readonly workspace: { readonly path: string; readonly branch: string } | null
  /** Where the child starts: the same folder relative to the repository root. */
  readonly cwd: string
  readonly pendingPrompt?: string
  /** Whether the pending prompt is sent once the fork is open; else it waits. */
  readonly send: boolean
  /** The user's command for this repository that is run in the new workspace; `null`: there is none. */
  readonly setup: SetupPlan | null
  readonly terminal: TerminalChoice
  readonly warnings: readonly Notice<WarningCode>[]
  /** Codes of warnings that need a yes. */
  readonly confirm: readonly WarningCode[]
  readonly blockers: readonly Notice<BlockerCode>[]
  readonly steps: readonly string[]
  /** What the plan saw; executing it later first checks that this still holds. JSON-able. */
  readonly seen: unknown
}

/** A line for the shell, from the user's own configuration. */
export interface SetupPlan {
  readonly command: string
  readonly timeoutSeconds: number
  /** The work tree the workspace is made from, which the command is told of. */
  readonly source: string
}

/** How the set-up command went. That it failed does not undo the fork. */
export interface SetupOutcome {
  readonly command: string
  /** `null`: it was ended, because it took too long or could not be run. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly seconds: number
  /** The last lines of what it printed. */
  readonly output: readonly string[]
}

/** How far the making of a fork or a start is, where that takes long. */
export interface MakingProgress {
  readonly step: 'setup'
  readonly command: string
  readonly seconds: number
  /** The last line it printed. */
  readonly line: string
}

export interface Proof {
  readonly sourceUnchanged: boolean
  /** `null`: not yet, the agent makes the child's file with its first prompt. */
  readonly prefixVerified: boolean | null
  readonly cwdVerified: boolean
  readonly details: readonly string[]
}

export interface CommandSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Only what has to be set in addition to the environment offshoot runs in. */
  readonly env: Readonly<Record<string, string>>
}

export interface Fork {
  readonly id: string
  readonly agent: AgentId
  readonly sessionId: string
  readonly strategy: Strategy
  readonly title: string
  /** `null` while the agent has not made it. */
  readonly file: string | null
  readonly parent: ParentLink
  readonly workspace: { readonly path: string; readonly branch: string; readonly baseCommit: string | null } | null
  readonly command: CommandSpec
  /** Still to be sent: `command` does not do it. */
  readonly pendingPrompt?: string
}

export interface ForkResult {
  readonly fork: Fork
  readonly plan: Plan
  readonly proof: Proof
  /** How the workspace differs from what was planned; absent where it does not. */
  readonly notes?: readonly string[]
  /** Absent where the plan has none. */
  readonly setup?: SetupOutcome
  /** Opens it once it was opened: `fork.command` takes its id, and may send a prompt, only once. */
  readonly again: CommandSpec
  /** To be named whenever it is resumed; `null`: the agent takes the right one by itself. */
  readonly model: string | null
}

/** A fork as it is remembered: `making` and `undoing` were cut off and are finished by the next command that writes. */
export interface ForkEntry {
  readonly fork: Fork
  readonly proof: Proof | null
  readonly state: 'making' | 'made' | 'undoing' | 'undone'
  readonly createdAt: number
}

interface Undone {
  /** False when it had been undone before: nothing was left to do. */
  readonly undone: boolean
  readonly removed: readonly string[]
  /** What stayed, and why. */
  readonly kept: readonly string[]
}

/** A fork or a started session was removed, or the files of a restore were brought back. */
export type UndoResult =
  | (Undone & { readonly kind: 'fork'; readonly fork: Fork })
  | (Undone & { readonly kind: 'start'; readonly start: Started })
  | RestoreUndone
  /** The newest thing had been cut off, and was taken back before anything else could be chosen. */
  | (Undone & { readonly kind: 'recovered'; readonly recovered: readonly Recovered[] })

/** Something that was cut off: a fork, a start, a restore, the undo of one, or the removal of a workspace by `gc`. */
export interface CutOff {
  readonly id: string
  readonly kind: 'fork' | 'start' | 'restore' | 'removal'
  readonly title: string
}

export interface Recovered extends CutOff {
  /** What else the user should know: what stayed, what can be done again. */
  readonly notes: readonly string[]
}

/** What was found cut off, and what became of it. */
export interface RecoverReport {
  /** Forks, starts and removals that were finished. */
  readonly completed: readonly Recovered[]
  /** Forks, starts and restores that were taken back. */
  readonly rolledBack: readonly Recovered[]
  /** What an undo that was carried through has removed or brought back. */
  readonly undone: readonly Recovered[]
  readonly problems: readonly (CutOff & { readonly problem: string })[]
}

export const nothingRecovered: RecoverReport = { completed: [], rolledBack: [], undone: [], problems: [] }
