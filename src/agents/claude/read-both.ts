// Reads a parent's branch and its child side by side, for the proof of a fork. Both are read from their files, each by its own
// tree; a message whose bytes are the same in both is the same message, and only the others are parsed.
import { setImmediate } from 'node:timers/promises'
import type { Message } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { Pair, ReadOptions } from '../reading.ts'
import { type ChildIndex, indexChild } from './child-index.ts'
import { liveChain } from './leaf.ts'
import { tellStep } from './messages.ts'
import { type OpenSession, openSession } from './read.ts'
import { messagesOf, type Step, stepsOf } from './turns.ts'
import { branchUpTo } from './up-to.ts'
import { ValueFetcher } from './value-at.ts'

const breathBytes = 4 << 20

type OpenChild = OpenSession & ChildIndex

type BothOptions = ReadOptions & { readonly byAgent: boolean }

export async function* readBoth(theirs: SessionFile, ours: SessionFile, options: BothOptions): AsyncGenerator<Pair> {
  const parent = await openSession(theirs.path, options)
  try {
    const values = new ValueFetcher(ours.path)
    try {
      const child = { values, ...(await indexChild(ours.path, parent, { parent: theirs.id, child: ours.id })) }
      yield* pairSteps(parent, child, options)
    } finally {
      values.close()
    }
  } finally {
    parent.values.close()
  }
}

async function* pairSteps(parent: OpenSession, child: OpenChild, { upTo, byAgent }: BothOptions): AsyncGenerator<Pair> {
  // The agent's own fork leaves the notes of its queue behind.
  const withQueued = !byAgent || child.index.queue.used.length > 0
  const [theirs, ours] = [tellableSteps(parent, withQueued, upTo), tellableSteps(child, withQueued)]
  let messages = 0
  let openCalls = 0
  let breath = breathBytes
  for (;;) {
    const [a, b] = [theirs.next(), ours.next()]
    if (a.done !== true && b.done !== true && isSame(parent, a.value, child, b.value)) {
      messages += messagesOf(a.value)
      openCalls += countOpenCalls(child, b.value)
      if (child.values.fetchedBytes < breath) continue
      breath = child.values.fetchedBytes + breathBytes
      await setImmediate()
      continue
    }
    if (messages > 0) yield { kind: 'same', messages, openCalls }
    messages = openCalls = 0
    if (a.done === true && b.done === true) return
    yield {
      kind: 'told',
      parent: a.done === true ? [] : tell(parent, a.value),
      child: b.done === true ? [] : tell(child, b.value),
    }
  }
}

function* tellableSteps({ index }: OpenSession, withQueued: boolean, upTo?: ReadOptions['upTo']): Generator<Step> {
  const live = liveChain(index)
  const chain = upTo === undefined ? live : branchUpTo(index, live, upTo)
  for (const step of stepsOf(index, chain)) {
    if (messagesOf(step) > 0 && (withQueued || step.row.kind !== 'queued')) yield step
  }
}

function tell({ index, values }: OpenSession, step: Step): Message[] {
  return tellStep(index, values, step, '').messages
}

/** Everything a step is told from: the bytes of its values, and what stands in its rows besides. */
function isSame(parent: OpenSession, a: Step, child: OpenChild, b: Step): boolean {
  if (a.group === null || b.group === null) {
    return a.group === b.group && a.row.kind === b.row.kind && isSameRow(parent, a.at, child, b.at)
  }
  if (a.group.error !== b.group.error) return false
  return isSameRows(parent, a.group.rows, child, b.group.rows) && isSameRows(parent, a.group.results, child, b.group.results)
}

function isSameRows(parent: OpenSession, theirs: readonly number[], child: OpenChild, ours: readonly number[]): boolean {
  return theirs.length === ours.length && theirs.every((at, i) => isSameRow(parent, at, child, ours[i] ?? at))
}

function isSameRow(parent: OpenSession, theirs: number, child: OpenChild, ours: number): boolean {
  if (child.copies.get(child.index.rows.line(ours)) === theirs) return true
  const [a, b] = [parent.index.rows.get(theirs), child.index.rows.get(ours)]
  if (a === undefined || b === undefined || a.exitCode !== b.exitCode || a.bytes !== b.bytes) return false
  return parent.values.bytesAt(a.offset, a.bytes).equals(child.values.bytesAt(b.offset, b.bytes))
}

/** Calls whose results were seen while the lines were compared need not be parsed for that. */
function countOpenCalls(child: OpenChild, step: Step): number {
  const { group } = step
  if (group === null || group.tools === 0) return 0
  const named = (at: number) => child.calls.get(child.index.rows.line(at))
  const made = group.rows.map(named).filter((call) => call !== undefined)
  const answered = group.results.map(named)
  if (made.length === group.tools && made.every((call) => answered.includes(call))) return 0
  return tell(child, step).filter(({ tool }) => tool?.output === null).length
}
