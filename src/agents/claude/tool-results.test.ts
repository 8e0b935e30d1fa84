import { afterEach, beforeEach, expect, it } from 'vitest'
import { call, messagesIn, prompt, readEntries, result, type TestFolder, type TestLine, testFolder } from './lines.testkit.ts'

let folder: TestFolder
beforeEach(() => {
  folder = testFolder()
})
afterEach(() => folder.remove())

const ended = (block: TestLine, more: TestLine = {}) => ({
  ...result('r1', 'c1', 't1', ''),
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', ...block }] },
  ...more,
})

it.each<[string, TestLine[], { failed: boolean | null; exitCode?: number | null }]>([
  ['a refused call', [ended({ content: 'The person refused this.', is_error: true })], { failed: true, exitCode: null }],
  [
    'an edit that does not fit',
    [ended({ content: '<tool_use_error>String to replace not found', is_error: true }, { toolUseResult: 'Error: no' })],
    { failed: true, exitCode: null },
  ],
  ['a command that failed', [ended({ content: 'Exit code 3\nno', is_error: true })], { failed: true, exitCode: 3 }],
  [
    'a command that worked',
    [ended({ content: 'hi', is_error: false }, { toolUseResult: { stdout: 'hi', stderr: '', interrupted: false } })],
    { failed: false, exitCode: 0 },
  ],
  ['a result without a word of it', [ended({ content: 'text' })], { failed: false, exitCode: null }],
  [
    'a fetched page',
    [ended({ content: 'page' }, { toolUseResult: { code: 200, codeText: 'OK', result: 'page' } })],
    { failed: false },
  ],
  ['an open call', [], { failed: null, exitCode: null }],
])('tells whether it failed: %s', async (_, results, expected) => {
  const file = folder.write([prompt('p1', null, 'go'), call('c1', 'p1', 'm1', 't1'), ...results])
  expect(messagesIn(await readEntries(file)).flatMap(({ tool }) => tool ?? [])).toMatchObject([expected])
})
