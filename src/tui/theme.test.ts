import { expect, test } from 'vitest'
import { colorDepth, createPaint, guessTheme } from './theme.ts'

test('NO_COLOR and dumb terminals have none, others what they say', () => {
  expect(colorDepth({ NO_COLOR: '1', TERM: 'xterm-256color', COLORTERM: 'truecolor' })).toBe('none')
  expect(colorDepth({ NO_COLOR: '', TERM: 'xterm-256color' })).toBe('256')
  expect(colorDepth({ TERM: 'dumb' })).toBe('none')
  expect(colorDepth({ TERM: 'linux' })).toBe('16')
  expect(colorDepth({ TERM: 'xterm', COLORTERM: 'truecolor' })).toBe('256')
})

test('light letters on dark, unless the terminal says otherwise', () => {
  expect(guessTheme({})).toBe('dark')
  expect(guessTheme({ COLORFGBG: '0;15' })).toBe('light')
  expect(guessTheme({ COLORFGBG: '15;0' })).toBe('dark')
})

test('a style inside of another ends alone', () => {
  const { warn, code } = createPaint('dark', '256')
  expect(warn(`a${code('b')}c`)).toBe('\u001b[38;5;221ma\u001b[38;5;180mb\u001b[39m\u001b[38;5;221mc\u001b[39m')
  expect(warn('')).toBe('')
})
