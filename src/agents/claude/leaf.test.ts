// Which row a session goes on from, rule by rule; test/real/claude/leaf.test.ts asks the real CLIs the same.
import { afterAll, describe, expect, it } from 'vitest'
import {
  at,
  call,
  chainLine,
  gist,
  lastPrompt,
  messagesIn,
  notes,
  prompt,
  readEntries,
  reply,
  result,
  summarise,
  type TestLine,
  testFolder,
} from './lines.testkit.ts'

const folder = testFolder()
afterAll(() => folder.remove())

async function tell(lines: readonly TestLine[], options = {}): Promise<string[]> {
  return gist(messagesIn(await readEntries(folder.write(lines), options)))
}

const oneTurn = [prompt('p1', null, 'one'), reply('a1', 'p1', 'm1', 'first')]
const twoBranches = [
  ...oneTurn,
  prompt('p2', 'a1', 'two'),
  reply('a2', 'p2', 'm2', 'second'),
  prompt('p3', 'a1', 'three'),
  reply('a3', 'p3', 'm3', 'third'),
]

describe('the live leaf', () => {
  it('is the newest row in file order, whatever the clock says', async () => {
    const backwards = twoBranches.map((line, i) => ({
      ...line,
      timestamp: new Date(Date.UTC(2026, 0, 1) - i * 60_000).toISOString(),
    }))
    expect(await tell(backwards)).toEqual(['user: one', 'assistant: first', 'user: three', 'assistant: third'])
  })

  it('is what the last last-prompt names, even on an older branch', async () => {
    expect((await tell([...twoBranches, lastPrompt('a3'), lastPrompt('a2')])).at(-1)).toBe('assistant: second')
  })

  it('is the newest row when that descends from the one named, or the name is unknown', async () => {
    expect((await tell([...oneTurn, lastPrompt('a1'), ...twoBranches.slice(2, 4)])).at(-1)).toBe('assistant: second')
    expect((await tell([...twoBranches, lastPrompt('nowhere')])).at(-1)).toBe('assistant: third')
  })

  it('stays where a rewind put it, until something is written', async () => {
    const rewound = [...twoBranches.slice(0, 4), lastPrompt('a1', { explicit: true })]
    expect(await tell(rewound)).toEqual(['user: one', 'assistant: first'])
    expect((await tell([...rewound, ...twoBranches.slice(4)])).at(-1)).toBe('assistant: third')
  })

  it.each(Object.entries(notes))('goes on past %s below the row that is named', async (_name, note) => {
    const second = [chainLine('x1', 'a1', note), prompt('p2', 'x1', 'two'), reply('a2', 'p2', 'm2', 'second')]
    expect((await tell([...oneTurn, lastPrompt('a1'), ...second])).at(-1)).toBe('assistant: second')
  })

  it('is the newest of those below the last line of the file, where no line names a leaf', async () => {
    const [p2, a2] = [prompt('p2', 'a1', 'two', at(8)), reply('a2', 'p2', 'm2', 'second', at(9))]
    expect((await tell([...oneTurn, a2, p2])).at(-1)).toBe('assistant: second')
    expect((await tell([...oneTurn, lastPrompt('nowhere'), a2, p2])).at(-1)).toBe('user: two')
  })

  it('goes on from another call of the same message, or from a note inside the answer that is named', async () => {
    const calls = [call('c1', 'p1', 'm1', 'x1'), call('c2', 'c1', 'm1', 'x2')]
    const results = [result('r2', 'c2', 'x2', 'two'), lastPrompt('r2'), result('r1', 'c1', 'x1', 'one')]
    expect((await tell([...oneTurn.slice(0, 1), ...calls, ...results, reply('a1', 'r1', 'm2', 'done')])).at(-1)).toBe(
      'assistant: done',
    )
    const halves = [...oneTurn, chainLine('n', 'a1', notes['hook context']), reply('a1b', 'n', 'm1', 'its end', at(1))]
    const next = [prompt('p2', 'n', 'two', at(2)), reply('a2', 'p2', 'm2', 'second', at(3))]
    expect((await tell([...halves, lastPrompt('a1b'), ...next])).at(-1)).toBe('assistant: second')
  })

  it('is the row named before a gap, which the newest one does not descend from', async () => {
    const behindGap = [prompt('p2', 'lost', 'two', at(3)), reply('a2', 'p2', 'm2', 'second', at(4))]
    expect((await tell([...oneTurn, lastPrompt('a1'), ...behindGap])).at(-1)).toBe('assistant: first')
    expect((await tell([...oneTurn, ...behindGap])).at(-1)).toBe('assistant: second')
  })

  it('is nowhere after a rewind to the start', async () => {
    const { turns, deadTurns, messages } = await summarise(folder.write([...oneTurn, lastPrompt(null, { explicit: true })]))
    expect({ turns, messages, dead: deadTurns.map(({ id }) => id) }).toEqual({ turns: [], messages: 0, dead: ['p1'] })
  })
})

describe('the live leaf after a compaction that kept messages', () => {
  const boundary = { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'a1' }
  const kept = [
    chainLine('b', null, { ...boundary, compactMetadata: { preservedMessages: { anchorUuid: 's', uuids: ['a1'] } } }),
    prompt('s', 'b', 'summary of it', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
  ]
  const compacted = [...oneTurn, ...kept, prompt('p9', 's', 'two'), reply('a9', 'p9', 'm9', 'second')]
  const goesOn = (parent: string) => [prompt('p10', parent, 'three'), reply('a10', 'p10', 'm10', 'third')]

  it.each(Object.entries(notes))('goes on past %s below the row that is named', async (_name, note) => {
    const lines = [...compacted, lastPrompt('a9'), chainLine('x1', 'a9', note), ...goesOn('x1')]
    expect((await tell(lines)).at(-1)).toBe('assistant: third')
    const { turns, deadTurns } = await summarise(folder.write(lines))
    expect([turns.map(({ id }) => id), deadTurns]).toEqual([['p1', 'p9', 'p10'], []])
  })

  it('stays at the row that is named while a note hangs below it beside what follows', async () => {
    const note = chainLine('x2', 'a9', notes['a turn_duration'])
    const lines = [...compacted, lastPrompt('a9'), note, chainLine('x1', 'a9', notes['a stop_hook_summary']), ...goesOn('x1')]
    expect((await tell(lines)).filter((line) => !line.startsWith('system')).at(-1)).toBe('assistant: second')
  })

  it('is followed by what a second process wrote that did not see it', async () => {
    const sent = ['summary: summary of it', 'assistant: first', 'user: three', 'assistant: third']
    expect(await tell([...oneTurn, ...kept, ...goesOn('a1')], { view: 'context' })).toEqual(sent)
  })
})
