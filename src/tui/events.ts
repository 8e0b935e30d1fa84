// Everything that can happen to the state: a key, the mouse, a paste, a new size, time, and what effects and the app tell.
import type { DiffResult, RestorePlan } from '../model/capture.ts'
import type { CatalogSession, CostComparison, LineageNode } from '../model/catalog.ts'
import type { AppEvent } from '../model/event.ts'
import type { ForkResult, Plan } from '../model/fork.ts'
import type { RunEvent } from '../model/run.ts'
import type { IndexState, SearchAnswer } from '../model/search.ts'
import type { Message, Turn } from '../model/session.ts'
import type { Worker } from '../model/worker.ts'
import type { Target } from './draw.ts'
import type { Effect, SessionName } from './effects.ts'
import type { Anchor, TabId } from './state-tab.ts'

/** `name` as the key table writes it: `enter`, `esc`, `up`, `ctrl+p`, `alt+shift+f`, `a`, `G`, `?`. `text`: what it types, if anything. */
export interface KeyPress {
  readonly name: string
  readonly text: string
}

export type TuiEvent = { readonly at: number } & (
  | { readonly kind: 'key'; readonly key: KeyPress }
  | { readonly kind: 'paste'; readonly text: string }
  /** Plain mode: a line that was typed, or several that were pasted. */
  | { readonly kind: 'line'; readonly text: string }
  /** `target`: what was drawn there. */
  | { readonly kind: 'mouse'; readonly action: 'click' | 'wheel_up' | 'wheel_down'; readonly target: Target | null }
  /** Where the window stands, as measured; `atTop`, `atBottom`: to where the turns before or behind are to be read. */
  | {
      readonly kind: 'scrolled'
      readonly tabId: TabId
      readonly scroll: number
      readonly anchor: Anchor | null
      readonly atTop: boolean
      readonly atBottom: boolean
    }
  | { readonly kind: 'resize'; readonly columns: number; readonly rows: number }
  /** A second has passed; only while something on the screen depends on it. */
  | { readonly kind: 'tick' }
  /** `elsewhere`: where there are none, how many there are in all repositories and of all agents. */
  | { readonly kind: 'sessions_listed'; readonly sessions: readonly CatalogSession[]; readonly elsewhere: number }
  | { readonly kind: 'index_read'; readonly index: IndexState }
  | { readonly kind: 'searched'; readonly text: string; readonly answer: SearchAnswer }
  | {
      readonly kind: 'session_opened'
      readonly tabId: TabId
      readonly session: CatalogSession
      readonly turns: readonly Turn[]
      readonly from: number
      readonly messages: readonly Message[]
    }
  | {
      readonly kind: 'turns_read'
      readonly tabId: TabId
      readonly from: number
      readonly to: number
      readonly messages: readonly Message[]
    }
  /** The file has grown: the turns from `from` on, anew. */
  | {
      readonly kind: 'session_grew'
      readonly tabId: TabId
      readonly session: CatalogSession
      readonly turns: readonly Turn[]
      readonly from: number
      readonly messages: readonly Message[]
    }
  | { readonly kind: 'run'; readonly tabId: TabId; readonly event: RunEvent }
  | { readonly kind: 'run_failed'; readonly tabId: TabId; readonly message: string; readonly hint: string }
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'plan_failed'; readonly message: string; readonly hint: string }
  | { readonly kind: 'forked'; readonly result: ForkResult; readonly seedId: string | null }
  | { readonly kind: 'fork_failed'; readonly message: string; readonly hint: string }
  | { readonly kind: 'tree_read'; readonly roots: readonly LineageNode[] }
  | { readonly kind: 'diffed'; readonly patch: string }
  /** `diff` null: their code cannot be compared, `problem` says why. */
  | {
      readonly kind: 'compared'
      readonly costs: CostComparison
      readonly diff: DiffResult | null
      readonly problem: string | null
    }
  | { readonly kind: 'labelled'; readonly session: SessionName; readonly label: string | null }
  | { readonly kind: 'restore_planned'; readonly plan: RestorePlan }
  | { readonly kind: 'workers_listed'; readonly workers: readonly Worker[] }
  | { readonly kind: 'completed'; readonly tabId: TabId; readonly word: string; readonly files: readonly string[] }
  | { readonly kind: 'models_found'; readonly tabId: TabId; readonly word: string; readonly models: readonly string[] }
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'open_failed'; readonly tabId: TabId; readonly message: string }
  /** `of`: what could not be done, where that leaves something on the screen waiting. */
  | { readonly kind: 'failed'; readonly message: string; readonly hint: string; readonly of?: Effect['kind'] }
  | { readonly kind: 'app'; readonly event: AppEvent }
)
