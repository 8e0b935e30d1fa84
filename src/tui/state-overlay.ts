// What lies over the screen and gets the keys: dialogs, lists and questions.
import type { DiffResult } from '../model/capture.ts'
import type { CostComparison, LineageNode } from '../model/catalog.ts'
import type { CodeMode, Plan, Strategy } from '../model/fork.ts'
import type { PermissionRequest } from '../model/run.ts'
import type { AgentId } from '../model/session.ts'
import type { Effect, SessionName } from './effects.ts'
import type { Draft, TabId } from './state-tab.ts'

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
