// The one place that knows all parts and wires them. Every face calls only this.
import { join } from 'node:path'
import type { Agent, Entry, ReadOptions } from './agents/agent.ts'
import { builtinAgents } from './agents/index.ts'
import { createCatalog } from './catalog/catalog.ts'
import { readModelSettings } from './config/models.ts'
import { resolvePaths } from './config/paths.ts'
import { readSetting } from './config/read.ts'
import { createForking } from './fork/fork.ts'
import { readModels } from './fork/models.ts'
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
import { AppError } from './model/error.ts'
import type { ForkEntry, ForkRequest, ForkResult, Plan, RecoverReport, UndoResult, WarningCode } from './model/fork.ts'
import type { QmdReport } from './model/qmd.ts'
import type { IndexReport, IndexState, SearchAnswer, SearchQuery } from './model/search.ts'
import type { Turn } from './model/session.ts'
import { createSearch, type QmdUpdateOptions, type SearchOptions, type UpdateOptions } from './search/search.ts'
import { createGit } from './snapshots/git.ts'

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
  /** Told before and after each step of a fork or an undo. */
  readonly onForkStep?: (moment: string) => void
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
  /** Everything a fork is going to do. Pure reading. */
  planFork(request: ForkRequest): Promise<Plan>
  /**
   * Makes the fork as planned, proves it, and takes everything back when something fails. Refuses a plan with blockers, with
   * warnings in `plan.confirm` that are not in `accept` (`confirm_needed`), and one that no longer holds (`plan_stale`).
   */
  executeFork(plan: Plan, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  fork(request: ForkRequest, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  /** Newest first, undone ones included. */
  listForks(): Promise<readonly ForkEntry[]>
  /** Removes a fork by its id or its session's; the newest when none is named. Refuses where work was done in it. */
  undo(id?: string, options?: { readonly force?: boolean }): Promise<UndoResult>
  /** Finishes or takes back forks and undos that were cut off: done by every fork and undo, and by `doctor --fix`. */
  recover(): Promise<RecoverReport>
  /** Sessions that fit, each with its best turn; brings the index up to date first, for a bounded time. */
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchAnswer>
  /** Indexes what is new or changed, newest first. Search answers meanwhile. */
  updateIndex(options?: UpdateOptions): Promise<IndexReport>
  indexStatus(): Promise<IndexState>
  /** Empties the index and builds it anew. */
  rebuildIndex(options?: UpdateOptions): Promise<IndexReport>
  /** Brings the exports and qmd's index up to date, for `search.engine = qmd`; throws `qmd_not_available` where qmd cannot be used. */
  updateQmd(options?: QmdUpdateOptions): Promise<QmdReport>
  close(): void
}

export type CreateApp = (options: AppOptions) => App

/** Opens nothing yet: the database is opened by the first question asked. */
export const createApp: CreateApp = (options) => {
  const { home, vars, cwd, now, agents = builtinAgents, onRepair, onForkStep } = options
  const { root, config } = resolvePaths(options)
  const env = { home, vars, now }
  const { store, sessionFile, describeSessions, ...catalog } = createCatalog({
    agents,
    env,
    folder: root,
    cwd,
    now,
    exec,
    onChanged: () => forking.proveWaiting(),
    ...(onRepair === undefined ? {} : { onRepair }),
  })
  const forking = createForking({
    agents,
    env,
    folder: root,
    cwd,
    now,
    git: createGit({ exec, env: vars }),
    store,
    catalog: { ...catalog, sessionFile },
    worktreesRoot: async () =>
      (await readSetting<string>({ file: config, vars }, 'workspaces.folder')) || join(root, 'worktrees'),
    models: async () => readModels(await readModelSettings(config)),
    ...(onForkStep === undefined ? {} : { onStep: onForkStep }),
  })
  const { proveWaiting: _, checkForks, ...verbs } = forking
  const { search, index, qmd } = createSearch({
    agents,
    env,
    folder: root,
    cwd,
    now,
    store,
    catalog: { ...catalog, sessionFile, describeSessions },
    defaultEngine: () => readSetting<'builtin' | 'qmd'>({ file: config, vars }, 'search.engine'),
    embedder: async () => {
      const [url, model] = await Promise.all([
        readSetting<string>({ file: config, vars }, 'search.embed_url'),
        readSetting<string>({ file: config, vars }, 'search.embed_model'),
      ])
      if (url === '' || model === '') return null
      const { createEndpointEmbedder } = await import('./search/embed/openai.ts')
      return createEndpointEmbedder({ url, model, key: vars.OFFSHOOT_EMBED_KEY || null })
    },
  })
  const wantsQmd = async () =>
    (await readSetting<string>({ file: config, vars }, 'search.engine')) === 'qmd' ||
    (await readSetting<boolean>({ file: config, vars }, 'search.qmd_indexing'))
  const checkQmd = async () => {
    try {
      return await qmd.check(await wantsQmd())
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'bad_config') throw error
      return qmd.check(false) // a faulty config file has a check of its own
    }
  }
  const doctor = async () => [...(await catalog.doctor()), ...checkForks(), await checkQmd()]
  const searching = {
    search,
    updateIndex: index.update,
    indexStatus: index.status,
    rebuildIndex: index.rebuild,
    updateQmd: qmd.update,
  }
  return { ...catalog, ...verbs, ...searching, doctor }
}
