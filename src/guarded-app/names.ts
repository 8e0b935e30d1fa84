// From what a stranger names to a session that may be seen. Everything handed on below is named by the session's own file and a turn
// written anew, so that no prefix, `last` or smuggled second address can mean another session there than the one judged here.
import { findNearest } from '../lib/nearest.ts'
import { parseTurnName, type SessionName, type TurnName } from '../model/address.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { sessionAddress } from '../model/render.ts'
import { agentIds } from '../model/session.ts'
import type { Sessions } from './visible.ts'

export type Found =
  | { readonly kind: 'seen'; readonly session: CatalogSession }
  /** `hidden`: one that exists and may not be seen; `near` is what would be said if it did not exist. */
  | { readonly kind: 'unknown'; readonly hidden: CatalogSession | null; readonly near: readonly CatalogSession[] }

type IdName = Exclude<SessionName, { readonly kind: 'worker' }>

/** `whole`: no prefix is enough. Throws `ambiguous` where several that may be seen fit. */
export function findSession(name: IdName, { seen, hidden }: Sessions, whole: boolean): Found {
  const open = matching(name, seen, whole)
  if (open.length > 1) throw ambiguous(open)
  const [session] = open
  if (session !== undefined) return { kind: 'seen', session }
  const [shut] = name.kind === 'last' ? [] : matching(name, hidden, whole)
  return { kind: 'unknown', hidden: shut ?? null, near: nearest(name, seen) }
}

function matching(name: IdName, sessions: readonly CatalogSession[], whole: boolean): readonly CatalogSession[] {
  if (name.kind === 'path') return sessions.filter(({ path }) => path === name.path)
  const ofAgent = sessions.filter(({ agent }) => name.agent === null || agent === name.agent)
  if (name.kind === 'last') return ofAgent.slice(0, 1)
  const exact = ofAgent.filter(({ id }) => id === name.prefix)
  return exact.length > 0 || whole ? exact : ofAgent.filter(({ id }) => id.startsWith(name.prefix))
}

function nearest(name: IdName, seen: readonly CatalogSession[]): readonly CatalogSession[] {
  if (name.kind !== 'id') return []
  const ids = findNearest(
    name.prefix,
    seen.map(({ id }) => id),
  )
  return seen.filter(({ id }) => ids.includes(id))
}

/** `claude:<id>` or `<id>`, whole: what a route or a tool takes where a session is meant. */
export function parseSessionId(text: string): IdName {
  const [, agent, id] = /^(?:([a-z]+):)?([\w.-]{4,128})$/.exec(text) ?? []
  const known = agentIds.find((each) => each === agent) ?? null
  if (id === undefined || (agent !== undefined && known === null)) {
    throw new AppError('bad_address', `${JSON.stringify(text.slice(0, 100))} is no session id.`)
  }
  return { kind: 'id', agent: known, prefix: id }
}

export function writeAddress({ path }: CatalogSession, turn: TurnName | null): string {
  return turn === null ? path : `${path}@${writeTurn(turn)}`
}

/** `12`, `-2`, `last`, an id or `m:<message id>`, and nothing that an address could be made of. */
export function checkTurn(text: string): string {
  if (/[@/\s]/.test(text.replace(/^@/, ''))) throw new AppError('bad_address', `"${text}" names no turn.`)
  return writeTurn(parseTurnName(text))
}

export function writeTurn(turn: TurnName): string {
  switch (turn.kind) {
    case 'number':
      return String(turn.number)
    case 'fromEnd':
      return `-${turn.count}`
    case 'id':
      return turn.prefix
    case 'message':
      return `m:${turn.prefix}`
  }
}

export function unknownSession(text: string, near: readonly CatalogSession[]): AppError {
  const names = near.map(sessionAddress)
  const meant = names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`
  return new AppError('session_not_found', `There is no session "${text}".${meant}`, {
    details: { candidates: near.map(describe) },
  })
}

function ambiguous(sessions: readonly CatalogSession[]): AppError {
  const shown = sessions.slice(0, 10).map((session) => `${sessionAddress(session)} ${session.path}`)
  return new AppError('ambiguous', `This fits ${sessions.length} sessions:\n  ${shown.join('\n  ')}`, {
    details: { candidates: sessions.map(describe) },
  })
}

function describe({ agent, id, title, path, cwd }: CatalogSession) {
  return { agent, id, title, path, cwd }
}
