import { expect, test } from 'vitest'
import { keyContext } from './context.ts'
import { type Action, type ActionId, actions, createKeyTable, keyContexts, typingContexts } from './keys.ts'
import type { KeyContext, TuiState } from './state.ts'
import { firstState } from './state-first.ts'
import {
  comparison,
  forkOverlay,
  keys,
  now,
  press,
  request,
  roots,
  start,
  tabOf,
  update,
  warned,
  withOverlay,
  withTab,
  workerOf,
} from './states.testkit.ts'
import { draftOf } from './update/draft.ts'
import { paletteRows } from './update/palette.ts'

const draft = { text: 'one two\nthree four', cursor: 11 }
const middle = { top: 3, selected: 1 }
const files = {
  kind: 'file' as const,
  word: 'a',
  choices: [
    { value: 'a.ts', note: '' },
    { value: 'b.ts', note: '' },
  ],
  selected: 0,
}
const tab = tabOf()
const results = start().sessions.items.map((session, at) => ({
  rank: at + 1,
  score: 0.5,
  session,
  turn: { id: `t${at}`, number: at },
  snippet: { text: 'found', marks: [] },
  canFork: true,
}))

/** A state of every context, in the middle of things, so that every way out of it is open. */
const states: Readonly<Record<KeyContext, TuiState>> = {
  sessions: start(),
  search: {
    ...start(),
    sessions: { ...start().sessions, query: { text: 'one two', cursor: 4 }, typing: true, results, selected: 1 },
  },
  composer: withTab({
    ...tab,
    transcript: { ...tab.transcript, scroll: 50 },
    composer: { ...tab.composer, draft, at: 1, kept: draftOf('x') },
  }),
  completion: withTab({ ...tab, composer: { ...tab.composer, draft: { text: 'x @a b', cursor: 4 }, completion: files } }),
  transcript: withTab({
    ...tab,
    focus: 'transcript',
    transcript: {
      ...tab.transcript,
      scroll: 5,
      cursor: 'c2',
      turns: tab.transcript.turns.map((turn) => ({ ...turn, snapshot: null })),
    },
  }),
  backtrack: withTab({ ...tab, backtrack: { stops: ['u1', 'a1', 'u2', 'a2', 'u3', 'a3'], at: 3, presses: [now - 5000] } }),
  fork: withOverlay(forkOverlay({ plan: warned, selected: 1 })),
  permission: withOverlay({ kind: 'permission', tabId: tab.id, request, selected: 1, interruptedAt: null }),
  tree: withOverlay({ kind: 'tree', roots, selected: 1, top: 0, marked: ['claude:one', 'claude:two'] }),
  workers: { ...withOverlay({ kind: 'workers', selected: 1 }), workers: [workerOf('a'), workerOf('b'), workerOf('c')] },
  diff: withOverlay({ kind: 'diff', title: 'Turn 2', patch: '+a\n'.repeat(200), ...middle }),
  compare: withOverlay(
    { ...comparison, top: 6, shift: 20 },
    update(withTab(), { kind: 'resize', columns: 60, rows: 16, at: now }).state,
  ),
  palette: withOverlay({ kind: 'palette', query: { text: 'ta ', cursor: 2 }, selected: 1 }),
  help: withOverlay({ kind: 'help', top: 3 }),
  ask: withOverlay({
    kind: 'ask',
    label: 'To a',
    draft: { text: 'do it now', cursor: 5 },
    answers: { kind: 'send', worker: 'a' },
  }),
  confirm: withOverlay({ kind: 'confirm', title: 'Sure?', lines: [], note: '', effect: { kind: 'stop_worker', name: 'a' } }),
}

const all: readonly (Action & { readonly id: ActionId })[] = actions
const bindings = all.flatMap(({ id, keys: by }) =>
  (Object.keys(by) as (KeyContext | 'everywhere')[]).flatMap((where) =>
    (where === 'everywhere' ? keyContexts : [where]).flatMap((context) =>
      (by[where] ?? []).map((name): [KeyContext, string, ActionId] => [context, name, id]),
    ),
  ),
)

/** What the person or the world can notice; time is not. */
function noticed(state: TuiState): string {
  const { now: _, quitting: __, ...rest } = state
  return JSON.stringify(rest, (_key, value: unknown) => (value instanceof Set ? [...value] : value))
}

