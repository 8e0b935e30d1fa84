// A fork that its agent writes with the first prompt only (Claude's --fork-session): until then it is what its parent is up to the
// turn it was forked at, and is listed, read and forked as that.
import { agentOf } from '../agents/agent-of.ts'
import type { ReadOptions } from '../agents/reading.ts'
import type { CatalogSession, FolderPlace } from '../model/catalog.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { UnwrittenFork } from '../store/forks.ts'
import type { CatalogContext } from './context.ts'
import { findStored, listTurns, toCatalogSessions } from './list.ts'
import type { TurnRange, TurnsRead } from './read-turns.ts'

/** Those some process has open; one that was closed without a prompt will never be written. */
export function listUnwritten(context: CatalogContext): CatalogSession[] {
  const forks = context.store().forks.unwritten()
  if (forks.length === 0) return []
  const open = new Set(context.agents.flatMap(({ id, live }) => live(context.env).map(({ sessionId }) => `${id}:${sessionId}`)))
  return forks
    .filter(({ agent, sessionId }) => open.has(`${agent}:${sessionId}`))
    .flatMap((fork) => describe(context, fork) ?? [])
}

/** By their ids or what they begin with. */
export function findUnwritten(context: CatalogContext, agent: AgentId | null, prefix: string): CatalogSession[] {
  return context
    .store()
    .forks.unwritten()
    .filter((fork) => (agent === null || fork.agent === agent) && fork.sessionId.startsWith(prefix))
    .flatMap((fork) => describe(context, fork) ?? [])
}

function describe(context: CatalogContext, fork: UnwrittenFork): CatalogSession | null {
  const { agent, sessionId: id, title, cwd, branch, parent, createdAt } = fork
  const [row] = context.store().sessions.withId(parent.agent, parent.sessionId)
  const [source] = row === undefined ? [] : toCatalogSessions(context, [row])
  const path = agentOf(context, agent).pathOf?.(context.env, id, cwd)
  if (source === undefined || path === undefined) return null
  const turns = turnsUpTo(listTurns(context, source), parent.turnId)
  const live = agentOf(context, agent).live(context.env)
  return {
    ...source,
    ...{ id, title, titleFrom: 'custom', cwd, branch: branch ?? source.branch, path, parent, label: null },
    live: live.some(({ sessionId }) => sessionId === id),
    createdAt,
    updatedAt: createdAt,
    turns: turns.length,
    messages: turns.reduce((sum, { messages }) => sum + messages, 0),
    bytes: 0,
    ownTurns: 0,
    ownMessages: 0,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    state: 'present',
    folders: source.folders?.[0] === undefined ? [toPlace(source)] : source.folders,
    unwritten: { source, turnId: parent.turnId },
  }
}

/** Its prompts were given where its parent's were. */
function toPlace({ cwd, repoId, repoRoot, repoClaimed = false }: CatalogSession): FolderPlace {
  return { cwd, repoId, repoRoot, repoClaimed }
}

function turnsUpTo(turns: readonly Turn[], turnId: string | null): Turn[] {
  const live = turns.filter(({ number }) => number !== null)
  return live.slice(0, live.findIndex(({ id }) => id === turnId) + 1)
}

/** What stands behind a session that is not written yet; `null` for every other, and once it is written. */
function behind(context: CatalogContext, session: CatalogSession): NonNullable<CatalogSession['unwritten']> | null {
  return session.unwritten !== undefined && findStored(context, session) === null ? session.unwritten : null
}

/** The session to read, and how far. */
export function whatToRead(
  context: CatalogContext,
  session: CatalogSession,
  options: ReadOptions = {},
): { readonly session: CatalogSession; readonly options: ReadOptions } {
  const unwritten = behind(context, session)
  if (unwritten === null) return { session, options }
  const upTo = options.upTo ?? (unwritten.turnId === null ? undefined : { turnId: unwritten.turnId })
  return { session: unwritten.source, options: { ...options, ...(upTo && { upTo }) } }
}

/** Its turns, those of its parent up to the fork. */
export function turnsOf(context: CatalogContext, session: CatalogSession): readonly Turn[] {
  const unwritten = behind(context, session)
  if (unwritten === null) return listTurns(context, session)
  return turnsUpTo(listTurns(context, unwritten.source), unwritten.turnId)
}

/** Like `read`, of a session that may not be written yet. */
export async function readTurnsOf(
  context: CatalogContext,
  session: CatalogSession,
  { last, from = 1, to }: TurnRange,
  read: (session: CatalogSession, range: TurnRange) => Promise<TurnsRead>,
): Promise<TurnsRead> {
  const unwritten = behind(context, session)
  if (unwritten === null) return read(session, { ...(last !== undefined && { last }), from, ...(to !== undefined && { to }) })
  const turns = turnsOf(context, session)
  const end = Math.min(to ?? turns.length, turns.length)
  const first = last === undefined ? from : Math.max(1, end - last + 1)
  const wanted = new Set(['', ...turns.slice(0, end).map(({ id }) => id)])
  const { messages } = await read(unwritten.source, { from: first, to: end })
  return { from: first, messages: messages.filter(({ turnId }) => wanted.has(turnId)), turns }
}
