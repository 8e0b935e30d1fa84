// The entries an address names: a whole session, one turn of it, or one message.

import type { Entry } from '../agents/reading.ts'
import type { App } from '../app.ts'
import type { Target } from '../model/catalog.ts'

export async function* entriesOf(app: App, target: Target): AsyncGenerator<Entry> {
  const { session, turn, messageId } = target
  if (messageId !== null) yield* onlyMessage(app.readSession(session, { upTo: { messageId } }), messageId)
  else if (turn?.number === 0) yield* beforeFirstTurn(app.readSession(session))
  else if (turn !== null) yield* onlyTurn(app.readSession(session, { upTo: { turnId: turn.id } }), turn.id)
  else yield* app.readSession(session)
}

async function* onlyTurn(entries: AsyncIterable<Entry>, turnId: string): AsyncGenerator<Entry> {
  let inside = false
  for await (const entry of entries) {
    if (entry.kind === 'turn') inside = entry.turn.id === turnId
    if (inside) yield entry
  }
}

async function* beforeFirstTurn(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    if (entry.kind === 'turn') return
    yield entry
  }
}

async function* onlyMessage(entries: AsyncIterable<Entry>, messageId: string): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    if (entry.kind === 'message' && entry.message.id === messageId) yield entry
  }
}
