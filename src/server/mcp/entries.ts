// The messages a page is made of, read from the part of the file that holds them wherever that is possible: a late page of a long
// session must not cost reading all that stands before it.
import type { Entry } from '../../agents/reading.ts'
import type { GuardedApp } from '../../guarded-app.ts'
import type { CatalogSession, Target } from '../../model/catalog.ts'
import type { Message, Turn } from '../../model/session.ts'

type Reading = Pick<GuardedApp, 'readSession' | 'readPage' | 'readTurns'>

export interface Entries {
  /** Index of the first message among those the page counts. */
  readonly first: number
  readonly entries: AsyncIterable<Entry>
}

/** More messages than a page holds, as a rule. */
const windowLength = 128

export async function openEntries(app: Reading, target: Target, from: number): Promise<Entries> {
  const { session, turn, messageId } = target
  if (messageId !== null) return { first: 0, entries: oneMessage(app, session, messageId) }
  if (turn !== null) return { first: 0, entries: oneTurn(app, session, turn) }
  // The first page is at the start of the file.
  if (from === 0) return { first: 0, entries: app.readSession(session) }
  const page = await app.readPage(session, { from, limit: windowLength })
  return page === null ? { first: 0, entries: app.readSession(session) } : { first: from, entries: windows(app, session, page) }
}

async function* windows(
  app: Reading,
  session: CatalogSession,
  first: NonNullable<Awaited<ReturnType<Reading['readPage']>>>,
): AsyncGenerator<Entry> {
  yield* entriesOf(first.messages, first.turns)
  for (let at = first.next; at !== null; ) {
    const page = await app.readPage(session, { from: at, limit: windowLength })
    if (page === null) return yield* startingAt(app.readSession(session), at)
    yield* entriesOf(page.messages, page.turns)
    at = page.next
  }
}

/** Each turn before its messages, as reading the file gives them. */
function* entriesOf(messages: readonly Message[], turns: readonly Turn[]): Generator<Entry> {
  const byId = new Map(turns.map((turn) => [turn.id, turn]))
  let turnId = ''
  for (const message of messages) {
    const turn = message.turnId === turnId ? undefined : byId.get(message.turnId)
    if (turn !== undefined) yield { kind: 'turn', turn }
    turnId = message.turnId
    yield { kind: 'message', message }
  }
}

async function* startingAt(entries: AsyncIterable<Entry>, first: number): AsyncGenerator<Entry> {
  let at = 0
  for await (const entry of entries) {
    if (entry.kind !== 'message' || at >= first) yield entry
    if (entry.kind === 'message') at += 1
  }
}

async function* oneMessage(app: Reading, session: CatalogSession, messageId: string): AsyncGenerator<Entry> {
  for await (const entry of app.readSession(session, { upTo: { messageId } })) {
    if (entry.kind !== 'message' || entry.message.id === messageId) yield entry
  }
}

async function* oneTurn(app: Reading, session: CatalogSession, turn: Turn): AsyncGenerator<Entry> {
  if (turn.number === 0) return
  const messages = await messagesOf(app, session, turn)
  if (messages !== null) return yield* entriesOf(messages, [turn])
  let inside = false
  for await (const entry of app.readSession(session, { upTo: { turnId: turn.id } })) {
    if (entry.kind === 'turn') inside = entry.turn.id === turn.id
    if (inside) yield entry
  }
}

/** `null`: only reading up to it can tell. Those of dead branches have no number, and a session may have been rewound since. */
async function messagesOf(app: Reading, session: CatalogSession, { id, number }: Turn): Promise<readonly Message[] | null> {
  if (number === null) return null
  const { messages, turns } = await app.readTurns(session, { from: number, to: number })
  if (turns[number - 1]?.id !== id) return null
  const own = messages.filter(({ turnId }) => turnId === id)
  // A compaction after its last answer is not shown with it, and here that one cannot be told from one within.
  return own.some(({ role }) => role === 'summary') ? null : own
}
