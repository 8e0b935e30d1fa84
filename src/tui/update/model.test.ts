import { expect, test } from 'vitest'
import {
  forkOverlay,
  forkResult,
  now,
  press,
  sessionOf,
  shown,
  tabOf,
  turnOf,
  update,
  withOverlay,
  withTab,
} from '../states.testkit.ts'
import { draftOf } from './draft.ts'

const composing = (text: string, more = {}) =>
  withTab({ ...tabOf(more), composer: { ...tabOf().composer, draft: draftOf(text) } })
const enter = (text: string, more = {}) => press(composing(text, more), 'enter')

test('/model sets the model of the next turns, is remembered, and goes along with every prompt', () => {
  const set = enter('/model  opus[1m] ')
  expect(set.effects).toEqual([{ kind: 'remember' }])
  expect(shown(set.state)).toMatchObject({ model: { name: 'opus[1m]' }, composer: { draft: { text: '' } } })
  expect(set.state.notice?.text).toBe('The next turn uses opus[1m].')
  expect(enter('hello', { model: { name: 'opus' } }).effects).toMatchObject([{ kind: 'send', prompt: 'hello', model: 'opus' }])
  expect(enter('hello').effects).toEqual([
    { kind: 'send', tabId: 'claude:one', session: { agent: 'claude', sessionId: 'one' }, prompt: 'hello' },
  ])
})

test('/model default leaves it to the agent again, also where its worker had another', () => {
  const set = enter('/model default', { model: { name: 'opus' } })
  expect(shown(set.state).model).toEqual({ name: null })
  expect(enter('hello', { model: { name: null } }).effects).toMatchObject([{ kind: 'send', model: null }])
})

test('/model alone says which one it is', () => {
  const text = (more = {}) => enter('/model', more).state.notice?.text
  expect(text()).toBe('The next turn uses the model the agent chooses.')
  expect(text({ modelSeen: 'claude-opus-5' })).toMatch(/goes on with claude-opus-5/)
  expect(text({ modelSeen: 'claude-opus-5', model: { name: 'haiku' } })).toBe('The next turn uses haiku.')
  expect(text({ modelSeen: 'claude-opus-5', model: { name: null } })).toMatch(/the agent chooses; so far it was claude-opus-5/)
})

test.each(['-x', '--dangerously', 'two words', 'a\u001b[31m', 'a\u0000b', 'a\nb', 'x'.repeat(201)])(
  '/model %j is refused in words, and nothing is lost',
  (name) => {
    const refused = enter(`/model ${name}`)
    expect(refused.effects).toEqual([])
    expect(shown(refused.state).model).toBeNull()
    expect(shown(refused.state).composer.draft.text).toBe(`/model ${name}`)
    expect(refused.state.notice).toMatchObject({ kind: 'error' })
  },
)

test('behind /model the names that were seen are offered; Enter sends one that is not', () => {
  const typed = press(composing('/model claude'), '-')
  expect(typed.effects).toEqual([{ kind: 'complete_models', tabId: 'claude:one', agent: 'claude', word: 'claude-' }])
  const found = { kind: 'models_found', tabId: 'claude:one', word: 'claude-', at: now } as const
  const offered = update(typed.state, { ...found, models: ['claude-opus-5', 'claude-haiku-4-5'] }).state
  const taken = press(press(offered, 'down').state, 'enter')
  expect(shown(taken.state).composer.draft.text).toBe('/model claude-haiku-4-5 ')
  expect(shown(press(taken.state, 'enter').state).model).toEqual({ name: 'claude-haiku-4-5' })
  expect(shown(update(typed.state, { ...found, word: 'other', models: ['x'] }).state).composer.completion?.choices).toEqual([])
  const none = update(typed.state, { ...found, models: [] }).state
  expect(shown(press(none, 'enter').state).model).toEqual({ name: 'claude-' })
})

test('the model the file names is known once it was read; a fork takes the choice along, to the same agent only', () => {
  const opened = update(withTab(), {
    kind: 'session_grew',
    tabId: 'claude:one',
    session: sessionOf('one', { model: 'claude-opus-5' }),
    turns: [turnOf(1)],
    from: 1,
    messages: [],
    at: now,
  }).state
  expect(shown(opened).modelSeen).toBe('claude-opus-5')
  const dialog = withOverlay(forkOverlay(), withTab(tabOf({ model: { name: 'opus' } })))
  const forked = (agent: 'claude' | 'codex') =>
    shown(
      update(dialog, { kind: 'forked', result: { ...forkResult, fork: { ...forkResult.fork, agent } }, seedId: null, at: now })
        .state,
    )
  expect(forked('claude').model).toEqual({ name: 'opus' })
  expect(forked('codex').model).toBeNull()
})
