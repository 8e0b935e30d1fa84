import { expect, test } from 'vitest'
import type { RunEvent } from '../../model/run.ts'
import type { TuiState } from '../state.ts'
import type { Draft } from '../state-tab.ts'
import {
  blocked,
  forkOverlay,
  forkResult,
  messagesOf,
  now,
  plan,
  press,
  pressAll,
  request,
  roots,
  sessionOf,
  shown,
  start,
  tabOf,
  turnOf,
  update,
  warned,
  withOverlay,
  withTab,
  workerOf,
} from '../states.testkit.ts'
import { draftOf } from './draft.ts'

const place = (state: TuiState) => {
  const { backtrack } = shown(state)
  return backtrack === null ? null : backtrack.stops[backtrack.at]
}
/** Escapes at these times, counted from the first. */
const escapes = (state: TuiState, ...after: number[]) => after.reduce((each, ms) => press(each, 'esc', now + ms).state, state)
const composing = (draft: Draft) => withTab({ ...tabOf(), composer: { ...tabOf().composer, draft } })
const draftIn = (state: TuiState) => shown(state).composer.draft

test('BT1: Escape enters at the newest message, each further one goes one back, Escape at the oldest leaves', () => {
  const times = [0, 1000, 2000, 3000, 4000, 5000]
  const seen = times.map((_, at) => place(escapes(withTab(), ...times.slice(0, at + 1))))
  expect(seen).toEqual(['a3', 'u3', 'a2', 'u2', 'a1', 'u1'])
  expect(place(escapes(withTab(), ...times, 6000))).toBeNull()
})

test('BT1: three within 600 ms of the press that entered leave; later fast ones only step', () => {
  expect(place(escapes(withTab(), 0, 300, 600))).toBeNull()
  expect(place(escapes(withTab(), 0, 300, 601))).toBe('a2')
  expect(place(escapes(withTab(), 0, 1000, 1001, 1002, 1003))).toBe('a1')
  expect(place(escapes(withTab(), 0, 100, 700, 701, 702))).toBe('a1')
  // tmux gives two quick ones on as one chunk and holds the third back for its escape-time.
  expect(place(escapes(withTab(), 0, 1, 1100))).toBeNull()
  expect(place(escapes(withTab(), 0, 1, 1101))).toBe('a2')
})

test('BT1: text is cleared first, and that press does not count as one of the three', () => {
  const typed = composing(draftOf('half a thought'))
  expect(place(escapes(typed, 0))).toBeNull()
  expect(draftIn(escapes(typed, 0)).text).toBe('')
  expect(place(escapes(typed, 0, 100, 200))).toBe('u3')
  expect(place(escapes(typed, 0, 100, 200, 300))).toBeNull()
})

test('BT1: up, down, k and j move both ways; q leaves; Enter opens the fork dialog at the message', () => {
  const entered = escapes(withTab(), 0)
  expect(place(pressAll(entered, ['up', 'k', 'up', 'down', 'j']).state)).toBe('u3')
  expect(place(pressAll(entered, ['down']).state)).toBe('a3')
  expect(place(press(entered, 'q').state)).toBeNull()
  const { state, effects } = pressAll(entered, ['up', 'enter'])
  expect(state.overlays.at(-1)).toMatchObject({ kind: 'fork', address: 'claude:one@m:u3' })
  expect(effects).toEqual([{ kind: 'plan_fork', request: { address: 'claude:one@m:u3', terminal: 'none' } }])
  expect(place(press(state, 'esc').state)).toBe('u3')
})

