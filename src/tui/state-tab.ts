// An open session: the window into what was said, what is being typed, where one has stepped back to and the turn that runs.
import type { PermissionRequest, RunOutcome } from '../model/run.ts'
import type { AgentId, Message, Turn } from '../model/session.ts'

/** Text being typed: the cursor is an offset in characters as a person counts them (grapheme clusters are never split). */
export interface Draft {
  readonly text: string
  readonly cursor: number
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
