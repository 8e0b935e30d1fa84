import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, cutText, estimateTokens, fitRows, shorten } from './size.ts'

it('cuts text without tearing a character', () => {
  expect(cutText('short', 5)).toBe('short')
  expect(cutText('longer', 5)).toBe('long…')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, length) => {
      const cut = cutText(text, length)
      expect(cut.length).toBeLessThanOrEqual(Math.max(length, 1))
      expect(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(cut)).toBe(true)
      expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true)
    }),
  )
})

it('takes the rows that fit, and one at least', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 10, max: 300 }), (rows, budget) => {
      const fit = fitRows(rows, budget)
      expect(rows.slice(0, fit.length)).toEqual(fit)
      if (fit.length > 1) expect(bytesOf(fit)).toBeLessThanOrEqual(budget)
      if (fit.length < rows.length) expect(bytesOf(rows.slice(0, fit.length + 1))).toBeGreaterThan(budget - 2)
      expect(fit.length > 0 || rows.length === 0).toBe(true)
    }),
  )
})

it('shortens lists and texts and says what is missing', () => {
  const value = { names: ['a', 'b', 'c', 'd'], text: 'abcdef', deep: { n: 1, none: null } }
  expect(shorten(value, { items: 2, characters: 4 })).toEqual({
    names: ['a', 'b', '… 2 more'],
    text: 'abc…',
    deep: { n: 1, none: null },
  })
})

it('estimates tokens rather too high', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('abcd efgh')).toBe(3)
  expect(estimateTokens('漢字')).toBe(2)
})
