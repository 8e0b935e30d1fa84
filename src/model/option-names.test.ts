import { expect, test } from 'vitest'
import { nameParameter } from './option-names.ts'

test('programs know an option by its parameter', () => {
  expect(nameParameter('at')).toBe('`at_turn`')
  expect(nameParameter('code', 'head')).toBe('`code: "head"`')
  expect(nameParameter('allow_cut', true)).toBe('`allow_cut: true`')
  expect(nameParameter('accept', ['dirty', 'code_now'])).toBe('`accept: ["dirty","code_now"]`')
})
