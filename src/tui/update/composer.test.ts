import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Draft } from '../state-tab.ts'
import { now, press, pressAll, shown, tabOf, update, withTab, workerOf } from '../states.testkit.ts'
import { draftOf, edit, insert, moveLine } from './draft.ts'

const composing = (draft: Draft) => withTab({ ...tabOf(), composer: { ...tabOf().composer, draft } })
const composer = (state: TuiState) => shown(state).composer
const typed = (text: string, state: TuiState = withTab()) =>
  pressAll(
    state,
    [...text].map((each) => (each === ' ' ? 'space' : each)),
  )
const paste = (text: string, state: TuiState = withTab()) => update(state, { kind: 'paste', text, at: now })

test("history goes back from the newest, and ends at one's own draft", () => {
  const own = composing(draftOf('mine'))
  const texts = [['up'], ['up', 'up'], ['up', 'up', 'up'], ['up', 'up', 'down'], ['up', 'down']].map(
    (names) => composer(pressAll(own, names).state).draft.text,
  )
  expect(texts).toEqual(['second', 'first', 'first', 'second', 'mine'])
  expect(press(own, 'down').state.notice?.text).toBe('This is the newest line.')
  const sent = pressAll(composing(draftOf('first')), ['enter']).state
  expect(composer(sent).history).toEqual(['second', 'first'])
})

test('up and down go through the lines of a draft first', () => {
  const lines = composing({ text: 'long line\nab\nthird', cursor: 18 })
  expect(composer(press(lines, 'up').state).draft.cursor).toBe(12)
  expect(composer(pressAll(lines, ['up', 'up']).state).draft.cursor).toBe(2)
  expect(composer(pressAll(lines, ['up', 'up', 'up']).state).draft.text).toBe('second')
})

test('a new line is one, Enter sends all of them', () => {
  const two = pressAll(typed('a').state, ['alt+enter', 'b', 'shift+enter', 'ctrl+j', 'enter'])
  expect(two.effects.at(-1)).toMatchObject({ kind: 'send', prompt: 'a\nb\n\n' })
})

test('a paste never sends, never completes, and brings text only', () => {
  const { state, effects } = paste('@src /fork\r\n\u001b[31mred\u001b[0m\u0003\r')
  expect(effects).toEqual([])
  expect(composer(state)).toMatchObject({ draft: { text: '@src /fork\nred␃\n' }, completion: null })
  expect(paste('/fo').state).toMatchObject({ overlays: [] })
  expect(composer(paste('/fo').state).completion).toBeNull()
})

test('/ completes commands; what is typed in full is sent by Enter', () => {
  const begun = typed('/tr').state
  expect(composer(begun).completion).toMatchObject({ kind: 'command', choices: [{ value: 'tree' }] })
  expect(composer(press(begun, 'tab').state).draft.text).toBe('/tree ')
  expect(press(typed('/tree').state, 'enter').effects[0]?.kind).toBe('read_tree')
  expect(press(typed('/usr').state, 'enter').state.notice?.kind).toBe('error')
  expect(press(typed('/usr/bin is full').state, 'enter').effects[0]).toMatchObject({ kind: 'send', prompt: '/usr/bin is full' })
  expect(press(typed('/restore 3').state, 'enter').effects[0]).toEqual({ kind: 'plan_restore', address: 'claude:one@3' })
})

test.each([
  ['/restore 3 4', '/restore takes one turn or nothing: /restore 3'],
  ['/fork a b', '/fork takes nothing more: /fork'],
  ['/fork 3', '/fork takes nothing more: /fork'],
  ['/diff\nand more', '/diff takes nothing more: /diff'],
  ['/tree of forks please', '/tree takes nothing more: /tree'],
])('%j is refused with the usage, and stays in the composer', (text, why) => {
  const { state, effects } = press(composing(draftOf(text)), 'enter')
  expect(effects).toEqual([])
  expect(state.notice).toMatchObject({ kind: 'error', text: why, hint: 'A space in front sends it to the agent as it is.' })
  expect(composer(state).draft.text).toBe(text)
  expect(press(composing(draftOf(` ${text}`)), 'enter').effects[0]).toMatchObject({ kind: 'send', prompt: ` ${text}` })
})

