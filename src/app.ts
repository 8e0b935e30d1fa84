// The one place that knows all parts and wires them. Every face calls only this.
import type { Agent, Entry, ReadOptions } from './agents/agent.ts'
import { builtinAgents } from './agents/index.ts'
import { createCatalog } from './catalog/catalog.ts'
import { resolvePaths } from './config/paths.ts'
import { exec } from './lib/exec.ts'
import type {
  ArchiveOptions,
  ArchiveReport,
  CatalogSession,
  Check,
  LineageNode,
  RefreshProgress,
  RefreshReport,
  Repository,
  SessionChange,
  SessionQuery,
  Target,
} from './model/catalog.ts'
import type { Turn } from './model/session.ts'

export interface AppOptions {
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** Where the person stands: decides which repository commands speak of. */
  readonly cwd: string
  readonly now: () => number
  /** Default: every agent offshoot knows. */
  readonly agents?: readonly Agent[]
  /** Told where a damaged database was moved to before it was rebuilt. */
  readonly onRepair?: (movedTo: string) => void
}

export interface RefreshOptions {
  readonly onProgress?: (progress: RefreshProgress) => void
  /** Time to spend on archiving sessions the agents will purge; default none. */
  readonly archiveBudgetMs?: number
}

export interface App {
  /** Brings the catalogue up to date with the agents' files. Every query below does this first, without progress. */
  refresh(options?: RefreshOptions | ((progress: RefreshProgress) => void)): Promise<RefreshReport>
  /** Newest first. `refresh: false` right after a refresh of one's own saves a second walk over all folders. */
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  /** `claude:<id>@12`, `last@-2`, ...; throws AppError with the candidates when unknown or ambiguous. */
  resolve(address: string): Promise<Target>
  listTurns(session: CatalogSession, options?: { readonly deadBranches?: boolean }): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /** The lineage of one session (from its root), or of all sessions of a query. */
  tree(of?: CatalogSession | SessionQuery): Promise<readonly LineageNode[]>
  /** The repository a folder lies in, or is remembered to have lain in; `null` outside git. */
  repositoryOf(folder: string): Promise<Repository | null>
  /** Copies sessions that the agents will purge into our archive. */
  archive(options?: ArchiveOptions): Promise<ArchiveReport>
  /** Puts a session the agent has purged back where it was, from our archive; gives the paths written. */
  putBack(session: CatalogSession): Promise<readonly string[]>
  /** Calls back within a second of a change in the agents' files. */
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
  doctor(): Promise<readonly Check[]>
  close(): void
}

export type CreateApp = (options: AppOptions) => App

/** Opens nothing yet: the database is opened by the first question asked. */
export const createApp: CreateApp = (options) => {
  const { home, vars, cwd, now, agents = builtinAgents, onRepair } = options
  const { root } = resolvePaths(options)
  return createCatalog({
    agents,
    env: { home, vars, now },
    folder: root,
    cwd,
    now,
    exec,
    ...(onRepair === undefined ? {} : { onRepair }),
  })
}