test('every context of the table is one the states can be in', () => {
  expect([...keyContexts].sort()).toEqual(Object.keys(states).sort())
  for (const context of keyContexts) expect(keyContext(states[context])).toBe(context)
})

test('no two actions claim one key in one context, and none is hidden behind another', () => {
  expect(keys.conflicts).toEqual([])
  for (const [context, name, id] of bindings) expect([context, name, keys.find(context, name)]).toEqual([context, name, id])
})

test.each(bindings)('in %s, %s does %s, and one sees that it did', (context, name) => {
  const before = states[context]
  const { state, effects } = press(before, name)
  expect(effects.length > 0 || noticed(state) !== noticed(before)).toBe(true)
})

test.each(keyContexts)('in %s, a key without a meaning says so, and a letter is typed where one types', (context) => {
  const unknown = press(states[context], 'ctrl+]')
  expect(unknown.state.notice?.text).toMatch(/^ctrl\+\] does nothing here; f1|\?/)
  expect(unknown.effects).toEqual([])
  const letter = press(states[context], 'ß')
  if (typingContexts.includes(context)) expect(noticed(letter.state)).toContain('ß')
  else expect(letter.state.notice?.text).toContain('ß does nothing here')
})

test('every list and every page has the same keys to move', () => {
  const moves: readonly ActionId[] = ['up', 'down', 'page_up', 'page_down', 'first', 'last']
  const keysIn = (context: KeyContext) => moves.map((id) => keys.keysOf(context, id))
  for (const context of ['tree', 'workers', 'diff', 'compare', 'help'] as const) {
    expect([context, keysIn(context)]).toEqual([context, keysIn('sessions')])
  }
})

test('every action can be reached by a key, or by the palette', () => {
  const offered = new Set(paletteRows('').map(({ id }) => id))
  const bound = new Set(bindings.map(([, , id]) => id))
  for (const { id } of all) expect([id, offered.has(id) || bound.has(id)]).toEqual([id, true])
})

test.each(
  paletteRows('').flatMap(({ id }) => keyContexts.filter((each) => each !== 'palette').map((context) => [id, context] as const)),
)('the palette does %s from %s, or says why not', (id, context) => {
  const at = paletteRows('').findIndex((row) => row.id === id)
  const open = withOverlay({ kind: 'palette', query: draftOf(''), selected: at }, states[context])
  const { state, effects } = press(open, 'enter')
  expect(state.overlays.at(-1)?.kind === 'palette').toBe(false)
  expect(effects.length > 0 || noticed(state) !== noticed(states[context])).toBe(true)
})

test("keys of a person's own take the place of ours, in every context of the action", () => {
  const own = createKeyTable({ fork: ['ctrl+f'], up: ['ctrl+n'] })
  expect(own.conflicts).toEqual([])
  expect(own.find('composer', 'ctrl+f')).toBe('fork')
  expect(own.find('composer', 'alt+shift+f')).toBeNull()
  expect(own.find('tree', 'k')).toBeNull()
  expect(own.find('tree', 'ctrl+n')).toBe('up')
  expect(own.keyOf('composer', 'fork')).toBe('ctrl+f')
})

test('a key that is set twice, hidden or needed for typing is told', () => {
  expect(createKeyTable({ tree: ['alt+w'] }).conflicts).toEqual(
    expect.arrayContaining(['alt+w is both tree and workers in everywhere.']),
  )
  expect(createKeyTable({ tree: ['alt+w'] }).find('composer', 'alt+w')).toBe('tree')
  expect(createKeyTable({ palette: ['ctrl+u'] }).conflicts.join()).toMatch(/ctrl\+u is not palette in .*composer/)
  expect(createKeyTable({ quit: ['x'] }).conflicts.join()).toMatch(/x is quit everywhere: it can no longer be typed/)
})

test('conflicts are said when one begins', () => {
  const { conflicts } = createKeyTable({ tree: ['alt+w'] })
  const first = firstState({ size: { columns: 80, rows: 24 }, now, repository: null, layout: null, conflicts })
  expect(first.notice?.text).toBe(`Keys: ${conflicts[0]}`)
})

test('time alone changes nothing one sees', () => {
  for (const context of keyContexts) {
    expect(noticed(update(states[context], { kind: 'tick', at: now + 50 }).state)).toBe(noticed(states[context]))
  }
})
