// Documents qmd found as sessions of the catalogue: by the name of the file, else by the head of its text. One the catalogue does
// not know any more is shown from that head; it cannot be forked.
import { basename, join } from 'node:path'
import type { CatalogSession } from '../../model/catalog.ts'
import { type AgentId, agentIds } from '../../model/session.ts'
import type { StoredSession } from '../../store/sessions.ts'
import type { SearchContext } from '../context.ts'
import { agentOf } from './collections.ts'
import { exportFolder, readHead } from './exports.ts'
import { type ExportHeader, readHeader } from './header.ts'
import type { QmdIndex } from './program.ts'
import type { QmdRow } from './rows.ts'

export interface FoundSession {
  readonly row: QmdRow
  readonly session: CatalogSession
  readonly known: boolean
  readonly sourcePath: string
}

export function findSessions(context: SearchContext, rows: readonly QmdRow[], index: QmdIndex, agent?: AgentId): FoundSession[] {
  const seen = new Set<string>()
  return rows.flatMap((row) => {
    const found = findSession(context, row, index, agent)
    const name = found === null ? '' : `${found.session.agent}:${found.session.id}`
    if (found === null || seen.has(name)) return []
    seen.add(name)
    return [found]
  })
}

function findSession(context: SearchContext, row: QmdRow, index: QmdIndex, only?: AgentId): FoundSession | null {
  const collectionAgent = index === 'ours' ? agentOf(row.collection) : null
  const agents = agentIds.filter((id) => (collectionAgent ?? id) === id && (only ?? id) === id)
  const path = collectionAgent === null ? null : join(exportFolder(context.folder, collectionAgent), row.path)
  const sourcePath = path ?? `qmd://${row.collection}/${row.path}`
  const byId = (id: string | null) =>
    id === null ? null : newest(agents.flatMap((each) => context.store().sessions.withId(each, id)))
  const name = basename(row.path).replace(/\.md$/i, '')
  const named = byId(name) ?? byId(uuidIn(name))
  const header = named === null ? readHeader(row.body ?? (path === null ? '' : readHead(path))) : null
  const stored = named ?? byId(header?.sessionId ?? null)
  const [session] = stored === null ? [] : context.catalog.describeSessions([stored])
  if (session !== undefined) return { row, session, known: true, sourcePath }
  const gone = header === null ? null : fromHeader(header, agents, sourcePath)
  return gone === null ? null : { row, session: gone, known: false, sourcePath }
}

function uuidIn(name: string): string | null {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(name)?.[0].toLowerCase() ?? null
}

/** Two folders may hold the same id. */
function newest(rows: readonly StoredSession[]): StoredSession | null {
  const rank = ({ state, modifiedAt }: StoredSession) => (state === 'gone' ? 0 : modifiedAt)
  return [...rows].sort((a, b) => rank(b) - rank(a))[0] ?? null
}

function fromHeader(header: ExportHeader, agents: readonly AgentId[], path: string): CatalogSession | null {
  const agent = header.agent ?? (agents.length === 1 ? agents[0] : null) ?? null
  if (agent === null || !agents.includes(agent)) return null
  const at = header.date === null ? Number.NaN : Date.parse(header.date)
  return {
    agent,
    id: header.sessionId,
    title: header.title,
    titleFrom: 'none',
    cwd: header.workingDirectory,
    repoRoot: header.repoRoot,
    repoId: null,
    branch: header.branch,
    model: null,
    cliVersion: null,
    createdAt: null,
    updatedAt: Number.isNaN(at) ? null : at,
    turns: 0,
    ownTurns: 0,
    messages: 0,
    ownMessages: 0,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    bytes: 0,
    path,
    live: false,
    parent: null,
    state: 'gone',
    broken: null,
  }
}
