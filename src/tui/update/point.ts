// The mouse: a click selects, a second one opens; the wheel moves what lies under it.
import { shownTab, topOverlay } from '../context.ts'
import type { Target } from '../draw.ts'
import type { TuiEvent } from '../events.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import type { Tab } from '../state-tab.ts'
import { changeTranscript } from './change-transcript.ts'
import { showFile } from './compare.ts'
import { perform } from './perform.ts'
import { withSessions } from './sessions.ts'
import { changeTab, changeTop, type Step, stay } from './step.ts'
import { showTab } from './tabs.ts'
import { scrollBy, toggleFold } from './transcript.ts'
import { earlierTurns, laterTurns } from './window.ts'

const wheelRows = 3

export function point(state: TuiState, action: 'click' | 'wheel_up' | 'wheel_down', target: Target | null): Step {
  if (action !== 'click') return turnWheel(state, action === 'wheel_up' ? 1 : -1)
  const tab = shownTab(state)
  switch (target?.kind) {
    case 'tab':
      return stay(showTab({ ...state, overlays: [] }, target.id))
    case 'row':
      return clickRow(state, target.index)
    case 'message':
      return tab === null || state.overlays.length > 0 ? stay(state) : clickMessage(state, tab, target.id)
    case 'composer':
      return tab === null ? stay(state) : stay(changeTab(state, tab.id, (each) => ({ ...each, focus: 'composer' })))
    case undefined:
      return stay(state)
  }
}

function clickRow(state: TuiState, index: number): Step {
  const overlay = topOverlay(state)
  if (overlay === null) {
    if (shownTab(state) !== null) return stay(state)
    return state.sessions.selected === index ? perform(state, 'open') : stay(withSessions(state, { selected: index }))
  }
  if (overlay.kind === 'compare') return showFile(state, overlay, index)
  if (!('selected' in overlay)) return stay(state)
  const again: Partial<Record<Overlay['kind'], ActionId>> = {
    palette: 'choose',
    permission: 'choose',
    tree: 'open',
    workers: 'attach',
    fork: 'change_right',
  }
  const action = again[overlay.kind]
  if (overlay.selected === index && action !== undefined) return perform(state, action)
  return stay(changeTop(state, { ...overlay, selected: index }))
}

/** In backtrack it is where to fork, else it folds. */
function clickMessage(state: TuiState, tab: Tab, id: string): Step {
  if (tab.backtrack === null) return stay(toggleFold(state, tab.id, id))
  const at = tab.backtrack.stops.indexOf(id)
  return at === -1
    ? stay(state)
    : stay(changeTab(state, tab.id, (each) => ({ ...each, backtrack: { ...(tab.backtrack ?? { stops: [], presses: [] }), at } })))
}

function turnWheel(state: TuiState, by: 1 | -1): Step {
  const tab = shownTab(state)
  const isFree = state.overlays.every(({ kind }) => kind === 'permission')
  if (isFree && tab !== null && tab.backtrack === null) return scrollBy(state, tab, by * wheelRows)
  if (tab?.backtrack != null && isFree) return perform(state, by === 1 ? 'up' : 'down')
  let step: Step = stay(state)
  for (let row = 0; row < wheelRows; row += 1) {
    const next = perform(step.state, by === 1 ? 'up' : 'down')
    step = { state: next.state, effects: [...step.effects, ...next.effects] }
  }
  return step
}

export function scrolled(
  state: TuiState,
  { tabId, scroll, anchor, atTop, atBottom }: Extract<TuiEvent, { kind: 'scrolled' }>,
): Step {
  const bounded = changeTranscript(state, tabId, (transcript) => ({ ...transcript, scroll, anchor, reveal: false }))
  const tab = bounded.tabs.find(({ id }) => id === tabId)
  const more = tab === undefined ? null : ((atTop ? earlierTurns(tab) : null) ?? (atBottom ? laterTurns(tab) : null))
  if (more === null) return stay(bounded)
  return stay(
    changeTranscript(bounded, tabId, (transcript) => ({ ...transcript, loading: true })),
    more,
  )
}
