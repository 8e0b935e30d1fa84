// Captured turns and snapshots as types: the code that belongs to a conversation. Pure.
import type { AppError } from './error.ts'
import type { AgentId } from './session.ts'

/** `end`: as the turn left it. `start`: as the prompt found it, kept where it is not what the turn before left (or is turn 0). */
export type Moment = 'start' | 'end'

/**
 * How a state came to be recorded: `hook` at the very moment; `late` by a later event, because the turn ended without one
 * (interrupted, failed, killed), so that edits made in between are in it; `watcher` without hooks, shortly after.
 */
export type CapturedBy = 'hook' | 'late' | 'watcher'

/** Something in the work tree that is not in a snapshot. Never silent: shown wherever the snapshot is. */
export interface NotCovered {
  readonly path: string
  readonly reason: 'too_large' | 'unreadable' | 'submodule_changes' | 'embedded_repository' | 'special_file' | 'filter_failed'
}

/** What a snapshot says of itself, stored with it: the captures table is rebuilt from these. Holds no secret: the prompt is redacted. */
export interface SnapshotMeta {
  readonly version: 1
  readonly agent: AgentId
  readonly sessionId: string
  readonly moment: Moment
  /** The agent's name for the turn in its hooks (Claude `prompt_id`, Codex `turn_id`); what makes a capture idempotent. */
  readonly turnKey: string
  /** Id of the turn as everywhere else; `null` while the transcript did not tell yet. */
  readonly turnId: string | null
  /** Best known number along the live chain; `null` when unknown. */
  readonly turnNumber: number | null
  /** Redacted, one line, 200 characters at most. */
  readonly prompt: string
  readonly by: CapturedBy
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** HEAD and branch of the work tree at that moment. */
  readonly head: string | null
  readonly branch: string | null
  /** Root of the work tree it was taken of. */
  readonly root: string
  /** Tree of the work tree when the turn began: what the turn itself changed shows against this. */
  readonly startTree: string | null
  /** The commit on the workspace's branch that was made of this turn. */
  readonly commit: string | null
  readonly notCovered: readonly NotCovered[]
}

/** One row of the captures table. `tree` is `null` where there was no repository: the turn is known, its code is not. */
export interface Capture {
  readonly agent: AgentId
  readonly sessionId: string
  readonly turnKey: string
  readonly moment: Moment
  readonly turnId: string | null
  readonly number: number | null
  readonly prompt: string
  readonly by: CapturedBy
  readonly commonDir: string | null
  readonly root: string | null
  readonly ref: string | null
  /** The object the ref names: a tree that holds everything of the snapshot. */
  readonly snapshot: string | null
  /** The work tree itself. */
  readonly tree: string | null
  readonly head: string | null
  readonly branch: string | null
  readonly commit: string | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Tree of the work tree when the turn began; `null` where nobody looked then. */
  readonly startTree: string | null
  /** What this turn changed. */
  readonly files: readonly string[]
  readonly added: number
  readonly removed: number
  readonly notCovered: readonly NotCovered[]
  /** `null`: no other session changed anything meanwhile. Absent while nobody has looked. */
  readonly shared?: SharedWork | null
}

/** Other sessions changed files in the same work tree while a turn ran. What they did is not the turn's. */
export interface SharedWork {
  /** Addresses of these sessions. */
  readonly with: readonly string[]
  /** Changed meanwhile, and by whom cannot be told: neither among the turn's `files` nor in its counts. */
  readonly files: readonly string[]
  /** One of them was still at work: it is found out again later. */
  readonly open?: true
}

/** The `snapshot` of a turn in every list. */
export type TurnSnapshot = Pick<Capture, 'tree' | 'commit' | 'added' | 'removed' | 'files' | 'notCovered' | 'by' | 'shared'> & {
  /** The state the turn found was not captured, so `files` and the counts say nothing. */
  readonly changesUnknown?: true
  /** Absent where the turn ran outside a repository. */
  readonly place?: CodePlace
}

