// What every part of search is handed: the store, and the catalogue (a sibling, so it comes by interface).
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Entry, ReadOptions } from '../agents/reading.ts'
import type { CatalogSession, RefreshReport, Repository, SessionQuery } from '../model/catalog.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Embedder } from './embed/embedder.ts'

export interface SearchCatalog {
  refresh(): Promise<RefreshReport>
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /** Part of it, or all, is read from the archive: only the catalogue can. */
  isFromArchive(session: CatalogSession): boolean
  sessionFile(session: Pick<CatalogSession, 'agent' | 'id' | 'path'>): SessionFile
  repositoryOf(folder: string): Promise<Repository | null>
  /** Rows of the store in the shape every face shows. */
  describeSessions(rows: readonly StoredSession[]): readonly CatalogSession[]
}

export interface SearchContext {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  /** Where the person stands. */
  readonly cwd: string
  readonly now: () => number
  readonly store: () => Store
  readonly catalog: SearchCatalog
  /** Which engine answers where a query does not say. */
  readonly defaultEngine: () => Promise<'builtin' | 'qmd'>
  /** The endpoint the person has set; `null`: the static model alone. */
  readonly embedder: () => Promise<Embedder | null>
}
