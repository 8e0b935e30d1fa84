import { expect, test } from 'vitest'
import type { TuiState } from '../state.ts'
import {
  forkOverlay,
  now,
  plan,
  request,
  roots,
  sessionOf,
  shown,
  start,
  tabOf,
  update,
  warned,
  withOverlay,
  withTab,
  workerOf,
} from '../states.testkit.ts'
import { draftOf } from '../update/draft.ts'

const say = (state: TuiState, text: string, at = now) => update(state, { kind: 'line', text, at })
const plain = (state: TuiState): TuiState => ({ ...state, plain: true })
const asking = update(plain(withTab({ ...tabOf(), run: { ...tabOf().run, state: 'running' } })), {
  kind: 'run',
  tabId: 'claude:one',
  event: { kind: 'permission', request },
  at: now,
}).state

test('in the list a number opens, words search, /fork and a number forks', () => {
  expect(say(start(), '2').state.shown).toBe('claude:two')
  expect(say(start(), '9').state.notice).toMatchObject({ text: 'There is no session 9 in the list.', kind: 'error' })
  const searched = say(start(), 'the login test')
  expect(searched.effects).toEqual([{ kind: 'search', text: 'the login test', scope: 'repository', agent: null }])
  expect(say(searched.state, '/cancel').state.sessions).toMatchObject({ query: null, searching: false })
  expect(say(start(), '/fork 3').state.overlays.at(-1)).toMatchObject({ kind: 'fork', address: 'claude:three' })
  expect(say(start(), '').effects).toEqual([])
})

test('/more goes on in a long list, and says when there is no more', () => {
  const items = Array.from({ length: 30 }, (_, at) => sessionOf(`s${at}`))
  const long = { ...start(), sessions: { ...start().sessions, items } }
  const next = say(long, '/more').state
  expect(next.sessions.top).toBe(20)
  expect(say(next, '/more').state.notice?.text).toBe('There is no more.')
})

test('in a session a line is a prompt', () => {
  expect(say(withTab(), 'and now the docs').effects).toMatchObject([{ kind: 'send', prompt: 'and now the docs' }])
  expect(say(withTab(), 'two\nlines \u001b[31mred').effects).toMatchObject([{ kind: 'send', prompt: 'two\nlines red' }])
  const refused = say(withTab({ ...tabOf(), composer: { ...tabOf().composer, draft: draftOf('waits here') } }), ':bogus')
  expect([refused.effects, refused.state.notice?.text]).toEqual([[], ":bogus is no command of offshoot's."])
  expect(shown(refused.state).composer.draft.text).toBe('waits here')
  expect(say(withTab(), '/tre').state.notice?.text).toBe("/tre is no word of offshoot's. Did you mean /tree?")
  expect(say(withTab(), '/search').state.notice?.text).toContain('/search needs a word behind it')
})

test.each([
  ['/restore 3 4', '/restore takes one word or nothing behind it: bring back the code of a turn, as in /restore 3.'],
  ['/fork a b', '/fork takes a number or nothing behind it: fork this session at its end, or the one with this number.'],
  ['/show me the code', '/show takes a number or nothing behind it: read the last turns, one unless you say how many.'],
  ['/tree of forks', '/tree takes nothing behind it: the tree of forks.'],
  ['/tab two', '/tab needs a number behind it: go to the open session with this number.'],
])('%j is refused with what the word takes, in a session and in the list', (line, why) => {
  for (const state of [withTab(), start()]) {
    const refused = say(state, line)
    expect([refused.effects, refused.state.notice?.text]).toEqual([[], why])
  }
  expect(say(withTab(), ` ${line}`).effects).toMatchObject([{ kind: 'send', prompt: ` ${line}` }])
})

test('a line while the agent works is kept, an empty one sends it afterwards', () => {
  const busy = withTab({ ...tabOf(), run: { ...tabOf().run, state: 'running' } })
  const kept = say(busy, 'and then this')
  expect(kept.effects).toEqual([])
  expect(kept.state.notice?.text).toContain('Your line is kept')
  const end = { kind: 'end', outcome: 'complete', error: null } as const
  const ended = update(kept.state, { kind: 'run', tabId: 'claude:one', event: end, at: now }).state
  expect(say(ended, '').effects).toMatchObject([{ kind: 'send', prompt: 'and then this' }])
})

test('/stop is Ctrl+C: the turn first, then twice to leave; other lines in between call that off', () => {
  const busy = withTab({ ...tabOf(), run: { ...tabOf().run, state: 'running' } })
  expect(say(busy, '/stop').effects).toMatchObject([{ kind: 'interrupt' }])
  const once = say(withTab(), '/stop').state
  expect(say(once, '/stop').effects).toMatchObject([{ kind: 'remember' }, { kind: 'quit' }])
  expect(say(say(once, '/again').state, '/stop').effects).toEqual([])
})

