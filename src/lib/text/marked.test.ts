import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanMarked, paintMarked, wrapMarked } from './marked.ts'
import { widthOf } from './width.ts'

const paint = (text: string) => `<${text}>`

test('marks stay at their words when control characters before them go', () => {
  const text = '\u001b[31mfail\u001b[0m in\nparse\u0007r'
  const from = text.indexOf('parse')
  const clean = cleanMarked({ text, marks: [[from, text.length]] })
  expect(paintMarked(clean, paint)).toBe('fail in <parse␇r>')
})

test('marks that make no sense are passed over', () => {
  const marks = [[4, 2], [0, 3], [1, 2], [9, 99]] as const // biome-ignore format: one row
  expect(paintMarked(cleanMarked({ text: 'one two', marks }), paint)).toBe('<one> two')
})

test('a mark is split where its line is broken', () => {
  const lines = wrapMarked({ text: 'keep the list in a file', marks: [[5, 13]] }, 8, 9)
  expect(lines.map((line) => paintMarked(line, paint))).toEqual(['keep <the>', '<list> in', 'a file'])
})

test('what does not fit ends in an ellipsis', () => {
  const lines = wrapMarked({ text: 'keep the list in a file', marks: [[19, 23]] }, 9, 2)
  expect(lines.map(({ text }) => text)).toEqual(['keep the', 'list in…'])
})

test('any text: nothing for the terminal to obey, no line too wide', () => {
  const unit = fc.constantFrom('a', 'bc', ' ', '\u001b[2J', '\u001b]0;x\u0007', '\u009b', '語', '\n', '\u202e', '…')
  fc.assert(
    fc.property(fc.string({ unit }), fc.array(fc.nat(40)), fc.integer({ min: 2, max: 12 }), (text, places, width) => {
      const sorted = [...new Set(places)].sort((a, b) => a - b)
      const marks = sorted.flatMap((from, at) => (at % 2 === 0 ? [[from, sorted[at + 1] ?? from + 1] as const] : []))
      const clean = cleanMarked({ text, marks })
      expect(paintMarked(clean, (part) => part)).toBe(clean.text)
      for (const line of wrapMarked(clean, width, 3)) {
        expect(line.text).not.toMatch(/\p{Cc}|\u202e/u)
        expect(widthOf(line.text)).toBeLessThanOrEqual(width)
        for (const [from, to] of line.marks) expect(line.text.slice(from, to).length).toBe(to - from)
      }
    }),
  )
})
