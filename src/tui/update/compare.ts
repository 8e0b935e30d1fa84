// Keys while two sessions are compared: scroll, from file to file, along lines that are too long.
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { CompareOverlay } from '../state-overlay.ts'
import { comparePage, compareRows, fileStarts } from '../text/comparison.ts'
import { changeTop, moveOf, pop, push, type Step, say, stay } from './step.ts'

const shiftBy = 20

export interface Compared {
  readonly address: string
  readonly title: string
}

export function openComparison(state: TuiState, one: Compared, other: Compared): Step {
  const overlay: CompareOverlay = {
    kind: 'compare',
    sides: [one.title, other.title],
    costs: null,
    diff: null,
    problem: null,
    top: 0,
    shift: 0,
  }
  return stay(push(state, overlay), { kind: 'compare', one: one.address, other: other.address })
}

export function updateComparison(state: TuiState, overlay: CompareOverlay, action: ActionId): Step {
  if (action === 'close') return stay(pop(state))
  const rows = compareRows(overlay, state.size)
  const page = comparePage(state.size)
  const end = Math.max(0, rows.length - page)
  const top = Math.min(overlay.top, end)
  const go = (to: number) => stay(changeTop(state, { ...overlay, top: Math.max(0, Math.min(end, to)) }))
  const by = moveOf(action, page, end)
  if (by !== undefined) return go(top + by)
  switch (action) {
    case 'next_file': {
      const next = fileStarts(rows).find((start) => start > top)
      return next === undefined || top === end ? stay(say(state, 'This is the last file.')) : go(next)
    }
    case 'previous_file': {
      const before = fileStarts(rows).findLast((start) => start < top)
      return go(before ?? 0)
    }
    case 'shift_left':
    case 'shift_right': {
      const shift = Math.max(0, overlay.shift + (action === 'shift_left' ? -shiftBy : shiftBy))
      return stay(changeTop(state, { ...overlay, shift }))
    }
    default:
      return stay(state)
  }
}

/** A click in the list of files. */
export function showFile(state: TuiState, overlay: CompareOverlay, index: number): Step {
  const rows = compareRows(overlay, state.size)
  const listed = rows.find((row) => row.kind === 'listed' && row.index === index)
  const path = listed?.kind === 'listed' ? listed.file.path : null
  const at = rows.findIndex((row) => row.kind === 'file' && row.path === path)
  if (at === -1) return stay(say(state, 'Nothing of this file can be shown.'))
  const end = Math.max(0, rows.length - comparePage(state.size))
  return stay(changeTop(state, { ...overlay, top: Math.min(at, end) }))
}
