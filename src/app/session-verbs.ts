// Sessions as the agents keep them: found, read, related, kept.
import type { Entry, ReadOptions } from '../agents/reading.ts'
import type { MessagePage, PageRange } from '../catalog/read-page.ts'
import type { TurnRange, TurnsRead } from '../catalog/read-turns.ts'
import type {
  ArchiveOptions,
  ArchiveReport,
  CatalogSession,
  Check,
  CostComparison,
  LineageNode,
  RefreshProgress,
  RefreshReport,
  Repository,
  SessionChange,
  SessionQuery,
  Target,
} from '../model/catalog.ts'
import type { CommandSpec } from '../model/fork.ts'
import type { Turn } from '../model/session.ts'

export interface RefreshOptions {
  readonly onProgress?: (progress: RefreshProgress) => void
  /** Time to spend on archiving sessions the agents will purge; default none. */
  readonly archiveBudgetMs?: number
}

export interface SessionVerbs {
  /** Brings the catalogue up to date with the agents' files. Every query below does this first, without progress. */
  refresh(options?: RefreshOptions | ((progress: RefreshProgress) => void)): Promise<RefreshReport>
  /** Newest first. `refresh: false` right after a refresh of one's own saves a second walk over all folders. */
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  /** Deleted sessions without a copy, while a search may still find them: it says that they cannot be forked. */
  listDeleted(): Promise<readonly CatalogSession[]>
  /** `claude:<id>@12`, `last@-2`, ...; throws AppError with the candidates when unknown or ambiguous. */
  resolve(address: string): Promise<Target>
  listTurns(
    session: CatalogSession,
    options?: { readonly deadBranches?: boolean; readonly refresh?: boolean },
  ): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /**
   * The messages of some turns (the last ones, or numbers from-to), and all turns; of a range up to the end, with what was captured
   * of its turns. Reads as much of the file as these take, and walks over no folders: what was written since the last refresh is
   * there all the same.
   */
  readTurns(session: CatalogSession, range: TurnRange): Promise<TurnsRead>
  /**
   * Some messages by their index, or the last ones, from as much of the file as holds them. `null` where reading the session from
   * its start is the quicker way, or the only one.
   */
  readPage(session: CatalogSession, range: PageRange): Promise<MessagePage | null>
  /** The lineage of one session (from its root), or of all sessions of a query. */
  tree(of?: CatalogSession | SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly LineageNode[]>
  /** What the person calls it, in our store alone; `null` or blanks take it away. Gives the label as it is kept: one line, 60 characters at most. */
  labelSession(session: CatalogSession, label: string | null): Promise<string | null>
  /** What two sessions cost after the turn where they part, as the agents recorded it. */
  compareCosts(one: CatalogSession, other: CatalogSession): Promise<CostComparison>
  /** The repository a folder lies in, or is remembered to have lain in; `null` outside git. */
  repositoryOf(folder: string): Promise<Repository | null>
  /** Copies sessions that the agents will purge into our archive. */
  archive(options?: ArchiveOptions): Promise<ArchiveReport>
  /** Puts a session the agent has purged back where it was, from our archive; gives the paths written. */
  putBack(session: CatalogSession): Promise<readonly string[]>
  /** Calls back within a second of a change in the agents' files. */
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
  doctor(): Promise<readonly Check[]>
  /** What opens a session in the agent's own UI, where it was. */
  openCommand(session: CatalogSession): Promise<CommandSpec>
}
