import { expect, test } from 'vitest'
import { AppError, type ErrorCode, errorTable, hintForPrograms } from './error.ts'
import { nameParameter } from './option-names.ts'

test.each(Object.keys(errorTable) as ErrorCode[])('the hint of %s for programs names no flag', (code) => {
  expect(hintForPrograms(new AppError(code, 'x'))).not.toMatch(/(^|\W)--?[a-z]/)
})

test('a hint of its own is passed on as it is', () => {
  expect(hintForPrograms(new AppError('fork_blocked', 'x', { hint: 'Wait.' }))).toBe('Wait.')
})

test('programs know an option by its parameter', () => {
  expect(nameParameter('at')).toBe('`at_turn`')
  expect(nameParameter('code', 'head')).toBe('`code: "head"`')
  expect(nameParameter('allow_cut', true)).toBe('`allow_cut: true`')
  expect(nameParameter('accept', ['dirty', 'code_now'])).toBe('`accept: ["dirty","code_now"]`')
})