/** The code as at a turn, and how sure that is. */
export interface CodeAtTurn {
  /**
   * `snapshot` taken at that moment; `late` after the turn had ended by itself; `reconstructed` from a commit and the
   * transcript's own edits, every one of which applied; `nearest_snapshot` of an earlier turn, with the
   * recorded edits since where they fit, and `nearest_commit` by time only: approximations.
   */
  readonly kind: 'snapshot' | 'late' | 'reconstructed' | 'nearest_snapshot' | 'nearest_commit'
  readonly commonDir: string
  /** Root of the work tree it was taken of. */
  readonly root: string
  /** Object of the snapshot (`snapshot`, `late`); else `null`, and the workspace is filled with the tree. */
  readonly snapshot: string | null
  /** `null` of a reconstruction that is not written yet: planning writes no objects. */
  readonly tree: string | null
  /** Of a reconstruction whose beginning is not certain. */
  readonly needsYes?: boolean
  /** Of what recorded edits were put on: names its content, so that what is written later is what was planned. */
  readonly digest?: string
  /** What the workspace's branch starts from; `null`: no commit. */
  readonly baseCommit: string | null
  readonly notCovered: readonly NotCovered[]
  /** Said in the plan. */
  readonly note: string | null
}

/** Which state of the code is meant. `turnId` null: before the first prompt (turn 0). */
export interface CodeMoment {
  readonly turnId: string | null
  readonly moment: Moment
}

/** For a turn that was never captured. */
export interface Approximation {
  /** `reconstructed`, `nearest_snapshot` or `nearest_commit`; `null` when none can be had. */
  readonly code: CodeAtTurn | null
  /** Why it is no better than that. */
  readonly reasons: readonly string[]
}

/** How far the branch of a workspace has got to where it is pushed to. */
export interface PushState {
  readonly workspaceId: string
  readonly branch: string | null
  readonly remote: string
  readonly pushedCommit: string | null
  /** Failures since it last went well. */
  readonly attempts: number
  /** When it is tried (again): past, with no problem, it waits for somebody to do it. `null`: nothing waits. */
  readonly nextAt: number | null
  readonly problem: string | null
  readonly updatedAt: number
}

/** How much offshoot knows. */
export interface CaptureStatus {
  readonly sessions: number
  readonly captures: number
  /** Captures the hooks left that are not in the table yet. */
  readonly waiting: number
}

export interface RebuildReport {
  readonly repositories: number
  readonly captures: number
  /** Rows whose snapshot is gone. */
  readonly removed: number
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}

/** `not_run`: something in the agent's settings keeps it from running them, which installing again does not change. */
export type HookState = 'installed' | 'partly' | 'absent' | 'not_trusted' | 'not_run' | 'outdated'

export interface HookStatus {
  readonly agent: AgentId
  readonly scope: 'user' | 'project'
  readonly file: string
  readonly state: HookState
  /** `hooks`, or `notify` where this agent's version has no hooks. */
  readonly way: 'hooks' | 'notify'
  readonly message: string
}

export interface HookRequest {
  /** Absent: every agent that is here. */
  readonly agents?: readonly AgentId[]
  /** Only for the project one stands in, instead of for everything. */
  readonly project?: boolean
}

/** What became of one agent's hooks. */
export interface HookOutcome {
  readonly status: HookStatus
  readonly changed: boolean
  /** Every file that was written. */
  readonly files: readonly string[]
  readonly notes: readonly string[]
  /** Why nothing could be done with this agent; the others are not held up by it. */
  readonly error: AppError | null
}

export interface FileChange {
  readonly path: string
  /** As in `git diff --name-status`: A, M, D, T (typechange), R (renamed). */
  readonly status: string
  readonly from?: string
  /** `null` for a binary file. */
  readonly added: number | null
  readonly removed: number | null
  /** Only where this bit changed: what it is afterwards. */
  readonly executable?: boolean
}

