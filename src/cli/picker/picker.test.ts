import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import { widthOf } from '../../lib/text/width.ts'
import type { Turn } from '../../model/session.ts'
import { meaningOf } from './keys.ts'
import { highlighted, openPicker, type PickerAction, updatePicker } from './state.ts'
import { drawPicker, scrolledTo } from './view.ts'

const turn = (number: number, prompt: string, changes: Partial<Turn> = {}): Turn => ({
  number,
  id: `turn-${number}`,
  prompt,
  startedAt: 0,
  endedAt: 1000,
  messages: 2,
  lastMessageId: null,
  state: 'complete',
  afterCompaction: false,
  ...changes,
})
const turns = [turn(1, 'Give every task a due date.'), turn(2, 'Write TESTS for it.'), turn(3, 'Sort the list.')]
const press = (...actions: PickerAction[]) => actions.reduce(updatePicker, openPicker(turns))
const type = (text: string): PickerAction => ({ kind: 'type', text })

describe('state', () => {
  test('begins at the newest turn and never leaves the list', () => {
    expect(highlighted(press())?.number).toBe(3)
    expect(highlighted(press({ kind: 'move', by: 1 }))?.number).toBe(3)
    expect(highlighted(press({ kind: 'move', by: -9 }))?.number).toBe(1)
    expect(highlighted(press({ kind: 'first' }, { kind: 'move', by: 1 }))?.number).toBe(2)
    expect(highlighted(press({ kind: 'first' }, { kind: 'last' }))?.number).toBe(3)
  })

  test('every typed word must occur, in any case; a number finds its turn', () => {
    expect(press(type('tests'), type(' it')).found.map(({ number }) => number)).toEqual([2])
    expect(press(type('turn 3')).found.map(({ number }) => number)).toEqual([3])
    expect(highlighted(press(type('nowhere')))).toBeUndefined()
  })

  test('what is highlighted stays so while it is found', () => {
    const state = press({ kind: 'first' }, type('t'))
    expect(state.found).toHaveLength(3)
    expect(highlighted(state)?.number).toBe(1)
    expect(highlighted(updatePicker(state, type('ests')))?.number).toBe(2)
  })

  test('erasing a character, a word, all', () => {
    expect(press(type('a😀'), { kind: 'erase', what: 'character' }).filter).toBe('a')
    expect(press(type('one two '), { kind: 'erase', what: 'word' }).filter).toBe('one ')
    const none = press(type('nowhere'), { kind: 'erase', what: 'all' })
    expect(none.found).toHaveLength(3)
    expect(highlighted(none)?.number).toBe(3)
  })
})

test('keys', () => {
  expect(meaningOf(undefined, { name: 'up' }, 5)).toEqual({ kind: 'move', by: -1 })
  expect(meaningOf('\u000e', { name: 'n', ctrl: true }, 5)).toEqual({ kind: 'move', by: 1 })
  expect(meaningOf(undefined, { name: 'pagedown' }, 5)).toEqual({ kind: 'move', by: 5 })
  expect(meaningOf('\r', { name: 'return' }, 5)).toEqual({ kind: 'choose' })
  for (const key of [{ name: 'escape' }, { name: 'escape', meta: true }, { name: 'c', ctrl: true }]) {
    expect(meaningOf(undefined, key, 5)).toEqual({ kind: 'leave' })
  }
  expect(meaningOf('é', { name: 'é' }, 5)).toEqual({ kind: 'type', text: 'é' })
  expect(meaningOf('\t', { name: 'tab' }, 5)).toBeNull()
  expect(meaningOf('f', { name: 'f', meta: true }, 5)).toBeNull()
})

describe('view', () => {
  const draw = (state = openPicker(turns), columns = 80, rows = 24, answer: string | null = 'All green.') =>
    drawPicker(state, answer === null ? null : { answer, patch: null }, {
      title: 'Due dates',
      columns,
      rows,
      colors: pc.createColors(false),
      now: 120_000,
    })

  test('turns with a mark at the highlighted one, its prompt and answer below', () => {
    const lines = draw(press({ kind: 'move', by: -1 })).map((line) => line.trimEnd())
    expect(lines.slice(0, 5)).toEqual([
      'Fork at which turn? Due dates',
      'filter: _  2/3',
      '  Turn 1   2m ago  Give every task a due date.',
      '> Turn 2   2m ago  Write TESTS for it.',
      '  Turn 3   2m ago  Sort the list.',
    ])
    expect(lines).toContain('> Write TESTS for it.')
    expect(lines).toContain('  All green.')
    expect(lines.at(-1)).toContain('Enter choose · Esc leave')
  })

  test.each([
    [80, 24],
    [60, 16],
    [24, 8],
  ])('fills %d x %d and not a cell more', (columns, rows) => {
    const many = Array.from({ length: 300 }, (_, at) => turn(at + 1, `日本語 ${'long prompt '.repeat(30)}${at}`))
    for (const state of [openPicker(many), updatePicker(openPicker(many), type('zzz'))]) {
      const lines = draw(state, columns, rows, 'answer\n'.repeat(100))
      expect(lines).toHaveLength(rows)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    }
  })

  test('a long diff is scrolled to its end and no further, and another turn begins at its beginning', () => {
    const options = { title: 't', columns: 80, rows: 24, colors: pc.createColors(false), now: 120_000 }
    const preview = { answer: 'done', patch: Array.from({ length: 60 }, (_, at) => `+line ${at + 1}`).join('\n') }
    const down = meaningOf(undefined, { name: 'down', shift: true }, 5) as PickerAction
    let state = openPicker(turns)
    const seen = () => drawPicker(state, preview, options)
    expect(seen().at(-1)).toContain('Shift+up/down scroll')
    expect(seen().join()).not.toContain('+line 60')
    for (let times = 0; times < 40; times++) {
      state = updatePicker(state, down)
      state = { ...state, scroll: scrolledTo(state, preview, options) }
    }
    expect(seen().at(-2)).toBe('+line 60')
    expect(seen()).toHaveLength(24)
    expect(updatePicker(state, { kind: 'scroll', by: -5 }).scroll).toBe(state.scroll - 5)
    expect(updatePicker(state, { kind: 'move', by: -1 }).scroll).toBe(0)
    expect(draw().at(-1)).not.toContain('scroll')
  })

  test('the highlighted turn is always to be seen', () => {
    const many = Array.from({ length: 300 }, (_, at) => turn(at + 1, `prompt ${at + 1}`))
    let state = openPicker(many)
    for (const by of [0, -1, -150, 7, -300, 3]) {
      state = updatePicker(state, { kind: 'move', by })
      expect(draw(state, 60, 16).filter((line) => line.startsWith(`> Turn ${String(state.at + 1).padStart(3)} `))).toHaveLength(1)
    }
  })

  test('what is unusual about a turn is said in words; nothing of a prompt moves the cursor', () => {
    const odd = [turn(1, 'a\u001b[2Jb\nc', { state: 'interrupted', afterCompaction: true })]
    const text = draw(openPicker(odd), 80, 24, null).join('\n')
    expect(text).toContain('[interrupted] [after compaction] ab c')
    expect(text).not.toContain('\u001b')
    expect(text).toContain('...')
  })
})
