// Prompt and answer of the turn that was found. Each is read once; never two at once, and always the one highlighted last.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { SearchResult } from '../../model/search.ts'
import { entriesOf } from '../entries.ts'

export interface Preview {
  readonly prompt: string
  readonly answer: string
}

export interface PreviewReader {
  /** `null` while it is being read. */
  get(result: SearchResult): Preview | null
}

const remembered = 200

export function createPreviewReader(app: App, onRead: () => void): PreviewReader {
  const known = new Map<string, Preview>()
  let wanted: SearchResult | undefined
  let reading = false

  async function readOn(): Promise<void> {
    if (reading) return
    reading = true
    for (let next = wanted; next !== undefined && !known.has(keyOf(next)); next = wanted) {
      const [oldest] = known.keys()
      if (known.size >= remembered && oldest !== undefined) known.delete(oldest)
      known.set(keyOf(next), await readPreview(app, next))
      onRead()
    }
    reading = false
  }

  return {
    get(result) {
      wanted = result
      const preview = known.get(keyOf(result))
      if (preview === undefined) void readOn()
      return preview ?? null
    },
  }
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
    let answer = ''
    for await (const entry of entriesOf(app, { session, turn, messageId: null })) {
      if (entry.kind === 'message' && entry.message.role === 'assistant' && entry.message.text.trim() !== '') {
        answer = entry.message.text
      }
    }
    return { prompt: turn.prompt, answer }
  } catch (error) {
    return { prompt: '', answer: `(${errorMessage(error)})` }
  }
}
