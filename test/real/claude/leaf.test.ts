// Which row a session goes on from: small files made by hand, each resumed with a real CLI, and what the model is sent held
// against our reading. One file for every kind of line that may stand where the rule has to decide.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderNameOf } from '../../../src/agents/claude/folder-name.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import {
  at,
  call,
  chainLine,
  lastPrompt,
  notes,
  prompt,
  reply,
  result,
  type TestLine,
} from '../../../src/agents/claude/lines.testkit.ts'
import { type ClaudeVersion, claudeVersions } from '../lib/agents.ts'
import { compareHistory, fromEntries, type SeenItem } from '../lib/history.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { type Bench, createBench } from './bench.ts'
import { claudeRules, fromMessages } from './received.ts'

const one = [prompt('p1', null, 'one', at(0)), reply('a1', 'p1', 'm1', 'first', at(1))]
const two = (parent: string, second = 60) => [
  prompt('p2', parent, 'two', at(second)),
  reply('a2', 'p2', 'm2', 'second', at(second + 1)),
]
const three = (parent: string) => [prompt('p3', parent, 'three', at(90)), reply('a3', 'p3', 'm3', 'third', at(91))]

const boundary = (logicalParentUuid: string | null, compactMetadata = {}) => [
  chainLine(
    'b',
    null,
    { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', logicalParentUuid, compactMetadata },
    30,
  ),
  prompt('s', 'b', 'what was said so far', { isCompactSummary: true, isVisibleInTranscriptOnly: true, ...at(31) }),
]
const keeping = { preservedMessages: { anchorUuid: 's', uuids: ['a1'] } }

const threeCalls = [call('c1', 'p1', 'm1', 'x1'), call('c2', 'c1', 'm1', 'x2'), call('c3', 'c2', 'm1', 'x3')]

interface Case {
  readonly name: string
  readonly lines: readonly TestLine[]
  readonly versions?: readonly ClaudeVersion[]
  readonly always: readonly ClaudeVersion[]
}
const both = claudeVersions
const newer = ['2.1.325'] as const
const older = ['2.1.197'] as const

const cases: readonly Case[] = [
  ...Object.entries(notes).flatMap(([name, note], i): Case[] => [
    {
      name: `${name} below the row that is named`,
      lines: [...one, lastPrompt('a1'), chainLine('x', 'a1', note, 2), reply('y', 'x', 'm8', 'and on', at(3)), ...two('y')],
      always: i % 2 === 0 ? older : newer,
    },
    {
      name: `${name} below the row that is named, after a compaction that kept messages`,
      lines: [
        ...one,
        ...boundary('a1', keeping),
        ...two('s'),
        lastPrompt('a2'),
        chainLine('x', 'a2', note, 62),
        reply('y', 'x', 'm8', 'and on', at(63)),
        ...three('y'),
      ],
      always: i % 2 === 0 ? newer : older,
    },
  ]),
  {
    name: 'a note beside what follows, after a compaction that kept messages',
    lines: [
      ...one,
      ...boundary('a1', keeping),
      ...two('s'),
      lastPrompt('a2'),
      chainLine('x1', 'a2', notes['a turn_duration'], 62),
      chainLine('x2', 'a2', notes['a stop_hook_summary'], 62),
      ...three('x2'),
    ],
    always: newer,
  },
  {
    name: 'a compaction below the row that is named',
    lines: [...one, lastPrompt('p1'), ...boundary('a1'), ...two('s')],
    always: older,
  },
  { name: 'a compaction whose logical parent is missing', lines: [...one, ...boundary('lost'), ...two('s')], always: newer },
  {
    name: 'a second process that did not see the compaction',
    lines: [...one, ...boundary('a1', keeping), ...two('a1')],
    always: newer,
  },
  { name: 'a gap of two seconds', lines: [...one, ...two('lost', 3)], always: older },
  { name: 'a gap of six seconds', lines: [...one, ...two('lost', 7)], always: newer },
  { name: 'a row named before a gap', lines: [...one, lastPrompt('a1'), ...two('lost', 3)], always: newer },
  { name: 'a row the user chose', lines: [...one, ...two('a1'), lastPrompt('a1', { explicit: true })], always: older },
  {
    name: 'a row the user chose, and went on from elsewhere',
    lines: [...one, ...two('a1'), lastPrompt('a1', { explicit: true }), ...three('a2')],
    always: newer,
  },
  {
    name: 'lines that stand before what they hang on, in a file that names no leaf',
    lines: [...one, ...two('a1').reverse()],
    versions: newer, // 2.1.197 stays with the line that stands last
    always: newer,
  },
  {
    name: 'the second half of an answer that is named, and a prompt on the note between the halves',
    lines: [
      ...one,
      chainLine('x', 'a1', notes['hook context'], 2),
      reply('a1b', 'x', 'm1', 'and its end', at(3)),
      lastPrompt('a1b'),
      ...two('x'),
    ],
    versions: newer, // 2.1.197 goes on from the half that is named
    always: newer,
  },
  {
    name: 'a result of parallel calls that is named, and what follows on another one',
    lines: [
      ...one.slice(0, 1),
      ...threeCalls,
      result('r3', 'c3', 'x3', 'three'),
      result('r2', 'c2', 'x2', 'two'),
      lastPrompt('r2'),
      result('r1', 'c1', 'x1', 'one'),
      reply('a1', 'r1', 'm9', 'done', at(5)),
      ...two('a1'),
    ],
    versions: newer, // 2.1.197 goes on from the result that is named
    always: newer,
  },
]

const selection = selectCells<ClaudeVersion, Case>(cases, both)
console.log(describeSelection('claude, the row to go on from', selection))

describe.each(both)('claude %s goes on as we read it:', (version) => {
  let bench: Bench
  beforeAll(async () => {
    bench = await createBench(version)
  })
  afterAll(() => bench.sandbox.dispose())

  const own = selection.run.filter((cell) => cell.version === version)
  it.each(own.map(({ scenario }) => [scenario.name, scenario.lines] as const))(
    '%s',
    { timeout: 120_000 },
    async (_name, lines) => {
      expect(await differences(bench, lines)).toBe('')
    },
  )
})

async function differences(bench: Bench, lines: readonly TestLine[]): Promise<string> {
  const { home, work, agentEnv } = bench.sandbox
  const id = randomUUID()
  const folder = join(home, '.claude', 'projects', folderNameOf(work))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${id}.jsonl`), withUuids(lines.map((line) => ({ ...line, sessionId: id, cwd: work }))))
  const file = [...claude.discover(agentEnv)].find((each) => each.id === id)
  if (file === undefined) throw new Error('the file is not discovered')
  const ours = await fromEntries(claude.read(file, agentEnv, { view: 'context' }), { withSystem: true })
  const next = `what have we got so far in ${id}?`
  await bench.claude.print(next, { flags: ['--resume', id] })
  const request = bench.api.requests.find(({ kind, prompt: sent }) => kind === 'turn' && sent.endsWith(next))
  if (request === undefined) throw new Error('the model was asked nothing')
  const received = fromMessages(request.messages)
  return compareHistory([...ours, { role: 'user', text: next }], received, claudeRules, joinAnswers).diff
}

/** The lines of an answer are one message here, and blocks of one on the wire. */
function joinAnswers(items: readonly SeenItem[]): SeenItem[] {
  const joined: SeenItem[] = []
  for (const item of items) {
    const before = joined.at(-1)
    if (item.role !== 'assistant' || before?.role !== 'assistant') joined.push(item)
    else joined[joined.length - 1] = { ...before, text: `${before.text}\n\n${item.text}` }
  }
  return joined
}

/** The CLI knows lines by uuids: each name gets one. */
function withUuids(lines: readonly TestLine[]): string {
  const uuids = new Map<string, string>()
  const fields = new Set(['uuid', 'parentUuid', 'logicalParentUuid', 'leafUuid', 'anchorUuid'])
  const uuidOf = (name: string) => {
    if (!uuids.has(name)) uuids.set(name, randomUUID())
    return uuids.get(name)
  }
  const renamed = (key: string, value: unknown) => {
    if (fields.has(key) && typeof value === 'string') return uuidOf(value)
    return key === 'uuids' && Array.isArray(value) ? value.map((name) => uuidOf(String(name))) : value
  }
  return lines.map((line) => `${JSON.stringify(line, renamed)}\n`).join('')
}