test('BT1: the oldest that was read is not the oldest: earlier turns come as one steps back', () => {
  const tab = tabOf()
  const later = withTab({
    ...tab,
    transcript: { ...tab.transcript, from: 8, turns: Array.from({ length: 10 }, (_, at) => turnOf(at + 1)) },
  })
  const first = press(escapes(later, 0), 'up', now + 900)
  expect(first.effects).toEqual([
    { kind: 'read_turns', tabId: tab.id, session: { agent: 'claude', sessionId: 'one' }, from: 1, to: 7 },
  ])
  const waiting = pressAll(first.state, ['esc', 'esc', 'esc', 'esc', 'esc'], now + 5000).state
  expect(place(waiting)).toBe('u1')
  expect(waiting.notice?.text).toBe('Earlier messages are being read.')
  const earlier = messagesOf(1).map((message) => ({ ...message, id: `old-${message.id}` }))
  const read = update(waiting, {
    kind: 'turns_read',
    tabId: tab.id,
    from: 1,
    to: 7,
    messages: earlier,
    at: now,
  }).state
  expect(place(read)).toBe('u1')
  expect(place(press(read, 'esc', now + 9000).state)).toBe('old-a1')
})

test('the Escape ladder takes one rung at a time, in order', () => {
  const tab = {
    ...tabOf(),
    focus: 'transcript' as const,
    run: { ...tabOf().run, state: 'running' as const },
    composer: { ...tabOf().composer, draft: draftOf('x') },
  }
  const all = withOverlay({ kind: 'help', top: 0 }, withTab(tab))
  const closed = press(all, 'esc')
  expect(closed.state.overlays).toEqual([])
  const stopped = press(closed.state, 'esc')
  expect(stopped.effects).toEqual([{ kind: 'interrupt', tabId: tab.id, session: { agent: 'claude', sessionId: 'one' } }])
  expect(press(stopped.state, 'esc').state.notice?.text).toBe('The turn is being stopped.')
  const ended = update(stopped.state, {
    kind: 'run',
    tabId: tab.id,
    event: { kind: 'end', outcome: 'interrupted', error: null },
    at: now,
  }).state
  const focused = press(ended, 'esc').state
  expect(shown(focused).focus).toBe('composer')
  const cleared = press(focused, 'esc').state
  expect(draftIn(cleared).text).toBe('')
  expect(place(press(cleared, 'esc').state)).toBe('a3')
  expect(press(start(), 'esc').state.notice?.text).toBe('q leaves offshoot.')
})

test('search: Escape clears the words, then leaves; Enter opens what was found, f forks it at its turn', () => {
  const typed = pressAll(start(), ['/', 'l', 'o', 'g'])
  expect(typed.effects.at(-1)).toEqual({ kind: 'search', text: 'log', scope: 'repository', agent: null })
  const result = {
    rank: 1,
    score: 0.9,
    session: sessionOf('two'),
    turn: { id: 't2', number: 2 },
    snippet: { text: 'log', marks: [] },
    canFork: true,
  }
  const index = { sessions: 1, indexedSessions: 1, turns: 1, chunks: 1, complete: true, running: false, model: '', embedded: 1 }
  const answer = { query: 'log', engine: 'builtin' as const, mode: 'words', results: [result], index, notes: ['a note'] }
  const late = update(typed.state, { kind: 'searched', text: 'lo', answer, at: now }).state
  expect(late.sessions.results).toBeNull()
  const found = update(typed.state, { kind: 'searched', text: 'log', answer, at: now }).state
  expect(found.sessions).toMatchObject({ searching: false, selected: 0, notes: ['a note'] })
  expect(press(found, 'enter').state.shown).toBe('claude:two')
  expect(press(found, 'alt+shift+f').state.overlays.at(-1)).toMatchObject({ address: 'claude:two@t2' })
  const cleared = press(found, 'esc').state
  expect(cleared.sessions).toMatchObject({ query: { text: '' }, results: null, typing: true })
  expect(press(cleared, 'esc').state.sessions).toMatchObject({ query: null, typing: false })
})

test('the selection stays at its session while others come in above it', () => {
  const more = [sessionOf('new'), ...start().sessions.items]
  const { sessions } = update(start(), { kind: 'sessions_listed', sessions: more, elsewhere: 0, at: now }).state
  expect(sessions.items[sessions.selected]?.id).toBe('two')
})

