import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { cleanLine, cleanText } from './clean.ts'
import { formatTable } from './table.ts'
import { exactTime, timeAgo } from './time.ts'
import { cutToWidth, padToWidth, widthOf } from './width.ts'

const esc = '\u001b'

test('escape sequences go whole, lone control characters become visible', () => {
  expect(cleanText(`${esc}[31mred${esc}[0m`)).toBe('red')
  expect(cleanText(`${esc}]0;title\u0007text`)).toBe('text')
  expect(cleanText(`${esc}]8;;http://x${esc}\\link${esc}]8;;${esc}\\`)).toBe('link')
  expect(cleanText(`${esc}P1$r0m${esc}\\x`)).toBe('x')
  expect(cleanText('a\u0007b\u0008c')).toBe('a␇b␈c')
  expect(cleanText('\u009b31m')).toBe('\ufffd31m')
  expect(cleanText('user\u202egnp.exe')).toBe('usergnp.exe')
  expect(cleanText(esc)).toBe('␛')
})

test('lines and tabs of many-line text stay, CR does not', () => {
  expect(cleanText('a\r\nb\tc\rd')).toBe('a\nb\tc\nd')
})

test('one line is one line, whatever broke it', () => {
  expect(cleanLine(' a\nb\r\n\tc\u2028d ')).toBe('a b c d')
  expect(cleanLine('a\u2029\n\nb')).toBe('a b')
})

test('width counts cells: wide, combined and emoji characters', () => {
  expect(widthOf('abc')).toBe(3)
  expect(widthOf('日本語')).toBe(6)
  expect(widthOf('e\u0301')).toBe(1)
  expect(widthOf('👩‍👩‍👧')).toBe(2)
})

test('what is measured without segmenting is as wide as with it, also asked for again', () => {
  for (let code = 0x20; code < 0x3000; code += 1) {
    const text = `a${String.fromCharCode(code)}\u2500`
    if (widthOf(text) !== stringWidth(text) || widthOf(text) !== stringWidth(text))
      throw new Error(`U+${code.toString(16)} is ${widthOf(text)} cells wide here, ${stringWidth(text)} in truth`)
  }
})

test('cutting never splits a character and never gets wider than asked', () => {
  expect(cutToWidth('hello', 5)).toBe('hello')
  expect(cutToWidth('hello!', 5)).toBe('hell…')
  expect(cutToWidth('日本語の', 5)).toBe('日本…')
  expect(cutToWidth('日本語', 4)).toBe('日…')
  expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…')
  expect(cutToWidth('x', 0)).toBe('')
  expect(cutToWidth('anything', Number.POSITIVE_INFINITY)).toBe('anything')
})

test('padding goes by cells', () => {
  expect(padToWidth('日本', 6)).toBe('日本  ')
  expect(padToWidth('7', 3, 'right')).toBe('  7')
})

const minute = 60_000
const now = Date.UTC(2026, 10, 15, 12)

test('times tell how long ago, and never the future', () => {
  expect(timeAgo(now - 30_000, now)).toBe('now')
  expect(timeAgo(now + 5 * minute, now)).toBe('now')
  expect(timeAgo(now - 59 * minute, now)).toBe('59m ago')
  expect(timeAgo(now - 23 * 60 * minute, now)).toBe('23h ago')
  expect(timeAgo(now - 29 * 24 * 60 * minute, now)).toBe('29d ago')
  expect(timeAgo(now - 31 * 24 * 60 * minute, now)).toBe('2026-10-15')
  expect(timeAgo(null, now)).toBe('-')
  expect(timeAgo(9e15, now)).toBe('-')
  expect(exactTime(now)).toBe('2026-11-15 12:00 UTC')
})

const rows = [
  { id: 'one', title: 'A rather long title that needs room' },
  { id: 'twenty', title: '日本語のタイトル' },
]
const layout = [
  { title: 'ID', cell: (row: (typeof rows)[number]) => row.id, paint: (text: string) => `<${text}>` },
  { title: 'TITLE', cell: (row: (typeof rows)[number]) => row.title, flexible: true },
]

test('a table aligns its columns and paints without disturbing them', () => {
  const lines = formatTable(rows, layout, { columns: Number.POSITIVE_INFINITY, paintTitle: (text) => text })
  expect(lines).toEqual(['ID      TITLE', '<one>     A rather long title that needs room', '<twenty>  日本語のタイトル'])
})

test('on a narrow terminal the flexible column gives way, down to a readable rest', () => {
  const lines = formatTable(rows, layout, { columns: 24, paintTitle: (text) => text })
  expect(lines.slice(1)).toEqual(['<one>     A rather long t…', '<twenty>  日本語のタイトル'])
  const narrow = formatTable(rows, layout, { columns: 5, paintTitle: (text) => text })
  expect(narrow[1]).toBe('<one>     A rather lo…')
})
