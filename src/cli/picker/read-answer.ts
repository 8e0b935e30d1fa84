// The last thing the agent said in a turn, for the preview. Read once per turn; never two turns at once, and always the one
// that is highlighted last, however fast somebody scrolls.
import type { App } from '../../app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { Turn } from '../../model/session.ts'
import { entriesOf } from '../entries.ts'

export interface AnswerReader {
  /** What is known of this turn's answer; `null` when it is being read now. */
  get(turn: Turn): string | null
}

export function createAnswerReader(app: App, session: CatalogSession, onRead: () => void): AnswerReader {
  const known = new Map<string, string>()
  let wanted: Turn | undefined
  let reading = false

  async function readOn(): Promise<void> {
    if (reading) return
    reading = true
    for (let turn = wanted; turn !== undefined && !known.has(turn.id); turn = wanted) {
      known.set(turn.id, await readAnswer(app, session, turn))
      onRead()
    }
    reading = false
  }

  return {
    get(turn) {
      wanted = turn
      const answer = known.get(turn.id)
      if (answer === undefined) void readOn()
      return answer ?? null
    },
  }
}

/** What cannot be read (a file deleted meanwhile) says so in the preview; the picker goes on. */
async function readAnswer(app: App, session: CatalogSession, turn: Turn): Promise<string> {
  let answer = ''
  try {
    for await (const entry of entriesOf(app, { session, turn, messageId: null })) {
      if (entry.kind === 'message' && entry.message.role === 'assistant' && entry.message.text.trim() !== '') {
        answer = entry.message.text
      }
    }
  } catch (error) {
    return `(${error instanceof Error ? error.message : String(error)})`
  }
  return answer
}