test('IN2: left and right go round, each change makes a new plan and takes back what was said yes to', () => {
  const dialog = withOverlay(forkOverlay({ plan: warned, accepted: ['dirty'] }))
  const changed = press(dialog, 'right')
  expect(changed.state.overlays.at(-1)).toMatchObject({ choices: { strategy: 'native' }, plan: null, accepted: [] })
  expect(changed.effects).toEqual([
    { kind: 'plan_fork', request: { address: 'claude:one@m:a2', terminal: 'none', strategy: 'native' } },
  ])
  expect(pressAll(dialog, ['right', 'right', 'right', 'right']).state.overlays.at(-1)).toMatchObject({
    choices: { strategy: 'auto' },
  })
  expect(press(dialog, 'left').state.overlays.at(-1)).toMatchObject({ choices: { strategy: 'seed' } })
  const other = pressAll(dialog, ['down', 'down', 'right', 'right'])
  expect(other.effects.at(-1)).toMatchObject({ request: { to: 'codex' } })
})

test("IN2: a title is typed, and an empty one is offshoot's own again", () => {
  const asked = pressAll(withOverlay(forkOverlay()), ['down', 'down', 'down', 'e', 'H', 'i', 'enter'])
  expect(asked.effects.at(-1)).toMatchObject({ kind: 'plan_fork', request: { title: 'Hi' } })
  const emptied = pressAll(asked.state, ['e', 'ctrl+u', 'enter'])
  expect(emptied.effects.at(-1)).toEqual({ kind: 'plan_fork', request: { address: 'claude:one@m:a2', terminal: 'none' } })
})

test('the plan that is shown is the one that is executed, once it is accepted; what blocks explains itself', () => {
  const dialog = withOverlay(forkOverlay({ plan: warned }))
  expect(press(dialog, 'enter')).toMatchObject({ effects: [], state: { notice: { text: 'Say yes first (y): dirty' } } })
  const forking = pressAll(dialog, ['y', 'enter'])
  expect(forking.effects).toEqual([{ kind: 'fork', plan: warned, accept: ['dirty'] }])
  expect(press(forking.state, 'esc').state.overlays).toHaveLength(1)
  expect(press(withOverlay(forkOverlay({ plan: blocked })), 'enter')).toMatchObject({
    effects: [],
    state: { notice: { kind: 'error', text: blocked.blockers[0]?.message } },
  })
})

test('a fork that failed says why, and has to be accepted again with the new plan', () => {
  const forking = withOverlay(forkOverlay({ plan: warned, accepted: ['dirty'], forking: true }))
  const failed = update(forking, { kind: 'fork_failed', message: 'The work tree changed.', hint: 'Look again.', at: now })
  expect(failed.effects).toEqual([{ kind: 'plan_fork', request: { address: 'claude:one@m:a2', terminal: 'none' } }])
  expect(failed.state.overlays[0]).toMatchObject({ plan: null, accepted: [] })
  const planned = update(failed.state, { kind: 'planned', plan, at: now }).state
  expect(planned.overlays[0]).toMatchObject({ forking: false, plan, problem: { message: 'The work tree changed.' } })
})

test('IN1: the fork dialog opens by key, palette and /fork, and only once', () => {
  for (const opened of [
    press(withTab(), 'alt+shift+f'),
    pressAll(withTab(), ['ctrl+p', 'f', 'o', 'r', 'k', 'enter']),
    pressAll(composing(draftOf('/fork')), ['enter']),
  ]) {
    expect(opened.state.overlays.map(({ kind }) => kind)).toEqual(['fork'])
    expect(opened.effects).toEqual([{ kind: 'plan_fork', request: { address: 'claude:one', terminal: 'none' } }])
  }
  expect(pressAll(withTab(), ['alt+shift+f', 'alt+shift+f']).state.overlays).toHaveLength(1)
})

