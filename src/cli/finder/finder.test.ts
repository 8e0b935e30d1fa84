import pc from 'picocolors'
import { describe, expect, test, vi } from 'vitest'
import { widthOf } from '../../lib/text/width.ts'
import type { SearchAnswer } from '../../model/search.ts'
import { makeAnswer, makeResult } from '../searching/result.testkit.ts'
import { createLiveSearch } from './live-search.ts'
import { type FinderAction, highlighted, openFinder, updateFinder } from './state.ts'
import { drawFinder } from './view.ts'

const [one, two, three] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((name) => makeResult(name)) as [
  ReturnType<typeof makeResult>,
  ReturnType<typeof makeResult>,
  ReturnType<typeof makeResult>,
]
const play = (...actions: FinderAction[]) => actions.reduce(updateFinder, openFinder('li'))
const found = (text: string, ...results: (typeof one)[]): FinderAction => ({
  kind: 'found',
  text,
  answer: makeAnswer(text, results),
})
const down: FinderAction = { kind: 'move', by: 1 }
const type = (text: string): FinderAction => ({ kind: 'type', text })

describe('state', () => {
  test('the best is highlighted; moving never leaves the list', () => {
    expect(highlighted(play())).toBeUndefined()
    expect(highlighted(play(down))).toBeUndefined()
    expect(highlighted(play(found('li', one, two)))).toBe(one)
    expect(highlighted(play(found('li', one, two), down, down, down))).toBe(two)
    expect(highlighted(play(found('li', one, two, three), { kind: 'last' }, { kind: 'move', by: -1 }))).toBe(two)
    expect(highlighted(play(found('li')))).toBeUndefined()
  })

  test('while one types, what was found stays until the answer to the new words comes', () => {
    const typing = play(found('li', one, two), down, type('st'))
    expect(typing).toMatchObject({ text: 'list', waiting: true })
    expect(highlighted(typing)).toBe(two)
    expect(updateFinder(typing, found('lis', three))).toBe(typing)
    const answered = updateFinder(typing, found('list', three, two))
    expect(answered).toMatchObject({ waiting: false, at: 0 })
  })

  test('when the index has grown, the session one looks at stays highlighted wherever it stands now', () => {
    expect(highlighted(play(found('li', one, two), down, found('li', three, one, two)))).toBe(two)
    expect(highlighted(play(found('li', one, two), down, found('li', three, one)))).toBe(three)
    expect(highlighted(play(found('li', one, two), found('li', three, one)))).toBe(three)
  })

  test('erasing asks again; a key that changes nothing does not', () => {
    expect(play(found('li'), { kind: 'erase', what: 'character' })).toMatchObject({ text: 'l', waiting: true })
    expect(play({ kind: 'erase', what: 'all' }, found(''), { kind: 'erase', what: 'all' })).toMatchObject({ waiting: false })
  })

  test('a fault of an older text is nobody’s concern', () => {
    const fault: FinderAction = { kind: 'failed', text: 'li', fault: 'no database' }
    expect(play(fault).fault).toBe('no database')
    expect(play(type('s'), fault).fault).toBeNull()
    expect(play(fault, found('li', one)).fault).toBeNull()
  })
})

/** Bounds only what hangs. */
const soon = { timeout: 30_000 }

