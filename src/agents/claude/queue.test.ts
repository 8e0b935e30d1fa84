// Prompts typed while the agent worked, as the queue's notes tell of them.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionFile } from '../agent.ts'
import { claude } from './index.ts'
import {
  call,
  chainLine,
  gist,
  messagesIn,
  prompt,
  readEntries,
  reply,
  result,
  sessionFile,
  stable,
  summarise,
  type TestFolder,
  type TestLine,
  testFolder,
  testId,
  textOfLines,
} from './lines.testkit.ts'

let folder: TestFolder
beforeEach(() => {
  folder = testFolder()
})
afterEach(() => folder.remove())

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

function queued(operation: string, second: number, more: TestLine = {}): TestLine {
  return { type: 'queue-operation', operation, timestamp: time(second), sessionId: testId, ...more }
}

/** A turn with one tool; while it runs, `meanwhile` happens. */
function turn(n: number, ...meanwhile: TestLine[]): TestLine[] {
  const at = { timestamp: time(n * 20) }
  return [
    prompt(`p${n}`, n === 1 ? null : `b${n - 1}`, `prompt ${n}`, at),
    { ...call(`c${n}`, `p${n}`, `m${n}`, `t${n}`), timestamp: time(n * 20 + 1) },
    ...meanwhile,
    { ...result(`r${n}`, `c${n}`, `t${n}`, 'done'), timestamp: time(n * 20 + 8) },
    reply(`b${n}`, `r${n}`, `n${n}`, `answer ${n}`, { timestamp: time(n * 20 + 9) }),
  ]
}

const words = (n: number, text: string) => queued('enqueue', n * 20 + 2, { content: text })
const used = (n: number, more: TestLine = {}) => queued('remove', n * 20 + 7, more)

async function said(lines: readonly TestLine[], view: 'all' | 'context' = 'all'): Promise<string[]> {
  return gist(messagesIn(await readEntries(folder.write(lines), { view })))
}

const withWords = ['user: prompt 1', 'tool: t1 -> done', 'user: and this', 'assistant: answer 1']
const without = ['user: prompt 1', 'tool: t1 -> done', 'assistant: answer 1']

describe('a prompt handed to the model within a turn', () => {
  it('is told in front of what the model answered next, and never sent again', async () => {
    const lines = turn(1, words(1, 'and this'), used(1))
    expect(await said(lines)).toEqual(withWords)
    expect(await said(lines, 'context')).toEqual(without)
    const { turns, messages } = await summarise(folder.write(lines))
    expect([turns.length, turns[0]?.messages, messages]).toEqual([1, 4, 4])
    const told = messagesIn(await readEntries(folder.write(lines)))[2]
    expect(told).toMatchObject({ turnId: 'p1', at: Date.parse(time(22)), id: `queued-${Date.parse(time(22))}` })
  })

  it('is told in the order in which it was typed', async () => {
    const lines = turn(1, words(1, 'first'), words(1, 'second'), used(1), used(1))
    expect((await said(lines)).slice(2, 4)).toEqual(['user: first', 'user: second'])
  })

  it('is told once where an attachment holds it too', async () => {
    const attachment = { type: 'queued_command', prompt: 'and this', commandMode: 'prompt', origin: { kind: 'human' } }
    const [asked, called, done, answered] = turn(1) as [TestLine, TestLine, TestLine, TestLine]
    const attached = chainLine('q1', 'r1', { type: 'attachment', attachment }, 28)
    const lines = [asked, called, words(1, 'and this'), used(1), done, attached, { ...answered, parentUuid: 'q1' }]
    expect(await said(lines)).toEqual(withWords)
    expect(await said(lines, 'context')).toEqual(withWords)
    const pictures = {
      ...attached,
      attachment: { ...attachment, prompt: [{ type: 'text', text: 'and this' }, { type: 'image' }] },
    }
    expect((await said([...lines.slice(0, 5), pictures, ...lines.slice(6)]))[2]).toBe('user: and this\n[image]')
  })

  it('is told at the end of a session that was cut off before the answer', async () => {
    const lines = turn(1, words(1, 'and this'), used(1)).slice(0, -1)
    expect(await said(lines)).toEqual(withWords.slice(0, 3))
    expect((await summarise(folder.write(lines))).turns[0]).toMatchObject({ messages: 3, state: 'running' })
  })

  it('is told in front of the interruption that came before an answer', async () => {
    const [asked, called, ...rest] = turn(1, words(1, 'and this'), used(1)).slice(0, -1)
    const stopped = prompt('i1', 'r1', [{ type: 'text', text: '[Request interrupted by user]' }], { timestamp: time(29) })
    const lines = [asked, called, ...rest, stopped, prompt('p2', 'i1', 'go on', { timestamp: time(50) })] as TestLine[]
    expect(await said(lines)).toEqual([...withWords.slice(0, 3), 'system: [Request interrupted by user]', 'user: go on'])
  })

  it('can be a command, which the model was shown as it was typed', async () => {
    expect((await said(turn(1, words(1, '/cost'), used(1))))[2]).toBe('user: /cost')
  })
})

