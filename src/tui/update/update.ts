// The one function that makes the next state: pure, total, and the only place where states change.
import { cleanText } from '../../lib/text/clean.ts'
import { keyContext, shownTab, topOverlay } from '../context.ts'
import type { KeyPress, TuiEvent } from '../events.ts'
import { type KeyTable, typingContexts } from '../keys.ts'
import { hearLine } from '../plain/hear-line.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { pasteInComposer, typeInComposer } from './composer.ts'
import { insert } from './draft.ts'
import { hearEffect } from './hear.ts'
import { perform } from './perform.ts'
import { point, scrolled } from './point.ts'
import { typeInSearch } from './sessions.ts'
import { changeTop, type Step, say, stay } from './step.ts'

export function createUpdate(keys: KeyTable): (state: TuiState, event: TuiEvent) => Step {
  return (before, event) => {
    const state = settle(before, event)
    switch (event.kind) {
      case 'key':
        return press(state, event.key, keys)
      case 'paste':
        return paste(state, event.text)
      case 'line':
        return hearLine(state, event.text)
      case 'resize':
        return stay({ ...state, size: { columns: event.columns, rows: event.rows } })
      case 'tick':
        return stay(state)
      case 'mouse':
        return point(state, event.action, event.target)
      case 'scrolled':
        return scrolled(state, event)
      default:
        return hearEffect(state, event)
    }
  }
}

/** Time goes on; a notice that has been there long enough goes with the next key; so does the question whether to leave. */
function settle(state: TuiState, event: TuiEvent): TuiState {
  const isOver = state.notice !== null && event.at >= state.notice.until && event.kind === 'key'
  return { ...state, now: event.at, notice: isOver ? null : state.notice }
}

function press(state: TuiState, key: KeyPress, keys: KeyTable): Step {
  const context = keyContext(state)
  const action = keys.find(context, key.name)
  if (action !== null)
    return told(perform(action === 'quit' || action === 'stop' ? state : { ...state, quitting: false }, action), state, key)
  // While choices are shown one goes on typing; other keys of the composer close them and count there.
  if (context === 'completion') {
    const below = keys.find('composer', key.name)
    if (below !== null) return told(perform(state, below), state, key)
  }
  if (key.text !== '' && typingContexts.includes(context)) return type({ ...state, quitting: false }, key.text)
  return stay(say(state, `${key.name} does nothing here; ${keys.keyOf(context, 'help') ?? 'f1'} shows the keys.`))
}

/** No key does nothing without a word. */
function told(step: Step, before: TuiState, { name }: KeyPress): Step {
  const { quitting: _, ...was } = before
  const { quitting: __, ...is } = step.state
  const isSame =
    step.effects.length === 0 && Object.keys(is).every((key) => is[key as keyof typeof is] === was[key as keyof typeof was])
  return isSame ? stay(say(step.state, `${name} has nothing to do here.`)) : step
}

function type(state: TuiState, text: string): Step {
  const overlay = topOverlay(state)
  if (overlay !== null) return typeInOverlay(state, overlay, text)
  const tab = shownTab(state)
  return tab === null ? typeInSearch(state, text) : typeInComposer(state, tab, text)
}

function paste(state: TuiState, text: string): Step {
  const overlay = topOverlay(state)
  const line = cleanText(text).replace(/\s+/g, ' ')
  if (overlay !== null) return typeInOverlay(state, overlay, line)
  const tab = shownTab(state)
  if (tab !== null && tab.backtrack === null) return pasteInComposer(state, { ...tab, focus: 'composer' }, text)
  return state.sessions.typing ? typeInSearch(state, line) : stay(say(state, 'There is nothing to paste into here.'))
}

function typeInOverlay(state: TuiState, overlay: Overlay, text: string): Step {
  if (overlay.kind === 'palette') return stay(changeTop(state, { ...overlay, query: insert(overlay.query, text), selected: 0 }))
  if (overlay.kind === 'ask') return stay(changeTop(state, { ...overlay, draft: insert(overlay.draft, text) }))
  return stay(say(state, 'There is nothing to type into here.'))
}
