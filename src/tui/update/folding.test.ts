import { expect, test } from 'vitest'
import { now, press, pressAll, shown, tabOf, withTab } from '../states.testkit.ts'

test('folding: Space opens the newest, n and p choose another, u all', () => {
  const reading = press(withTab(), 'tab').state
  expect([...shown(press(reading, 'space').state).transcript.unfolded]).toEqual(['c3'])
  const moved = pressAll(reading, ['p', 'p', 'space']).state
  expect(shown(moved).transcript).toMatchObject({ cursor: 'c2', reveal: true })
  expect([...shown(moved).transcript.unfolded]).toEqual(['c2'])
  expect(shown(press(moved, 'up').state).transcript.reveal).toBe(false)
  expect([...shown(press(reading, 'u').state).transcript.unfolded]).toEqual(['c1', 'c2', 'c3'])
})

test('folding: notes of the system are folded too; Space takes the last call, n goes on to them', () => {
  const tab = tabOf()
  const note = { id: 's1', turnId: 't3', role: 'system', text: 'a\nb', at: now } as const
  const noted = { ...tab, transcript: { ...tab.transcript, messages: [...tab.transcript.messages, note] } }
  const reading = press(withTab(noted), 'tab').state
  expect([...shown(press(reading, 'space').state).transcript.unfolded]).toEqual(['c3'])
  expect([...shown(pressAll(reading, ['n', 'n', 'space']).state).transcript.unfolded]).toEqual(['s1'])
})
