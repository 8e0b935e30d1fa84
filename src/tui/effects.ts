// What the state asks to have done, as data; `run-effects.ts` does it with the app and answers with events. One kind, one call.
import type { RestorePlan } from '../model/capture.ts'
import type { ForkRequest, Plan, WarningCode } from '../model/fork.ts'
import type { Decision } from '../model/run.ts'
import type { AgentId } from '../model/session.ts'
import type { TabId } from './state-tab.ts'

export interface SessionName {
  readonly agent: AgentId
  readonly sessionId: string
}

export type Effect =
  | { readonly kind: 'list_sessions'; readonly scope: 'repository' | 'all'; readonly agent: AgentId | null }
  /** A later search makes an earlier one void. */
  | { readonly kind: 'search'; readonly text: string; readonly scope: 'repository' | 'all'; readonly agent: AgentId | null }
  /** How complete the search index is. */
  | { readonly kind: 'read_index' }
  | { readonly kind: 'open_session'; readonly tabId: TabId; readonly session: SessionName; readonly turns: number }
  | {
      readonly kind: 'read_turns'
      readonly tabId: TabId
      readonly session: SessionName
      readonly from: number
      readonly to: number
    }
  /** The file has grown: the turns from this one on, anew. */
  | { readonly kind: 'follow'; readonly tabId: TabId; readonly session: SessionName; readonly from: number }
  /** `model` null: the agent's own choice; absent: as the session's worker has it. */
  | {
      readonly kind: 'send'
      readonly tabId: TabId
      readonly session: SessionName
      readonly prompt: string
      readonly model?: string | null
    }
  | { readonly kind: 'interrupt'; readonly tabId: TabId; readonly session: SessionName }
  | { readonly kind: 'answer'; readonly tabId: TabId; readonly requestId: string; readonly decision: Decision }
  | { readonly kind: 'plan_fork'; readonly request: ForkRequest }
  /** The very plan that was shown. */
  | { readonly kind: 'fork'; readonly plan: Plan; readonly accept: readonly WarningCode[] }
  | { readonly kind: 'read_tree'; readonly session: SessionName | null }
  | { readonly kind: 'diff'; readonly address: string }
  /** The code of two sessions, and what they cost. */
  | { readonly kind: 'compare'; readonly one: string; readonly other: string }
  /** `null`: the label is taken away. */
  | { readonly kind: 'label_session'; readonly session: SessionName; readonly label: string | null }
  | { readonly kind: 'plan_restore'; readonly address: string }
  | { readonly kind: 'restore'; readonly plan: RestorePlan }
  | { readonly kind: 'list_workers' }
  | { readonly kind: 'stop_worker'; readonly name: string }
  | { readonly kind: 'send_to_worker'; readonly name: string; readonly prompt: string }
  | { readonly kind: 'fork_worker'; readonly name: string; readonly newName: string | null }
  /** Hands the terminal over (here, or attaches to a pane) and comes back. */
  | { readonly kind: 'attach'; readonly worker: string }
  | { readonly kind: 'open_in_cli'; readonly tabId: TabId; readonly session: SessionName }
  | { readonly kind: 'complete_files'; readonly tabId: TabId; readonly cwd: string; readonly word: string }
  /** Models this person's sessions of an agent have used. */
  | { readonly kind: 'complete_models'; readonly tabId: TabId; readonly agent: AgentId; readonly word: string }
  /** Tabs and layout, to find them again. */
  | { readonly kind: 'remember' }
  | { readonly kind: 'copy'; readonly text: string }
  /** Gives the terminal back to the shell until it is continued. */
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit' }
