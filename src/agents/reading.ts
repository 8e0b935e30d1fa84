// What reading a session gives: its summary for the catalogue, its entries in order, and single stretches of it.
import type { ReadMark } from '../model/read-mark.ts'
import type { Message, ParentLink, Turn, Usage } from '../model/session.ts'

/**
 * Lines that were left out or mended, counted by reason: `torn` (the last one, incomplete), `invalid`, `unknown:<type>`, `duplicate`,
 * `no-uuid`, `dangling` (a result without its call), and of trees `cycle`, `bridged` (the parent is missing, the agent goes on with
 * the row before) and `cut-off` (the parent is missing, the agent starts there). `doctor` has words for each.
 */
export type Skipped = Readonly<Record<string, number>>

/** What the catalogue keeps of a session: everything `sessions`, `turns` and `tree` show, from one pass over the file. */
export interface SessionSummary {
  /** From inside the file where the file says so; normally equal to SessionFile.id. */
  readonly id: string
  readonly title: string
  readonly titleFrom: 'custom' | 'ai' | 'prompt' | 'none'
  readonly cwd: string | null
  readonly branch: string | null
  /** The folder it began in, where the agent records that apart from those of its turns: `branch` is of this one. */
  readonly begunIn?: string | null
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
  /** The machine kept it from reading a part (a failing disk, too many open files): the next refresh reads the session again. */
  readonly isUnsure?: boolean
  /** Other files that were read for it, older ones of the session included. Absent: none. */
  readonly builtOn?: readonly Base[]
  readonly skipped: Skipped
  readonly mark: ReadMark
  /** Opaque to everyone but the agent: lets it read on from `mark` instead of from the start. JSON-able. */
  readonly resume: unknown
}

/** A file that a session's history begins in. */
export interface Base {
  /** Where the agent kept it. */
  readonly path: string
  /** It was gone from there, and a copy was read. */
  readonly isCopy: boolean
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
