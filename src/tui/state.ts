// All of what the terminal UI shows, as plain data. Nothing here knows a terminal, a file or the app: `update` makes the next
// state of this one and says what is to be done (effects), the screens draw it.
import type { DiffResult } from '../model/capture.ts'
import type { CatalogSession, CostComparison, LineageNode } from '../model/catalog.ts'
import type { CodeMode, Plan, Strategy } from '../model/fork.ts'
import type { PermissionRequest, RunOutcome } from '../model/run.ts'
import type { IndexState, SearchResult } from '../model/search.ts'
import type { AgentId, Message, Turn } from '../model/session.ts'
import type { Worker } from '../model/worker.ts'
import type { Effect, SessionName } from './effects.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Text being typed: the cursor is an offset in characters as a person counts them (grapheme clusters are never split). */
export interface Draft {
  readonly text: string
  readonly cursor: number
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
  /** First row that is shown. */
  readonly top: number
}

export type TabId = string

export interface Tab {
  readonly id: TabId
  readonly agent: AgentId
  readonly sessionId: string
  readonly title: string
  /** What the person calls the session. */
  readonly label: string | null
  readonly cwd: string
  readonly branch: string | null
  /** What was chosen here for the next turns (`name` null: the agent's own choice); `null`: nothing was. */
  readonly model: { readonly name: string | null } | null
  /** The one the session's file names last. */
  readonly modelSeen: string | null
  /** The fork record whose acknowledgement is to be dropped once, while this tab makes the fork (IN6); `null` ever after. */
  readonly forkSeedId: string | null
  /** The message that was dropped: it stays out of this tab, and is there when the session is opened again (IN7). */
  readonly dropped: string | null
  readonly focus: 'composer' | 'transcript'
  readonly transcript: Transcript
  readonly composer: Composer
  readonly backtrack: Backtrack | null
  readonly run: Run
  readonly unread: boolean
}

/** A window into the session: whole turns, the newest at first, others as one scrolls. */
export interface Transcript {
  readonly loading: boolean
  readonly turns: readonly Turn[]
  /** Number of the first turn whose messages are here; those before are read when they are scrolled to. */
  readonly from: number
  /** Number of the last one; `null`: the end is here, and what is new comes along. */
  readonly to: number | null
  readonly messages: readonly Message[]
  /** Lines of our own between the agent's messages: `Fork created; context injected; ...`. Never in the agent's file. */
  readonly system: readonly SystemLine[]
  /** Turns of this tab that were cut off, oldest first. */
  readonly cutOffs: readonly CutOff[]
  /** Ids of messages (tool calls, thinking) that are unfolded. */
  readonly unfolded: ReadonlySet<string>
  /** Rows hidden below the window, as they were when it was moved; 0 follows the end as it grows. */
  readonly scroll: number
  /** Where the window begins while one has scrolled up; `null`: `scroll` rows above the end. */
  readonly anchor: Anchor | null
  /** The message that folding is about; `null`: the newest that can be folded. */
  readonly cursor: string | null
  /** The cursor has moved: the window goes to it, until one scrolls. */
  readonly reveal: boolean
  readonly problem: string | null
}

/** A row of a message (or of the turn that runs: `run`); below 0: so many rows above it. */
export interface Anchor {
  readonly id: string
  readonly row: number
}

export interface SystemLine {
  /** Behind this message; `null`: at the very start. */
  readonly after: string | null
  readonly text: string
}

/** What was sent and came in of a turn that ended before its time: the agent may have written all of it, some or nothing. */
export interface CutOff {
  readonly number: number
  /** The last turn there was when it was sent; `null`: it was the first. */
  readonly afterTurn: string | null
  /** The prompt, then what came in. */
  readonly messages: readonly Message[]
  readonly what: string
  /** What to do about it, as long as nothing else was done. */
  readonly next: string
}

export interface Composer {
  readonly draft: Draft
  readonly history: readonly string[]
  /** Which of the history is shown; `null`: the person's own draft, kept in `kept`. */
  readonly at: number | null
  readonly kept: Draft
  readonly completion: Completion | null
}

export interface Completion {
  readonly kind: 'file' | 'command' | 'worker' | 'model'
  /** What was typed behind `@`, `/`, `:fork @` or `/model`. */
  readonly word: string
  readonly choices: readonly { readonly value: string; readonly note: string }[]
  readonly selected: number
}