test('IN5: a fork opens a tab of its own with one line of ours behind what was read', () => {
  const { state, effects } = update(withOverlay(forkOverlay({ forking: true })), {
    kind: 'forked',
    result: forkResult,
    seedId: null,
    at: now,
  })
  expect(state.overlays).toEqual([])
  expect(shown(state)).toMatchObject({ sessionId: 'child', cwd: '/ws', branch: 'offshoot/fork/x' })
  expect(effects[0]).toMatchObject({ kind: 'open_session', session: { sessionId: 'child' } })
  const opened = update(state, {
    kind: 'session_opened',
    tabId: 'claude:child',
    session: sessionOf('child'),
    turns: [turnOf(1)],
    from: 1,
    messages: messagesOf(1),
    at: now,
  }).state
  expect(shown(opened).transcript.system).toEqual([{ after: 'a1', text: 'Fork created; waiting for your next prompt.' }])
})

test('BT2: the prompt it was forked at waits in the composer, or is sent where that was chosen', () => {
  const result = { ...forkResult, plan: { ...forkResult.plan, pendingPrompt: 'again' } }
  const waiting = update(withOverlay(forkOverlay()), { kind: 'forked', result, seedId: null, at: now })
  expect(draftIn(waiting.state)).toEqual(draftOf('again'))
  const chosen = withOverlay(forkOverlay({ choices: { ...forkOverlay().choices, send: true } }))
  const sent = update(chosen, { kind: 'forked', result, seedId: null, at: now })
  expect(sent.effects.at(-1)).toEqual({
    kind: 'send',
    tabId: 'claude:child',
    session: { agent: 'claude', sessionId: 'child' },
    prompt: 'again',
  })
  expect(draftIn(sent.state).text).toBe('')
})

const seedRead = (state: TuiState, kind: 'session_opened' | 'session_grew', turns: number, more = {}) =>
  update(state, {
    kind,
    tabId: 'claude:child',
    session: sessionOf('child'),
    turns: Array.from({ length: turns }, (_, at) => turnOf(at + 1, more)),
    from: 1,
    messages: Array.from({ length: turns }, (_, at) => messagesOf(at + 1)).flat(),
    at: now,
  }).state

test('IN6, IN7: one acknowledgement is dropped once, in the tab that made the fork; opened again it is there', () => {
  const forked = update(start(), { kind: 'forked', result: forkResult, seedId: 'f1', at: now }).state
  expect(shown(forked).forkSeedId).toBe('f1')
  const opened = seedRead(forked, 'session_opened', 1)
  expect(shown(opened)).toMatchObject({ dropped: 'a1', forkSeedId: null })
  const grown = seedRead(opened, 'session_grew', 2)
  expect(shown(grown)).toMatchObject({ dropped: 'a1', forkSeedId: null, unread: false })
  expect(shown(press(grown, 'esc').state).backtrack?.stops).toEqual(['u1', 'u2', 'a2'])
  const closed = press(grown, 'alt+x').state
  const list = { ...closed, sessions: { ...closed.sessions, items: [sessionOf('child')], selected: 0 } }
  const again = seedRead(press(list, 'enter').state, 'session_opened', 2)
  expect(shown(again)).toMatchObject({ dropped: null, forkSeedId: null })
})

test('IN6: a seed whose turn ends without an answer drops nothing later; while it runs, it waits', () => {
  const forked = update(start(), { kind: 'forked', result: forkResult, seedId: 'f1', at: now }).state
  const only = (state: 'running' | 'interrupted') =>
    update(forked, {
      kind: 'session_opened',
      tabId: 'claude:child',
      session: sessionOf('child'),
      turns: [turnOf(1, { state })],
      from: 1,
      messages: messagesOf(1).slice(0, 1),
      at: now,
    }).state
  expect(shown(only('running')).forkSeedId).toBe('f1')
  expect(shown(seedRead(only('interrupted'), 'session_grew', 2)).dropped).toBeNull()
})

const tell = (state: TuiState, ...events: RunEvent[]) =>
  events.reduce((each, event) => update(each, { kind: 'run', tabId: 'claude:one', event, at: now }).state, state)

