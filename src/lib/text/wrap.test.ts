import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from './width.ts'
import { wrapText } from './wrap.ts'

test('breaks at blanks, keeps the line breaks that are there', () => {
  expect(wrapText('one two three\nfour', 8)).toEqual(['one two', 'three', 'four'])
  expect(wrapText('one two three', Number.POSITIVE_INFINITY)).toEqual(['one two three'])
  expect(wrapText('', 10)).toEqual([''])
})

test('a word that is too long is cut, wide characters count double', () => {
  expect(wrapText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  expect(wrapText('日本語', 4)).toEqual(['日本', '語'])
})

test('no line is too wide and nothing is lost but blanks', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '語', '😀', '-') }),
      fc.integer({ min: 2, max: 20 }),
      (text, width) => {
        const lines = wrapText(text, width)
        for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(width)
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      },
    ),
  )
})
