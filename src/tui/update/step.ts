// What an update gives: the next state and what is to be done. Small helps to write one down.
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { Notice, TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import type { Tab } from '../state-tab.ts'

export interface Step {
  readonly state: TuiState
  readonly effects: readonly Effect[]
}

export function stay(state: TuiState, ...effects: Effect[]): Step {
  return { state, effects }
}

const noticeMs = 4000

export function say(state: TuiState, text: string, kind: Notice['kind'] = 'info', hint: string | null = null): TuiState {
  return { ...state, notice: { text, kind, hint, until: state.now + noticeMs } }
}

export function changeTab(state: TuiState, id: string, change: (tab: Tab) => Tab): TuiState {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === id ? change(tab) : tab)) }
}

export function push(state: TuiState, overlay: Overlay): TuiState {
  return { ...state, overlays: [...state.overlays, overlay] }
}

export function pop(state: TuiState): TuiState {
  return { ...state, overlays: state.overlays.slice(0, -1) }
}

/** The overlay on top, changed. */
export function changeTop(state: TuiState, overlay: Overlay): TuiState {
  return { ...state, overlays: [...state.overlays.slice(0, -1), overlay] }
}

/** An overlay wherever it stands in the stack: answers to effects come when something else is on top. */
export function changeOverlay<K extends Overlay['kind']>(
  state: TuiState,
  kind: K,
  change: (overlay: Extract<Overlay, { kind: K }>) => Overlay,
): TuiState {
  const overlays = state.overlays.map((each) => (each.kind === kind ? change(each as Extract<Overlay, { kind: K }>) : each))
  return { ...state, overlays }
}

/** How far an action moves in a list or on a page; `undefined`: it does not move. */
export function moveOf(action: ActionId, page: number, end: number): number | undefined {
  const moves: Partial<Record<ActionId, number>> = { up: -1, down: 1, page_up: -page, page_down: page, first: -end, last: end }
  return moves[action]
}

export interface ListPlace {
  readonly selected: number
  readonly top: number
}

/** Moves within a list and keeps the selected row in sight. */
export function moveInList({ selected, top }: ListPlace, count: number, by: number, rows: number): ListPlace {
  const next = Math.max(0, Math.min(count - 1, selected + by))
  const height = Math.max(1, rows)
  return {
    selected: next,
    top: Math.max(0, Math.min(Math.max(next - height + 1, Math.min(top, next)), Math.max(0, count - height))),
  }
}
