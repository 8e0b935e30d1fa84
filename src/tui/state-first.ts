// The state one begins with: as it was left, or the list of sessions.
import type { Remembered } from './remember.ts'
import type { Size, TuiState } from './state.ts'
import { makeTab } from './update/tabs.ts'

export interface FirstState {
  readonly size: Size
  readonly now: number
  readonly repository: TuiState['repository']
  readonly layout: Remembered | null
}

export function firstState({ size, now, repository, layout }: FirstState): TuiState {
  const tabs = (layout?.tabs ?? []).map(makeTab)
  return {
    size,
    now,
    shown: tabs.some(({ id }) => id === layout?.shown) ? (layout?.shown ?? 'sessions') : 'sessions',
    sessions: {
      items: [],
      loading: true,
      agent: layout?.agent ?? null,
      scope: repository === null ? 'all' : (layout?.scope ?? 'repository'),
      query: null,
      typing: false,
      results: null,
      searching: false,
      notes: [],
      selected: 0,
      top: 0,
    },
    tabs,
    overlays: [],
    workers: [],
    notice: null,
    repository,
    index: null,
    quitting: false,
  }
}
