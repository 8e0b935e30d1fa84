import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseMoment } from './moment.ts'
import { parseQuery } from './parse-query.ts'
import { makeSnippet } from './snippet.ts'

const now = Date.UTC(2026, 10, 15, 12)
const parse = (text: string) => parseQuery(text, now)

describe('a query', () => {
  it('is plain words', () => {
    expect(parse('fix the flaky tests')).toMatchObject({ words: 'fix the flaky tests', terms: ['fix', 'the', 'flaki', 'test'] })
  })

  it('has names as parts and as a whole', () => {
    expect(parse('parseSession').terms).toEqual(
      ['parse', 'session', 'parsesession'].map((word) => word.replace(/^parse$/, 'pars')),
    )
  })

  it('has quotes, which are words as well', () => {
    expect(parse('"shadow branch" trailer')).toMatchObject({ words: 'shadow branch trailer', phrases: [['shadow', 'branch']] })
  })

  it('has quotes that were never closed', () => {
    expect(parse('a "shadow bran')).toMatchObject({ phrases: [['shadow', 'bran']] })
  })

  it('has words that must not be there', () => {
    expect(parse('auth -oauth -"magic link"')).toMatchObject({ words: 'auth', excluded: [['oauth'], ['magic', 'link']] })
  })

  it('has options of programs, which are words', () => {
    expect(parse('add a --json flag and -1')).toMatchObject({ words: 'add a --json flag and -1', excluded: [] })
  })

  it('has filters', () => {
    const { filters, words } = parse(
      'retry agent:codex repo:offshoot file:src/app.ts file:"a b.ts" branch:main model:opus after:2026-01 before:yesterday',
    )
    expect(words).toBe('retry')
    expect(filters).toEqual({
      agent: 'codex',
      repo: 'offshoot',
      files: ['src/app.ts', 'a b.ts'],
      branch: 'main',
      model: 'opus',
      after: Date.UTC(2026, 0, 1),
      before: Date.UTC(2026, 10, 14),
    })
  })

  it('has filters nobody understands, which are told and left out', () => {
    const { filters, notes } = parse('x agent:gemini after:soon')
    expect(filters).toEqual({ files: [] })
    expect(notes).toEqual([
      'agent:gemini names no agent: there are claude and codex',
      'after:soon is no date: write 2026-01-31, 2026-01, yesterday or 14d',
    ])
  })

  it('has colons that are no filters', () => {
    expect(parse('fix: http://x.test and foo:bar').words).toBe('fix: http://x.test and foo:bar')
    expect(parse('agent: file:').words).toBe('agent: file:')
  })

  it('is anything at all', () => {
    const bits = fc.constantFrom(
      '"',
      '-',
      ':',
      'agent:',
      'file:',
      'AND',
      'OR',
      'NOT',
      'NEAR(',
      ')',
      '*',
      '^',
      '{',
      '}',
      "'",
      ' ',
      'word',
      '日本',
      '\0',
      '--',
      'after:',
    )
    const texts = fc.oneof(fc.string({ unit: bits, maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 60 }))
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parse(text)
        expect(parsed.terms.every((term) => /^[\p{L}\p{N}]+$/u.test(term))).toBe(true)
        expect([...parsed.phrases, ...parsed.excluded].flat().every((term) => /^[\p{L}\p{N}]+$/u.test(term))).toBe(true)
        expect(new Set(parsed.terms).size).toBe(parsed.terms.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('is cut where it is a whole file', () => {
    expect(parse('word1 word2 '.repeat(100_000)).terms.length).toBeLessThanOrEqual(64)
  })
})

test.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2026-1', Date.UTC(2026, 0, 1)],
  ['2026', Date.UTC(2026, 0, 1)],
  ['today', Date.UTC(2026, 10, 15)],
  ['14d', Date.UTC(2026, 10, 1)],
  ['2w', Date.UTC(2026, 10, 1)],
  ['2026-02-31', null],
  ['2026-13', null],
  ['soon', null],
])('the day %s', (text, at) => {
  expect(parseMoment(text, now)).toBe(at)
})

describe('a snippet', () => {
  const chunk = (body: string) => ({ prompt: '', body, tools: '' })
  const idfs = new Map([
    ['trailer', 5],
    ['trail', 5],
    ['commit', 1],
    ['pars', 2],
  ])

  it('marks what matched, inside names too', () => {
    const { text, marks } = makeSnippet(chunk('The parseTrailers function of commits'), idfs, 200)
    expect(marks.map(([from, to]) => text.slice(from, to))).toEqual(['parse', 'Trailers', 'commits'])
  })

  it('shows the place that says most', () => {
    const body = `${'nothing to see here. '.repeat(40)}the commit trailer is lost${' and so on'.repeat(40)}`
    const { text, marks } = makeSnippet(chunk(body), idfs, 80)
    expect(text).toContain('commit trailer')
    expect(text).toMatch(/^….*…$/)
    expect(marks).toHaveLength(2)
  })

  it('shows what was done where nothing was said of it', () => {
    expect(makeSnippet({ prompt: 'go on', body: 'done', tools: 'Edit src/trailer.ts' }, idfs, 80).text).toBe(
      'Edit src/trailer.ts',
    )
  })

  it('has marks that are in the text, in order', () => {
    const unit = fc.constantFrom('commit', 'Trailer', 'parse', ' ', '\n', '_', 'x', '日', '…')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (body, length) => {
        const { text, marks } = makeSnippet(chunk(body), idfs, length)
        expect(text.length).toBeLessThanOrEqual(length + 2)
        let end = 0
        for (const [from, to] of marks) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeGreaterThan(from)
          expect(text.slice(from, to)).toMatch(/commit|trailer|parse/i)
          end = to
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
