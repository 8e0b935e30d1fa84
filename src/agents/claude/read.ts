// Reads a session as entries: pass 1 finds the chain, pass 2 tells it. Memory is bounded by the rows and the largest message.
import { setImmediate } from 'node:timers/promises'
import type { Message, Turn } from '../../model/session.ts'
import type { Entry, ReadOptions } from '../reading.ts'
import { contextOf } from './chain.ts'
import { liveChain } from './leaf.ts'
import type { LineIndex } from './line-index.ts'
import { tellStep } from './messages.ts'
import { openIndex } from './shared-index.ts'
import { finishTurn, outline, stepsOf } from './turns.ts'
import { branchUpTo } from './up-to.ts'
import { ValueFetcher } from './value-at.ts'

const breathBytes = 4 << 20
const maxAttempts = 3

export async function* readSession(path: string, options: ReadOptions = {}, sidechain = false): AsyncGenerator<Entry> {
  const { index, values } = await openSession(path, options, sidechain)
  try {
    let breath = breathBytes
    for (const entry of tell(index, values, options)) {
      yield entry
      if (values.fetchedBytes < breath) continue
      breath = values.fetchedBytes + breathBytes
      await setImmediate()
    }
  } finally {
    values.close()
  }
}

export interface OpenSession {
  readonly index: LineIndex
  readonly values: ValueFetcher
}

/** Whoever opens it closes `values`. */
export async function openSession(path: string, { upTo }: ReadOptions, sidechain = false): Promise<OpenSession> {
  const wantedTool = upTo && 'messageId' in upTo ? upTo.messageId : null
  for (let attempt = 1; ; attempt += 1) {
    const { index, inode } = await openIndex(path, { wantedTool, sidechain })
    const values = new ValueFetcher(path)
    // Another file may have taken the name since pass 1: offsets of the old one mean nothing in it.
    if (values.inode === inode || attempt === maxAttempts) return { index, values }
    values.close()
  }
}

function* tell(index: LineIndex, values: ValueFetcher, { view = 'all', upTo }: ReadOptions): Generator<Entry> {
  for (const { reason, offset } of index.skippedPlaces) yield { kind: 'skipped', reason, offset }
  const live = liveChain(index)
  const chain = upTo === undefined ? live : branchUpTo(index, live, upTo)
  const numbers = numbersOf(index, live)
  const turns = outline(index, chain).turns.map((draft) => {
    const number = numbers.get(draft.id) ?? null
    return finishTurn(draft, number, number === numbers.size)
  })
  yield* tellChain(index, values, chain, turns, view)
}

/** A chain and its turns. */
export function* tellChain(
  index: LineIndex,
  values: ValueFetcher,
  chain: readonly number[],
  turns: readonly Turn[],
  view: 'all' | 'context' = 'all',
): Generator<Entry> {
  const turnOf = turnIndexes(index, chain)
  let turn = -1
  for (const step of stepsOf(index, view === 'context' ? contextOf(index, chain) : chain)) {
    // No request after the one it was handed over with holds it again.
    if (step.row.kind === 'queued' && view === 'context') continue
    if (step.row.kind === 'boundary') {
      yield { kind: 'compaction' }
      continue
    }
    const own = turnOf.get(step.on) ?? -1
    const entered = own === turn ? undefined : turns[own]
    if (entered !== undefined) yield { kind: 'turn', turn: entered }
    turn = own
    const { messages, unreadable } = tellStep(index, values, step, turns[own]?.id ?? '', view)
    for (const message of messages) if (view === 'all' || isSent(message)) yield { kind: 'message', message }
    for (const offset of unreadable) yield { kind: 'skipped', reason: 'invalid', offset }
  }
}

/** The CLI keeps its error messages to itself, and a call without a result is dropped or closed with a made-up one. */
function isSent({ role, tool }: Message): boolean {
  return role !== 'error' && (tool === undefined || tool.output !== null)
}

/** Which turn of the chain each row belongs to; rows before the first prompt are not in it. */
function turnIndexes(index: LineIndex, chain: readonly number[]): Map<number, number> {
  const turnOf = new Map<number, number>()
  let turn = -1
  for (const at of chain) {
    if (index.rows.kind(at) === 'prompt') turn += 1
    if (turn >= 0) turnOf.set(at, turn)
  }
  return turnOf
}

function numbersOf(index: LineIndex, live: readonly number[]): Map<string, number> {
  const prompts = live.filter((at) => index.rows.kind(at) === 'prompt')
  return new Map(prompts.map((at, i) => [index.rows.uuid(at), i + 1]))
}
