import { expect, it } from 'vitest'
import { lastLines } from './last-lines.ts'

it('keeps the last lines, without blank ones, colours and backtraces', () => {
  const backtrace = '\nStack backtrace:\n   0: <unknown>\n   1: <unknown>\n   2: <unknown>\n'
  expect(lastLines(`\u001b[31mError:\u001b[0m no home\r\n\n  at all  ${backtrace}`)).toBe('Error: no home\n  at all')
  const many = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')
  expect(lastLines(many)).toBe('line 14\nline 15\nline 16\nline 17\nline 18\nline 19')
})

it('cuts a line that is very long, and says nothing of nothing', () => {
  expect(lastLines('x'.repeat(5000))).toHaveLength(300)
  expect(lastLines(' \n\n')).toBe('')
})