test('/back reads out the messages, a number forks there, /cancel leaves it', () => {
  const back = say(withTab(), '/back').state
  expect(shown(back).backtrack?.stops).toHaveLength(6)
  expect(say(back, '3').state.overlays.at(-1)).toMatchObject({ kind: 'fork', address: 'claude:one@m:u2' })
  expect(say(back, 'what?').state.notice?.kind).toBe('error')
  expect(shown(say(back, '/cancel').state).backtrack).toBeNull()
})

test('the fork dialog: numbers turn a choice or name its value, yes accepts, fork forks, cancel leaves', () => {
  const dialog = withOverlay(forkOverlay({ plan: warned }))
  expect(say(dialog, '1 seed').effects).toMatchObject([{ kind: 'plan_fork', request: { strategy: 'seed' } }])
  expect(say(dialog, '3 codex').effects).toMatchObject([{ request: { to: 'codex' } }])
  expect(say(dialog, '7 yes').effects).toMatchObject([{ request: { send: true } }])
  expect(say(dialog, '2').effects).toMatchObject([{ request: { code: 'turn' } }])
  expect(say(dialog, '4 -rf ; my title').effects).toMatchObject([{ request: { title: '-rf ; my title' } }])
  expect(say(dialog, '1 nonsense').state.notice).toMatchObject({ text: 'nonsense is none of its values.', kind: 'error' })
  expect(say(dialog, 'fork').state.notice?.text).toContain('Say yes first')
  const accepted = say(dialog, 'yes').state
  expect(say(accepted, 'fork').effects).toMatchObject([{ kind: 'fork', accept: ['dirty'] }])
  expect(say(dialog, 'cancel').state.overlays).toEqual([])
  const typed = say(say(withOverlay(forkOverlay({ plan })), '4').state, '/tree of titles')
  expect(typed.effects).toMatchObject([{ kind: 'plan_fork', request: { title: '/tree of titles' } }])
})

test('a question is answered by a number or a word, never by a line that was meant for something else', () => {
  expect(say(asking, 'yes', now + 100).effects).toEqual([])
  expect(say(asking, 'yes', now + 100).state.notice?.text).toContain('look first')
  const later = now + 5000
  expect(say(asking, 'please go on', later).effects).toEqual([])
  const verdict = (line: string) => say(asking, line, later).effects[0]
  expect(verdict('1')).toMatchObject({ kind: 'answer', decision: { verdict: 'allow' } })
  expect(verdict('always')).toMatchObject({ decision: { verdict: 'allow_session' } })
  expect(verdict('NO')).toMatchObject({ decision: { verdict: 'deny' } })
  expect(verdict('4')).toMatchObject({ decision: { verdict: 'abort' } })
})

test('the tree: a number opens, /fork and /compare take numbers', () => {
  const tree = withOverlay({ kind: 'tree', roots, selected: 0, top: 0, marked: [] })
  expect(say(tree, '2').state.shown).toBe('claude:two')
  expect(say(tree, '/fork 3').state.overlays.at(-1)).toMatchObject({ kind: 'fork', address: 'codex:three' })
  expect(say(tree, '/compare 1 2').effects).toEqual([{ kind: 'compare', one: 'claude:one', other: 'claude:two' }])
  expect(say(tree, '/compare 1 9').state.notice?.text).toBe('There are no such two sessions in the tree.')
  expect(say(tree, '7').state.notice?.kind).toBe('error')
  expect(say(tree, 'cancel').state.overlays).toEqual([])
})

test('workers: a verb and a number; stopping one needs a yes', () => {
  const workers = { ...withOverlay({ kind: 'workers', selected: 0 }), workers: [workerOf('ada'), workerOf('bob')] }
  expect(say(workers, 'attach 2').effects).toEqual([{ kind: 'attach', worker: 'bob' }])
  expect(say(workers, 'constructor 1').effects).toEqual([])
  const asked = say(workers, 'stop 1').state
  expect(say(asked, 'maybe').effects).toEqual([])
  expect(say(asked, 'yes').effects).toEqual([{ kind: 'stop_worker', name: 'ada' }])
  const sending = say(workers, 'send 1').state
  expect(say(sending, 'do it').effects).toEqual([{ kind: 'send_to_worker', name: 'ada', prompt: 'do it' }])
})

test('what was read out to its end needs no closing', () => {
  const diff = withOverlay({ kind: 'diff', title: 'Turn 3', patch: '+a', top: 0 })
  expect(say(diff, 'go on').effects).toMatchObject([{ kind: 'send', prompt: 'go on' }])
})

test('an empty line sends the prompt a fork was made at', () => {
  const waiting = withTab({ ...tabOf(), composer: { ...tabOf().composer, draft: draftOf('do it otherwise') } })
  expect(say(waiting, '').effects).toMatchObject([{ kind: 'send', prompt: 'do it otherwise' }])
  expect(say(waiting, 'this instead').effects).toMatchObject([{ kind: 'send', prompt: 'this instead' }])
})
