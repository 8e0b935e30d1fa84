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
  turnsIn,
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

describe('parallel tools', () => {
  const calls = [
    prompt('p1', null, 'go'),
    reply('t1', 'p1', 'm1', 'calling'),
    call('c1', 't1', 'm1', 'x1'),
    call('c2', 'c1', 'm1', 'x2'),
    call('c3', 'c2', 'm1', 'x3'),
  ]
  const all = ['user: go', 'assistant: calling', 'tool: x1 -> one', 'tool: x2 -> two', 'tool: x3 -> three', 'assistant: done']

  it('are all told when the next message hangs on the first result, with the other calls off its chain', async () => {
    const results = [result('r3', 'c3', 'x3', 'three'), result('r2', 'c2', 'x2', 'two'), result('r1', 'c1', 'x1', 'one')]
    expect(await tell([...calls, ...results, reply('a1', 'r1', 'm2', 'done')])).toEqual(all)
  })

  it('are all told when results come in any order', async () => {
    const results = [result('r1', 'c1', 'x1', 'one'), result('r3', 'c3', 'x3', 'three'), result('r2', 'c2', 'x2', 'two')]
    expect(await tell([...calls, ...results, reply('a1', 'r2', 'm2', 'done')])).toEqual(all)
  })

  it('come whole when the history is cut at one of them', async () => {
    const results = [result('r3', 'c3', 'x3', 'three'), result('r2', 'c2', 'x2', 'two'), result('r1', 'c1', 'x1', 'one')]
    const lines = [...calls, ...results, reply('a1', 'r1', 'm2', 'done')]
    for (const messageId of ['x1', 'x2', 'c3', 't1']) {
      expect(await tell(lines, { upTo: { messageId } })).toEqual(all.slice(0, 5))
    }
  })

  it('that are not answered stay open, and are not sent again', async () => {
    const lines = [...calls, result('r2', 'c2', 'x2', 'two')]
    expect((await tell(lines)).slice(2)).toEqual(['tool: x1 -> null', 'tool: x2 -> two', 'tool: x3 -> null'])
    expect((await tell(lines, { view: 'context' })).slice(2)).toEqual(['tool: x2 -> two'])
    expect((await summarise(folder.write(lines))).turns[0]?.state).toBe('running')
  })

  it('are answered when a branch holds a prompt typed meanwhile between the call and its result', async () => {
    const lines = [
      prompt('p1', null, 'go'),
      call('c1', 'p1', 'm1', 'x1'),
      prompt('p2', 'c1', 'and this'),
      result('r1', 'p2', 'x1', 'refused'),
      prompt('i1', 'r1', '[Request interrupted by user for tool use]'),
      reply('a1', 'i1', 'm2', 'done'),
    ]
    expect((await tell(lines, { view: 'context' })).slice(0, 3)).toEqual(['user: go', 'tool: x1 -> refused', 'user: and this'])
  })

  it('bring along text beside a result off the chain', async () => {
    const beside = (uuid: string, call: string, toolId: string, text: string) =>
      prompt(uuid, call, [
        { type: 'tool_result', tool_use_id: toolId, content: toolId },
        { type: 'text', text },
      ])
    const lines = [
      ...calls.slice(0, 4),
      beside('r1', 'c1', 'x1', 'and the first'),
      beside('r2', 'c2', 'x2', 'and the second'),
      reply('a1', 'r2', 'm2', 'done'),
    ]
    const told = (await tell(lines)).map((line) => line.replace(/^.*: /, ''))
    expect(told.slice(2)).toEqual(['x1 -> x1', 'x2 -> x2', 'and the first', 'and the second', 'done'])
    expect((await summarise(folder.write(lines))).messages).toBe(told.length)
  })

  it('bring along what hooks hung below a result off the chain', async () => {
    const note = {
      type: 'attachment',
      attachment: { type: 'hook_additional_context', hookName: 'PostToolUse', content: ['noted'] },
    }
    const lines = [
      ...calls.slice(0, 4),
      result('r1', 'c1', 'x1', 'one'),
      chainLine('n1', 'r1', note),
      result('r2', 'c2', 'x2', 'two'),
      reply('a1', 'r2', 'm2', 'done'),
    ]
    expect((await tell(lines)).slice(2)).toEqual([
      'tool: x1 -> one',
      'tool: x2 -> two',
      'system: PostToolUse hook additional context: noted',
      'assistant: done',
    ])
  })

  it('leave out a prompt typed ahead that another client did not see, once it was answered', async () => {
    const typedAhead = chainLine('q', 'r1', notes['a queued command'])
    const second = [prompt('p2', 't1', 'two'), reply('a2', 'p2', 'm3', 'second'), lastPrompt('a2')]
    const lines = [...calls.slice(0, 3), ...second, result('r1', 'c1', 'x1', 'one'), typedAhead]
    const told = ['user: go', 'assistant: calling', 'tool: x1 -> one', 'user: and this', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context' })).toEqual(told)
    const answered = await tell([...lines, reply('a1', 'q', 'm2', 'done')], { view: 'context' })
    expect(answered).toEqual(told.filter((line) => line !== 'user: and this'))
  })
})

describe('compaction', () => {
  const closing = (uuid: string, parent: string) =>
    chainLine(uuid, parent, {
      type: 'assistant',
      message: { id: uuid, role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text: 'No response requested.' }] },
    })
  const boundary = (more = {}) =>
    chainLine('b', null, {
      type: 'system',
      subtype: 'compact_boundary',
      logicalParentUuid: 'a1',
      compactMetadata: { trigger: 'auto', ...more },
    })
  const after = [
    prompt('s', 'b', 'summary of it', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    prompt('p9', 's', 'two'),
    reply('a9', 'p9', 'm9', 'second'),
  ]

  it('is crossed by the chain; the context begins with the summary', async () => {
    const lines = [...oneTurn, boundary(), ...after]
    expect(await tell(lines)).toEqual([
      'user: one',
      'assistant: first',
      'summary: summary of it',
      'user: two',
      'assistant: second',
    ])
    expect(await tell(lines, { view: 'context' })).toEqual(['summary: summary of it', 'user: two', 'assistant: second'])
    const { turns } = await summarise(folder.write(lines))
    expect(turns.map(({ afterCompaction }) => afterCompaction)).toEqual([false, true])
  })

  it.each([
    { preservedMessages: { anchorUuid: 's', uuids: ['a1'] } },
    { preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: 'a1' } },
  ])('keeps the messages it names: %j', async (metadata) => {
    const lines = [...oneTurn, boundary(metadata), ...after]
    expect(await tell(lines, { view: 'context' })).toEqual([
      'summary: summary of it',
      'assistant: first',
      'user: two',
      'assistant: second',
    ])
  })

  it('of all up to a prompt keeps the turns that follow on the chain, and sends them behind the summary', async () => {
    const upTo = { preservedMessages: { anchorUuid: 's', uuids: ['p2', 'a2'] } }
    const lines = [...twoBranches.slice(0, 4), boundary(upTo), ...after]
    const { turns, deadTurns } = await summarise(folder.write(lines))
    expect([turns.map(({ id }) => id), deadTurns]).toEqual([['p1', 'p2', 'p9'], []])
    const sent = ['summary: summary of it', 'user: two', 'assistant: second', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context' })).toEqual(sent)
  })

  it('sends of what it kept only what stands before the turn the user went back to', async () => {
    const kept = { preservedMessages: { anchorUuid: 's', uuids: ['p2', 'a2', 'p3', 'a3'] } }
    const lines = [
      ...oneTurn,
      prompt('p2', 'a1', 'two'),
      reply('a2', 'p2', 'm2', 'second'),
      prompt('p3', 'a2', 'three'),
      reply('a3', 'p3', 'm3', 'third'),
      boundary(kept),
      ...after.map((line) => (line.uuid === 'p9' ? { ...line, parentUuid: 'a2' } : line)),
    ]
    const sent = ['summary: summary of it', 'user: two', 'assistant: second', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context' })).toEqual(sent)
  })

  it('of all from a prompt on keeps the summarised turns on the chain, and sends what was before them first', async () => {
    const from = { preservedMessages: { anchorUuid: 'b', uuids: ['p1', 'a1'] } }
    const lines = [...twoBranches.slice(0, 4), boundary(from), ...after]
    const { turns, deadTurns } = await summarise(folder.write(lines))
    expect([turns.map(({ id }) => id), deadTurns]).toEqual([['p1', 'p2', 'p9'], []])
    const sent = ['user: one', 'assistant: first', 'summary: summary of it', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context' })).toEqual(sent)
  })

  it('does not stand for turns that were taken back before it was chosen what to summarise', async () => {
    const whole = { ...boundary({ trigger: 'manual', messagesSummarized: 2 }), logicalParentUuid: undefined }
    const { turns, deadTurns } = await summarise(folder.write([...twoBranches.slice(0, 4), whole, ...after]))
    expect([turns, deadTurns].map((each) => each.map(({ id }) => id))).toEqual([['p1', 'p9'], ['p2']])
    // A number that does not end in front of a prompt says nothing.
    const other = { ...whole, compactMetadata: { messagesSummarized: 3 } }
    const { turns: all } = await summarise(folder.write([...twoBranches.slice(0, 4), other, ...after]))
    expect(all.map(({ id }) => id)).toEqual(['p1', 'p2', 'p9'])
  })

  it('counts parallel calls, their results and notes below these among what it summarised', async () => {
    const lines = [
      prompt('p1', null, 'one'),
      call('c1', 'p1', 'm1', 'x1'),
      call('c2', 'c1', 'm1', 'x2'),
      call('c3', 'c2', 'm1', 'x3'),
      result('r3', 'c3', 'x3', 'third'),
      chainLine('n3', 'r3', { type: 'attachment', attachment: {} }),
      result('r1', 'c1', 'x1', 'first'),
      result('r2', 'c2', 'x2', 'second'),
      reply('a1', 'r2', 'm2', 'done'),
      prompt('p2', 'a1', 'two'),
      reply('a2', 'p2', 'm3', 'second'),
    ]
    const whole = { ...boundary({ trigger: 'manual', messagesSummarized: 9 }), logicalParentUuid: undefined }
    const { turns, deadTurns } = await summarise(folder.write([...lines, whole, ...after]))
    expect([turns, deadTurns].map((each) => each.map(({ id }) => id))).toEqual([['p1', 'p9'], ['p2']])
  })

  it('continues the row before it when the message it kept was first written behind it', async () => {
    const kept = { preservedMessages: { anchorUuid: 's', uuids: ['n'] } }
    const [summary = {}, ...turn] = after
    const lines = [
      ...oneTurn,
      { ...boundary(kept), logicalParentUuid: 'n' },
      summary,
      closing('n', 's'),
      ...turn.map((line) => (line.uuid === 'p9' ? { ...line, parentUuid: 'n' } : line)),
    ]
    const { turns, deadTurns, skipped } = await summarise(folder.write(lines))
    expect([turns.map(({ id }) => id), deadTurns, skipped]).toEqual([['p1', 'p9'], [], {}])
    const sent = ['summary: summary of it', 'assistant: No response requested.', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context' })).toEqual(sent)
    expect(await tell(lines)).toEqual(['user: one', 'assistant: first', ...sent])
  })

  it('keeps the turns it kept when the last message it kept was first written behind it', async () => {
    const lines = [
      ...oneTurn,
      prompt('p2', 'a1', 'two'),
      prompt('i2', 'p2', '[Request interrupted by user]'),
      boundary({ preservedMessages: { anchorUuid: 's', uuids: ['p2', 'i2', 'n'] } }),
      ...after.slice(0, 1),
      closing('n', 's'),
      chainLine('x', 'n', notes['hook context']),
    ]
    const { turns, deadTurns } = await summarise(folder.write(lines))
    expect([turns.map(({ id, state }) => `${id} ${state}`), deadTurns]).toEqual([['p1 complete', 'p2 interrupted'], []])
    const kept = ['user: two', 'system: [Request interrupted by user]']
    const behind = ['assistant: No response requested.', 'system: Stop hook additional context: noted']
    expect(await tell(lines, { view: 'context' })).toEqual(['summary: summary of it', ...kept, ...behind])
    expect(await tell(lines)).toEqual(['user: one', 'assistant: first', ...kept, 'summary: summary of it', ...behind])
  })

  it('stands before what hangs on a message it kept', async () => {
    const lines = [...oneTurn, boundary({ preservedMessages: { anchorUuid: 's', uuids: ['a1'] } }), ...after.slice(0, 1)]
    const sent = ['summary: summary of it', 'assistant: first', 'user: two']
    expect(await tell([...lines, prompt('p2', 'a1', 'two')], { view: 'context' })).toEqual(sent)
  })

  it('stands before what hangs on a message it kept when another one came later', async () => {
    const later = { subtype: 'compact_boundary', logicalParentUuid: 'a2', compactMetadata: { trigger: 'auto' } }
    const lines = [
      ...oneTurn,
      boundary({ preservedMessages: { anchorUuid: 's', uuids: ['a1'] } }),
      ...after.slice(0, 1),
      prompt('p2', 'a1', 'two'),
      reply('a2', 'p2', 'm2', 'second'),
      chainLine('b2', null, { type: 'system', ...later }),
      prompt('s2', 'b2', 'summary of all', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      prompt('p3', 's2', 'three'),
    ]
    const sent = ['summary: summary of it', 'assistant: first', 'user: two', 'assistant: second']
    expect(await tell(lines, { view: 'context', upTo: { turnId: 'p2' } })).toEqual(sent)
    expect(await tell(lines, { view: 'context' })).toEqual(['summary: summary of all', 'user: three'])
    expect((await summarise(folder.write(lines))).turns.map(({ id }) => id)).toEqual(['p1', 'p2', 'p3'])
  })

  it('is not part of the turn it was run after', async () => {
    const lines = [...oneTurn, boundary(), ...after]
    expect(await tell(lines, { upTo: { turnId: 'p1' } })).toEqual(['user: one', 'assistant: first'])
    expect(await tell(lines, { upTo: { turnId: 'p1' }, view: 'context' })).toEqual(['user: one', 'assistant: first'])
  })

  it('is part of the turn when the user ran a command after it', async () => {
    const command = [
      prompt('c', 's', '<bash-input>echo sum > sum.txt</bash-input>'),
      prompt('o', 'c', '<bash-stdout></bash-stdout><bash-stderr></bash-stderr>'),
    ]
    const lines = [
      ...oneTurn,
      boundary(),
      ...after.slice(0, 1),
      ...command,
      prompt('p9', 'o', 'two'),
      reply('a9', 'p9', 'm9', 'second'),
    ]
    const sent = await tell(lines, { upTo: { turnId: 'p1' }, view: 'context' })
    expect(sent).toEqual(['summary: summary of it', expect.stringContaining('echo sum > sum.txt'), expect.any(String)])
    expect(await tell([...lines.slice(0, -2)], { view: 'context' })).toEqual(sent)
  })

  it.each([['lost'], [null]])('continues the row before it when its logical parent is %j', async (logicalParentUuid) => {
    const later = { ...boundary(), logicalParentUuid, ...at(300) }
    const lines = [
      ...oneTurn,
      chainLine('h1', 'a1', notes['a progress line']),
      later,
      ...after.map((line) => ({ ...line, ...at(301) })),
    ]
    const { turns, deadTurns, skipped, title } = await summarise(folder.write(lines))
    expect([turns.map(({ id }) => id), deadTurns, skipped, title]).toEqual([['p1', 'p9'], [], {}, 'one'])
    expect((await tell(lines)).slice(0, 3)).toEqual(['user: one', 'assistant: first', 'summary: summary of it'])
    expect((await tell(lines, { view: 'context' }))[0]).toBe('summary: summary of it')
    expect(await tell(lines, { upTo: { turnId: 'p1' } })).toEqual(['user: one', 'assistant: first'])
  })

  it('in the middle of a turn is part of it, though its logical parent is not in the file', async () => {
    const lines = [
      ...oneTurn,
      prompt('p2', 'a1', 'two'),
      call('c1', 'p2', 'm2', 'x1'),
      { ...boundary(), logicalParentUuid: 'lost', ...at(300) },
      ...after.slice(0, 1),
      reply('a9', 's', 'm9', 'second'),
    ]
    const { turns, deadTurns } = await summarise(folder.write(lines))
    expect(turns.map(({ id, messages, state }) => [id, messages, state])).toEqual([
      ['p1', 2, 'complete'],
      ['p2', 4, 'complete'],
    ])
    expect(deadTurns).toEqual([])
  })

  it('forgets the checkpoint before it', async () => {
    expect((await tell([...twoBranches.slice(0, 4), lastPrompt('a1'), boundary(), ...after])).at(-1)).toBe('assistant: second')
  })
})

describe('broken trees', () => {
  it('end at a cycle', async () => {
    const lines = [
      prompt('p1', 'a2', 'one'),
      reply('a1', 'p1', 'm1', 'first'),
      prompt('p2', 'a1', 'two'),
      reply('a2', 'p2', 'm2', 'second'),
    ]
    expect(await tell(lines)).toEqual(['user: one', 'assistant: first', 'user: two', 'assistant: second'])
    expect(await summarise(folder.write(lines))).toMatchObject({ turns: { length: 2 }, skipped: { cycle: 1 } })
    expect(await tell([prompt('p1', 'p1', 'alone')])).toEqual(['user: alone'])
  })

  it('start where a parent is missing, and say so', async () => {
    const lines = [
      ...oneTurn,
      prompt('p2', 'lost', 'two', { timestamp: '2026-01-02T00:00:00.000Z' }),
      reply('a2', 'p2', 'm2', 'second'),
    ]
    expect(await tell(lines)).toEqual(['user: two', 'assistant: second'])
    const { skipped, turns, deadTurns } = await summarise(folder.write(lines))
    expect(skipped).toEqual({ 'cut-off': 1 })
    expect(turns.map(({ id, number }) => [id, number])).toEqual([['p2', 1]])
    expect(deadTurns.map(({ id }) => id)).toEqual(['p1'])
  })

  it('are bridged over a missing line of the last seconds, as the CLI does', async () => {
    const [p1, a1] = [prompt('p1', null, 'one', at(0)), reply('a1', 'p1', 'm1', 'first', at(1))]
    const lines = [p1, a1, prompt('p2', 'lost', 'two', at(6))]
    expect(await tell(lines)).toEqual(['user: one', 'assistant: first', 'user: two'])
    expect((await summarise(folder.write(lines))).skipped).toEqual({ bridged: 1 })
    expect(await tell([p1, a1, prompt('p2', 'lost', 'two', at(7))])).toEqual(['user: two'])
  })

  it('miss nothing where the first line goes on from another session', async () => {
    const lines = [chainLine('x0', 'elsewhere', notes['a stop_hook_summary']), prompt('p1', 'x0', 'one')]
    const { skipped, turns, deadTurns } = await summarise(folder.write(lines))
    expect([skipped, turns.map(({ id }) => id), deadTurns]).toEqual([{}, ['p1'], []])
  })

  it.each(['progress', 'a-type-of-tomorrow'])('are whole where messages hang below lines of type %s', async (type) => {
    const unknown = { type, data: {} }
    const lines = [
      chainLine('h0', null, unknown),
      prompt('p1', 'h0', 'one'),
      chainLine('h1', 'p1', unknown),
      chainLine('h2', 'h1', unknown),
      reply('a1', 'h2', 'm1', 'first', at(60)),
      chainLine('h3', 'a1', unknown, 61),
      prompt('p2', 'h3', 'two', at(120)),
    ]
    expect(await tell(lines)).toEqual(['user: one', 'assistant: first', 'user: two'])
    expect((await summarise(folder.write(lines))).deadTurns).toEqual([])
  })

  it('of ten thousand orphans are read in no time', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) =>
      prompt(`p${i}`, `lost${i}`, `${i}`, { timestamp: new Date(i).toISOString() }),
    )
    const { skipped, turns, deadTurns } = await summarise(folder.write(lines))
    expect([skipped, turns.length, deadTurns.length]).toEqual([{ bridged: 9999 }, 10_000, 0])
  })

  it('say which turn or message is unknown', async () => {
    const file = folder.write(oneTurn)
    await expect(readEntries(file, { upTo: { turnId: 'a1' } })).rejects.toMatchObject({ code: 'turn_not_found' })
    await expect(readEntries(file, { upTo: { messageId: 'zz' } })).rejects.toMatchObject({ code: 'message_not_found' })
  })
})

describe('turns', () => {
  it('number a thousand of them and read any', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => [
      prompt(`p${i}`, i === 0 ? null : `a${i - 1}`, `prompt ${i}`),
      reply(`a${i}`, `p${i}`, `m${i}`, `answer ${i}`),
    ]).flat()
    const file = folder.write(lines)
    const { turns } = await summarise(file)
    expect(turns.map(({ number }) => number)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1))
    const cut = await readEntries(file, { upTo: { turnId: 'p499' } })
    expect(turnsIn(cut)).toEqual(turns.slice(0, 500))
    expect(messagesIn(cut)).toHaveLength(1000)
  })

  it('know how they ended', async () => {
    const error = reply('e1', 'p1', 'm1', 'API Error: 529', { isApiErrorMessage: true })
    const interrupted = prompt('i1', 'a1', [{ type: 'text', text: '[Request interrupted by user]' }])
    const states = async (lines: TestLine[]) => (await summarise(folder.write(lines))).turns.map(({ state }) => state)
    expect(await states(oneTurn)).toEqual(['complete'])
    expect(await states(oneTurn.slice(0, 1))).toEqual(['running'])
    const madeUp = (parent: string) => reply('n1', parent, 'm9', 'No response requested.', {})
    const synthetic = (line: TestLine) => ({ ...line, message: { ...Object(line.message), model: '<synthetic>' } })
    expect(await states([...oneTurn.slice(0, 1), synthetic(madeUp('p1'))])).toEqual(['interrupted'])
    expect(await states([...oneTurn, synthetic(madeUp('a1'))])).toEqual(['complete'])
    expect(await states([...oneTurn.slice(0, 1), error])).toEqual(['failed'])
    expect(await states([...oneTurn, interrupted])).toEqual(['interrupted'])
    expect(await states([...oneTurn.slice(0, 1), prompt('p2', 'p1', 'two'), reply('a2', 'p2', 'm2', 'x')])).toEqual([
      'interrupted',
      'complete',
    ])
    // A prompt typed ahead is answered after an interruption, but 2.1.325 leaves its own line off the chain.
    expect(await states([...oneTurn, interrupted, reply('a2', 'i1', 'm2', 'on the prompt typed ahead')])).toEqual(['interrupted'])
    const report = prompt('n1', 'i1', '<task-notification>\n<task-id>b1</task-id>\n</task-notification>')
    expect(await states([...oneTurn, interrupted, report, reply('a2', 'n1', 'm2', 'seen')])).toEqual(['complete'])
    // Escape with a prompt in the queue: 2.1.325 writes the interruption behind the line of that prompt, which is then answered.
    const waiting = (parent: string) => prompt('p2', parent, 'two', { promptSource: 'queued' })
    const late = { ...interrupted, parentUuid: 'p2' }
    const answer = reply('a2', 'i1', 'm2', 'x')
    expect(await states([...oneTurn.slice(0, 1), waiting('p1'), late, answer])).toEqual(['interrupted', 'complete'])
    expect(await states([...oneTurn, waiting('a1'), late])).toEqual(['complete', 'interrupted'])
    expect(await states([...oneTurn, waiting('a1'), late, { ...late, uuid: 'i2', parentUuid: 'i1' }])).toEqual([
      'complete',
      'interrupted',
    ])
    const typed = prompt('p2', 'p1', 'two', { promptSource: 'typed' })
    expect(await states([...oneTurn.slice(0, 1), typed, late, answer])).toEqual(['interrupted', 'interrupted'])
    expect(await states([...oneTurn, waiting('a1')])).toEqual(['complete', 'running'])
    const cut = reply('a1', 'p1', 'm1', 'about to call')
    expect(
      await states([...oneTurn.slice(0, 1), { ...cut, message: { ...Object(cut.message), stop_reason: 'tool_use' } }]),
    ).toEqual(['running'])
  })

  it('leave out blocks of an answer that hold nothing but blanks', async () => {
    const blanks = [reply('a1', 'p1', 'm1', '\n\n'), reply('a2', 'a1', 'm1', '\n\nHello'), reply('a3', 'a2', 'm2', ' \t\r\n')]
    const lines = [prompt('p1', null, 'one'), ...blanks]
    expect(await tell(lines)).toEqual(['user: one', 'assistant: \n\nHello'])
    expect((await summarise(folder.write(lines))).messages).toBe(2)
  })

  it('leave a session without a prompt without turns, but not without messages', async () => {
    const lines = [reply('a1', null, 'm1', 'hello?')]
    const summary = await summarise(folder.write(lines))
    expect(summary).toMatchObject({ turns: [], messages: 1, title: '', titleFrom: 'none' })
    expect(messagesIn(await readEntries(folder.write(lines)))).toMatchObject([{ turnId: '', role: 'assistant' }])
  })
})
