// The palette: every action by its name, the best match first.
import { type ActionId, actions } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { edit } from './draft.ts'
import { changeTop, pop, type Step, say, stay } from './step.ts'

type Palette = Extract<Overlay, { kind: 'palette' }>

export interface PaletteRow {
  readonly id: ActionId
  readonly label: string
}

/** All words of the query, each somewhere in the label; those that begin with it first. */
export function paletteRows(query: string): readonly PaletteRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const offered: readonly PaletteRow[] = actions.filter((action) => 'palette' in action)
  const fits = offered.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  const first = words[0] ?? ''
  return [...fits].sort((one, other) => rank(one.label, first) - rank(other.label, first))
}

export function updatePalette(
  state: TuiState,
  overlay: Palette,
  action: ActionId,
  perform: (state: TuiState, action: ActionId) => Step,
): Step {
  const rows = paletteRows(overlay.query.text)
  switch (action) {
    case 'up':
    case 'down': {
      const selected = Math.max(0, Math.min(rows.length - 1, overlay.selected + (action === 'up' ? -1 : 1)))
      return stay(changeTop(state, { ...overlay, selected }))
    }
    case 'choose': {
      const row = rows[overlay.selected]
      return row === undefined ? stay(say(state, 'No command is called that.')) : perform(pop(state), row.id)
    }
    default: {
      const query = edit(overlay.query, action)
      return stay(query === null ? state : changeTop(state, { ...overlay, query, selected: 0 }))
    }
  }
}

function rank(label: string, word: string): number {
  return word !== '' && label.toLowerCase().startsWith(word) ? 0 : 1
}
