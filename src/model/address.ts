// How a person names a session, a turn or a message: pure parsing, nothing is looked up here.
// `@12` is always a number; a turn's id prefix needs four characters and a letter or hyphen, so the two never collide.
import { AppError } from './error.ts'
import { type AgentId, agentIds } from './session.ts'

export type SessionName =
  | { readonly kind: 'last'; readonly agent: AgentId | null }
  | { readonly kind: 'id'; readonly agent: AgentId | null; readonly prefix: string }
  /** The session's own file: the one name that still works when two folders hold the same id. */
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'worker'; readonly name: string }

export type TurnName =
  /** 0 is the state before the first prompt. */
  | { readonly kind: 'number'; readonly number: number }
  /** 1 is the last turn, 2 the one before it. */
  | { readonly kind: 'fromEnd'; readonly count: number }
  | { readonly kind: 'id'; readonly prefix: string }
  | { readonly kind: 'message'; readonly prefix: string }

export interface Address {
  readonly session: SessionName
  readonly turn: TurnName | null
}

const minPrefixLength = 4

export function parseAddress(text: string): Address {
  const trimmed = text.trim()
  if (trimmed === '') throw new AppError('bad_address', 'The address is empty.')
  const at = findTurnMark(trimmed)
  if (at === -1) return { session: parseSession(trimmed, text), turn: null }
  return { session: parseSession(trimmed.slice(0, at), text), turn: parseTurn(trimmed.slice(at + 1), text) }
}

/** The last `@`; folders may have one in their names, so in a path only what follows the file's name counts. */
function findTurnMark(text: string): number {
  const at = text.lastIndexOf('@')
  return at < text.lastIndexOf('/') && text.includes('.jsonl') ? -1 : at
}

function parseSession(text: string, whole: string): SessionName {
  if (text === '' || text === 'last') return { kind: 'last', agent: null }
  if (text.includes('/')) return { kind: 'path', path: text }
  const colon = text.indexOf(':')
  if (colon === -1) return { kind: 'id', agent: null, prefix: checkPrefix(text, 'session', whole) }
  const head = text.slice(0, colon)
  const rest = text.slice(colon + 1)
  if (head === 'worker') return { kind: 'worker', name: rest }
  const agent = agentIds.find((id) => id === head)
  if (agent === undefined) {
    throw new AppError('bad_address', `"${whole}" names no agent offshoot knows: "${head}". Agents: ${agentIds.join(', ')}.`)
  }
  if (rest === 'last') return { kind: 'last', agent }
  return { kind: 'id', agent, prefix: checkPrefix(rest, 'session', whole) }
}

/** A turn as it is named within its session: `12`, `-2`, `last`, an id or `m:<message id>`, with or without `@`. */
export function parseTurnName(text: string): TurnName {
  try {
    return parseTurn(text.trim().replace(/^@/, ''), text)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, error.message, { hint: 'A turn is named by its number, `last`, `-2` or its id.' })
  }
}

function parseTurn(text: string, whole: string): TurnName {
  if (text === 'last') return { kind: 'fromEnd', count: 1 }
  if (/^\d+$/.test(text)) return { kind: 'number', number: Number(text) }
  if (/^-\d+$/.test(text)) {
    const count = Number(text.slice(1))
    if (count === 0) throw new AppError('bad_address', `"${whole}": counting from the end starts with @-1, the last turn.`)
    return { kind: 'fromEnd', count }
  }
  if (text.startsWith('m:')) {
    if (text.length === 2) throw new AppError('bad_address', `"${whole}": a message id must follow @m:`)
    return { kind: 'message', prefix: text.slice(2) }
  }
  // Ids of turns that old Codex files do not name are `t<ordinal>`: short, but whole.
  if (/^t\d+$/.test(text)) return { kind: 'id', prefix: text }
  return { kind: 'id', prefix: checkPrefix(text, 'turn', whole) }
}

function checkPrefix(text: string, noun: string, whole: string): string {
  if (!/^[\w.-]+$/.test(text)) throw new AppError('bad_address', `"${whole}": "${text}" is no ${noun} id.`)
  if (text.length < minPrefixLength) {
    throw new AppError('bad_address', `"${whole}": give at least ${minPrefixLength} characters of the ${noun} id.`)
  }
  return text
}
