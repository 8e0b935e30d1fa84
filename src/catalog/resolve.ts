// From an address to the session, turn or message it names; unknown and ambiguous ones say what was near.

import { findNearest } from '../lib/nearest.ts'
import { parseAddress, type SessionName, type TurnName } from '../model/address.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'
import { findRepository, newness, toCatalogSessions } from './list.ts'
import { findUnwritten, turnsOf, whatToRead } from './unwritten.ts'

/** Which session a worker runs; throws `worker_not_found`. */
export type SessionOfWorker = (name: string) => { readonly agent: AgentId; readonly sessionId: string }

export async function resolveAddress(
  context: CatalogContext,
  text: string,
  cwd: string,
  sessionOfWorker?: SessionOfWorker,
): Promise<Target> {
  const address = parseAddress(text)
  const session = await findSession(context, address.session, cwd, sessionOfWorker)
  if (address.turn === null) return { session, turn: null, messageId: null }
  const turns = turnsOf(context, session)
  if (address.turn.kind === 'message') {
    const { findMessage } = await import('./message.ts')
    return { session, turns, ...(await findMessage(context, whatToRead(context, session).session, turns, address.turn.prefix)) }
  }
  return { session, turns, turn: findTurn(session, turns, address.turn), messageId: null }
}

async function findSession(
  context: CatalogContext,
  name: SessionName,
  cwd: string,
  sessionOfWorker?: SessionOfWorker,
): Promise<CatalogSession> {
  switch (name.kind) {
    case 'worker':
      if (sessionOfWorker !== undefined) return findOfWorker(context, name.name, sessionOfWorker(name.name))
      throw new AppError('session_not_found', `There is no worker "${name.name}": offshoot has started none.`, {
        hint: 'Name the session itself; see `offshoot sessions`.',
      })
    case 'last':
      return toSession(context, await findLast(context, name, cwd))
    case 'path':
      return toSession(context, findByPath(context, name.path))
    case 'id':
      return findById(context, name)
  }
}

function toSession(context: CatalogContext, row: StoredSession): CatalogSession {
  const [session] = toCatalogSessions(context, [row])
  if (session === undefined) throw new Error('one row gives one session')
  return session
}

function findOfWorker(context: CatalogContext, name: string, { agent, sessionId }: ReturnType<SessionOfWorker>): CatalogSession {
  const [row] = context.store().sessions.withId(agent, sessionId)
  if (row !== undefined) return toSession(context, row)
  const [unwritten] = findUnwritten(context, agent, sessionId)
  if (unwritten !== undefined) return unwritten
  throw new AppError(
    'session_not_found',
    `The worker "${name}" has no turn yet: ${agent} writes its session with the first prompt.`,
    {
      hint: `Send it one: \`offshoot send ${name} ...\`.`,
    },
  )
}

/** Inside a repository the newest of that repository, worktrees included; elsewhere the newest of all. */
async function findLast(context: CatalogContext, { agent }: { agent: string | null }, cwd: string): Promise<StoredSession> {
  const repoId = await findRepository(context, cwd)
  const rows = context.store().sessions.list(repoId ?? undefined)
  const wanted = rows.filter((row) => agent === null || row.agent === agent).sort((a, b) => newness(b) - newness(a))
  if (wanted[0] !== undefined) return wanted[0]
  const whose = agent === null ? '' : `${agent} `
  throw new AppError(
    'session_not_found',
    repoId === null ? `There is no ${whose}session yet.` : `There is no ${whose}session of this repository yet.`,
  )
}

function findByPath(context: CatalogContext, path: string): StoredSession {
  const row = context
    .store()
    .sessions.list()
    .find((each) => each.path === path)
  if (row === undefined) throw new AppError('session_not_found', `${path} is no session of a known agent.`)
  return row
}

