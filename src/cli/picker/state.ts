// What the picker shows and how keys change it. Pure: the same keys lead to the same state.
import type { Turn } from '../../model/session.ts'

export interface PickerState {
  readonly turns: readonly Turn[]
  readonly filter: string
  /** Turns the filter lets through, in order. */
  readonly found: readonly Turn[]
  /** Which of them is highlighted; -1 when there are none. */
  readonly at: number
  /** Lines of the preview above its window. */
  readonly scroll: number
}

export type PickerAction =
  | { readonly kind: 'move'; readonly by: number }
  | { readonly kind: 'scroll'; readonly by: number }
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'erase'; readonly what: 'character' | 'word' | 'all' }

/** Begins at the newest turn: the tip is what most want. */
export function openPicker(turns: readonly Turn[]): PickerState {
  return { turns, filter: '', found: turns, at: turns.length - 1, scroll: 0 }
}

/** The preview of another turn begins at its beginning. */
export function updatePicker(state: PickerState, action: PickerAction): PickerState {
  if (action.kind === 'scroll') return { ...state, scroll: Math.max(0, state.scroll + action.by) }
  const next = changeList(state, action)
  return highlighted(next)?.id === highlighted(state)?.id ? next : { ...next, scroll: 0 }
}

function changeList(state: PickerState, action: Exclude<PickerAction, { kind: 'scroll' }>): PickerState {
  switch (action.kind) {
    case 'move':
      return { ...state, at: clamp(state.at + action.by, state.found.length) }
    case 'first':
      return { ...state, at: clamp(0, state.found.length) }
    case 'last':
      return { ...state, at: state.found.length - 1 }
    case 'type':
      return filterBy(state, state.filter + action.text)
    case 'erase':
      return filterBy(state, erase(state.filter, action.what))
  }
}

export function highlighted({ found, at }: PickerState): Turn | undefined {
  return found[at]
}

/** Every word must occur; the turn that was highlighted stays so as long as it is found. */
function filterBy(state: PickerState, filter: string): PickerState {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found = state.turns.filter((turn) => {
    const files = turn.snapshot?.files.join(' ') ?? ''
    const text = `turn ${turn.number ?? turn.id} ${turn.prompt} ${files}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const same = found.findIndex(({ id }) => id === highlighted(state)?.id)
  return { ...state, filter, found, at: same === -1 ? found.length - 1 : same }
}

export function erase(filter: string, what: 'character' | 'word' | 'all'): string {
  if (what === 'all') return ''
  if (what === 'word') return filter.replace(/\S*\s*$/, '')
  return [...filter].slice(0, -1).join('')
}

export function clamp(at: number, length: number): number {
  return Math.max(Math.min(at, length - 1), length === 0 ? -1 : 0)
}