describe('live search', () => {
  const later = () => {
    const asked: { text: string; signal: AbortSignal; answer: (answer: SearchAnswer) => void }[] = []
    const search = (text: string, signal: AbortSignal) =>
      new Promise<SearchAnswer>((answer, reject) => {
        asked.push({ text, signal, answer })
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    return { asked, search }
  }
  const start = (delayMs = 1) => {
    const shown: string[] = []
    const { asked, search } = later()
    const live = createLiveSearch({
      search,
      delayMs,
      onFound: (text) => shown.push(text),
      onFault: (text) => shown.push(`fault ${text}`),
    })
    return { live, asked, shown }
  }

  test('keys in quick succession are one search', async () => {
    const { live, asked, shown } = start(20)
    for (const text of ['d', 'du', 'due']) live.ask(text)
    await vi.waitFor(() => expect(asked.map(({ text }) => text)).toEqual(['due']), soon)
    asked[0]?.answer(makeAnswer('due', []))
    await vi.waitFor(() => expect(shown).toEqual(['due']), soon)
  })

  test('typing on calls the running one off, and only the newest is shown', async () => {
    const { live, asked, shown } = start()
    live.ask('one', 'at once')
    await vi.waitFor(() => expect(asked).toHaveLength(1), soon)
    live.ask('two')
    expect(asked[0]?.signal.aborted).toBe(true)
    await vi.waitFor(() => expect(asked).toHaveLength(2), soon)
    asked[1]?.answer(makeAnswer('two', []))
    await vi.waitFor(() => expect(shown).toEqual(['two']), soon)
  })

  test('one at a time: a search that cannot be called off is waited for, its answer dropped', async () => {
    const shown: string[] = []
    const started: string[] = []
    const ends: (() => void)[] = []
    const live = createLiveSearch({
      search: (text) => {
        started.push(text)
        return new Promise((resolve) => ends.push(() => resolve(makeAnswer(text, []))))
      },
      delayMs: 1,
      onFound: (text) => shown.push(text),
      onFault: () => shown.push('fault'),
    })
    live.ask('one')
    await vi.waitFor(() => expect(started).toEqual(['one']), soon)
    live.ask('two')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(started).toEqual(['one'])
    ends[0]?.()
    await vi.waitFor(() => expect(started).toEqual(['one', 'two']), soon)
    ends[1]?.()
    await vi.waitFor(() => expect(shown).toEqual(['two']), soon)
  })

  test('after closing nothing is asked or shown', async () => {
    const { live, asked, shown } = start()
    live.ask('one', 'at once')
    await vi.waitFor(() => expect(asked).toHaveLength(1), soon)
    live.ask('two')
    live.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect({ asked: asked.length, shown }).toEqual({ asked: 1, shown: [] })
  })
})

describe('view', () => {
  const draw = (
    state = play(found('li', one, two), down),
    columns = 80,
    rows = 24,
    preview = { prompt: 'Use a file.', answer: 'Done.' },
  ) =>
    drawFinder(state, preview, { scope: 'this repository (todo)', columns, rows, colors: pc.createColors(false), now: 120_000 })

  test('what was found, with the highlighted turn to read below', () => {
    const lines = draw().map((line) => line.trimEnd())
    expect(lines.slice(0, 4)).toEqual([
      'Search this repository (todo)',
      'find: li_  2/2',
      '  0.80      2m ago  claude  Title of aaaaaaaa',
      '> 0.80      2m ago  claude  Title of bbbbbbbb',
    ])
    expect(lines).toContain('claude:bbbbbbbb@2 · /home/me/todo')
    expect(lines).toContain('  keep the list in a file')
    expect(lines).toContain('> Use a file.')
    expect(lines).toContain('  Done.')
    expect(lines.at(-1)).toBe('type to search · up/down move · Enter fork · Esc leave')
  })

  test('what matched is marked', () => {
    const state = play(found('li', one))
    const colors = { ...pc.createColors(false), bold: (text: unknown) => `<${text}>` }
    const lines = drawFinder(state, null, { scope: 'all', columns: 80, rows: 24, colors, now: 0 })
    expect(lines).toContain('  keep the <list> in a file')
  })

  test('nothing found, a fault, indexing: said in words', () => {
    expect(draw(play(found('li'))).join('\n')).toContain('No session is about this.')
    expect(draw(play({ kind: 'failed', text: 'li', fault: 'no\ndatabase' })).join('\n')).toContain('  no database')
    const progress = { files: 9, filesDone: 4, bytes: 90, bytesDone: 40, bytesPerSecond: 1, leftMs: 50_000 }
    expect(draw(play({ kind: 'indexing', progress }))[0]).toBe(
      'Search this repository (todo) · indexing 4 of 9 sessions, newest first',
    )
    expect(draw(play())[1]).toContain('li_  ...')
  })

  test.each([
    [120, 40],
    [80, 24],
    [40, 12],
    [24, 8],
    [30, 6],
  ])('fills %d x %d and not a cell more', (columns, rows) => {
    const many = Array.from({ length: 60 }, (_, at) => makeResult(`${at}日本語`.repeat(9), { warning: 'gone '.repeat(30) }))
    const states = [play(), play(found('li', ...many), { kind: 'move', by: 31 }), play(type('語'.repeat(90)), found('none'))]
    for (const state of states) {
      const lines = draw(state, columns, rows, { prompt: 'p\n'.repeat(50), answer: 'long answer\t'.repeat(500) })
      expect(lines).toHaveLength(rows)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    }
  })

  test('nothing of a session moves the cursor', () => {
    const bad = '\u001b[2J\u0007\u009b5n\u202e'
    const result = makeResult('aaaaaaaa', { snippet: { text: `${bad}list`, marks: [[0, 3]] }, warning: bad })
    const odd = { ...result, session: { ...result.session, title: `T${bad}`, repoRoot: `/r${bad}` } }
    const text = draw(play(type(bad), found(`li${bad}`, odd)), 80, 24, { prompt: bad, answer: bad }).join('')
    expect(text).toContain('> 0.80')
    expect(text).not.toMatch(/\p{Cc}|\u202e/u)
  })
})
