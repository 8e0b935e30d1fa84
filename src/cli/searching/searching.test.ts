import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pc from 'picocolors'
import { describe, expect, onTestFinished, test } from 'vitest'
import { widthOf } from '../../lib/text/width.ts'
import { AppError } from '../../model/error.ts'
import { qmdNotAvailable } from '../../model/qmd.ts'
import { findClearLead } from './clear-lead.ts'
import { fileOf, filterHints } from './request.ts'
import { makeAnswer, makeResult } from './result.testkit.ts'
import { formatResults } from './results.ts'
import { tellWithoutQmd } from './without-qmd.ts'

describe('filters that are none', () => {
  test.each([
    ['agnt:codex storage', 'agnt: is no filter. Did you mean agent:codex?'],
    ['storage brnach:main', 'brnach: is no filter. Did you mean branch:main?'],
    ['since:yesterday', 'since: is no filter. Did you mean after:yesterday?'],
    ['Files:src/app.ts', 'Files: is no filter. Did you mean file:src/app.ts?'],
  ])('%s', (text, hint) => {
    expect(filterHints(text)).toEqual([hint])
  })

  test.each(['agent:codex file:a.ts', 'see https://example.org/x', 'std::vector', 'error: no such file', 'TypeError:x', 'a:b'])(
    '%s needs no hint',
    (text) => {
      expect(filterHints(text)).toEqual([])
    },
  )
})

test('a file is named as its repository names it, wherever one stands', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-ask-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const repository = join(root, 'shop')
  mkdirSync(join(repository, '.git'), { recursive: true })
  mkdirSync(join(repository, 'src'))
  writeFileSync(join(repository, 'src', 'pay.ts'), '')
  writeFileSync(join(root, 'loose.txt'), '')
  const inSrc = join(repository, 'src')
  expect(fileOf(inSrc, 'pay.ts')).toBe('src/pay.ts')
  expect(fileOf(inSrc, '../src/pay.ts')).toBe('src/pay.ts')
  expect(fileOf(root, join(inSrc, 'pay.ts'))).toBe('src/pay.ts')
  expect(fileOf(inSrc, './deleted.ts')).toBe('src/deleted.ts')
  expect(fileOf(inSrc, 'deleted.ts')).toBe('deleted.ts')
  expect(fileOf(root, 'loose.txt')).toBe(join(root, 'loose.txt'))
})

describe('results', () => {
  const format = (answer = makeAnswer('list', [makeResult('aaaaaaaa')]), columns = 80, colors = pc.createColors(false)) =>
    formatResults(answer, { colors, columns, now: 120_000 })

  test('score, title, an address to paste, when and where, why', () => {
    expect(format()).toEqual([
      '0.80  Title of aaaaaaaa',
      '      claude:aaaaaaaa@2 · 2m ago · todo',
      '      keep the list in a file',
    ])
  })

  test('what matched is marked where there is colour', () => {
    const colors = { ...pc.createColors(false), yellow: (text: unknown) => `<${text}>` }
    expect(format(undefined, 80, colors)).toContain('      keep the <list> in a file')
  })

  test('where a score comes from, a file that was touched, what to beware of', () => {
    const explain = { parts: { words: 0.5, meaning: 0.25, recent: 0 }, matched: ['list', 'fil', 'cach'] }
    const result = makeResult('aaaaaaaa', { explain, touched: 'edited', warning: 'The file is gone.', turn: null })
    expect(format(makeAnswer('list of Files', [result]))).toEqual([
      '0.80  Title of aaaaaaaa',
      '      claude:aaaaaaaa · 2m ago · todo · edited it',
      '      keep the list in a file',
      '      ! The file is gone.',
      '      words 0.50 + meaning 0.25 = 0.75; has: list, Files, cach',
    ])
  })

  test('an address is never cut, everything else gives way; nothing of a session reaches the terminal raw', () => {
    const bad = '\u001b]0;x\u0007\u001b[2J\n\u009b'
    const result = makeResult('aaaaaaaa', { snippet: { text: `${bad}${'list '.repeat(99)}`, marks: [] }, warning: `w${bad}` })
    const odd = { ...result, session: { ...result.session, title: `T${bad}${'long '.repeat(30)}`, repoRoot: `/r/${bad}` } }
    const lines = format(makeAnswer('list', [odd]), 40)
    expect(lines[1]).toContain('claude:aaaaaaaa@2')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40)
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
  })
})

describe('taking the best without asking', () => {
  const scored = (...scores: number[]) => scores.map((score, at) => makeResult(`session${at}`, { score }))
  test.each([
    ['alone and good', scored(0.6), true],
    ['clearly ahead', scored(0.8, 0.6), true],
    ['another comes near', scored(0.8, 0.7), false],
    ['alone but weak', scored(0.4), false],
    ['nothing', [], false],
    ['cannot be forked', [makeResult('gone', { canFork: false })], false],
  ])('%s', (_, results, isTaken) => {
    expect(findClearLead(results)).toBe(isTaken ? results[0] : null)
  })
})

describe('without qmd', () => {
  test('why, what to do, and the newest sessions, also for programs', () => {
    const { session } = makeResult('aaaaaaaa')
    const fault = qmdNotAvailable('qmd is not on PATH.', { nextSteps: ['Install it.'], fallbackSessions: [session] })
    const told = tellWithoutQmd(fault, 120_000)
    expect(told).toBeInstanceOf(AppError)
    expect(told).toMatchObject({
      code: 'qmd_not_available',
      message: expect.stringContaining(`  - Install it.\nThe newest sessions here:\n  claude:${session.id}  2m ago  Title of`),
      details: {
        next_steps: ['Install it.'],
        fallback_sessions: [
          {
            session_id: session.id,
            project_path: '/home/me/todo',
            last_modified: '1970-01-01T00:00:00.000Z',
            agent_type: 'claude',
          },
        ],
      },
    })
  })

  test('another fault is left as it is', () => {
    const fault = new AppError('store_busy', 'busy')
    expect(tellWithoutQmd(fault, 0)).toBe(fault)
  })
})
