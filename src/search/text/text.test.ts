import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { stem } from './stem.ts'
import { createTermFinder, namesOf, termsOfText } from './terms.ts'
import { splitAny, splitWords } from './words.ts'

describe('words', () => {
  test.each([
    ['parseSession', ['parse', 'session']],
    ['parse_session', ['parse', 'session']],
    ['HTTPServer2Go', ['http', 'server2', 'go']],
    ['fooBAR x1Y', ['foo', 'bar', 'x1', 'y']],
    ['src/app.test.ts → done', ['src', 'app', 'test', 'ts', 'done']],
    ['naïve Café', ['naive', 'cafe']],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  it('are the same by hand and by the rule, in any text', () => {
    const alphabet = fc.constantFrom(...'abzABZ019_-./ \n"→é日'.split(''))
    const texts = fc.oneof(fc.string({ unit: alphabet, maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
    fc.assert(
      fc.property(texts, (text) => {
        expect(splitWords(text)).toEqual([...splitAny(text)])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('stems', () => {
  test.each([
    ['session', 'sessions'],
    ['test', 'tests', 'tested', 'testing'],
    ['configure', 'configured', 'configures', 'configuring'],
    ['query', 'queries', 'querying', 'queried'],
    ['stop', 'stopped', 'stopping', 'stops'],
    ['fix', 'fixes', 'fixed', 'fixing'],
    ['merge', 'merged', 'merging', 'merges'],
    ['class', 'classes'],
    ['match', 'matches', 'matched'],
  ])('%s meets its forms', (word, ...forms) => {
    for (const form of forms) expect(stem(form)).toBe(stem(word))
  })

  test.each([
    ['status', 'state'],
    ['string', 'stray'],
    ['need', 'new'],
    ['user', 'use'],
    ['this', 'thi'],
  ])('%s stays apart from %s', (one, other) => {
    expect(stem(one)).not.toBe(stem(other))
  })

  it('are words without blanks, however often they are made', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcdefghilmnorstuxy'.split('')), minLength: 1, maxLength: 14 }),
        (word) => {
          expect(stem(word)).toMatch(/^[a-z]+$/)
        },
      ),
    )
  })
})

describe('terms', () => {
  it('bring the ways to write a name together', () => {
    expect(termsOfText('parseSession')).toEqual(termsOfText('parse_session'))
    expect(termsOfText('parse sessions')).toEqual(termsOfText('parse-session'))
  })

  it('are pairs of letters where a script has no blanks', () => {
    expect(termsOfText('日本語')).toEqual(['日本', '本語'])
    expect(termsOfText('修')).toEqual(['修'])
  })

  it('leave out what is too long to be a word', () => {
    expect(termsOfText(`a ${'x'.repeat(50)} b`)).toEqual(['a', 'b'])
  })

  it('are found where they stand, whatever stands around them', () => {
    const piece = fc.constantFrom('tests', 'test', 'Café', 'parseSession', 'x', ' ', '-', '日本語', '→', 'é', '9', 'naïveTest')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(piece, { maxLength: 3 }), (pieces, wanted) => {
        const text = pieces.join('')
        const terms = termsOfText(text)
        const asked = new Set(termsOfText(wanted.join(' ')))
        const seen: [string, number][] = []
        expect(createTermFinder(asked)(text, (term, place) => seen.push([term, place]))).toBe(terms.length)
        expect(seen).toEqual([...terms.entries()].filter(([, term]) => asked.has(term)).map(([place, term]) => [term, place]))
      }),
      { numRuns: 1000 },
    )
  })

  it('have whole names besides', () => {
    expect(namesOf('call parseSession and parse_session, not parse session')).toEqual(['parsesession', 'parsesession'])
    expect(namesOf('plain words only. No names')).toEqual([])
  })
})
