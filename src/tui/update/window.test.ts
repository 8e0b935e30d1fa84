import { describe, expect, test } from 'vitest'
import type { Effect } from '../effects.ts'
import type { TuiEvent } from '../events.ts'
import { drawFrame } from '../screens/frame.ts'
import { boundScroll, type Scrolled, syncScroll } from '../scrolling.ts'
import type { TuiState } from '../state.ts'
import { keys, messagesOf, now, press, sessionOf, shown, start, tabOf, turnOf, update, withTab } from '../states.testkit.ts'
import { plain } from '../text/wrap-styled.ts'
import { createPaint } from '../theme.ts'

const paint = createPaint('dark', 'none')
const tabId = 'claude:one'
const most = 500
/** Pages are whole turns: so much may be there beyond the bound between one reading and the next. */
const page = 20 * 3

/** A session of so many turns, and the UI on it, which is answered at once. */
function openLong(turns: number) {
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
  let total = turns
  const all = () => numbers(1, total).map((number) => turnOf(number))
  const tab = tabOf({}, 0)
  const from = turns - 19
  const transcript = { ...tab.transcript, turns: all(), from, messages: numbers(from, turns).flatMap(messagesOf) }
  let state = withTab({ ...tab, focus: 'transcript', transcript }, start({ columns: 80, rows: 20 }))
  const asked: Effect[] = []
  const take = ({ state: next, effects }: ReturnType<typeof update>) => {
    state = next
    asked.push(...effects)
  }
  const scrolled = (event: Scrolled) => take(update(state, { ...event, at: now }))
  const session = sessionOf('one')
  const answerOf = (effect: Effect): TuiEvent | null => {
    if (effect.kind === 'read_turns')
      return {
        kind: 'turns_read',
        tabId,
        from: effect.from,
        to: effect.to,
        messages: numbers(effect.from, effect.to).flatMap(messagesOf),
        at: now,
      }
    if (effect.kind !== 'follow' && effect.kind !== 'open_session') return null
    const first = effect.kind === 'follow' ? effect.from : total - effect.turns + 1
    const read = { tabId, session, turns: all(), from: first, messages: numbers(first, total).flatMap(messagesOf), at: now }
    return effect.kind === 'follow' ? { kind: 'session_grew', ...read } : { kind: 'session_opened', ...read }
  }
  const ui = {
    get state() {
      return state
    },
    get transcript() {
      return shown(state).transcript
    },
    /** What one reads: below the title, above the rule. */
    read: () =>
      drawFrame(state, keys, paint)
        .map(({ text }) => plain(text).trimEnd())
        .slice(3, -4),
    marker: () => plain(drawFrame(state, keys, paint).at(-4)?.text ?? ''),
    /** As the UI does: measured, pressed, measured; what is asked for is not answered yet. */
    press(name: string) {
      syncScroll(state, paint, scrolled)
      take(press(state, name))
      boundScroll(state, paint, scrolled)
    },
    answer() {
      for (const effect of asked.splice(0)) {
        const event = answerOf(effect)
        if (event !== null) take(update(state, event))
      }
    },
    grow() {
      total += 1
      take(
        update(state, {
          kind: 'app',
          event: { type: 'session.updated', data: { agent: 'claude', sessionId: 'one' } },
          at: now,
        } as TuiEvent),
      )
    },
  }
  return ui
}

/** What comes takes the place of the line that says it is there. */
const isMark = (row = '') => /^ {2}… \d+ (earlier|later) turns: scroll/.test(row)

/** Until nothing moves any more: the rows that came into sight, in the order of the transcript. */
function scrollThrough(ui: ReturnType<typeof openLong>, key: 'pageup' | 'pagedown'): string[] {
  let rows = ui.read()
  for (let still = 0; still < 3; ) {
    const before = ui.read()
    ui.press(key)
    const moved = ui.read()
    ui.answer()
    // What is read in above or below, and dropped, moves nothing one reads.
    expect(ui.read().map((row, at) => (isMark(moved[at]) ? moved[at] : row))).toEqual(moved)
    expect(ui.transcript.messages.length).toBeLessThanOrEqual(most + page)
    still = moved.join() === before.join() ? still + 1 : 0
    rows = key === 'pageup' ? [...moved, ...rows] : [...rows, ...moved]
  }
  return rows
}

const promptsIn = (rows: readonly string[]) => new Set(rows.flatMap((row) => /❯ Prompt number (\d+):/.exec(row)?.[1] ?? []))

