// The files `/branch` writes: what a compaction kept is in them behind the compaction, in one chain with the rest.
import { afterAll, describe, expect, it } from 'vitest'
import {
  chainLine,
  gist,
  messagesIn,
  notes,
  prompt,
  readEntries,
  reply,
  summarise,
  type TestLine,
  testFolder,
} from './lines.testkit.ts'

const folder = testFolder()
afterAll(() => folder.remove())

async function tell(lines: readonly TestLine[], options = {}): Promise<string[]> {
  return gist(messagesIn(await readEntries(folder.write(lines), options)))
}

async function turnsOf(lines: readonly TestLine[]) {
  const { turns, deadTurns } = await summarise(folder.write(lines))
  return { live: turns.map(({ id }) => id), dead: deadTurns.map(({ id }) => id) }
}

function boundary(uuid: string, parent: string | null, logicalParentUuid: string, anchorUuid: string, uuids: string[]): TestLine {
  const compactMetadata = {
    trigger: 'manual',
    preservedSegment: { headUuid: uuids[0], anchorUuid, tailUuid: uuids.at(-1) },
    preservedMessages: { anchorUuid, uuids, allUuids: uuids },
  }
  return chainLine(uuid, parent, { type: 'system', subtype: 'compact_boundary', logicalParentUuid, compactMetadata })
}

function summary(uuid: string, parent: string, text: string): TestLine {
  return prompt(uuid, parent, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
}

describe('a branch of a session summarised up to a prompt', () => {
  const kept = [
    boundary('b', null, 'not-copied', 's', ['p3', 'a3', 'd3']),
    summary('s', 'b', 'one and two'),
    prompt('p3', 's', 'three'),
    reply('a3', 'p3', 'm3', 'third'),
    chainLine('d3', 'a3', notes['a turn_duration']),
  ]
  const lines = [
    ...kept,
    chainLine('n', 'd3', notes['hook context']),
    prompt('p4', 'n', 'four'),
    reply('a4', 'p4', 'm4', 'fourth'),
  ]
  const upToThree = ['summary: one and two', 'user: three', 'assistant: third']

  it('has the kept turn among its turns', async () => {
    expect(await turnsOf(lines)).toEqual({ live: ['p3', 'p4'], dead: [] })
    expect(await turnsOf(kept)).toEqual({ live: ['p3'], dead: [] })
  })

  it('sends the kept turn once', async () => {
    const sent = [...upToThree, 'system: Stop hook additional context: noted', 'user: four', 'assistant: fourth']
    expect(await tell(lines, { view: 'context' })).toEqual(sent)
    expect(await tell(lines)).toEqual(sent)
    expect(await tell(kept, { view: 'context' })).toEqual(upToThree)
  })

  it('ends at the kept turn or within it when it is read up to there', async () => {
    expect((await tell(lines, { view: 'context', upTo: { turnId: 'p3' } })).slice(0, 3)).toEqual(upToThree)
    expect(await tell(lines, { view: 'context', upTo: { messageId: 'p3' } })).toEqual(upToThree.slice(0, 2))
  })
})

describe('a branch of a session compacted twice', () => {
  // The second compaction kept the first one and what followed it, so that those lines are in the file twice.
  const first = (parent: string) => [
    boundary('b1', parent, 'd2', 's1', ['a2', 'd2']),
    summary('s1', 'b1', 'first summary'),
    reply('a2', 's1', 'm2', 'second'),
    chainLine('d2', 'a2', notes['a turn_duration']),
    chainLine('n', 'd2', notes['hook context']),
  ]
  const lines = [
    prompt('p1', null, 'one'),
    reply('a1', 'p1', 'm1', 'first'),
    prompt('p2', 'a1', 'two'),
    ...first('p2'),
    boundary('b2', 'n', 'n', 'b2', ['b1', 's1', 'a2', 'd2', 'n']),
    ...first('b2'),
    summary('s2', 'n', 'second summary'),
    prompt('p4', 's2', 'four'),
    reply('a4', 'p4', 'm4', 'fourth'),
  ]

  it('has the turns before the compactions among its turns', async () => {
    expect(await turnsOf(lines)).toEqual({ live: ['p1', 'p2', 'p4'], dead: [] })
  })

  it('sends both summaries with what was kept between them', async () => {
    expect(await tell(lines, { view: 'context' })).toEqual([
      'summary: first summary',
      'assistant: second',
      'system: Stop hook additional context: noted',
      'summary: second summary',
      'user: four',
      'assistant: fourth',
    ])
  })

  it('is not reported as damaged', async () => {
    expect((await summarise(folder.write(lines))).skipped).not.toHaveProperty('cycle')
  })
})
