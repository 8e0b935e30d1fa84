// Tabs: each bound to a session. Opening one twice shows the one that is there.
import type { CatalogSession } from '../../model/catalog.ts'
import type { AgentId } from '../../model/session.ts'
import type { Effect, SessionName } from '../effects.ts'
import type { TuiState } from '../state.ts'
import type { Composer, Run, Tab, Transcript } from '../state-tab.ts'
import { emptyDraft } from './draft.ts'
import { askLeave, leaveQuestions } from './permission.ts'
import { type Step, say, stay } from './step.ts'

/** Turns that are read when a session is opened; more as one scrolls up. */
const firstTurns = 20

export const idle: Run = {
  state: 'idle',
  prompt: null,
  afterTurn: null,
  parts: [],
  streaming: false,
  thinking: '',
  permissions: [],
  startedAt: null,
  outcome: null,
  error: null,
}

const unread: Transcript = {
  loading: true,
  turns: [],
  from: 1,
  to: null,
  messages: [],
  system: [],
  cutOffs: [],
  unfolded: new Set(),
  scroll: 0,
  anchor: null,
  cursor: null,
  reveal: false,
  problem: null,
}

export const emptyComposer: Composer = { draft: emptyDraft, history: [], at: null, kept: emptyDraft, completion: null }

export interface NewTab {
  readonly agent: AgentId
  readonly sessionId: string
  readonly title: string
  readonly label?: string | null
  readonly cwd: string
  readonly branch: string | null
  readonly model?: Tab['model']
}

function tabIdOf({ agent, sessionId }: SessionName): string {
  return `${agent}:${sessionId}`
}

export function nameOf({ agent, sessionId }: Tab): SessionName {
  return { agent, sessionId }
}

export function openEffect(tab: Tab): Effect {
  return { kind: 'open_session', tabId: tab.id, session: nameOf(tab), turns: firstTurns }
}

/** With the model that was chosen here, if any was. */
export function sendEffect(tab: Tab, prompt: string): Effect {
  const model = tab.model === null ? {} : { model: tab.model.name }
  return { kind: 'send', tabId: tab.id, session: nameOf(tab), prompt, ...model }
}

export function makeTab(given: NewTab): Tab {
  return {
    label: null,
    model: null,
    modelSeen: null,
    ...given,
    id: tabIdOf(given),
    forkSeedId: null,
    dropped: null,
    focus: 'composer',
    transcript: unread,
    composer: emptyComposer,
    backtrack: null,
    run: idle,
    unread: false,
  }
}

export function openSession(state: TuiState, session: CatalogSession): Step {
  const { agent, id, title, label = null, cwd, branch } = session
  return openTab(state, makeTab({ agent, sessionId: id, title, label, cwd: cwd ?? '', branch }))
}

export function openTab(state: TuiState, tab: Tab): Step {
  if (state.tabs.some(({ id }) => id === tab.id)) return stay(showTab({ ...state, overlays: [] }, tab.id), { kind: 'remember' })
  const next = showTab({ ...state, tabs: [...state.tabs, tab], overlays: [] }, tab.id)
  return stay(next, openEffect(tab), { kind: 'remember' })
}

/** `sessions`, or a tab with what it was going to ask. */
export function showTab(state: TuiState, id: string): TuiState {
  if (id === state.shown) return state
  const tabs = state.tabs.map((tab) => (tab.id === id ? { ...tab, unread: false } : tab))
  return askLeave(leaveQuestions({ ...state, shown: id, tabs }), id)
}

/** Sessions, then the tabs, in a ring. */
export function turnTabs(state: TuiState, by: 1 | -1): Step {
  if (state.tabs.length === 0) return stay(say(state, 'No session is open yet: Enter opens one.'))
  const ring = ['sessions', ...state.tabs.map(({ id }) => id)]
  const at = ring.indexOf(state.shown)
  return stay(showTab({ ...state, overlays: [] }, ring[(at + by + ring.length) % ring.length] ?? 'sessions'))
}

/** Not under a turn that runs: nobody would be there to answer what it asks. */
export function closeTab(state: TuiState, id: string): Step {
  const at = state.tabs.findIndex((tab) => tab.id === id)
  if (['sending', 'running', 'waiting'].includes(state.tabs[at]?.run.state ?? 'idle'))
    return stay(say(state, 'A turn is running here: Ctrl+C stops it, then it can be closed.', 'error'))
  const tabs = state.tabs.filter((tab) => tab.id !== id)
  const shown = tabs[Math.min(at, tabs.length - 1)]?.id ?? 'sessions'
  return stay(showTab({ ...state, tabs, overlays: [] }, shown), { kind: 'remember' })
}
