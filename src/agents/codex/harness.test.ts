import { expect, test } from 'vitest'
import type { Message, Role } from '../../model/session.ts'
import { withoutHarness } from './harness.ts'

const message = (role: Role, text: string): Message => ({ id: 'x', turnId: 't', role, text, at: 1 })
const environment = '<environment_context>\n  <cwd>/old</cwd>\n</environment_context>'
const agents = '# AGENTS.md instructions for /old\n\n<INSTRUCTIONS>\nBe nice.\n</INSTRUCTIONS>'

test.each([
  [`${agents}\n${environment}\nFix it.`, 'Fix it.'],
  [`${environment}`, null],
  ['Fix <environment_context> please', 'Fix <environment_context> please'],
  ['# AGENTS.md instructions are missing', '# AGENTS.md instructions are missing'],
])('a prompt keeps what was typed: %j', (text, kept) => {
  expect(withoutHarness(message('user', text))?.text ?? null).toBe(kept)
})

test.each([environment, agents, '<permissions instructions>\nx', '<skills_instructions>\nx', '<hook_prompt>go on</hook_prompt>'])(
  'a message of Codex itself is left out: %j',
  (text) => {
    expect(withoutHarness(message('system', text))).toBeNull()
  },
)

test('what a person or an agent did stays', () => {
  const shell = '<user_shell_command>\n<command>ls</command>\n</user_shell_command>'
  expect(withoutHarness(message('system', shell))).toEqual(message('user', shell))
  const aborted = '<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>'
  expect(withoutHarness(message('system', aborted))).toEqual(message('user', '[Request interrupted by user]'))
  expect(withoutHarness(message('assistant', environment))).toEqual(message('assistant', environment))
})
