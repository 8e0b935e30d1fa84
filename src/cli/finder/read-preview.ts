// Prompt and answer of the turn that was found.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { SearchResult } from '../../model/search.ts'
import { createHighlightedReader, type HighlightedReader, readLastAnswer } from '../read-highlighted.ts'

export interface Preview {
  readonly prompt: string
  readonly answer: string
}

export function createPreviewReader(app: App, onRead: () => void): HighlightedReader<SearchResult, Preview> {
  return createHighlightedReader({ keyOf, read: (result) => readPreview(app, result), onRead })
}

/** What was added to a session since makes it another text. */
function keyOf({ session, turn }: SearchResult): string {
  return `${session.path} ${turn?.id} ${session.bytes}`
}

/** What cannot be read (a file deleted meanwhile) says so in the preview; the finder goes on. */
async function readPreview(app: App, { session, turn: found }: SearchResult): Promise<Preview> {
  try {
    const turns = await app.listTurns(session, { deadBranches: true })
    const turn = found === null ? turns.at(-1) : turns.find(({ id }) => id === found.id)
    if (turn === undefined) return { prompt: '', answer: '(this turn is not there any more)' }
    return { prompt: turn.prompt, answer: await readLastAnswer(app, session, turn) }
  } catch (error) {
    return { prompt: '', answer: `(${errorMessage(error)})` }
  }
}