test('@ completes files as they are found, for the word that is there now', () => {
  const begun = typed('see @sr')
  expect(begun.effects.at(-1)).toEqual({ kind: 'complete_files', tabId: 'claude:one', cwd: '/repo', word: 'sr' })
  // Nothing found yet: Enter sends.
  expect(press(begun.state, 'enter').effects[0]).toMatchObject({ kind: 'send', prompt: 'see @sr' })
  const found = (word: string, files: string[]) =>
    update(begun.state, { kind: 'completed', tabId: 'claude:one', word, files, at: now }).state
  expect(composer(found('s', ['x'])).completion?.choices).toEqual([])
  const offered = found('sr', ['src/a.ts', 'src/b.ts'])
  expect(composer(pressAll(offered, ['down', 'enter']).state)).toMatchObject({
    draft: draftOf('see @src/b.ts '),
    completion: null,
  })
  expect(composer(press(offered, 'esc').state)).toMatchObject({ draft: draftOf('see @sr'), completion: null })
  expect(composer(press(offered, 'alt+enter').state).completion).toBeNull()
  expect(composer(found('sr', [])).completion).toBeNull()
})

test(':fork @ completes workers, and forks the one that is named', () => {
  const state = { ...withTab(), workers: [workerOf('ada'), workerOf('bob')] }
  const begun = typed(':fork @a', state).state
  expect(composer(begun).completion).toMatchObject({ kind: 'worker', choices: [{ value: 'ada' }] })
  expect(press(typed(':fork @ada new', state).state, 'enter').effects).toEqual([
    { kind: 'fork_worker', name: 'ada', newName: 'new' },
  ])
})

test.each([
  [':fork', ':fork needs a worker'],
  [':fork fixer x', ':fork needs a worker'],
  [':fork @', ':fork needs a worker'],
  [':fork @fixer a b c', ':fork needs a worker'],
  [':frok @fixer', ":frok is no command of offshoot's. Did you mean :fork @worker name?"],
  [':tree', ":tree is no command of offshoot's. Did you mean /tree?"],
  [':bogus', ":bogus is no command of offshoot's."],
  ['/frok', "/frok is no command of offshoot's. Did you mean /fork?"],
])('%s is refused, stays in the composer, and goes to the agent with a space in front', (text, why) => {
  const refused = press(paste(text).state, 'enter')
  expect(refused.effects).toEqual([])
  expect(refused.state.notice).toMatchObject({ kind: 'error', text: expect.stringContaining(why) as string })
  expect(refused.state.notice?.hint).toContain('A space in front sends it to the agent as it is.')
  expect(composer(refused.state).draft.text).toBe(text)
  expect(press(paste(` ${text}`).state, 'enter').effects[0]).toMatchObject({ kind: 'send', prompt: ` ${text}` })
})

test('a colon without a word behind it is a prompt', () => {
  for (const text of [':) thanks', '::before is missing', ': and so on'])
    expect(press(paste(text).state, 'enter').effects[0]).toMatchObject({ kind: 'send', prompt: text })
})

const editing: readonly ActionId[] = [
  'left',
  'right',
  'word_left',
  'word_right',
  'line_start',
  'line_end',
  'erase',
  'erase_right',
  'erase_word',
  'erase_line',
  'erase_rest',
]
const cluster = fc.constantFrom('a', 'é', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '日', ' ', '\n', '\t', '-', 'word')

test('editing never splits a character and never leaves the text', () => {
  fc.assert(
    fc.property(fc.array(cluster), fc.array(fc.oneof(fc.constantFrom(...editing, 'up', 'down'), cluster)), (start, steps) => {
      let draft = draftOf(start.join(''))
      for (const step of steps) {
        if (step === 'up' || step === 'down') draft = moveLine(draft, step === 'up' ? -1 : 1) ?? draft
        else draft = edit(draft, step as ActionId) ?? insert(draft, step)
        const ends = [0, ...[...new Intl.Segmenter().segment(draft.text)].map(({ index, segment }) => index + segment.length)]
        expect(ends).toContain(draft.cursor)
      }
    }),
  )
})

test('words of a hundred kilobytes are no trouble', () => {
  const long = draftOf(`${'x'.repeat(100_000)} ${'y'.repeat(100_000)}`)
  expect(edit(long, 'erase_word')?.text).toBe(`${'x'.repeat(100_000)} `)
  expect(edit(long, 'left')?.cursor).toBe(200_000)
})
