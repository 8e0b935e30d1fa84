// Answers from the store, in the shape every face shows.
import type { SessionFile } from '../agents/agent.ts'
import type { CatalogSession, FolderPlace, SessionQuery } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Turn } from '../model/session.ts'
import type { ForkName } from '../store/forks.ts'
import type { RepositoryRecord } from '../store/repositories.ts'
import type { StoredSession } from '../store/sessions.ts'
import { isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { settleTurns } from './turn-state.ts'

/** Newest first; with those of `unwritten` that fit. */
export async function listSessions(
  context: CatalogContext,
  query: SessionQuery = {},
  unwritten: readonly CatalogSession[] = [],
): Promise<CatalogSession[]> {
  const repoId = query.repo === undefined ? undefined : await requireRepository(context, query.repo)
  const { sessions } = context.store()
  const isOfAll = repoId === undefined && query.agent === undefined
  const rows = isOfAll && query.limit !== undefined ? sessions.newest(query.limit) : sessions.list(repoId)
  const wanted = query.agent === undefined ? rows : rows.filter(({ agent }) => agent === query.agent)
  const sorted = wanted.sort((a, b) => newness(b) - newness(a) || (a.id < b.id ? 1 : -1))
  const listed = toCatalogSessions(context, query.limit === undefined ? sorted : sorted.slice(0, query.limit))
  const more = unwritten.filter((each) => isOf(each, query.agent, repoId))
  if (more.length === 0) return listed
  const all = [...more, ...listed].sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0))
  return query.limit === undefined ? all : all.slice(0, query.limit)
}

function isOf(session: CatalogSession, agent: string | undefined, repoId: string | undefined): boolean {
  return (agent === undefined || session.agent === agent) && (repoId === undefined || session.repoId === repoId)
}

async function requireRepository(context: CatalogContext, folder: string): Promise<string> {
  const repoId = await findRepository(context, folder)
  if (repoId === null) {
    throw new AppError('repo_not_found', `${folder} is not in a git repository.`, {
      hint: 'Pass a path inside a git repository, or use `--all`.',
    })
  }
  return repoId
}

export async function findRepository(context: CatalogContext, folder: string): Promise<string | null> {
  const { createRepositories } = await import('./repositories.ts')
  const repositories = createRepositories(context)
  const repoId = await repositories.identify(folder)
  if (repositories.grew) await (await import('./rehome.ts')).rehomeSessions(context)
  return repoId
}

export function toCatalogSessions(context: CatalogContext, rows: readonly StoredSession[]): CatalogSession[] {
  const forks = new Map(
    context
      .store()
      .forks.names()
      .map((fork) => [`${fork.agent}:${fork.sessionId}`, fork]),
  )
  const labels = new Map(
    context
      .store()
      .labels.all()
      .map(({ agent, sessionId, label }) => [`${agent}:${sessionId}`, label]),
  )
  // Asking the system who holds a lock takes as long as starting: an agent without sessions is not asked.
  const listed = new Set(rows.map(({ agent }) => agent))
  const agents = context.agents.filter(({ id }) => listed.has(id))
  const live = new Set(agents.flatMap((agent) => agent.live(context.env).map((each) => `${agent.id}:${each.sessionId}`)))
  const foldersOf = placeFolders(context)
  return rows.map((row) => {
    const named = nameFork(row, forks.get(`${row.agent}:${row.id}`))
    return {
      agent: row.agent,
      id: row.id,
      ...named,
      repoRoot: row.repoRoot,
      model: row.model,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt === null ? null : newness(row),
      turns: row.turns,
      messages: row.messages,
      bytes: row.bytes,
      path: row.path,
      live: live.has(`${row.agent}:${row.id}`) && (row.state === 'present' || (row.state === 'gone' && !isGone(row.path))),
      parent: row.parent,
      cliVersion: row.cliVersion,
      repoId: row.repoId,
      repoClaimed: row.repoClaimed,
      folders: foldersOf(row, named.cwd),
      ownTurns: row.ownTurns,
      ownMessages: row.ownMessages,
      usage: row.ownUsage,
      contextWindow: row.contextWindow,
      state: row.state,
      label: labels.get(`${row.agent}:${row.id}`) ?? null,
      broken: row.broken,
    }
  })
}

/** Nearly no session has other folders than its own: the repositories are looked at only for those. */
function placeFolders(context: CatalogContext): (row: StoredSession, cwd: string | null) => readonly FolderPlace[] {
  let repositories: Map<string, RepositoryRecord> | undefined
  return ({ folders, cwd: recorded, repoId, repoRoot, repoClaimed }, cwd) => {
    // A fork that has not gone on stands in its own folder, but its prompts were given in its parent's.
    if (folders.length === 0)
      return cwd === recorded || recorded === null ? [] : [{ cwd: recorded, repoId, repoRoot, repoClaimed }]
    repositories ??= new Map(
      context
        .store()
        .repositories.all()
        .map((record) => [record.id, record]),
    )
    return folders.map((folder) => {
      const record = folder.repoId === null ? undefined : repositories?.get(folder.repoId)
      return { ...folder, repoRoot: record?.root ?? null, repoClaimed: record?.claimed ?? false }
    })
  }
}

type Named = Pick<CatalogSession, 'title' | 'titleFrom' | 'cwd' | 'branch'>

/** A fork has the title it was given until it is renamed, and stands in its own folder and branch though its lines name its parent's. */
function nameFork(row: StoredSession, fork: ForkName | undefined): Named {
  const { title, titleFrom, cwd, branch } = row
  if (fork === undefined) return { title, titleFrom, cwd, branch }
  const named = titleFrom === 'custom' ? { title, titleFrom } : { title: fork.title, titleFrom: 'custom' as const }
  return row.ownTurns === 0 ? { ...named, cwd: fork.cwd, branch: fork.branch ?? branch } : { ...named, cwd, branch }
}

type Timed = Pick<StoredSession, 'updatedAt' | 'modifiedAt' | 'ownTurns' | 'parent'>

/** A session without a time of its own is as new as its file: also a fork nobody has talked to, whose lines are its parent's. */
export function newness({ updatedAt, modifiedAt, ownTurns, parent }: Timed): number {
  return updatedAt === null || (parent !== null && ownTurns === 0) ? modifiedAt : updatedAt
}

export function listTurns(context: CatalogContext, session: Place): readonly Turn[] {
  const row = requireStored(context, session)
  return settleTurns(context, row, context.store().turns.of(row.key))
}

export type Place = Pick<CatalogSession, 'agent' | 'id' | 'path'>

export function requireStored(context: CatalogContext, place: Place): StoredSession {
  const row = findStored(context, place)
  if (row === null) throw new AppError('session_not_found', `There is no session at ${place.path} any more.`)
  return row
}

/** By its file, or by its id where it has gone on in another one since. */
export function findStored(context: CatalogContext, { agent, id, path }: Place): StoredSession | null {
  const { sessions } = context.store()
  const row = sessions.at(agent, path)
  if (row !== null) return row
  const [same, ...more] = sessions.withId(agent, id)
  return more.length > 0 ? null : (same ?? null)
}

export function toSessionFile(row: StoredSession): SessionFile {
  const { agent, id, path, bytes, modifiedAt, inode, olderPaths } = row
  return { agent, id, path, bytes, modifiedAt, inode, olderPaths, archived: row.state === 'archived' }
}
