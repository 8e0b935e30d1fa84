import { expect, test } from 'vitest'
import type { TuiEvent } from '../events.ts'
import type { TuiState } from '../state.ts'
import {
  forkOverlay,
  messagesOf,
  now,
  request,
  roots,
  sessionOf,
  start,
  tabOf,
  turnOf,
  update,
  warned,
  withOverlay,
  withTab,
} from '../states.testkit.ts'
import { createPrinter, promptOf } from './printer.ts'
import { describePlace, tellStep } from './tell.ts'

type Untimed<E = TuiEvent> = E extends unknown ? Omit<E, 'at'> : never

/** All that is printed for these events, one after the other. */
function printed(first: TuiState, ...events: Untimed[]): string {
  let text = ''
  let state = first
  const printer = createPrinter((piece) => {
    text += piece
  })
  for (const event of events) {
    const timed = { ...event, at: now + 5000 } as TuiEvent
    const { state: next } = update(state, timed)
    printer.print(tellStep(state, next, timed))
    state = next
  }
  printer.finish()
  return text
}
const line = (text: string): Untimed => ({ kind: 'line', text })
const run = (event: Extract<TuiEvent, { kind: 'run' }>['event']): Untimed => ({ kind: 'run', tabId: 'claude:one', event })
const plain = (state: TuiState): TuiState => ({ ...state, plain: true })

test('an answer is printed as it comes, whole words at a time, each once', () => {
  const events = ['I will lo', 'ok at ', 'the do', 'cs.\nThen', ' more'].map((delta) => run({ kind: 'text', delta }))
  const text = printed(
    plain(withTab()),
    line('and now the docs'),
    ...events,
    run({ kind: 'tool_call', callId: 'k', tool: 'Bash', arguments: { command: 'ls docs' } }),
    run({ kind: 'tool_result', callId: 'k', output: 'a', exitCode: 2, failed: true }),
    run({ kind: 'tool_call', callId: 'l', tool: 'Edit', arguments: { file_path: 'a' } }),
    run({ kind: 'tool_result', callId: 'l', output: 'refused', exitCode: null, failed: true }),
    run({ kind: 'text', delta: 'Done' }),
    run({ kind: 'message', messageId: null, text: 'Done.' }),
    run({ kind: 'end', outcome: 'complete', error: null }),
  )
  expect(text).toBe(
    [
      'Sent to Claude. Control C stops it.',
      'Claude: I will look at the docs.',
      'Then more',
      'Tool Bash: ls docs.',
      'Tool Bash: It failed with exit code 2.',
      'Tool Edit: a.',
      'Tool Edit: It failed.',
      'Claude: Done.',
      'Claude is done.',
      '',
    ].join('\n'),
  )
})

test('what streamed in is not told again when it is read from the file; what others write is', () => {
  const grown = (numbers: readonly number[]): Untimed => ({
    kind: 'session_grew',
    tabId: 'claude:one',
    session: sessionOf('one'),
    turns: numbers.map((number) => turnOf(number)),
    from: 3,
    messages: numbers.filter((number) => number >= 3).flatMap(messagesOf),
  })
  const own = printed(
    plain(withTab()),
    line('go'),
    run({ kind: 'message', messageId: null, text: 'Answer **4** with `code`.' }),
    run({ kind: 'end', outcome: 'complete', error: null }),
    grown([1, 2, 3, 4]),
  )
  expect(own.match(/Answer \*\*4\*\*/g)).toHaveLength(1)
  const others = printed(plain(withTab()), grown([1, 2, 3, 4]), grown([1, 2, 3, 4]))
  expect(others).toBe(
    'You: Prompt number 4: make the tests pass\nTool Bash: npm test. It is done.\nClaude: Answer **4** with `code`.\n',
  )
})

