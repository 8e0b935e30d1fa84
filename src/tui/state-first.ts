// The state one begins with: as it was left, or the list of sessions.
import type { Remembered } from './remember.ts'
import type { Size, TuiState } from './state.ts'
import { makeTab } from './update/tabs.ts'

export interface FirstState {
  readonly size: Size
  readonly now: number
  readonly repository: TuiState['repository']
  readonly layout: Remembered | null
  /** What is wrong with the person's own keys: said once. */
  readonly conflicts?: readonly string[]
  readonly plain?: boolean
}

export function firstState({ size, now, repository, layout, conflicts = [], plain = false }: FirstState): TuiState {
  const [conflict] = conflicts
  const more = conflicts.length > 1 ? `and ${conflicts.length - 1} more` : null
  const tabs = (layout?.tabs ?? []).map(makeTab)
  return {
    size,
    now,
    shown: tabs.some(({ id }) => id === layout?.shown) ? (layout?.shown ?? 'sessions') : 'sessions',
    sessions: {
      items: [],
      elsewhere: 0,
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
    notice: conflict === undefined ? null : { text: `Keys: ${conflict}`, kind: 'error', hint: more, until: now },
    repository,
    index: null,
    quitting: false,
    plain,
  }
}
