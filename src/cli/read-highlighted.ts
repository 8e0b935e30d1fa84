// What is shown of the row that is highlighted: each is read once, never two at once, and always the one highlighted last, however
// fast somebody scrolls.
import type { App } from '../app.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Turn } from '../model/session.ts'
import { entriesOf } from './entries.ts'

export interface HighlightedReader<Row, Preview> {
  /** `null` while it is being read. */
  get(row: Row): Preview | null
}

const remembered = 200

export function createHighlightedReader<Row, Preview>(options: {
  readonly keyOf: (row: Row) => string
  readonly read: (row: Row) => Promise<Preview>
  readonly onRead: () => void
}): HighlightedReader<Row, Preview> {
  const { keyOf, read, onRead } = options
  const known = new Map<string, Preview>()
  let wanted: Row | undefined
  let reading = false

  async function readOn(): Promise<void> {
    if (reading) return
    reading = true
    for (let row = wanted; row !== undefined && !known.has(keyOf(row)); row = wanted) {
      const [oldest] = known.keys()
      if (known.size >= remembered && oldest !== undefined) known.delete(oldest)
      known.set(keyOf(row), await read(row))
      onRead()
    }
    reading = false
  }

  return {
    get(row) {
      wanted = row
      const preview = known.get(keyOf(row))
      if (preview === undefined) void readOn()
      return preview ?? null
    },
  }
}

/** The last thing the agent said in this turn. */
export async function readLastAnswer(app: App, session: CatalogSession, turn: Turn): Promise<string> {
  let answer = ''
  for await (const entry of entriesOf(app, { session, turn, messageId: null })) {
    if (entry.kind === 'message' && entry.message.role === 'assistant' && entry.message.text.trim() !== '') {
      answer = entry.message.text
    }
  }
  return answer
}
