// Search as every face sees it: what is asked, what is answered, and how far the index is.
import type { CatalogSession } from './catalog.ts'
import type { AgentId } from './session.ts'

export interface SearchQuery {
  /** Plain words, "quotes", -word, and filters such as `agent:codex file:src/app.ts after:2026-01-01`. */
  readonly text: string
  /** Which engine answers; default: the setting `search.engine`. */
  readonly engine?: 'builtin' | 'qmd'
  readonly agent?: AgentId
  /** A path inside a repository: only its sessions. Absent: all. */
  readonly repo?: string
  /** A file, by its path or the end of it: only sessions that touched it. */
  readonly file?: string
  /** Default 10. */
  readonly limit?: number
  /** 0 to 1; what scores less is left out. */
  readonly minScore?: number
  /** Characters; default 300. */
  readonly snippetLength?: number
  readonly explain?: boolean
  /** Only these sessions, each as `agent:path`: what may be seen is settled before anything is ranked, so a limit still fills up. */
  readonly among?: ReadonlySet<string>
  /** Of these sessions (`agent:path`) only these turns, by id: the rest of them is neither ranked nor quoted. */
  readonly turnsOf?: ReadonlyMap<string, ReadonlySet<string>>
  /** A collection of qmd's instead of those offshoot keeps: asks qmd. */
  readonly collection?: string
}

export interface SearchAnswer {
  readonly query: string
  readonly engine: 'builtin' | 'qmd'
  /** `hybrid` words and vectors, `words` alone, `files` or `recent` where no words were given; with qmd its command. */
  readonly mode: string
  readonly results: readonly SearchResult[]
  readonly index: IndexState
  /** Said to the person: nothing found is about this, a filter was not understood, an embedder failed. */
  readonly notes: readonly string[]
  /** qmd alone: why a better command was not used. */
  readonly qmdError?: string
}

export interface SearchResult {
  /** From 1. */
  readonly rank: number
  /** 0 to 1, comparable between queries. */
  readonly score: number
  readonly session: CatalogSession
  readonly turn: { readonly id: string; readonly number: number | null } | null
  readonly snippet: Snippet
  /** qmd alone: the document that was found. */
  readonly sourcePath?: string
  /** How the session touched the file asked for. */
  readonly touched?: 'edited' | 'read'
  readonly canFork: boolean
  readonly warning?: string
  readonly explain?: Explanation
}

export interface Snippet {
  readonly text: string
  /** From and to in `text`, in order: what matched. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** Where a score comes from: each part as it was added. */
export interface Explanation {
  readonly parts: Readonly<Record<string, number>>
  /** The words of the query the session has. */
  readonly matched: readonly string[]
}

export interface IndexState {
  readonly sessions: number
  readonly indexedSessions: number
  readonly turns: number
  readonly chunks: number
  /** Every session is in the index as it is now. */
  readonly complete: boolean
  /** Someone is indexing right now. */
  readonly running: boolean
  readonly model: string
  /** Share of the chunks that have a vector of this model. */
  readonly embedded: number
}

export interface IndexProgress {
  readonly files: number
  readonly filesDone: number
  readonly bytes: number
  readonly bytesDone: number
  readonly bytesPerSecond: number
  /** `null` until there is a rate to go by. */
  readonly leftMs: number | null
}

export interface IndexReport {
  /** Another process was at it; nothing was done here. */
  readonly busy: boolean
  /** Stopped by the signal before the end. */
  readonly stopped: boolean
  readonly sessions: number
  readonly removed: number
  readonly chunks: number
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}