test('nothing that others wrote gets to the terminal as more than text', () => {
  const text = printed(
    plain(withTab()),
    run({ kind: 'text', delta: 'red \u001b[31m and \u001b]0;title\u0007 \u0007 ' }),
    run({ kind: 'tool_call', callId: 'k', tool: 'Ba\u001b[2Jsh', arguments: { command: 'a\rb\u009b1m' } }),
    run({ kind: 'permission', request: { ...request, summary: 'rm \u001b[1A -rf' } }),
    run({ kind: 'notice', text: 'no\u001b[5mtice' }),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('a question is asked in words, with its answers', () => {
  const text = printed(plain(withTab()), run({ kind: 'permission', request }))
  expect(text).toContain(
    'Question: Fix the flaky login test asks to use Bash:\nrm -rf build && npm run build\n1. Yes, this once\n',
  )
  expect(text).toContain('4. No, and stop the turn')
})

test('what happens in other sessions is one line', () => {
  const other = {
    ...tabOf(),
    id: 'claude:two',
    sessionId: 'two',
    title: 'The other',
    run: { ...tabOf().run, state: 'running' as const },
  }
  const state = { ...plain(withTab()), tabs: [tabOf(), other] }
  const tell = (event: Extract<TuiEvent, { kind: 'run' }>['event']): Untimed => ({ kind: 'run', tabId: 'claude:two', event })
  const text = printed(
    state,
    tell({ kind: 'text', delta: 'not read out here ' }),
    tell({ kind: 'permission', request }),
    tell({ kind: 'end', outcome: 'complete', error: null }),
  )
  expect(text).toBe(
    'Session 2, The other, asks for something: /tab 2 goes there.\nSession 2, The other: the turn is over. /tab 2 goes there.\n',
  )
})

test('a turn that fails says why, and that the prompt is kept', () => {
  const text = printed(plain(withTab()), line('go'), {
    kind: 'run_failed',
    tabId: 'claude:one',
    message: 'claude is not on the PATH.',
    hint: 'Install it.',
  })
  expect(text).toContain('Waiting to be sent: go\nAn empty line sends it')
  expect(text).toContain('Error: claude is not on the PATH. Install it.')
})

test('the list is read out when it was asked for, not whenever a session changes', () => {
  const loading = { ...start(), sessions: { ...start().sessions, loading: true } }
  const listed: Untimed = { kind: 'sessions_listed', sessions: start().sessions.items, elsewhere: 0 }
  const text = printed(plain(loading), listed, listed)
  expect(text.match(/Sessions of repo/g)).toHaveLength(1)
  expect(text).toContain('1. Fix the flaky login test. Claude, running now, 3m ago, 4 turns, branch main')
})

test('what is too long to be listened to is counted', () => {
  const patch = Array.from({ length: 1000 }, (_, at) => `+${at}`).join('\n')
  const text = describePlace(withOverlay({ kind: 'diff', title: 'Turn 3', patch, top: 0 })).join('\n')
  expect(text).toContain('+299\nAnd 700 more lines that are not read out.')
})

const cost = { agent: 'claude', sessionId: 'one', turns: 2, workedMs: 61_000 } as const
const compared = {
  kind: 'compare',
  sides: ['the fast one', 'the other'],
  costs: {
    sharedTurns: 1,
    sides: [
      { ...cost, usage: { inputTokens: 1200, cachedInputTokens: 200, outputTokens: 30 } },
      { ...cost, usage: null },
    ],
  },
  diff: null,
  problem: 'The second was never captured.',
  top: 0,
  shift: 0,
} as const

test('a comparison says what each cost and why their code is not there', () => {
  const text = describePlace(withOverlay(compared)).join('\n')
  expect(text).toContain('They share 1 turn; after that:')
  expect(text).toContain('First: 2 turns, 1,200 tokens in, 200 of them cached, 30 out, 61 seconds at work.')
  expect(text).toContain('Second: 2 turns, tokens not recorded, 61 seconds at work.')
  expect(text).toContain('Their code cannot be compared: The second was never captured.')
})

test('numbers that were read out keep their meaning: lists change when asked for, a search while the index is being made', () => {
  const reversed = [...start().sessions.items].reverse()
  const listed: Untimed = { kind: 'sessions_listed', sessions: reversed, elsewhere: 0 }
  expect(update(plain(start()), { ...listed, at: now } as TuiEvent).state.sessions.items).toEqual(start().sessions.items)
  const asked = update(plain(start()), { kind: 'line', text: '/sessions', at: now })
  expect(asked.effects).toMatchObject([{ kind: 'list_sessions' }])
  expect(printed(asked.state, listed)).toMatch(/1\. 🚀 Ship it/u)

  const index = { sessions: 3, indexedSessions: 1, turns: 1, chunks: 1, complete: false, running: true, model: '', embedded: 1 }
  const result = (id: string) => ({
    rank: 1,
    score: 1,
    session: sessionOf(id),
    turn: null,
    snippet: { text: '', marks: [] },
    canFork: true,
  })
  const searched = (complete: boolean, ...ids: string[]): Untimed => ({
    kind: 'searched',
    text: 'login',
    answer: {
      query: 'login',
      engine: 'builtin',
      mode: 'words',
      results: ids.map(result),
      index: { ...index, complete },
      notes: [],
    },
  })
  const text = printed(
    plain(start()),
    line('login'),
    searched(false),
    searched(false),
    searched(true, 'one', 'two'),
    searched(true, 'two', 'one'),
  )
  expect(text.match(/Found for/g)).toHaveLength(2)
  expect(text).toContain('Found for "login": 2.\n1. Session one')
})

test('every place can be read out, without boxes, symbols or colours', () => {
  const index = { sessions: 9, indexedSessions: 4, turns: 1, chunks: 1, complete: false, running: true, model: '', embedded: 1 }
  const places = [
    { ...start(), index },
    withTab(),
    update(withTab(), { kind: 'line', text: '/back', at: now }).state,
    withOverlay(forkOverlay({ plan: warned })),
    withOverlay(forkOverlay({ plan: null })),
    withOverlay({ kind: 'tree', roots, selected: 0, top: 0, marked: [] }),
    withOverlay({ kind: 'workers', selected: 0 }),
    withOverlay(compared),
    withOverlay({ kind: 'diff', title: 'Turn 3', patch: '-a\n+b\n', top: 0 }),
  ]
  for (const place of places) {
    const text = describePlace(place).join('\n')
    expect(text).not.toBe('')
    expect(text).not.toMatch(/[\u2500-\u28ff·▌❯]/u)
    expect(text).not.toContain('\u001b')
    expect(promptOf(place)).toMatch(/^\w+> $/)
  }
  expect(describePlace({ ...start(), index }).join('\n')).toContain('The search index has 4 of 9 sessions so far.')
  expect(describePlace(withOverlay(forkOverlay({ plan: warned }))).join('\n')).toMatchSnapshot()
})
