import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  call,
  chainLine,
  messagesIn,
  prompt,
  readEntries,
  reply,
  result,
  stable,
  summarise,
  type TestLine,
  testFolder,
  testId,
  textOfLines,
  turnsIn,
} from './lines.testkit.ts'

const folder = testFolder()
afterAll(() => folder.remove())

const turn = (n: number) => [
  prompt(`p${n}`, n === 1 ? null : `a${n - 1}`, `prompt ${n} ${'x'.repeat(300)}`),
  reply(`a${n}`, `p${n}`, `m${n}`, `answer ${n}`),
]

describe('lines older than what the file says of its own beginning', () => {
  const at = (line: TestLine, second: number) => ({ ...line, timestamp: chainLine('', null, {}, second).timestamp })
  const queued = at({ type: 'queue-operation', operation: 'enqueue' }, 5)

  it('are copied when a prompt follows', async () => {
    const lines = [
      queued,
      at(prompt('p1', null, 'one'), 0),
      at(reply('a1', 'p1', 'm1', 'x'), 1),
      at(prompt('p2', 'a1', 'two'), 6),
    ]
    expect(await summarise(folder.write(lines))).toMatchObject({ copied: true, inheritedTurns: 1 })
  })

  it('are its own when an answer follows: the prompt was queued meanwhile', async () => {
    const lines = [
      queued,
      at(prompt('p1', null, 'one'), 0),
      at(reply('a1', 'p1', 'm1', 'x'), 8),
      at(prompt('p2', 'a1', 'two'), 9),
    ]
    expect(await summarise(folder.write(lines))).toMatchObject({ copied: false, inheritedTurns: 0 })
  })
})

describe('reading on', () => {
  const boundary = (logicalParentUuid: string, compactMetadata = {}) => [
    chainLine('b', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid, compactMetadata }, 300),
    prompt('s', 'b', 'what was said so far', { isCompactSummary: true }),
    reply('a3', 's', 'm3', 'and on'),
  ]
  const elsewhere = chainLine('x0', 'elsewhere', { type: 'system', subtype: 'stop_hook_summary' }, -60)
  const later = (line: TestLine) => ({ ...line, timestamp: chainLine('', null, {}, 900).timestamp })

  it.each([
    ['of a plain session', [1, 2, 3].flatMap(turn)],
    ['of one whose first line goes on from another session', [elsewhere, ...[1, 2, 3].flatMap(turn)]],
    ['behind a compaction whose logical parent is not in the file', [...[1, 2].flatMap(turn), ...boundary('lost')]],
    [
      'behind a compaction that kept messages',
      [...[1, 2].flatMap(turn), ...boundary('a2', { preservedMessages: { anchorUuid: 's', uuids: ['a2'] } })],
    ],
  ])('does not look at what it has read before: %s', async (_name, before) => {
    const previous = await summarise(folder.write(before))
    const file = folder.write([...before, ...turn(4).map(later)])
    const whole = await summarise(file)
    // The two edges of what was read stay as they are: they are how a rewritten file is told from a grown one.
    const fd = openSync(file.path, 'r+')
    writeSync(fd, '#'.repeat(400), 300)
    closeSync(fd)
    expect(stable(await summarise(file, previous))).toEqual({ ...stable(whole), mark: expect.anything() })
  })

  it('starts over when something new hangs on an older turn', async () => {
    const before = [1, 2, 3].flatMap(turn)
    const previous = await summarise(folder.write(before))
    const rewound = await summarise(folder.write([...before, prompt('p9', 'a1', 'other way')]), previous)
    expect(rewound.turns.map(({ id }) => id)).toEqual(['p1', 'p9'])
    expect(rewound.deadTurns.map(({ id }) => id)).toEqual(['p2', 'p3'])
  })

  it('starts over when the line a compaction names comes after it, or one that fills a gap', async () => {
    const grow = async (before: TestLine[], added: TestLine) => {
      const previous = await summarise(folder.write(before))
      const file = folder.write([...before, added])
      return [stable(await summarise(file, previous)), stable(await summarise(file))]
    }
    const compacted = [...[1, 2].flatMap(turn), ...boundary('p9')]
    const [one, whole] = await grow(compacted, later(prompt('p9', 'a1', 'named by the compaction')))
    expect(one).toEqual(whole)
    expect(one?.turns.map(({ id }) => id)).toEqual(['p1', 'p9'])
    const gap = [...turn(1), { ...prompt('p2', 'lost', 'two'), timestamp: later({}).timestamp }]
    const filler = chainLine('f', 'p2', { type: 'system', subtype: 'turn_duration' }, 897)
    const [two, wholeTwo] = await grow(gap, filler)
    expect(two).toEqual(wholeTwo)
  })

  it('starts over when the rest of a torn line comes', async () => {
    const text = textOfLines([1, 2].flatMap(turn))
    const torn = await summarise(folder.write(text.slice(0, -30)))
    expect(torn).toMatchObject({ skipped: { torn: 1 }, messages: 3 })
    expect(await summarise(folder.write(text), torn)).toMatchObject({ skipped: {}, messages: 4 })
  })

  it('keeps the same state, read on or read whole', async () => {
    const lines = readFileSync(join(import.meta.dirname, 'samples', 'interactive-rewound-2.1.325.jsonl'), 'utf8').split(/(?<=\n)/)
    let grown = await summarise(folder.write(''))
    for (let count = 1; count <= lines.length; count += 1) {
      const file = folder.write(lines.slice(0, count).join(''))
      grown = await summarise(file, grown)
      expect(grown.resume, `line ${count}`).toEqual((await summarise(file)).resume)
    }
    expect(grown.resume).not.toBeNull()
  })

  it('does not go on from what another version kept', async () => {
    const previous = await summarise(folder.write(turn(1)))
    const whole = stable(await summarise(folder.write([1, 2].flatMap(turn))))
    for (const resume of [null, 7, {}, { version: 0 }, { version: 1, rows: 'none', groups: [] }]) {
      expect(stable(await summarise(folder.write([1, 2].flatMap(turn)), { ...previous, resume }))).toEqual(whole)
    }
  })
})