test('a turn: prompt, text and calls in order; what came in stays until the file was read', () => {
  const sent = pressAll(composing(draftOf('go on')), ['enter'])
  expect(sent.effects).toEqual([
    { kind: 'send', tabId: 'claude:one', session: { agent: 'claude', sessionId: 'one' }, prompt: 'go on' },
  ])
  expect(shown(sent.state).run).toMatchObject({ state: 'sending', prompt: 'go on', startedAt: now })
  const running = tell(
    sent.state,
    { kind: 'started', sessionId: 'one', turnId: null, model: null },
    { kind: 'thinking', delta: 'hm' },
    { kind: 'text', delta: 'I ' },
    { kind: 'text', delta: 'look' },
    { kind: 'message', messageId: null, text: 'I look.' },
    { kind: 'tool_call', callId: 'k', tool: 'Bash', arguments: { command: 'ls' } },
    { kind: 'tool_output', callId: 'k', delta: 'a' },
    { kind: 'tool_result', callId: 'k', output: 'a\nb', exitCode: null, failed: true },
    { kind: 'text', delta: 'Done' },
  )
  expect(shown(running).run.parts.map(({ text, tool }) => tool?.output ?? text)).toEqual(['I look.', 'a\nb', 'Done'])
  expect(shown(running).run.parts[1]?.tool).toMatchObject({ failed: true, exitCode: null })
  expect(press(running, 'x').state.tabs[0]?.composer.draft.text).toBe('x')
  expect(pressAll(running, ['x', 'enter'])).toMatchObject({ effects: [], state: { notice: { kind: 'error' } } })
  const ended = tell(running, { kind: 'end', outcome: 'complete', error: null })
  expect(shown(ended).run).toMatchObject({ state: 'idle', prompt: 'go on' })
  expect(shown(ended).run.parts).toHaveLength(3)
  const read = update(ended, {
    kind: 'session_grew',
    tabId: 'claude:one',
    session: sessionOf('one'),
    turns: [1, 2, 3, 4].map((each) => turnOf(each)),
    from: 3,
    messages: [...messagesOf(3), ...messagesOf(4)],
    at: now,
  }).state
  expect(shown(read).run).toMatchObject({ prompt: null, parts: [] })
  expect(shown(read).transcript.messages.map(({ id }) => id)).toEqual(
    [1, 2, 3, 4].flatMap((each) => [`u${each}`, `c${each}`, `a${each}`]),
  )
})

test('a turn that could not be begun gives the prompt back', () => {
  const sent = pressAll(composing(draftOf('go on')), ['enter']).state
  const failed = update(sent, {
    kind: 'run_failed',
    tabId: 'claude:one',
    message: 'claude is not installed',
    hint: 'Install it.',
    at: now,
  }).state
  expect(draftIn(failed).text).toBe('go on')
  expect(failed.notice).toMatchObject({ kind: 'error', text: 'claude is not installed', hint: 'Install it.' })
  expect(shown(failed).run).toMatchObject({ state: 'idle', outcome: 'failed' })
})

const asking = (state: TuiState) =>
  tell(state, { kind: 'started', sessionId: 'one', turnId: null, model: null }, { kind: 'permission', request })

test.each([
  [['y'], 'allow'],
  [['enter'], 'allow'],
  [['a'], 'allow_session'],
  [['n'], 'deny'],
  [['down', 'down', 'enter'], 'deny'],
  [['esc'], 'abort'],
] as const)('a question is answered by %j with %s', (names, verdict) => {
  const { state, effects } = pressAll(asking(withTab()), names)
  expect(effects).toEqual([{ kind: 'answer', tabId: 'claude:one', requestId: 'q1', decision: { verdict } }])
  expect(state.overlays).toEqual([])
  expect(shown(state).run).toMatchObject({ permissions: [], state: 'running' })
})

test('keys that were meant for the composer or the palette do not answer a question', () => {
  for (const typing of [composing(draftOf('half')), withOverlay({ kind: 'palette', query: draftOf('x'), selected: 0 })]) {
    const asked = asking(typing)
    for (const name of ['enter', 'y', 'esc'])
      expect(press(asked, name, now + 300)).toMatchObject({ effects: [], state: { notice: { kind: 'error' } } })
    expect(press(asked, 'y', now + 800).effects).toHaveLength(1)
  }
})

