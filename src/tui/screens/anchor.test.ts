import { expect, test } from 'vitest'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { keys, messagesOf, now, sessionOf, shown, start, tabOf, turnOf, update, withTab } from '../states.testkit.ts'
import { plain } from '../text/wrap-styled.ts'
import { createPaint } from '../theme.ts'
import { drawFrame } from './frame.ts'
import { measureScroll } from './tab.ts'

const paint = createPaint('dark', 'none')
const size = { columns: 80, rows: 20 }
const long = withTab(tabOf({}, 12), start(size))
const frame = (state: TuiState) => drawFrame(state, keys, paint).map(({ text }) => plain(text))
/** The transcript alone: below the title, above the rule over the composer. */
const read = (state: TuiState) => frame(state).slice(3, -4)
const rule = (state: TuiState) => frame(state).at(-4)
const streamed = (state: TuiState, delta: string) =>
  update(state, { kind: 'run', tabId: 'claude:one', event: { kind: 'text', delta }, at: now }).state

/** As the UI does after a key: it measures where the window stands. */
function scrolledTo(state: TuiState, scroll: number): TuiState {
  const tab: Tab = { ...shown(state), transcript: { ...shown(state).transcript, scroll, anchor: null } }
  const place = measureScroll(state, tab, paint)
  if (place === null) throw new Error('it follows the end')
  return update(state, { kind: 'scrolled', tabId: tab.id, ...place, atTop: false, atBottom: false, at: now }).state
}

test('at the end it follows, and nothing is said to be below', () => {
  expect(rule(long)).toMatch(/^─+$/)
  expect(read(streamed(long, 'One more line'))).not.toEqual(read(long))
})

test('scrolled up it stays at the line one reads while an answer streams in', () => {
  const up = scrolledTo(long, 15)
  expect(rule(up)).toContain('▼ 15 more lines below')
  const grown = ['First\n\n', 'second\n\n', 'third'].reduce(streamed, up)
  expect(read(grown)).toEqual(read(up))
  expect(rule(grown)).toMatch(/▼ 2\d more lines below/)
  expect(measureScroll(grown, shown(grown), paint)?.scroll).toBeGreaterThan(15)
})

test('it stays there when the file takes the place of the stream, also where the stream itself is read', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `Line ${at} of the answer`).join('\n\n')
  const begun = update(long, { kind: 'line', text: 'tell me', at: now }).state
  const streaming = streamed(begun, lines)
  const ended = update(streaming, {
    kind: 'run',
    tabId: 'claude:one',
    event: { kind: 'end', outcome: 'complete', error: null },
    at: now,
  }).state
  const grew = (state: TuiState) =>
    update(state, {
      kind: 'session_grew',
      tabId: 'claude:one',
      session: sessionOf('one'),
      turns: Array.from({ length: 13 }, (_, at) => turnOf(at + 1)),
      from: 12,
      messages: [
        ...messagesOf(12),
        { id: 'u13', turnId: 't13', role: 'user', text: 'tell me', at: now },
        { id: 'a13', turnId: 't13', role: 'assistant', text: lines, at: now },
      ],
      at: now,
    }).state
  for (const scroll of [20, 100]) {
    const up = scrolledTo(ended, scroll)
    expect(read(grew(up))).toEqual(read(up))
  }
})

test('earlier turns that are read in above, and others that write, do not move it', () => {
  const tab = tabOf({}, 12)
  const state = withTab(
    { ...tab, transcript: { ...tab.transcript, from: 5, messages: tab.transcript.messages.slice(12) } },
    start(size),
  )
  const up = scrolledTo(state, 25)
  const more = update(up, {
    kind: 'turns_read',
    tabId: tab.id,
    from: 1,
    to: 4,
    messages: [1, 2, 3, 4].flatMap(messagesOf),
    at: now,
  }).state
  expect(read(more)).toEqual(read(up))
})

test('a message that is gone takes the anchor with it: the same number of rows stays below', () => {
  const up = scrolledTo(long, 15)
  const lost = {
    ...up,
    tabs: up.tabs.map((tab) => ({ ...tab, transcript: { ...tab.transcript, anchor: { id: 'gone', row: 3 } } })),
  }
  expect(read(lost)).toEqual(read(up))
})
