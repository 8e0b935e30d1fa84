// Plan, fork and proof as types: what the dialog, `--dry-run`, the API and MCP all show. Pure.
import type { CodeAtTurn, CodeMoment, RestoreUndone } from './capture.ts'
import type { AgentId, ParentLink, Turn } from './session.ts'
import type { Started } from './start.ts'

export type Strategy = 'native' | 'prefix' | 'seed'
export type CodeMode = 'turn' | 'now' | 'head' | 'none'
export type TerminalChoice = 'here' | 'tmux' | 'wezterm' | 'iterm2' | 'print' | 'none'

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
  /** Replaces the pending prompt. */
  readonly prompt?: string
  /** Send the pending prompt at once. */
  readonly send?: boolean
  readonly allowCut?: boolean
  readonly terminal?: TerminalChoice
  /** The child's id, where its agent takes one: refused by the agent's own file rules when taken. */
  readonly sessionId?: string
}

export type WarningCode =
  | 'dirty'
  | 'git_operation'
  | 'context_high'
  | 'context_over'
  | 'compaction_crossed'
  /** The last live turn is not the last one written. */
  | 'newer_turns'
  | 'source_busy'
  | 'submodules'
  | 'lfs'
  | 'left_behind'
  | 'transcript_cut'
  | 'source_archived'
  | 'code_elsewhere'
  | 'mid_turn'
  | 'no_price'
  | 'prompt_long'
  | 'workspace'
  /** Taken after the turn had ended: later edits may be in it. */
  | 'code_late'
  /** Put together from recorded edits. */
  | 'code_reconstructed'
  /** The nearest commit only. */
  | 'code_approximate'

export type BlockerCode =
  | 'turn_running'
  | 'context_over'
  | 'no_agent'
  | 'no_git'
  | 'no_work_tree'
  | 'parent_missing'
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
  readonly tokens: {
    readonly estimate: number
    readonly source: 'observed' | 'tokenizer'
    readonly contextWindow: number | null
    readonly percent: number | null
  }
  readonly cost: { readonly cached: number; readonly uncached: number; readonly currency: string } | null
  readonly code: {
    readonly mode: CodeMode
    readonly commit: string | null
    readonly dirtyFiles: readonly string[]
    readonly untracked: readonly string[]
    readonly leftBehind: readonly string[]
    /** Of mode `turn`: where it comes from. */
    readonly from?: CodeSource
  }
  readonly workspace: { readonly path: string; readonly branch: string } | null
  /** Where the child starts: the same folder relative to the repository root. */
  readonly cwd: string
  readonly pendingPrompt?: string
  readonly terminal: TerminalChoice
  readonly warnings: readonly Notice<WarningCode>[]
  /** Codes of warnings that need a yes. */
  readonly confirm: readonly WarningCode[]
  readonly blockers: readonly Notice<BlockerCode>[]
  readonly steps: readonly string[]
  /** What the plan saw; executing it later first checks that this still holds. JSON-able. */
  readonly seen: unknown
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
  readonly pendingPrompt?: string
}

export interface ForkResult {
  readonly fork: Fork
  readonly plan: Plan
  readonly proof: Proof
  /** Opens it once it was opened: `fork.command` takes its id, and may send a prompt, only once. */
  readonly again: CommandSpec
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

/** What was found cut off, and what became of it. */
export interface RecoverReport {
  readonly completed: readonly string[]
  readonly rolledBack: readonly string[]
  /** Could not be cleared up: the fork's id and the reason. */
  readonly problems: readonly { readonly forkId: string; readonly problem: string }[]
}
