// Reads a session's entries through its agent: from its own file, or from our archive when the agent has purged it.
import { agentOf } from '../agents/agent-of.ts'
import type { Entry, ReadOptions } from '../agents/reading.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'
import { requireStored, toSessionFile } from './list.ts'
import { openSession } from './open-session.ts'
import { settleTurns } from './turn-state.ts'

export async function* readSession(
  context: CatalogContext,
  session: CatalogSession,
  options?: ReadOptions,
): AsyncIterable<Entry> {
  const row = requireStored(context, session)
  for await (const entry of readEntries(context, row, options)) {
    const [turn] = entry.kind === 'turn' ? settleTurns(context, row, [entry.turn]) : []
    yield turn === undefined ? entry : { kind: 'turn', turn }
  }
}

async function* readEntries(context: CatalogContext, row: StoredSession, options?: ReadOptions): AsyncIterable<Entry> {
  const opened = await openSession(context, toSessionFile(row), row.builtOn)
  try {
    yield* agentOf(context, row.agent).read(opened.file, opened.env, options)
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error && 'code' in error)) throw error
    throw new AppError('unreadable', `Cannot read ${row.path}: ${error.message}`, { cause: error })
  } finally {
    opened.close()
  }
}