describe('reading on, whatever the lines', () => {
  const kind = fc.constantFrom(
    ...([
      'prompt',
      'reply',
      'call',
      'result',
      'meta',
      'aside',
      'ended',
      'copy',
      'boundary',
      'checkpoint',
      'rewind',
      'title',
      'typed',
      'used',
      'next',
      'taken back',
      'beside',
      'progress',
    ] as const),
  )
  const where = fc.constantFrom('before', 'before', 'before', 'earlier', 'later', 'root', 'lost')
  const step = fc.record({ kind, where, back: fc.nat(6), isSameMessage: fc.boolean(), second: fc.nat(20) })
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  function parentOf({ where: place, back }: Step, i: number): string | null {
    if (i === 0 || place === 'root') return null
    if (place === 'lost') return 'lost'
    if (place === 'later') return `u${i + 1}`
    return `u${place === 'before' ? i - 1 : Math.max(0, i - back)}`
  }

  /** The lines of one message follow each other: its id never comes back in a later turn. */
  function messageOf(steps: readonly Step[], i: number): string {
    const { where: place, isSameMessage } = steps[i] ?? {}
    const last = steps[i - 1]?.kind
    return place === 'before' && isSameMessage && (last === 'reply' || last === 'call') ? messageOf(steps, i - 1) : `m${i}`
  }

  function lineOf(current: Step, i: number, steps: readonly Step[]): TestLine {
    const { back, second } = current
    const parent = parentOf(current, i)
    const base = chainLine(`u${i}`, parent, {}, second)
    switch (current.kind) {
      case 'prompt':
        return { ...prompt('', null, `prompt ${i}`), ...base }
      case 'reply':
        return { ...reply('', null, messageOf(steps, i), `answer ${i}`), ...base }
      case 'call':
        return { ...call('', '', messageOf(steps, i), `t${i}`), ...base }
      case 'result':
        return { ...result('', '', `t${i - 1}`, 'done'), ...base }
      case 'meta':
        return { ...prompt('', null, 'meta', { isMeta: true }), ...base }
      case 'aside':
        return { type: 'attachment', attachment: { type: 'hook_success', content: 'x' }, ...base }
      case 'ended':
        return { type: 'system', subtype: 'turn_duration', ...base }
      case 'copy':
        return { ...prompt('', null, `copied ${i}`), ...base, forkedFrom: { sessionId: 's', messageUuid: `o${i}` } }
      case 'boundary': {
        const kept = { preservedMessages: { anchorUuid: `u${i + (back % 2)}`, uuids: [`u${i - back}`] } }
        const boundary = { type: 'system', subtype: 'compact_boundary', compactMetadata: back > 2 ? kept : {} }
        return { ...boundary, ...base, parentUuid: null, logicalParentUuid: parent }
      }
      case 'checkpoint':
        return { type: 'last-prompt', leafUuid: `u${i - back}` }
      case 'rewind':
        return { type: 'last-prompt', leafUuid: back === 0 ? null : `u${i - back}`, explicit: true }
      case 'typed':
        return { type: 'queue-operation', operation: 'enqueue', timestamp: base.timestamp, content: `typed ${i}` }
      case 'used':
        return { type: 'queue-operation', operation: 'remove', timestamp: base.timestamp }
      case 'next':
        return { type: 'queue-operation', operation: 'dequeue', timestamp: base.timestamp }
      case 'taken back':
        return { type: 'queue-operation', operation: 'popAll', timestamp: base.timestamp }
      case 'beside': {
        const content = [
          { type: 'tool_result', tool_use_id: `t${i - 1}`, content: 'done' },
          { type: 'text', text: 'and this' },
        ]
        return { ...result('', '', '', ''), ...base, message: { role: 'user', content } }
      }
      case 'progress':
        return { type: 'progress', data: {}, ...base }
      case 'title':
        return { type: back > 2 ? 'summary' : 'custom-title', summary: 's', customTitle: 'c', leafUuid: `u${back}` }
    }
  }

  it('gives what reading from the start gives, after every line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
        const lines = steps.map(lineOf)
        let grown = await summarise(folder.write([]))
        for (let count = 1; count <= lines.length; count += 1) {
          const file = folder.write(lines.slice(0, count))
          grown = await summarise(file, grown)
          expect(stable(grown)).toEqual(stable(await summarise(file)))
        }
        const entries = await readEntries(folder.write(lines))
        expect(turnsIn(entries)).toEqual(grown.turns)
        expect(messagesIn(entries)).toHaveLength(grown.messages)
      }),
      { numRuns: 150 },
    )
  })
})

