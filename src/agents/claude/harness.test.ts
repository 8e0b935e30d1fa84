import { expect, test } from 'vitest'
import type { Message, Role } from '../../model/session.ts'
import { withoutHarness } from './harness.ts'

const message = (role: Role, text: string): Message => ({ id: 'x', turnId: 't', role, text, at: 1 })
const textOf = (role: Role, text: string) => withoutHarness(message(role, text))?.text ?? null
const reminder = '<system-reminder>\nBe careful.\n</system-reminder>'

test.each([
  [`${reminder}\n\nFix it.`, 'Fix it.'],
  [`Fix it.\n${reminder}\n${reminder}\n`, 'Fix it.'],
  [`${reminder}${reminder}`, null],
  ['Fix it.', 'Fix it.'],
  ['  indented\n', '  indented\n'],
  [`What does ${reminder} mean?`, `What does ${reminder} mean?`],
  ['An open <system-reminder> only', 'An open <system-reminder> only'],
  [
    '<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the tests</command-args>',
    '/fix the tests',
  ],
])('a prompt keeps what was typed: %j', (text, kept) => {
  expect(textOf('user', text)).toBe(kept)
})

test.each([
  'Base directory for this skill: /home/x',
  '<local-command-stdout>ok</local-command-stdout>',
  'Stop hook feedback:\ngo on',
  '# Environment\n - Primary working directory: /old',
])('a message of Claude Code itself is left out: %j', (text) => {
  expect(textOf('system', text)).toBeNull()
})

test.each([
  '<bash-input>ls</bash-input>',
  '<bash-stdout>a.txt</bash-stdout>',
  '<task-notification>\n<result>done</result>\n</task-notification>',
  '[Request interrupted by user]',
])('what a person or an agent did stays: %j', (text) => {
  expect(withoutHarness(message('system', text))).toEqual(message('user', text))
})

test('an output loses the reminder behind it, and keeps one inside it', () => {
  const tool = { name: 'Read', arguments: {}, exitCode: null, failed: null, callId: 'c' }
  const call = (output: string | null): Message => ({ ...message('tool', ''), tool: { ...tool, output } })
  expect(withoutHarness(call(`1 a\n2 b\n\n${reminder}\n`))).toEqual(call('1 a\n2 b'))
  expect(withoutHarness(call(`1 ${reminder}\n2 b`))).toEqual(call(`1 ${reminder}\n2 b`))
  expect(withoutHarness(call(reminder))).toEqual(call(''))
  expect(withoutHarness(call(null))).toEqual(call(null))
})

test('an answer stays as it is', () => {
  expect(withoutHarness(message('assistant', 'Done.'))).toEqual(message('assistant', 'Done.'))
  expect(withoutHarness(message('assistant', ''))).toEqual(message('assistant', ''))
})