test('a question comes up over its own tab only, one after the other, and goes when it is answered elsewhere', () => {
  const away = press(withTab(), 'alt+0').state
  const asked = tell(asking(away), { kind: 'permission', request: { ...request, id: 'q2' } })
  expect(asked.overlays).toEqual([])
  const back = press(asked, 'alt+right').state
  expect(back.overlays).toMatchObject([{ kind: 'permission', request: { id: 'q1' } }])
  expect(press(back, 'alt+0').state.overlays).toEqual([])
  expect(press(back, 'y').state.overlays).toMatchObject([{ kind: 'permission', request: { id: 'q2' } }])
  const resolved = tell(back, { kind: 'permission_resolved', requestId: 'q1', verdict: null })
  expect(resolved.overlays).toMatchObject([{ request: { id: 'q2' } }])
  expect(tell(resolved, { kind: 'end', outcome: 'failed', error: 'died' })).toMatchObject({
    overlays: [],
    notice: { text: 'died' },
  })
})

test('what cannot be remembered cannot be allowed for the session', () => {
  const asked = tell(withTab(), { kind: 'permission', request: { ...request, canRemember: false } })
  expect(press(asked, 'a')).toMatchObject({ effects: [], state: { notice: { kind: 'error' } } })
})

test('tabs: a turn that ended elsewhere is marked, opening twice shows the same, a running one is not closed', () => {
  const away = press(withTab(), 'alt+0').state
  const ended = tell(away, { kind: 'end', outcome: 'complete', error: null })
  expect(ended.tabs[0]?.unread).toBe(true)
  const again = press({ ...ended, sessions: { ...ended.sessions, selected: 0 } }, 'enter').state
  expect(again.tabs).toHaveLength(1)
  expect(shown(again).unread).toBe(false)
  expect(press(withTab(), 'alt+x').state.tabs).toHaveLength(0)
  const running = tell(pressAll(composing(draftOf('x')), ['enter']).state, {
    kind: 'started',
    sessionId: 'one',
    turnId: null,
    model: null,
  })
  expect(press(running, 'alt+x').state.tabs).toHaveLength(1)
})

test('leaving: at once when nothing runs, by two Ctrl+C, and by two of either while a turn runs', () => {
  expect(press(start(), 'q').effects.at(-1)).toEqual({ kind: 'quit' })
  expect(press(start(), 'ctrl+c').effects).toEqual([])
  expect(pressAll(start(), ['ctrl+c', 'ctrl+c']).effects.at(-1)).toEqual({ kind: 'quit' })
  expect(pressAll(start(), ['ctrl+c', 'down', 'ctrl+c']).effects).toEqual([])
  const running = pressAll(composing(draftOf('x')), ['enter']).state
  expect(press(running, 'ctrl+q').effects).toEqual([])
  expect(pressAll(running, ['ctrl+q', 'ctrl+q']).effects.at(-1)).toEqual({ kind: 'quit' })
  expect(press(running, 'ctrl+c').effects[0]?.kind).toBe('interrupt')
})

test('tree: opens, marks two, compares them, and closes also while it is read', () => {
  const tree = withOverlay({ kind: 'tree', roots, selected: 0, top: 0, marked: [] })
  const compared = pressAll(tree, ['m', 'down', 'm', 'c'])
  expect(compared.effects).toEqual([{ kind: 'compare', one: 'claude:one', other: 'claude:two' }])
  expect(compared.state.overlays.at(-1)).toMatchObject({ sides: ['Fix the flaky login test', 'Try it with a fake clock'] })
  expect(press(tree, 'c').effects).toEqual([])
  const failed = update(compared.state, { kind: 'failed', of: 'compare', message: 'gone', hint: '', at: now }).state
  expect(failed).toMatchObject({ overlays: [{ kind: 'tree' }], notice: { text: 'gone' } })
  expect(pressAll(tree, ['down', 'enter']).state.shown).toBe('claude:two')
  expect(press(withOverlay({ kind: 'tree', roots: null, selected: 0, top: 0, marked: [] }), 'q').state.overlays).toEqual([])
  expect(
    update(withOverlay({ kind: 'tree', roots: null, selected: 0, top: 0, marked: [] }), {
      kind: 'failed',
      of: 'read_tree',
      message: 'no',
      hint: '',
      at: now,
    }).state.overlays,
  ).toEqual([])
})

