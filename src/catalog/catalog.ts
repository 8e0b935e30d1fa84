// The catalogue as one object: opens the store when first asked, keeps it fresh, and repairs it under way.
import { resolve } from 'node:path'
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Entry, ReadOptions } from '../agents/reading.ts'
import type { Exec } from '../lib/exec.ts'
import type {
  ArchiveOptions,
  CatalogSession,
  CostComparison,
  LineageNode,
  RefreshProgress,
  RefreshReport,
  Repository,
  SessionQuery,
  Target,
} from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { AgentId, Turn } from '../model/session.ts'
import { isDamage, isStoreFault, toStoreError } from '../store/faults.ts'
import type { StoredSession } from '../store/sessions.ts'
import { openStore, repairStore, type Store } from '../store/store.ts'
import { isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { findRepository, findStored, listSessions, type Place, requireStored, toCatalogSessions, toSessionFile } from './list.ts'
import type { MessagePage, PageRange } from './read-page.ts'
import type { TurnRange, TurnsRead } from './read-turns.ts'
import { type RefreshOutcome, refresh } from './refresh.ts'
import { shareWatch } from './shared-watch.ts'
import { rememberReadings } from './turn-readings.ts'
import { listUnwritten, readTurnsOf, turnsOf, whatToRead } from './unwritten.ts'

export interface CatalogOptions {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  readonly folder: string
  readonly cwd: string
  readonly now: () => number
  readonly exec: Exec
  readonly onRepair?: (movedTo: string) => void
  /** Which session `worker:<name>` is. */
  readonly sessionOfWorker?: (name: string) => { readonly agent: AgentId; readonly sessionId: string }
  /** Runs after a refresh that found something new. */
  readonly onChanged?: () => Promise<void>
}

export interface RefreshOptions {
  readonly onProgress?: (progress: RefreshProgress) => void
  readonly archiveBudgetMs?: number
}

export type Catalog = ReturnType<typeof createCatalog>

export function createCatalog(options: CatalogOptions) {
  const { agents, env, folder, cwd, now, exec } = options
  let store: Store | undefined
  const context: CatalogContext = {
    store() {
      store ??= openStore(options)
      return store
    },
    agents,
    env,
    folder,
    now,
    exec,
  }

  /** Runs `work`; damage found under way is repaired and the work done again, once. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isDamage(error)) throw isStoreFault(error) ? toStoreError(error) : error
    }
    store?.close()
    store = repairStore(options)
    try {
      return await work()
    } catch (error) {
      throw isStoreFault(error) ? toStoreError(error) : error
    }
  }

  const readings = rememberReadings(context)
  let running: Promise<RefreshOutcome> | undefined

  /** One at a time: what asks while one runs gets the next, which surely sees what was there when it asked. */
  async function refreshNow(onProgress?: (progress: RefreshProgress) => void): Promise<RefreshOutcome> {
    while (running !== undefined) await running.catch(() => undefined)
    running = guarded(async () => {
      const outcome = await refresh(context, onProgress)
      if (outcome.changed > 0) await options.onChanged?.()
      return outcome
    })
    try {
      return await running
    } finally {
      running = undefined
    }
  }

  async function freshly<T>(work: () => Promise<T>): Promise<T> {
    await refreshNow()
    return guarded(work)
  }

  return {
    async refresh(given?: RefreshOptions | ((progress: RefreshProgress) => void)): Promise<RefreshReport> {
      const { onProgress, archiveBudgetMs = 0 } = typeof given === 'function' ? { onProgress: given } : (given ?? {})
      const { files: _, ...report } = await refreshNow(onProgress)
      if (archiveBudgetMs > 0) await archive({ budgetMs: archiveBudgetMs })
      return report
    },

    listSessions(query?: SessionQuery, { refresh = true } = {}): Promise<CatalogSession[]> {
      const list = () => listSessions(context, place(query), listUnwritten(context))
      return refresh ? freshly(list) : guarded(list)
    },

    /** `from`: where the person is taken to stand. */
    async resolve(address: string, from = cwd): Promise<Target> {
      const { resolveAddress } = await import('./resolve.ts')
      return freshly(() => resolveAddress(context, address, from, options.sessionOfWorker))
    },

    async listTurns(session: CatalogSession, { deadBranches = false, refresh = true } = {}): Promise<readonly Turn[]> {
      const list = async () => turnsOf(context, session)
      const turns = await (refresh ? freshly(list) : guarded(list))
      return deadBranches ? turns : turns.filter(({ number }) => number !== null)
    },

    async *readSession(session: CatalogSession, readOptions?: ReadOptions): AsyncIterable<Entry> {
      // The file itself is the newest there is; only when it is gone does the catalogue know better.
      if (isGone(session.path)) await refreshNow()
      const wanted = await guarded(async () => whatToRead(context, session, readOptions))
      await guarded(async () => requireStored(context, wanted.session))
      const { readSession } = await import('./read.ts')
      yield* readSession(context, wanted.session, wanted.options)
    },

    async readTurns(session: CatalogSession, range: TurnRange): Promise<TurnsRead> {
      if (isGone(session.path)) await refreshNow()
      const { readTurns } = await import('./read-turns.ts')
      const read = () => readTurnsOf(context, session, range, (of, numbers) => readTurns(context, readings, of, numbers))
      try {
        return await guarded(read)
      } catch (error) {
        // Rewound since it was catalogued: what is live now is another chain.
        if (!(error instanceof AppError) || error.code !== 'turn_not_found') throw error
        return await freshly(read)
      }
    },

    async readPage(session: CatalogSession, range: PageRange): Promise<MessagePage | null> {
      if (isGone(session.path)) await refreshNow()
      if (session.unwritten !== undefined) return null
      const { readPage } = await import('./read-page.ts')
      try {
        return await guarded(() => readPage(context, readings, session, range))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'turn_not_found') throw error
        return null
      }
    },

    async tree(of?: CatalogSession | SessionQuery, { refresh = true } = {}): Promise<LineageNode[]> {
      const { buildForest, findTree } = await import('./tree.ts')
      const build = async () => {
        const unwritten = listUnwritten(context)
        if (of === undefined || !('path' in of)) return buildForest(await listSessions(context, place(of), unwritten))
        return findTree(buildForest(await listSessions(context, {}, unwritten)), of)
      }
      return refresh ? freshly(build) : guarded(build)
    },

    async labelSession(session: CatalogSession, label: string | null): Promise<string | null> {
      const { labelSession } = await import('./label.ts')
      return guarded(async () => labelSession(context, session, label))
    },

    async compareCosts(one: CatalogSession, other: CatalogSession): Promise<CostComparison> {
      const { compareCosts } = await import('./compare-costs.ts')
      return guarded(() => compareCosts(context, one, other))
    },

    repositoryOf: (folder: string) =>
      guarded(async (): Promise<Repository | null> => {
        const id = await findRepository(context, resolve(cwd, folder))
        const record = context
          .store()
          .repositories.all()
          .find((each) => each.id === id)
        return record === undefined ? null : { id: record.id, root: record.root, claimed: record.claimed }
      }),

    archive,

    async putBack(session: CatalogSession): Promise<string[]> {
      const { putBack } = await import('./put-back.ts')
      const written = await guarded(() => putBack(context, session))
      await refreshNow()
      return written
    },

    /** What `putBackMissing` would put back. */
    async listMissing(session: CatalogSession) {
      const { findMissing } = await import('./put-back.ts')
      return guarded(async () =>
        findMissing(context, session).map(({ path, sessionId, role, generation: { bytes } }) => ({
          path,
          sessionId,
          role,
          bytes,
        })),
      )
    },

    /** For an agent's own functions: all it takes to read the session is there until `use` ends. */
    async withFiles<T>(session: Place, use: (file: SessionFile, env: AgentEnv) => Promise<T>): Promise<T> {
      const { openSession } = await import('./open-session.ts')
      const row = requireStored(context, session)
      const opened = await openSession(context, toSessionFile(row), row.builtOn)
      try {
        return await use(opened.file, opened.env)
      } finally {
        opened.close()
      }
    },

    /** Part of it, or all, is read from the archive: only this catalogue can. */
    isFromArchive(session: Place): boolean {
      const row = findStored(context, session)
      return row?.state === 'gone' || (row?.builtOn.some(({ isCopy }) => isCopy) ?? false)
    },

    /** Nothing where all is there that the agent needs to open the session. */
    async putBackMissing(session: Place): Promise<string[]> {
      const { putBackMissing } = await import('./put-back.ts')
      const written = await guarded(() => putBackMissing(context, session))
      if (written.length > 0) await refreshNow()
      return written
    },

    watch: shareWatch(async (onChange) => {
      const { watchSessions } = await import('./watch.ts')
      return watchSessions(context, () => refreshNow(), onChange)
    }),

    async doctor() {
      const { runChecks } = await import('./checks/checks.ts')
      return runChecks(context, () => refreshNow(), guarded)
    },

    /** Deleted sessions without a copy, of which the search index still has the text. */
    listDeleted: (): Promise<CatalogSession[]> =>
      guarded(async () => toCatalogSessions(context, context.store().sessions.lost())),

    /** Rows of the store in the shape every face shows. */
    describeSessions: (rows: readonly StoredSession[]): CatalogSession[] => toCatalogSessions(context, rows),

    /** For what stands beside the catalogue and keeps its own facts in the same database. */
    store: () => context.store(),

    /** The session's file as its agent takes it. */
    sessionFile: (session: Place): SessionFile => toSessionFile(requireStored(context, session)),

    close(): void {
      store?.close()
      store = undefined
    },
  }

  /** A repository is named by a path, which may be relative to where the person stands. */
  function place(query: SessionQuery | undefined): SessionQuery | undefined {
    return query?.repo === undefined ? query : { ...query, repo: resolve(cwd, query.repo) }
  }

  async function archive(archiveOptions?: ArchiveOptions) {
    const { archiveSessions } = await import('./archive.ts')
    await refreshNow()
    return guarded(() => archiveSessions(context, archiveOptions))
  }
}