describe('a prompt is not told from the queue', () => {
  it.each([
    ['while it waits', [words(1, 'and this')]],
    ['when it was taken back into the composer', [words(1, 'and this'), queued('popAll', 23, { content: 'and this' })]],
    ['when a hook dropped it', [words(1, 'and this'), used(1, { content: 'and this', reason: 'dropped_by_hook' })]],
    ['when another agent wrote it', [words(1, '<agent-notification>\n<agent-id>a1</agent-id>'), used(1)]],
    ['when only its place is known', [used(1)]],
    ['when its text was not recorded', [queued('enqueue', 22), used(1)]],
  ])('%s', async (_when, meanwhile) => {
    expect(await said(turn(1, ...meanwhile))).toEqual(without)
  })

  it('when it became the next prompt', async () => {
    const next = [words(1, 'prompt 2'), queued('dequeue', 39), ...turn(2)]
    expect((await said([...turn(1), ...next])).filter((line) => line.startsWith('user'))).toEqual([
      'user: prompt 1',
      'user: prompt 2',
    ])
  })

  it('when an earlier process left it behind', async () => {
    const lines = [...turn(1, words(1, 'left behind')), ...turn(2, words(2, 'and this'), used(2))]
    expect((await said(lines)).filter((line) => line.startsWith('user'))).toEqual([
      'user: prompt 1',
      'user: prompt 2',
      'user: and this',
    ])
  })
})

it('hands over words before commands and reports, which may have to wait', async () => {
  const report = words(1, '<task-notification>\n<task-id>b1</task-id>\n</task-notification>')
  expect((await said(turn(1, report, words(1, '/cost'), words(1, 'and this'), used(1))))[2]).toBe('user: and this')
  expect((await said(turn(1, report, words(1, '/cost'), used(1))))[2]).toBe('user: /cost')
})

it('tells a queued prompt of a rewound turn with that turn only', async () => {
  const lines = [...turn(1), ...turn(2, words(2, 'and this'), used(2)), prompt('p3', 'b1', 'other way', { timestamp: time(70) })]
  const file = folder.write(lines)
  expect(await said(lines)).not.toContain('user: and this')
  expect((await summarise(file)).deadTurns).toMatchObject([{ id: 'p2', messages: 4 }])
  const dead = gist(messagesIn(await readEntries(file, { upTo: { turnId: 'p2' } })))
  expect(dead.slice(3)).toEqual(['user: prompt 2', 'tool: t2 -> done', 'user: and this', 'assistant: answer 2'])
})

it('reads on, line by line, to what reading from the start gives', async () => {
  const lines = [
    ...turn(1, words(1, 'one'), used(1)),
    ...turn(2, words(2, 'two'), words(2, 'three'), used(2), used(2)),
    words(2, 'prompt 3'),
    queued('dequeue', 59),
    ...turn(3, words(3, 'four'), queued('popAll', 63, { content: 'four' }), words(3, 'five'), used(3)),
  ]
  let grown = await summarise(folder.write([]))
  for (let count = 1; count <= lines.length; count += 1) {
    const file = folder.write(lines.slice(0, count))
    grown = await summarise(file, JSON.parse(JSON.stringify(grown)))
    expect(stable(grown), `line ${count}`).toEqual(stable(await summarise(file)))
  }
  expect(grown.messages).toBe(3 * 3 + 4)
})

describe('a fork', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'offshoot-queue-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const lines = [...turn(1, words(1, 'and this'), used(1)), ...turn(2, words(2, 'and that'), used(2))]

  type TestCut = { kind: 'tip' } | { kind: 'turn'; turnId: string } | { kind: 'message'; messageId: string }

  async function childOf(cut: TestCut, source: readonly TestLine[] = lines) {
    const id = randomUUID()
    const target = { sessionId: id, cwd: home, title: 'A fork', forkedAt: 0 }
    const { path } = await claude.writePrefix(folder.write(source), { home, vars: {} }, cut, target)
    if (path === null) throw new Error('nothing was written')
    return { ...sessionFile(path), id }
  }

  it('keeps the queued prompts of its turns, and those only', async () => {
    const first = await childOf({ kind: 'turn', turnId: 'p1' })
    expect(gist(messagesIn(await readEntries(first)))).toEqual(withWords)
    const both = await childOf({ kind: 'tip' })
    expect(gist(messagesIn(await readEntries(both)))).toEqual(await said(lines))
  })

  it('keeps a prompt that was typed before its turn began', async () => {
    const ahead = [...turn(1, words(1, 'prompt 2'), words(1, 'and this')), queued('dequeue', 39), ...turn(2, used(2))]
    const child = await childOf({ kind: 'tip' }, ahead)
    expect(await said(ahead)).toContain('user: and this')
    expect(gist(messagesIn(await readEntries(child)))).toEqual(await said(ahead))
  })

  it('can be cut at a queued prompt', async () => {
    const child = await childOf({ kind: 'message', messageId: `queued-${Date.parse(time(22))}` })
    expect(gist(messagesIn(await readEntries(child)))).toEqual(withWords.slice(0, 3))
  })

  it('is proven with them, and without them where the agent made it', async () => {
    const child = await childOf({ kind: 'tip' })
    const native = join(home, `${testId}.jsonl`)
    writeFileSync(native, textOfLines(lines.filter(({ type }) => type !== 'queue-operation')))
    const compare = async (other: SessionFile, byAgent: boolean) => {
      const pairs: string[] = []
      for await (const pair of claude.readBoth?.(folder.write(lines), other, { home, vars: {} }, { byAgent }) ?? []) {
        pairs.push(pair.kind === 'same' ? `${pair.messages} same` : JSON.stringify(pair))
      }
      return pairs
    }
    expect(await compare(child, false)).toEqual(['8 same'])
    expect(await compare(sessionFile(native), true)).toEqual(['6 same'])
    expect(await compare(sessionFile(native), false)).not.toEqual(['6 same'])
  })
})
