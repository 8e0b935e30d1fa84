// Which keys count now: the overlay on top decides, else what is focused below it.
import type { KeyContext, TuiState } from './state.ts'
import type { Overlay } from './state-overlay.ts'
import type { Tab } from './state-tab.ts'

export function topOverlay(state: TuiState): Overlay | null {
  return state.overlays.at(-1) ?? null
}

export function shownTab(state: TuiState): Tab | null {
  return state.tabs.find(({ id }) => id === state.shown) ?? null
}

export function keyContext(state: TuiState): KeyContext {
  const overlay = topOverlay(state)
  if (overlay !== null) return overlay.kind
  const tab = shownTab(state)
  if (tab === null) return state.sessions.typing ? 'search' : 'sessions'
  if (tab.backtrack !== null) return 'backtrack'
  if (tab.focus === 'transcript') return 'transcript'
  // Files that are still looked for are no choices yet: Enter sends.
  return (tab.composer.completion?.choices.length ?? 0) === 0 ? 'composer' : 'completion'
}
