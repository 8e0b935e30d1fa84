// The one place that knows all parts and wires them. Every face calls only this.
import type { Entry, ReadOptions } from './agents/agent.ts'
import type {
  CatalogSession,
  Check,
  LineageNode,
  RefreshProgress,
  RefreshReport,
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
}

export interface App {
  /** Brings the catalogue up to date with the agents' files. Every query below does this first, without progress. */
  refresh(onProgress?: (progress: RefreshProgress) => void): Promise<RefreshReport>
  /** Newest first. */
  listSessions(query?: SessionQuery): Promise<readonly CatalogSession[]>
  /** `claude:<id>@12`, `last@-2`, ...; throws AppError with the candidates when unknown or ambiguous. */
  resolve(address: string): Promise<Target>
  listTurns(session: CatalogSession, options?: { readonly deadBranches?: boolean }): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /** The lineage of one session (from its root), or of all sessions of a query. */
  tree(of?: CatalogSession | SessionQuery): Promise<readonly LineageNode[]>
  /** Calls back within a second of a change in the agents' files. */
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
  doctor(): Promise<readonly Check[]>
  close(): void
}

export type CreateApp = (options: AppOptions) => App