describe('titles', () => {
  const titled = async (...more: Record<string, unknown>[]) => {
    const { title, titleFrom } = await summarise(folder.write([...turn(1), ...more]))
    return [title, titleFrom]
  }

  it('prefer the custom one to the AI one, the newest of each, and both to the first prompt', async () => {
    const custom = { type: 'custom-title', customTitle: 'mine', sessionId: testId }
    const ai = { type: 'ai-title', aiTitle: 'made up', sessionId: testId }
    expect(await titled(custom, ai)).toEqual(['mine', 'custom'])
    expect(await titled(ai, { ...ai, aiTitle: 'made up anew' })).toEqual(['made up anew', 'ai'])
    const [title, from] = await titled()
    expect([title?.length, title?.slice(0, 10), title?.at(-1), from]).toEqual([80, 'prompt 1 x', '…', 'prompt'])
  })

  it('take an old summary line only when it is about this session', async () => {
    expect(await titled({ type: 'summary', summary: 'old title', leafUuid: 'a1' })).toEqual(['old title', 'ai'])
    expect((await titled({ type: 'summary', summary: 'another', leafUuid: 'elsewhere' }))[1]).toBe('prompt')
  })

  it('of a command without arguments go on with the answer that ends its turn, read on or from the start', async () => {
    const text = '<command-message>review</command-message>\n<command-name>/review</command-name>'
    const lines = [
      prompt('p1', null, text),
      reply('a1', 'p1', 'm1', 'Let me look at the changes.'),
      call('c1', 'a1', 'm1', 't1'),
      result('r1', 'c1', 't1', 'done'),
      reply('end', 'r1', 'm9', 'I am done.\n\n## Review of PR #12\n\nFine.'),
      ...turn(2).map((line) => (line.parentUuid === 'a1' ? { ...line, parentUuid: 'end' } : line)),
    ]
    const titles: string[] = []
    let grown = await summarise(folder.write([]))
    for (let count = 1; count <= lines.length; count += 1) {
      const file = folder.write(lines.slice(0, count))
      grown = await summarise(file, grown)
      expect(stable(grown), `line ${count}`).toEqual(stable(await summarise(file)))
      titles.push(grown.title)
    }
    expect(titles).toEqual([
      '/review',
      ...Array<string>(3).fill('/review: Let me look at the changes.'),
      ...Array<string>(lines.length - 4).fill('/review: Review of PR #12'),
    ])
  })

  it('are found beside the session too', async () => {
    const file = folder.write(turn(1))
    mkdirSync(join(folder.path, testId))
    writeFileSync(join(folder.path, testId, 'custom-title.json'), '{"customTitle":"beside"}')
    expect(await summarise(file)).toMatchObject({ title: 'beside', titleFrom: 'custom' })
    writeFileSync(join(folder.path, testId, 'custom-title.json'), 'torn{')
    expect(await summarise(file)).toMatchObject({ titleFrom: 'prompt' })
  })
})

describe('odd files', () => {
  it('may begin with a BOM, end lines with CRLF and hold blank lines', async () => {
    const text = `\ufeff${textOfLines([1, 2].flatMap(turn)).replaceAll('\n', '\r\n\r\n')}`
    const summary = await summarise(folder.write(text))
    expect(summary).toMatchObject({ messages: 4, skipped: {} })
    expect(summary.turns.map(({ id }) => id)).toEqual(['p1', 'p2'])
  })

  it('name what they hold that is unknown', async () => {
    const strange = [
      { type: 'hologram' },
      { type: 'hologram' },
      { kind: 'untyped' },
      { type: 'user' },
      { type: 'mode', mode: 'normal' },
    ]
    expect((await summarise(folder.write([...turn(1), ...strange]))).skipped).toEqual({
      'unknown:hologram': 2,
      'unknown:': 1,
      'no-uuid': 1,
    })
  })
})
