import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run.ts'
import type { Message } from '../../model/session.ts'
import { describeTab } from '../plain/describe.ts'
import { drawFrame } from '../screens/frame.ts'
import type { TuiState } from '../state.ts'
import { keys, messagesOf, now, sessionOf, shown, start, tabOf, turnOf, update, withTab } from '../states.testkit.ts'
import { plain } from '../text/wrap-styled.ts'
import { createPaint } from '../theme.ts'

const paint = createPaint('dark', 'none')
const tabId = 'claude:one'
const frame = (state: TuiState) =>
  drawFrame(state, keys, paint)
    .map(({ text }) => plain(text).trimEnd())
    .join('\n')
const heard = (state: TuiState, ...events: RunEvent[]) =>
  events.reduce((each, event) => update(each, { kind: 'run', tabId, event, at: now }).state, state)
const sent = (state: TuiState, text: string) => update(state, { kind: 'line', text, at: now }).state
const died: RunEvent = { kind: 'end', outcome: 'failed', error: 'Claude Code was killed' }
const call: RunEvent = { kind: 'tool_call', callId: 'k9', tool: 'Bash', arguments: { command: 'npm test' } }

/** The file as it is read then: the turns there were, and what follows them. */
function read(state: TuiState, added: readonly Message[], turnState: 'interrupted' | 'complete' = 'interrupted'): TuiState {
  const ids = [...new Set(added.map(({ turnId }) => turnId))]
  const turns = [1, 2, 3].map((number) => turnOf(number))
  const more = ids.map((id, at) => turnOf(4 + at, { id, state: turnState }))
  const messages = [...messagesOf(3), ...added]
  const session = sessionOf('one')
  return update(state, { kind: 'session_grew', tabId, session, turns: [...turns, ...more], from: 3, messages, at: now }).state
}

const said = (id: string, turnId: string, role: Message['role'], text: string): Message => ({ id, turnId, role, text, at: now })
const asked = said('u4', 't4', 'user', 'tell me')
const begun = sent(withTab(tabOf({}, 3), start({ columns: 100, rows: 40 })), 'tell me')
const half = heard(begun, { kind: 'text', delta: 'Half of the ans' })
const cut = heard(half, died)
const count = (state: TuiState, text: string) => frame(state).split(text).length - 1

describe('a turn that was cut off', () => {
  test('stays in sight with why and what to do, as long as the file has nothing of it', () => {
    const all =
      /❯ tell me\n\n● Half of the ans\n\n {2}Cut off: Claude Code was killed\. Send it again, or Alt\+O opens it in Claude Code\.\n/
    for (const state of [cut, read(cut, []), read(read(cut, []), [])]) expect(frame(state)).toMatch(all)
  })

  test('a connection that breaks is the same', () => {
    const broken = update(half, { kind: 'run_failed', tabId, message: 'The connection broke.', hint: '', at: now }).state
    expect(frame(read(broken, [asked]))).toMatch(/● Half of the ans\n\n {2}Cut off: The connection broke\. Send it again/)
  })

  test('what the file holds is shown once: the prompt, a call, the half, or all of it', () => {
    const whole = heard(begun, { kind: 'text', delta: 'First look.' }, { kind: 'message', messageId: 'm', text: 'First look.' })
    const more = heard(whole, call, { kind: 'text', delta: 'First look says' }, died)
    const tool = { name: 'Bash', arguments: { command: 'npm test' }, output: null, exitCode: null, failed: null, callId: 'k9' }
    const written = [
      asked,
      said('a4', 't4', 'assistant', 'First look.'),
      { ...said('c4', 't4', 'tool', ''), tool },
      said('b4', 't4', 'assistant', 'First look sa'),
    ]
    for (const length of [0, 1, 2, 3, 4]) {
      const state = read(more, written.slice(0, length))
      expect({ length, prompts: count(state, '❯ tell me'), first: count(state, '● First look.') }).toEqual({
        length,
        prompts: 1,
        first: 1,
      })
      expect({ length, calls: count(state, 'Bash npm test'), halves: count(state, '● First look sa') }).toEqual({
        length,
        calls: 4,
        halves: 1,
      })
      expect(frame(state)).toMatch(/● First look sa(ys)?\n\n {2}Cut off: /)
    }
  })

  test('it stays at its place when one goes on, and what to do about it is no longer said', () => {
    const next = sent(read(cut, [asked]), 'go on')
    const grown = read(heard(next, { kind: 'end', outcome: 'complete', error: null }), [
      asked,
      said('u5', 't5', 'user', 'go on'),
      said('a5', 't5', 'assistant', 'Done.'),
    ])
    expect(frame(grown)).toMatch(/❯ tell me\n\n● Half of the ans\n\n {2}Cut off: Claude Code was killed\.\n\n❯ go on\n\n● Done\./)
  })

  test('sent again before the file was read, both are told apart', () => {
    const again = heard(sent(cut, 'tell me'), { kind: 'text', delta: 'Half and more' }, died)
    const state = read(again, [asked, said('u5', 't5', 'user', 'tell me')])
    expect([count(state, '❯ tell me'), count(state, '● Half of the ans'), count(state, '● Half and more')]).toEqual([2, 1, 1])
    expect(count(state, 'Cut off:')).toBe(2)
  })

  test('the file says otherwise: the turn came to its end, or what it followed is gone', () => {
    const whole = said('a4', 't4', 'assistant', 'Half of the answer, and the other one.')
    expect(frame(read(cut, [asked, whole], 'complete'))).not.toContain('Cut off')
    const replaced = { kind: 'session_grew', tabId, session: sessionOf('one'), turns: [turnOf(1, { id: 'x' })], from: 1 } as const
    const messages = [said('x1', 'x', 'user', 'Another session')]
    expect(frame(update(read(cut, [asked]), { ...replaced, messages, at: now }).state)).not.toMatch(/Cut off|Half of/)
  })

  test('one that was stopped keeps what it had said', () => {
    const stopped = read(heard(half, { kind: 'end', outcome: 'interrupted', error: null }), [asked])
    expect(frame(stopped)).toMatch(/● Half of the ans\n\n {2}Stopped\.\n/)
  })

  test('it is no place to fork at, and is read out in plain lines', () => {
    const state = read({ ...cut, plain: true }, [asked])
    expect(update(state, { kind: 'key', key: { name: 'esc', text: '' }, at: now }).state.tabs[0]?.backtrack?.stops.at(-1)).toBe(
      'u4',
    )
    const lines = describeTab(shown(state)).join('\n')
    expect(lines).toContain(
      'You: tell me\nClaude: Half of the ans\nCut off: Claude Code was killed. Send it again, or /cli opens it',
    )
  })
})