describe('a session far larger than what is kept of it', () => {
  test('all of it comes into sight on the way up and back, in order, while what is kept stays bounded', () => {
    const ui = openLong(600)
    const up = scrollThrough(ui, 'pageup')
    expect(ui.transcript.from).toBe(1)
    expect(ui.transcript.to).toBeLessThan(200)
    expect(promptsIn(up).size).toBe(600)
    const down = scrollThrough(ui, 'pagedown')
    expect(promptsIn(down).size).toBe(600)
    expect([...promptsIn(down)].map(Number)).toEqual(Array.from({ length: 600 }, (_, at) => at + 1))
    expect(ui.transcript).toMatchObject({ to: null, scroll: 0, anchor: null })
    expect(ui.transcript.from).toBeGreaterThan(400)
  })

  function openFarUp(): ReturnType<typeof openLong> {
    const ui = openLong(600)
    for (let at = 0; at < 150; at += 1) {
      ui.press('pageup')
      ui.answer()
    }
    expect(ui.transcript.to).not.toBeNull()
    return ui
  }

  test('far up it says how many turns follow, and one that is written meanwhile moves nothing', () => {
    const ui = openFarUp()
    const [before, messages] = [ui.read(), ui.transcript.messages]
    const behind = 600 - (ui.transcript.to ?? 0)
    expect(ui.marker()).toContain(`▼ ${behind} more turns below`)
    ui.grow()
    ui.answer()
    expect(ui.read()).toEqual(before)
    expect(ui.transcript.messages).toBe(messages)
    expect(ui.marker()).toContain(`▼ ${behind + 1} more turns below`)
  })

  test('the end is one key away, and is followed again', () => {
    const ui = openFarUp()
    ui.press('G')
    ui.answer()
    expect(ui.read().join('\n')).toContain('❯ Prompt number 600')
    ui.grow()
    ui.answer()
    expect(ui.read().join('\n')).toContain('❯ Prompt number 601')
    expect(ui.marker()).toMatch(/^─+$/)
  })

  test('an end that cannot be read is told, and what one reads stays', () => {
    const ui = openFarUp()
    ui.press('G')
    const failed = update(ui.state, { kind: 'open_failed', tabId, message: 'The file is gone.', at: now }).state
    expect(failed.notice).toMatchObject({ text: 'The file is gone.', kind: 'error' })
    expect(shown(failed).transcript).toMatchObject({ problem: null, loading: false, messages: ui.transcript.messages })
  })

  test('Escape steps back from the newest message of all', () => {
    const ui = openFarUp()
    ui.press('esc')
    ui.press('esc')
    ui.answer()
    const { backtrack } = shown(ui.state)
    expect(backtrack?.stops[backtrack.at]).toBe('a600')
  })

  test('what is sent is shown at the end', () => {
    const ui = openFarUp()
    ui.press('esc')
    ui.press('x')
    ui.press('enter')
    ui.answer()
    expect(ui.transcript.to).toBeNull()
    expect(ui.read().join('\n')).toMatch(/Answer 600[\s\S]*❯ x/)
  })

  test('pages that come when one has gone elsewhere are passed over', () => {
    const ui = openFarUp()
    const stale = { kind: 'turns_read', tabId, from: 560, to: 579, messages: messagesOf(560), at: now } as const
    const after = update(ui.state, stale).state
    expect(shown(after).transcript.messages).toBe(ui.transcript.messages)
  })

  test('a session that grows for days while one looks on keeps its newest turns', () => {
    const ui = openLong(30)
    for (let at = 0; at < 300; at += 1) {
      ui.grow()
      ui.answer()
    }
    expect(ui.transcript.messages.length).toBeLessThanOrEqual(most)
    expect(ui.read().join('\n')).toContain('❯ Prompt number 330')
    expect(ui.transcript.from).toBeGreaterThan(100)
  })
})

test('few messages with much in them count by that', () => {
  const tab = tabOf({}, 60)
  const big = 'x'.repeat(200_000)
  const messages = tab.transcript.messages.map((message) => (message.role === 'user' ? { ...message, text: big } : message))
  const state: TuiState = withTab({ ...tab, transcript: { ...tab.transcript, messages } }, start())
  const grown = {
    kind: 'session_grew',
    tabId,
    session: sessionOf('one'),
    turns: tab.transcript.turns,
    from: 60,
    messages: messagesOf(60),
    at: now,
  } as const
  const { messages: kept, from } = shown(update(state, grown).state).transcript
  expect(kept.length).toBeLessThan(110)
  expect(kept[0]?.turnId).toBe(`t${from}`)
})
