import { expect, test } from 'vitest'
import type { TuiState } from '../state.ts'
import { comparison, now, press, pressAll, update, withOverlay, withTab } from '../states.testkit.ts'
import { comparePage, compareRows, fileStarts } from '../text/comparison.ts'

test('comparing: what comes in is shown, n and p go from file to file, a click goes to one, long lines can be shifted', () => {
  const { costs, diff, problem } = comparison
  const small = update(withTab(), { kind: 'resize', columns: 60, rows: 16, at: now }).state
  const waiting = withOverlay({ ...comparison, costs: null, diff: null }, small)
  if (costs === null) throw new Error('the comparison has costs')
  const state = update(waiting, { kind: 'compared', costs, diff, problem, at: now }).state
  const top = (of: TuiState) => {
    const overlay = of.overlays.at(-1)
    return overlay?.kind === 'compare' ? overlay.top : null
  }
  const rows = compareRows(comparison, small.size)
  const starts = fileStarts(rows)
  const end = rows.length - comparePage(small.size)
  expect(starts).toHaveLength(3)
  expect(top(press(state, 'n').state)).toBe(starts[0])
  expect(top(pressAll(state, ['n', 'n']).state)).toBe(Math.min(end, starts[1] ?? 0))
  expect(top(pressAll(state, ['G', 'p', 'p']).state)).toBe(0)
  expect(pressAll(state, ['G', 'n']).state.notice?.text).toBe('This is the last file.')
  expect(top(update(state, { kind: 'mouse', action: 'click', target: { kind: 'row', index: 0 }, at: now }).state)).toBe(starts[0])
  expect(pressAll(state, ['right', 'right', 'left']).state.overlays.at(-1)).toMatchObject({ shift: 20 })
  expect(press(state, 'q').state.overlays).toEqual([])
})
