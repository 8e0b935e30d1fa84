import { expect, test } from 'vitest'
import { now, press, pressAll, roots, shown, start, tabOf, update, withOverlay, withTab } from '../states.testkit.ts'
import { draftOf } from './draft.ts'

const one = { agent: 'claude', sessionId: 'one' } as const
const two = { agent: 'claude', sessionId: 'two' } as const
const tree = withOverlay({ kind: 'tree', roots, selected: 1, top: 0, marked: [] })
const composing = (text: string) => withTab({ ...tabOf(), composer: { ...tabOf().composer, draft: draftOf(text) } })

test('l asks for a label in the list, the tree and the transcript; an empty line takes it away', () => {
  const typed = ['l', 'f', 'a', 's', 't', 'enter']
  expect(pressAll(start(), typed).effects).toEqual([{ kind: 'label_session', session: two, label: 'fast' }])
  expect(pressAll(tree, typed).effects).toEqual([{ kind: 'label_session', session: two, label: 'fast' }])
  expect(pressAll(withTab(), ['tab', ...typed]).effects).toEqual([{ kind: 'label_session', session: one, label: 'fast' }])
  const known = update(start(), { kind: 'labelled', session: two, label: 'fast', at: now }).state
  expect(pressAll(known, ['l', 'ctrl+u', 'enter']).effects).toEqual([{ kind: 'label_session', session: two, label: null }])
  expect(pressAll(known, ['l', 'esc']).effects).toEqual([])
  expect(press({ ...start(), sessions: { ...start().sessions, items: [] } }, 'l').state.notice?.text).toContain('no session')
})

test('/label gives one, alone it asks for one', () => {
  const given = press(composing('/label  the fast one, -x; #(cmd) '), 'enter')
  expect(given.effects).toEqual([{ kind: 'label_session', session: one, label: 'the fast one, -x; #(cmd)' }])
  expect(shown(given.state).composer.draft.text).toBe('')
  const asked = press(composing('/label'), 'enter')
  expect(asked.state.overlays).toMatchObject([{ kind: 'ask', answers: { kind: 'label', session: one } }])
  expect(press(composing('/labels are fine'), 'enter').effects).toMatchObject([{ kind: 'send' }])
})

test('it shows at once wherever the session does, and nowhere else', () => {
  const before = withOverlay({ kind: 'tree', roots, selected: 1, top: 0, marked: [] })
  const { state } = update(before, { kind: 'labelled', session: one, label: 'fast', at: now })
  expect(state.tabs.map(({ label }) => label)).toEqual(['fast'])
  expect(state.sessions.items.map(({ label }) => label ?? null)).toEqual(['fast', null, null])
  expect(state.overlays).toMatchObject([{ roots: [{ session: { label: 'fast' }, children: [{ session: { id: 'two' } }, {}] }] }])
  const gone = update(state, { kind: 'labelled', session: one, label: null, at: now }).state
  expect(gone.tabs[0]?.label).toBeNull()
  expect(gone.notice?.text).toBe('The label is gone.')
})
