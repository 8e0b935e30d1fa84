// The last thing the agent said in a turn and what it changed, for the preview.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { turnAddress } from '../../model/render.ts'
import type { Turn } from '../../model/session.ts'
import { createHighlightedReader, type HighlightedReader, readLastAnswer } from '../read-highlighted.ts'
import type { Preview } from './view.ts'

export function createAnswerReader(
  app: App,
  session: CatalogSession,
  onRead: () => void,
): HighlightedReader<Turn, NonNullable<Preview>> {
  return createHighlightedReader({
    keyOf: ({ id }) => id,
    read: async (turn) => ({
      answer: await readLastAnswer(app, session, turn).catch(inPlace),
      patch: await readPatch(app, session, turn).catch(inPlace),
    }),
    onRead,
  })
}

/** What cannot be read (a file deleted meanwhile) says so in the preview; the picker goes on. */
function inPlace(error: unknown): string {
  return `(${errorMessage(error)})`
}

/** Its beginning is enough: a preview is one screen. */
const patchLength = 64_000

async function readPatch(app: App, session: CatalogSession, turn: Turn): Promise<string | null> {
  if (turn.snapshot == null || turn.snapshot.tree === null || turn.snapshot.files.length === 0) return null
  return (await app.diff({ from: turnAddress(session, turn) })).patch.slice(0, patchLength)
}
