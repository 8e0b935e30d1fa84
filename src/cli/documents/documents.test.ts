import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../agents/reading.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { ToolCall, Turn } from '../../model/session.ts'
import type { DocumentWriter } from './document.ts'
import { createHtmlWriter } from './html.ts'
import { createJsonWriter } from './json.ts'
import { closeFences, createMarkdownWriter, fence } from './markdown.ts'
import { createTerminalWriter } from './terminal.ts'
import { describeTool } from './tool-line.ts'

const session: CatalogSession = {
  agent: 'claude',
  id: 'id-1',
  title: '<b>Title</b> & more',
  cwd: '/home/dev',
  repoRoot: null,
  branch: 'main',
  model: null,
  createdAt: null,
  updatedAt: 0,
  turns: 1,
  messages: 3,
  bytes: 1,
  path: '/p',
  live: false,
  parent: null,
  cliVersion: null,
  titleFrom: 'prompt',
  repoId: null,
  ownTurns: 1,
  ownMessages: 3,
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  state: 'present',
  broken: null,
}

const turn: Turn = {
  number: 1,
  id: 'turn-1',
  prompt: 'first\nsecond',
  startedAt: 0,
  endedAt: null,
  messages: 3,
  lastMessageId: null,
  state: 'failed',
  afterCompaction: false,
}

const tool: ToolCall = {
  name: 'Bash',
  arguments: { command: 'make' },
  output: 'no\n```\nrule',
  exitCode: 2,
  failed: true,
  callId: 'c1',
}

const entries: Entry[] = [
  { kind: 'turn', turn },
  { kind: 'message', message: { id: 'm1', turnId: 'turn-1', role: 'user', text: 'first\nsecond <script>', at: 0 } },
  { kind: 'message', message: { id: 'm2', turnId: 'turn-1', role: 'tool', text: '', tool, thinking: 'hm', at: 0 } },
  { kind: 'skipped', reason: 'torn', offset: 9 },
  { kind: 'compaction' },
  { kind: 'message', message: { id: 'm3', turnId: 'turn-1', role: 'assistant', text: 'see\n```js\ncut off', at: 0 } },
  { kind: 'message', message: { id: 'm4', turnId: 'turn-1', role: 'error', text: 'overloaded', at: 0 } },
]

function write(writer: DocumentWriter): string {
  return (
    writer.begin({ session, turn: null, turns: [turn, turn] }) +
    entries.map((entry) => writer.entry(entry)).join('') +
    writer.end()
  )
}

test('Markdown keeps every text in its place', () => {
  const text = write(createMarkdownWriter({ tools: true }))
  expect(text).toContain('# \\<b\\>Title\\</b\\> & more')
  expect(text).toContain('## Turn 1 (failed): first\n')
  expect(text).toContain('> first\n> second &lt;script>\n')
  expect(text).toContain('````\nno\n```\nrule\n````')
  expect(text).toContain('- **Bash** `make` (exit 2, 3 lines)')
  expect(text).toContain('see\n```js\ncut off\n```\n')
  expect(text.indexOf('Compacted here')).toBeGreaterThan(text.indexOf('rule'))
})

describe('fences', () => {
  test.each([
    ['no fence', 'no fence'],
    ['```\na\n```', '```\na\n```'],
    ['```js\na', '```js\na\n```'],
    ['~~~~\na\n~~~', '~~~~\na\n~~~\n~~~~'],
    ['````\n```\n````', '````\n```\n````'],
    ['`inline ``` code`', '`inline ``` code`'],
  ])('%j closes as %j', (text, closed) => expect(closeFences(text)).toBe(closed))

  test('a fence is longer than any run of backticks inside', () => {
    expect(fence('a `````` b')).toBe('```````\na `````` b\n```````\n')
    expect(fence('plain')).toBe('```\nplain\n```\n')
  })
})

test('a page escapes everything and nests well', () => {
  const page = write(createHtmlWriter())
  expect(page).toContain('<h1>&lt;b&gt;Title&lt;/b&gt; &amp; more</h1>')
  expect(page).toContain('second &lt;script&gt;')
  expect(page).not.toContain('<script>')
  for (const tag of ['section', 'main', 'article', 'details', 'nav', 'header', 'pre']) {
    expect(page.split(`<${tag}`).length).toBe(page.split(`</${tag}>`).length)
  }
  expect(page).toContain('class="tool failed"')
  expect(page).toContain('2 turns')
})

test('JSON is one document, also with nothing in it', () => {
  const document = JSON.parse(write(createJsonWriter())) as { messages: { id: string; thinking?: string }[] }
  expect(document.messages.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4'])
  expect(document.messages[1]?.thinking).toBe('hm')
  const empty = createJsonWriter()
  expect(JSON.parse(empty.begin({ session, turn, turns: [] }) + empty.end())).toMatchObject({
    turn: { id: 'turn-1' },
    messages: [],
  })
})

test('a terminal shows tools in one line, or in full', () => {
  const options = { colors: pc.createColors(false), columns: 80 }
  const brief = write(createTerminalWriter({ ...options, tools: false }))
  expect(brief).toContain('  ▸ Bash make (exit 2, 3 lines)\n')
  expect(brief).toContain('❯ first\n❯ second <script>\n')
  expect(brief).toContain('    hm\n')
  expect(brief).not.toContain('rule')
  expect(write(createTerminalWriter({ ...options, tools: true }))).toContain('    rule\n')
})

test('what the harness told the model takes one line, unless asked for', () => {
  const message = { id: 's', turnId: 't', role: 'system', text: `reminder\n${'x '.repeat(200)}end`, at: null } as const
  const options = { colors: pc.createColors(false), columns: 80 }
  const brief = createTerminalWriter({ ...options, tools: false }).entry({ kind: 'message', message })
  expect(brief).toMatch(/^System: reminder x .*…\n\n$/)
  expect(createTerminalWriter({ ...options, tools: true }).entry({ kind: 'message', message })).toContain('end')
  expect(createMarkdownWriter({ tools: false }).entry({ kind: 'message', message })).not.toContain('end')
  expect(createMarkdownWriter({ tools: true }).entry({ kind: 'message', message })).toContain('> reminder')
})

describe('one line for a tool', () => {
  const about = (value: unknown) => describeTool({ ...tool, arguments: value }).about
  test('the argument that says most', () => {
    expect(about({ description: 'why', command: 'ls\n-la' })).toBe('ls -la')
    expect(about('{"cmd":"echo hi"}')).toBe('echo hi')
    expect(about({ command: ['git', 'status'] })).toBe('git status')
    expect(about('*** Begin Patch\nx')).toBe('*** Begin Patch x')
    expect(about({ depth: 2 })).toBe('{"depth":2}')
    expect(about({})).toBe('')
    expect(about(null)).toBe('')
  })
  test('how it ended', () => {
    const outcome = (output: string | null, exitCode: number | null, failed: boolean | null = exitCode !== 0) =>
      describeTool({ ...tool, output, exitCode, failed }).outcome
    expect(outcome(null, null, null)).toBe('no result')
    expect(outcome('', 0)).toBe('no output')
    expect(outcome('a\nb\n', 0)).toBe('2 lines')
    expect(outcome('a', 1)).toBe('exit 1, 1 line')
    expect(outcome('refused', null, true)).toBe('failed, 1 line')
    expect(outcome('a page', 200, false)).toBe('1 line')
  })
})
