// What the finder shows and how keys and answers change it. Pure: the same events lead to the same state.
import type { IndexProgress, SearchAnswer, SearchResult } from '../../model/search.ts'
import { clamp, erase, type PickerAction } from '../picker/state.ts'

export interface FinderState {
  readonly text: string
  /** The newest answer, which may be to an older text; `null` before the first. */
  readonly answer: SearchAnswer | null
  /** Which result is highlighted; -1 when there are none. */
  readonly at: number
  /** The answer to the text as it is now has not come yet. */
  readonly waiting: boolean
  /** Why there is none. */
  readonly fault: string | null
  /** `null`: nothing is being indexed. */
  readonly progress: IndexProgress | null
}

export type FinderAction =
  | PickerAction
  | { readonly kind: 'found'; readonly text: string; readonly answer: SearchAnswer }
  | { readonly kind: 'failed'; readonly text: string; readonly fault: string }
  | { readonly kind: 'indexing'; readonly progress: IndexProgress | null }

export function openFinder(text: string): FinderState {
  return { text, answer: null, at: -1, waiting: true, fault: null, progress: null }
}

export function updateFinder(state: FinderState, action: FinderAction): FinderState {
  const count = state.answer?.results.length ?? 0
  switch (action.kind) {
    case 'move':
      return { ...state, at: clamp(state.at + action.by, count) }
    // Nothing is scrolled here: the key with Shift moves as it does without.
    case 'scroll':
      return { ...state, at: clamp(state.at + Math.sign(action.by), count) }
    case 'first':
      return { ...state, at: clamp(0, count) }
    case 'last':
      return { ...state, at: count - 1 }
    case 'type':
      return retype(state, state.text + action.text)
    case 'erase':
      return retype(state, erase(state.text, action.what))
    case 'found':
      return action.text === state.text ? show(state, action.answer) : state
    case 'failed':
      return action.text === state.text ? { ...state, waiting: false, fault: action.fault } : state
    case 'indexing':
      return { ...state, progress: action.progress }
  }
}

export function highlighted({ answer, at }: FinderState): SearchResult | undefined {
  return answer?.results[at]
}

function retype(state: FinderState, text: string): FinderState {
  return text === state.text ? state : { ...state, text, waiting: true }
}

/**
 * The best is highlighted, unless the same words were asked again (the index has grown meanwhile): then the session a person
 * is looking at stays so, wherever it stands now.
 */
function show(state: FinderState, answer: SearchAnswer): FinderState {
  const before = state.answer?.query === answer.query ? highlighted(state)?.session : undefined
  const same = answer.results.findIndex(({ session }) => session.path === before?.path)
  const at = same === -1 || state.at === 0 ? clamp(0, answer.results.length) : same
  return { ...state, answer, at, waiting: false, fault: null }
}
