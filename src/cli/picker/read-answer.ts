// The last thing the agent said in a turn and what it changed, for the preview. Read once per turn; never two turns at once, and always the one
// that is highlighted last, however fast somebody scrolls.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { turnAddress } from '../../model/render.ts'
import type { Turn } from '../../model/session.ts'
import { entriesOf } from '../entries.ts'
import type { Preview } from './view.ts'

export interface AnswerReader {
  /** What is known of this turn; `null` when it is being read now. */
  get(turn: Turn): Preview
}

export function createAnswerReader(app: App, session: CatalogSession, onRead: () => void): AnswerReader {
  const known = new Map<string, Preview>()
  let wanted: Turn | undefined
  let reading = false

  async function readOn(): Promise<void> {
    if (reading) return
    reading = true
    for (let turn = wanted; turn !== undefined && !known.has(turn.id); turn = wanted) {
      known.set(turn.id, { answer: await readAnswer(app, session, turn), patch: await readPatch(app, session, turn) })
      onRead()
    }
    reading = false
  }

  return {
    get(turn) {
      wanted = turn
      const preview = known.get(turn.id)
      if (preview === undefined) void readOn()
      return preview ?? null
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
    return `(${errorMessage(error)})`
  }
  return answer
}

/** Its beginning is enough: a preview is one screen. */
const patchLength = 64_000

async function readPatch(app: App, session: CatalogSession, turn: Turn): Promise<string | null> {
  if (turn.snapshot == null || turn.snapshot.tree === null || turn.snapshot.files.length === 0) return null
  try {
    return (await app.diff({ from: turnAddress(session, turn) })).patch.slice(0, patchLength)
  } catch (error) {
    return `(${errorMessage(error)})`
  }
}
