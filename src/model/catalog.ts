// The shapes the catalogue answers with: what every face (CLI, TUI, HTTP, MCP) lists and renders.
import type { AgentId, ForkKind, Session, Turn, Usage } from './session.ts'

/** A folder and the repository it lies in, or lay in. */
export interface FolderPlace {
  readonly cwd: string | null
  readonly repoId: string | null
  readonly repoRoot: string | null
  readonly repoClaimed?: boolean
  /** The session began in it, whether or not a prompt was given there. */
  readonly isStart?: boolean
}

/** A session as the catalogue knows it: the public shape plus what only offshoot's own faces use. */
export interface CatalogSession extends Session {
  readonly cliVersion: string | null
  readonly titleFrom: 'custom' | 'ai' | 'prompt' | 'none'
  /** Identity of the repository (git common dir plus root commit); `null` outside git. */
  readonly repoId: string | null
  /** `repoRoot` is only what its own `.git` file claims; the repository does not name it. */
  readonly repoClaimed?: boolean
  /** The folders in which it began and its prompts were given, where they are not all `cwd`; else empty or absent. */
  readonly folders?: readonly FolderPlace[]
  /** Turns, messages and tokens of its own: what it inherited from its parent is counted there. */
  readonly ownTurns: number
  readonly ownMessages: number
  readonly usage: Usage
  /** Tokens a request may hold, where the agent recorded it. */
  readonly contextWindow?: number | null
  /** `present`; `archived` by the agent itself (Codex); `gone` from the agent's folder, a copy is in our archive. */
  readonly state: 'present' | 'archived' | 'gone'
  /** What the person calls it, beside the agent's title; `null` or absent: nothing. */
  readonly label?: string | null
  /** Set when part of its history cannot be read. */
  readonly broken: string | null
  /** A fork that its agent writes with the first prompt only: until then it is this session up to this turn. */
  readonly unwritten?: { readonly source: CatalogSession; readonly turnId: string | null }
}

export interface SessionQuery {
  readonly agent?: AgentId
  /** A path inside a repository: its sessions and those of its worktrees and moved checkouts. Absent: all. */
  readonly repo?: string
  readonly limit?: number
}

export interface RefreshProgress {
  readonly files: number
  readonly filesDone: number
  readonly bytes: number
  readonly bytesDone: number
}

export interface RefreshReport {
  readonly sessions: number
  readonly changed: number
  readonly removed: number
  /** Files that could not be read: path and reason. */
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}

/** What an address names. */
export interface Target {
  readonly session: CatalogSession
  readonly turn: Turn | null
  readonly messageId: string | null
  /** All turns, those of dead branches last, where they had to be looked through for this one. */
  readonly turns?: readonly Turn[]
}

export interface LineageNode {
  readonly session: CatalogSession
  readonly children: readonly LineageNode[]
  readonly forkKind: ForkKind | null
  /** Number of the parent's turn this one was forked after. */
  readonly atTurn: number | null
}

/** What one session cost after a turn. */
export interface SessionCost {
  readonly agent: AgentId
  readonly sessionId: string
  readonly turns: number
  /** As the agent recorded them; `null`: it recorded none. Cached input is part of the input. */
  readonly usage: Usage | null
  /** Of its turns together, from prompt to end; `null`: not recorded. */
  readonly workedMs: number | null
}

export interface CostComparison {
  /** Turns both have, which are counted for neither; `null`: they are no relatives, all turns are counted. */
  readonly sharedTurns: number | null
  readonly sides: readonly [SessionCost, SessionCost]
}

export interface Check {
  readonly id: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly fix: string | null
}

export interface SessionChange {
  readonly agent: AgentId
  readonly sessionId: string
  readonly change: 'added' | 'updated' | 'removed'
}

export interface ArchiveOptions {
  /** Stop taking up further sessions after this long. Absent: all of them. */
  readonly budgetMs?: number
  /** Only sessions untouched for this long; default 14 days. */
  readonly untouchedMs?: number
  /** Only these, however fresh they are. */
  readonly sessions?: readonly { readonly agent: AgentId; readonly sessionId: string }[]
}

export interface ArchiveReport {
  readonly archived: number
  /** Due, but not copied: the budget ran out, or another process is at it. */
  readonly left: number
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}

export interface Repository {
  readonly id: string
  /** Top level of the main worktree. */
  readonly root: string
  /** The repository does not name this root; only the root's own `.git` file does. */
  readonly claimed: boolean
}