function findById(context: CatalogContext, { agent, prefix }: { agent: AgentId | null; prefix: string }): CatalogSession {
  const rows = context
    .store()
    .sessions.list()
    .filter((row) => agent === null || row.agent === agent)
  const exact = rows.filter(({ id }) => id === prefix)
  const written = exact.length > 0 ? exact : rows.filter(({ id }) => id.startsWith(prefix))
  const unwritten = exact.length > 0 ? [] : findUnwritten(context, agent, prefix)
  if (written.length + unwritten.length > 1) throw ambiguousSession(prefix, [...written, ...unwritten])
  if (written[0] !== undefined) return toSession(context, written[0])
  if (unwritten[0] !== undefined) return unwritten[0]
  const near = findNearest(
    prefix,
    rows.map(({ id }) => id),
  )
  const candidates = near.flatMap((id) => rows.find((row) => row.id === id) ?? [])
  const whose = agent === null ? '' : `${agent} `
  throw new AppError('session_not_found', `There is no ${whose}session "${prefix}".${didYouMean(candidates.map(nameOf))}`, {
    details: { candidates: candidates.map(describe) },
  })
}

function ambiguousSession(prefix: string, rows: readonly Named[]): AppError {
  const samePlace = new Set(rows.map(nameOf)).size === 1
  const shown = rows.slice(0, 10).map((row) => (samePlace ? row.path : `${nameOf(row)} ${row.title}`))
  const more = rows.length > shown.length ? `\n  and ${rows.length - shown.length} more` : ''
  const what = samePlace ? `is in ${rows.length} places` : `fits ${rows.length} sessions`
  return new AppError('ambiguous', `"${prefix}" ${what}:\n  ${shown.join('\n  ')}${more}`, {
    details: { candidates: rows.map(describe) },
    ...(samePlace ? { hint: 'Give the path of the file instead of the id.' } : {}),
  })
}

function findTurn(session: CatalogSession, turns: readonly Turn[], name: Exclude<TurnName, { kind: 'message' }>): Turn {
  const live = turns.filter(({ number }) => number !== null)
  switch (name.kind) {
    case 'number':
      return name.number === 0 ? beforeFirst : (live[name.number - 1] ?? noSuchTurn(session, live.length, `@${name.number}`))
    case 'fromEnd':
      return live[live.length - name.count] ?? noSuchTurn(session, live.length, `@-${name.count}`)
    case 'id':
      return findTurnById(session, turns, name.prefix)
  }
}

function findTurnById(session: CatalogSession, turns: readonly Turn[], prefix: string): Turn {
  const exact = turns.filter(({ id }) => id === prefix)
  const found = exact.length > 0 ? exact : turns.filter(({ id }) => id.startsWith(prefix))
  if (found.length === 1 && found[0] !== undefined) return found[0]
  const describeTurn = ({ number, id, prompt }: Turn) => ({ number, id, prompt: prompt.slice(0, 80) })
  if (found.length > 1) {
    throw new AppError('ambiguous', `"@${prefix}" fits ${found.length} turns: ${found.map(({ id }) => id).join(', ')}`, {
      details: { candidates: found.map(describeTurn) },
    })
  }
  const near = findNearest(
    prefix,
    turns.map(({ id }) => id),
  )
  throw new AppError('turn_not_found', `${nameOf(session)} has no turn "${prefix}".${didYouMean(near)}`, {
    details: { candidates: turns.filter(({ id }) => near.includes(id)).map(describeTurn) },
  })
}

/** Turn 0: the state before the first prompt. */
const beforeFirst: Turn = {
  number: 0,
  id: '',
  prompt: '',
  startedAt: null,
  endedAt: null,
  messages: 0,
  lastMessageId: null,
  state: 'complete',
  afterCompaction: false,
}

function noSuchTurn(session: CatalogSession, count: number, name: string): never {
  const has = count === 0 ? 'has no turns' : count === 1 ? 'has one turn' : `has turns 1 to ${count}`
  throw new AppError('turn_not_found', `${nameOf(session)} ${has}; there is no ${name}.`)
}

type Named = Pick<CatalogSession, 'agent' | 'id' | 'title' | 'path' | 'cwd'>

function describe({ agent, id, title, path, cwd }: Named) {
  return { agent, id, title, path, cwd }
}

function nameOf({ agent, id }: Pick<CatalogSession, 'agent' | 'id'>): string {
  return `${agent}:${id}`
}

function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`
}
