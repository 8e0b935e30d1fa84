// A session as one JSON document, written message by message: `{session, turn?, messages: [...]}`.
import { safeJson } from '../../lib/safe-json.ts'
import { renderMessage, renderSession, renderTurn } from '../../model/render.ts'
import type { DocumentWriter } from './document.ts'

export function createJsonWriter(): DocumentWriter {
  let first = true
  return {
    begin: ({ session, turn }) => {
      const named = turn === null ? '' : `"turn":${safeJson(renderTurn(session, turn))},`
      return `{"session":${safeJson(renderSession(session))},${named}"messages":[`
    },
    entry: (entry) => {
      if (entry.kind !== 'message') return ''
      const separator = first ? '\n' : ',\n'
      first = false
      return separator + safeJson(renderMessage(entry.message))
    },
    end: () => '\n]}\n',
  }
}
