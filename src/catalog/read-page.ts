// Some messages of a session by their index, read from the part of the file that holds their turns. Which turns these are follows
// from what the catalogue counted; where that part would be most of the file, reading it from the start costs less.
import type { CatalogSession } from '../model/catalog.ts'
import type { Message, Turn } from '../model/session.ts'
import type { CatalogContext } from './context.ts'
import { requireStored } from './list.ts'
import { readTurns, type TurnRange } from './read-turns.ts'
import type { Readings } from './turn-readings.ts'

export type PageRange = { readonly from: number; readonly limit: number } | { readonly last: number }

export interface MessagePage {
  /** Index of the first message, among all of the live chain. */
  readonly first: number
  readonly messages: readonly Message[]
  /** All turns of the live chain. */
  readonly turns: readonly Turn[]
  /** Index of the message behind the last of these; `null` at the end. */
  readonly next: number | null
}

/** Up to here it makes no difference. */
const smallBytes = 4 << 20

/** `null` where only the whole file can tell, or reading it is quicker. */
export async function readPage(
  context: CatalogContext,
  readings: Readings,
  session: CatalogSession,
  range: PageRange,
): Promise<MessagePage | null> {
  const row = requireStored(context, session)
  const { turns, after } = readings(row)
  const starts = startsOf(turns, row.messages)
  if (starts === null || turns.length === 0) return null
  const wanted = 'last' in range ? { from: Math.max(0, row.messages - range.last), limit: range.last } : range
  const first = turnAt(starts, wanted.from)
  const last = turnAt(starts, wanted.from + wanted.limit - 1)
  const toEnd = 'last' in range || last === turns.length - 1
  const end = (toEnd ? null : after(last + 2)) ?? row.bytes
  const bytes = end - row.bytes * ((starts[first] ?? 0) / Math.max(1, row.messages))
  if (bytes > Math.max(smallBytes, row.bytes / 2)) return null
  const numbers: TurnRange = { from: first + 1, ...(toEnd ? {} : { to: last + 1 }) }
  const read = await readTurns(context, readings, session, numbers)
  // What stands before the first turn comes with it.
  const base = first === 0 ? 0 : (starts[first] ?? 0)
  const total = toEnd ? base + read.messages.length : row.messages
  if (!toEnd && read.messages.length !== (starts[last + 1] ?? 0) - base) return null
  const from = 'last' in range ? Math.max(0, total - range.last) : range.from
  if (from < base) return null // a rewound session has become shorter
  const stop = Math.min(total, from + wanted.limit)
  const messages = read.messages.slice(from - base, stop - base)
  return { first: from, messages, turns: read.turns, next: stop < total ? stop : null }
}

/** The index of each turn's first message; `null` when the counts contradict each other. */
function startsOf(turns: readonly Turn[], total: number): readonly number[] | null {
  let at = total - turns.reduce((sum, { messages }) => sum + messages, 0)
  if (at < 0) return null
  return turns.map(({ messages }) => {
    at += messages
    return at - messages
  })
}

/** The place of the turn that holds this message; the first for what stands before it, the last for what came since. */
function turnAt(starts: readonly number[], index: number): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= index),
  )
}