test('workers: a prompt is sent, stopping asks first', () => {
  const workers = { ...withOverlay({ kind: 'workers', selected: 0 }), workers: [workerOf('w')] }
  expect(pressAll(workers, ['s', 'h', 'i', 'enter']).effects).toEqual([{ kind: 'send_to_worker', name: 'w', prompt: 'hi' }])
  expect(press(workers, 'x').effects).toEqual([])
  expect(pressAll(workers, ['x', 'y']).effects).toEqual([{ kind: 'stop_worker', name: 'w' }])
  expect(pressAll(workers, ['x', 'n']).state.overlays).toHaveLength(1)
  expect(press(workers, 'f').effects).toEqual([{ kind: 'fork_worker', name: 'w', newName: null }])
  expect(press(workers, 'enter').effects).toEqual([{ kind: 'attach', worker: 'w' }])
})

test('pages scroll as far as there is anything, and come back at once', () => {
  const diff = withOverlay({ kind: 'diff', title: 'x', patch: '+a\n'.repeat(100), top: 0 })
  const end = press(diff, 'G').state.overlays[0]
  expect(end).toMatchObject({ top: 76 })
  expect(pressAll(diff, ['G', 'up']).state.overlays[0]).toMatchObject({ top: 75 })
  expect(pressAll(diff, ['up']).state.overlays[0]).toMatchObject({ top: 0 })
})

test('a session opened at its end knows that there is more before, and reads it at the top', () => {
  const fresh = press(start(), 'enter').state
  const turns = Array.from({ length: 50 }, (_, at) => turnOf(at + 1))
  const opened = update(fresh, {
    kind: 'session_opened',
    tabId: fresh.shown,
    session: sessionOf('two'),
    turns,
    from: 49,
    messages: [...messagesOf(49), ...messagesOf(50)],
    at: now,
  }).state
  expect(shown(opened).transcript.from).toBe(49)
  const top = update(opened, {
    kind: 'scrolled',
    tabId: fresh.shown,
    scroll: 3,
    anchor: null,
    atTop: true,
    atBottom: false,
    at: now,
  })
  expect(top.effects).toEqual([
    { kind: 'read_turns', tabId: fresh.shown, session: { agent: 'claude', sessionId: 'two' }, from: 29, to: 48 },
  ])
  expect(
    update(top.state, { kind: 'scrolled', tabId: fresh.shown, scroll: 3, anchor: null, atTop: true, atBottom: false, at: now })
      .effects,
  ).toEqual([])
})

test('the mouse: tabs, rows, messages, the wheel', () => {
  const click = (
    state: TuiState,
    target: Parameters<typeof update>[1] & { kind: 'mouse' } extends { target: infer T } ? T : never,
  ) => update(state, { kind: 'mouse', action: 'click', target, at: now })
  expect(click(withTab(), { kind: 'tab', id: 'sessions' }).state.shown).toBe('sessions')
  const selected = click(start(), { kind: 'row', index: 2 })
  expect(selected.state.sessions.selected).toBe(2)
  expect(click(selected.state, { kind: 'row', index: 2 }).state.shown).toBe('claude:three')
  expect([...shown(click(withTab(), { kind: 'message', id: 'c1' }).state).transcript.unfolded]).toEqual(['c1'])
  expect([...shown(click(withTab(), { kind: 'message', id: 'a1' }).state).transcript.unfolded]).toEqual([])
  expect(place(click(press(withTab(), 'esc').state, { kind: 'message', id: 'u2' }).state)).toBe('u2')
  expect(click(asking(withTab()), { kind: 'row', index: 0 }).effects).toHaveLength(1)
  const wheel = (state: TuiState) => update(state, { kind: 'mouse', action: 'wheel_up', target: null, at: now }).state
  expect(shown(wheel(withTab())).transcript.scroll).toBe(3)
  expect(wheel(asking(withTab())).overlays).toMatchObject([{ selected: 0 }])
  expect(place(wheel(press(withTab(), 'esc').state))).toBe('u3')
})

