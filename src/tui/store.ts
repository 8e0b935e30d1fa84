// State, what changes it and what looks at it. Events are taken at once, the screen is told at most so many times a second: an
// answer of 2,000 tokens a second must not cost a drawing each.
import type { Effect } from './effects.ts'
import type { TuiEvent } from './events.ts'
import type { TuiState } from './state.ts'
import type { Step } from './update/step.ts'

export interface Store {
  readonly state: TuiState
  dispatch(event: TuiEvent): void
  /** Gives what stops it. */
  subscribe(listener: () => void): () => void
  close(): void
}

const frameMs = 33

export interface StoreOptions {
  readonly state: TuiState
  readonly update: (state: TuiState, event: TuiEvent) => Step
  readonly run: (effect: Effect) => void
}

export function createStore({ state: first, update, run }: StoreOptions): Store {
  let state = first
  let timer: NodeJS.Timeout | null = null
  let isOpen = true
  const listeners = new Set<() => void>()
  const tell = () => {
    timer = null
    for (const listener of listeners) listener()
  }
  return {
    get state() {
      return state
    },
    dispatch(event) {
      if (!isOpen) return
      const step = update(state, event)
      const changed = step.state !== state
      state = step.state
      for (const effect of step.effects) run(effect)
      if (!changed) return
      // Keys are answered at once; what streams in is drawn with the next frame.
      if (event.kind === 'key' || event.kind === 'paste' || event.kind === 'resize' || event.kind === 'mouse') {
        if (timer !== null) clearTimeout(timer)
        tell()
      } else timer ??= setTimeout(tell, frameMs)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      isOpen = false
      if (timer !== null) clearTimeout(timer)
      listeners.clear()
    },
  }
}