export interface CodeDiff {
  readonly files: readonly FileChange[]
  readonly added: number
  readonly removed: number
  /** Unified, git's own form; empty unless asked for. */
  readonly patch: string
  /** The patch byte for byte, where it is not UTF-8: `patch` only shows it then, and git would not apply that. */
  readonly patchBytes?: Uint8Array
  /** Files whose part of the patch was left out because it would be too long. */
  readonly leftOut?: readonly string[]
}

/** Addresses of turns or sessions (their last captured turn), `<session>@0`, or `now`. Without `to`: what that turn changed. */
export interface DiffRequest {
  readonly from: string
  readonly to?: string
  /** Relative to the root of the work tree. */
  readonly paths?: readonly string[]
  /** On unless told. */
  readonly patch?: boolean
  /** Whose work tree `now` is; default: where the person stands. */
  readonly nowAt?: string
  /** Whether this code may be shown; what may not counts as not captured. Absent: all of it may. */
  readonly isOpen?: IsOpen
  /** By agent and path of a session (`<agent>:<path>`), the ids of its turns that an address without a turn may mean. Absent: all. */
  readonly turnsOf?: ReadonlyMap<string, ReadonlySet<string>>
}

/** Where code is: the repository that holds it, and the work tree it was captured in. */
export type CodePlace = Pick<CodeAtTurn, 'commonDir' | 'root'>

export type IsOpen = (place: CodePlace) => Promise<boolean>

export interface DiffResult extends CodeDiff {
  readonly from: DiffSide
  readonly to: DiffSide
  /** Of one turn: other sessions changed files meanwhile. Those are left out, but for `files`, of which nobody can tell whose they are. */
  readonly shared?: SharedWork
}

interface DiffSide {
  readonly name: string
  readonly tree: string
  readonly root: string
  readonly notCovered: readonly NotCovered[]
}

export interface RestoreRequest {
  /** A turn, or `<session>@0`. */
  readonly address: string
  /** Relative to where the person stands. Absent: what the session changed after that turn. */
  readonly paths?: readonly string[]
  /** Everything that differs, whoever changed it. */
  readonly all?: boolean
}

export interface RestorePlan {
  readonly root: string
  readonly changes: readonly FileChange[]
  /** Paths that stay as they are, and why. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
  readonly warnings: readonly string[]
  /** What the plan saw. */
  readonly seen: unknown
}

export interface RestoreResult {
  readonly id: string
  readonly restored: readonly string[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
  /** Ref of the state before, which `undo` brings back. */
  readonly safetyRef: string
}

/** A restore as it is remembered. `restoring` and `undoing` were cut off and are cleared up by the next command that writes. */
export interface RestoreEntry {
  readonly id: string
  readonly root: string
  /** Address it was restored from. */
  readonly source: string
  readonly paths: readonly string[]
  readonly state: 'restoring' | 'restored' | 'undoing' | 'undone'
  readonly createdAt: number
}

export interface RestoreUndone {
  readonly kind: 'restore'
  readonly restore: RestoreEntry
  /** False when it had been undone before: nothing was left to do. */
  readonly undone: boolean
  /** Paths that are as they were before the restore again. */
  readonly restored: readonly string[]
  /** What was taken away for good: the kept state before. */
  readonly removed: readonly string[]
  /** Paths that stayed as they are, and why. */
  readonly kept: readonly string[]
}

export type GarbageKind = 'workspace' | 'snapshots' | 'private_index' | 'pending' | 'safety' | 'trash'

export interface Garbage {
  readonly kind: GarbageKind
  readonly name: string
  readonly path: string | null
  /** Why it may go; or, for what stays, why it stays. */
  readonly reason: string
  readonly bytes: number
}

export interface GcReport {
  readonly removed: readonly Garbage[]
  readonly kept: readonly Garbage[]
  readonly freedBytes: number
  readonly dryRun: boolean
  /** The one repository that was looked at: its git directory; `null`: all of them. */
  readonly repository: string | null
}