test('a session that was rewound and went on is read from the first turn that is another now', () => {
  const tab = tabOf({}, 9)
  const state = withTab({ ...tab, transcript: { ...tab.transcript, from: 2 } })
  const other = (number: number) => turnOf(number, { id: `other${number}` })
  const turns = [turnOf(1), turnOf(2), turnOf(3), other(4), other(5), other(6)]
  const grew = (from: number) =>
    ({ kind: 'session_grew', tabId: tab.id, session: sessionOf('one'), turns, from, at: now }) as const
  const messages = (...numbers: number[]) =>
    numbers.map((number) => ({ ...messagesOf(number)[0], turnId: `other${number}` })) as never
  const first = update(state, { ...grew(6), messages: messages(6) })
  expect(first.state.tabs).toBe(state.tabs)
  expect(first.effects).toMatchObject([{ kind: 'follow', from: 4 }])
  const second = update(state, { ...grew(4), messages: messages(4, 5, 6) })
  expect(second.effects).toEqual([])
  expect(shown(second.state).transcript.messages.map(({ turnId }) => turnId)).toEqual([
    ...['t1', 't1', 't1', 't2', 't2', 't2', 't3', 't3', 't3'],
    ...['other4', 'other5', 'other6'],
  ])
})

test('how complete the search index is comes with every answer, also with one that is late', () => {
  const index = { sessions: 9, indexedSessions: 4, turns: 1, chunks: 1, complete: false, running: true, model: '', embedded: 1 }
  const answer = { query: 'lo', engine: 'builtin' as const, mode: 'words', results: [], index, notes: [] }
  const typed = pressAll(start(), ['/', 'l', 'o', 'g']).state
  expect(update(typed, { kind: 'searched', text: 'lo', answer, at: now }).state.index).toBe(index)
  expect(update(typed, { kind: 'searched', text: 'log', answer, at: now }).state.index).toBe(index)
  expect(update(typed, { kind: 'index_read', index: { ...index, complete: true }, at: now }).state.index?.complete).toBe(true)
})

test('the plan of a fork scrolls as far as there is any, and begins anew with a new one', () => {
  const low = update(withOverlay(forkOverlay({ plan: warned })), { kind: 'resize', columns: 60, rows: 16, at: now }).state
  const top = (state: TuiState) => {
    const overlay = state.overlays.at(-1)
    return overlay?.kind === 'fork' ? overlay.top : null
  }
  const down = pressAll(low, ['pagedown']).state
  expect(top(down)).toBeGreaterThan(0)
  const end = pressAll(down, ['pagedown', 'pagedown', 'pagedown', 'pagedown']).state
  expect(top(press(end, 'pageup').state)).toBeLessThan(top(end) ?? 0)
  expect(press(end, 'pagedown').state.notice?.text).toBe('pagedown has nothing to do here.')
  expect(top(press(end, 'right').state)).toBe(0)
})

test('what fails after a turn leaves what came in in sight; what fails in it keeps prompt and answer', () => {
  const sent = update(withTab(), { kind: 'line', text: 'go', at: now }).state
  const run = (state: TuiState, event: RunEvent) => update(state, { kind: 'run', tabId: 'claude:one', event, at: now }).state
  const failed = { kind: 'run_failed', tabId: 'claude:one', message: 'The disk is full.', hint: '', at: now } as const
  const begun = run(sent, { kind: 'text', delta: 'It begins' })
  expect(shown(update(begun, failed).state)).toMatchObject({
    run: { state: 'idle', prompt: 'go', parts: [{ text: 'It begins' }], outcome: 'failed' },
    composer: { draft: { text: '' } },
  })
  const ended = run(begun, { kind: 'end', outcome: 'complete', error: null })
  const after = update(ended, failed).state
  expect(shown(after).run).toBe(shown(ended).run)
  expect(after.notice?.text).toBe('The disk is full.')
})