/** BT1. */
export interface Backtrack {
  /** Messages one can fork at, oldest first: prompts and answers, tools counted with their answer. */
  readonly stops: readonly string[]
  /** Index in `stops`. */
  readonly at: number
  /** Presses of Escape since the one that entered the mode, as times: three within 600 ms of the first leave it. */
  readonly presses: readonly number[]
}

export interface Run {
  readonly state: 'idle' | 'sending' | 'running' | 'waiting' | 'interrupting'
  readonly prompt: string | null
  /** The last turn of the session when it was sent; `null`: there was none. */
  readonly afterTurn: string | null
  /** What has come in so far, in order. After the end they stand in until the agent's file was read. */
  readonly parts: readonly Message[]
  /** The last part still grows. */
  readonly streaming: boolean
  readonly thinking: string
  /** Questions that wait for an answer, oldest first. */
  readonly permissions: readonly PermissionRequest[]
  readonly startedAt: number | null
  readonly outcome: RunOutcome | null
  readonly error: string | null
}

export type Overlay =
  | { readonly kind: 'palette'; readonly query: Draft; readonly selected: number }
  | { readonly kind: 'help'; readonly top: number }
  | ForkOverlay
  | PermissionOverlay
  | TreeOverlay
  | CompareOverlay
  | { readonly kind: 'workers'; readonly selected: number }
  | {
      readonly kind: 'diff'
      readonly title: string
      readonly patch: string | null
      readonly top: number
    }
  /** A yes before files are written over or an agent is stopped; `note`: what can be done about it afterwards. */
  | {
      readonly kind: 'confirm'
      readonly title: string
      readonly lines: readonly string[]
      readonly note: string
      readonly effect: Effect
    }
  /** One line of text: a title, a branch, a message to a worker. */
  | { readonly kind: 'ask'; readonly label: string; readonly draft: Draft; readonly answers: AskPurpose }

export interface PermissionOverlay {
  readonly kind: 'permission'
  readonly tabId: TabId
  readonly request: PermissionRequest
  readonly selected: number
  /** When it came up over something one was typing into; `null`: nothing was. Keys meant for that must not answer it. */
  readonly interruptedAt: number | null
}

export type AskPurpose =
  | { readonly kind: 'fork_field'; readonly field: 'title' | 'branch' | 'prompt' }
  | { readonly kind: 'send'; readonly worker: string }
  | { readonly kind: 'label'; readonly session: SessionName }
  | QuestionPurpose

/** The question `at` of those an agent asks at once; `given` are the answers to the ones before it. */
export interface QuestionPurpose {
  readonly kind: 'question'
  readonly tabId: TabId
  readonly request: PermissionRequest
  readonly at: number
  readonly given: Readonly<Record<string, string>>
}

/** IN2. The plan is made anew whenever a choice changes; `plan` null: it is being made. */
export interface ForkOverlay {
  readonly kind: 'fork'
  readonly tabId: TabId | null
  readonly address: string
  /** Which row of the choices is selected. */
  readonly selected: number
  /** First line of the plan that is shown. */
  readonly top: number
  readonly choices: ForkChoices
  readonly plan: Plan | null
  readonly problem: { readonly message: string; readonly hint: string } | null
  readonly forking: boolean
  /** Codes the person has said yes to. */
  readonly accepted: readonly string[]
}

export interface ForkChoices {
  readonly strategy: 'auto' | Strategy
  readonly code: CodeMode | 'auto'
  readonly to: AgentId | null
  readonly title: string | null
  readonly branch: string | null
  readonly prompt: string | null
  readonly send: boolean
  readonly allowCut: boolean
}

export interface TreeOverlay {
  readonly kind: 'tree'
  readonly roots: readonly LineageNode[] | null
  readonly selected: number
  readonly top: number
  /** Up to two sessions marked to be compared. */
  readonly marked: readonly string[]
}

/** Two sessions beside each other; `diff` and `problem` null: on its way. */
export interface CompareOverlay {
  readonly kind: 'compare'
  /** Their titles. */
  readonly sides: readonly [string, string]
  readonly costs: CostComparison | null
  readonly diff: DiffResult | null
  /** Why their code cannot be compared. */
  readonly problem: string | null
  readonly top: number
  /** Cells of each line of code that are out of sight to the left. */
  readonly shift: number
}
