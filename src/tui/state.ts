// All of what the terminal UI shows, as plain data. Nothing here knows a terminal, a file or the app: `update` makes the next
// state of this one and says what is to be done (effects), the screens draw it. Its parts: a tab (state-tab.ts) and what lies
// over the screen (state-overlay.ts).
import type { CatalogSession } from '../model/catalog.ts'
import type { IndexState, SearchResult } from '../model/search.ts'
import type { AgentId } from '../model/session.ts'
import type { Worker } from '../model/worker.ts'
import type { Overlay } from './state-overlay.ts'
import type { Draft, Tab, TabId } from './state-tab.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Where keys go. The top of the stack of overlays decides, below it what is focused. One context, one section of the key table. */
export type KeyContext =
  | 'sessions'
  | 'search'
  | 'composer'
  | 'completion'
  | 'transcript'
  | 'backtrack'
  | 'fork'
  | 'permission'
  | 'tree'
  | 'workers'
  | 'diff'
  | 'compare'
  | 'palette'
  | 'help'
  | 'ask'
  | 'confirm'

export interface TuiState {
  readonly size: Size
  /** Epoch ms of the last event: the only clock the screens know. */
  readonly now: number
  /** `sessions` or the id of a tab. */
  readonly shown: 'sessions' | TabId
  readonly sessions: SessionsState
  readonly tabs: readonly Tab[]
  /** The last one is on top and gets the keys. */
  readonly overlays: readonly Overlay[]
  readonly workers: readonly Worker[]
  /** Said once at the bottom, until the next key after `until`. */
  readonly notice: Notice | null
  /** Where offshoot was opened: `this repository`, or `null` outside of one. */
  readonly repository: { readonly root: string; readonly name: string } | null
  readonly index: IndexState | null
  /** One more Ctrl+C or Ctrl+Q leaves. */
  readonly quitting: boolean
  /** Lines are read and printed: nothing is drawn, and what a person is typing is not known until the line is whole. */
  readonly plain: boolean
}

export interface Notice {
  readonly text: string
  readonly kind: 'info' | 'error'
  readonly hint: string | null
  readonly until: number
}

export interface SessionsState {
  readonly items: readonly CatalogSession[]
  readonly loading: boolean
  readonly agent: AgentId | null
  readonly scope: 'repository' | 'all'
  /** `null`: no search; the list is by time. */
  readonly query: Draft | null
  /** Whether keys go to the query. */
  readonly typing: boolean
  readonly results: readonly SearchResult[] | null
  readonly searching: boolean
  readonly notes: readonly string[]
  readonly selected: number
  /** How many there are in all repositories and of all agents; counted only while none are listed. */
  readonly elsewhere: number
  /** First row that is shown. */
  readonly top: number
}
