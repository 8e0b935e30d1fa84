// Search as one object: what `createApp` hands on. Each part is loaded when it is first asked for.
import type { Check } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { QmdProgress, QmdReport } from '../model/qmd.ts'
import type { IndexProgress, IndexReport, IndexState, SearchAnswer, SearchQuery } from '../model/search.ts'
import { isStoreFault, toStoreError } from '../store/faults.ts'
import type { SearchContext } from './context.ts'
import type { GiveWay } from './index/give-way.ts'

export interface UpdateOptions {
  readonly onProgress?: (progress: IndexProgress) => void
  readonly signal?: AbortSignal
  /** Rests while somebody searches. */
  readonly giveWay?: GiveWay
  /** Leaves sessions in the index that were deleted: for a search, which says that they cannot be forked. */
  readonly keepDeleted?: boolean
}

export interface SearchOptions {
  /** Time to spend on bringing the index up to date first; what is not done then is named by `index.complete`. Default 2 s. */
  readonly updateMs?: number
  readonly onProgress?: (progress: IndexProgress) => void
  /** Nobody waits for the answer any more: ends with the reason of the signal. */
  readonly signal?: AbortSignal
}

export interface QmdUpdateOptions {
  readonly onProgress?: ((progress: QmdProgress) => void) | undefined
  /** Kills a running qmd too; what is done stays. */
  readonly signal?: AbortSignal | undefined
}

const defaultUpdateMs = 2000

export function createSearch(context: SearchContext) {
  let engine: Promise<{ search(query: SearchQuery): Promise<SearchAnswer> }> | undefined
  let qmdEngine: Promise<{ search(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> }> | undefined

  const index = {
    /** Brings the index up to date; says `busy` at once where another process is at it. */
    update: (options?: UpdateOptions): Promise<IndexReport> =>
      told(async () => {
        await context.catalog.refresh()
        const { isUpToDate, nothingDone } = await import('./index/status.ts')
        if (await isUpToDate(context, options?.keepDeleted === true)) return nothingDone
        return (await import('./index/update.ts')).updateIndex(context, options)
      }),
    status: (only: Pick<SearchQuery, 'among' | 'turnsOf'> = {}): Promise<IndexState> =>
      told(async () => {
        const { narrowState, readState } = await import('./index/status.ts')
        const state = await readState(context)
        return narrowState(context.store(), state, only)
      }),
    /** Empties the index and builds it anew. */
    async rebuild(options?: UpdateOptions): Promise<IndexReport> {
      const problems = await told(async () => (await import('./index/status.ts')).clearIndex(context))
      const report = await index.update(options)
      return { ...report, problems: [...problems, ...report.problems] }
    },
  }

  async function search(query: SearchQuery, options: SearchOptions = {}): Promise<SearchAnswer> {
    const { updateMs = defaultUpdateMs, onProgress, signal } = options
    if (updateMs > 0) {
      const enough = AbortSignal.timeout(updateMs)
      const ends = signal === undefined ? enough : AbortSignal.any([signal, enough])
      await index.update({ signal: ends, keepDeleted: true, ...(onProgress === undefined ? {} : { onProgress }) })
    }
    signal?.throwIfAborted()
    const answer = await ask(query, signal)
    // What was deleted has been told of: it leaves the index now.
    if (updateMs > 0 && context.store().sessions.lost().length > 0) await index.update({ signal: AbortSignal.timeout(updateMs) })
    return answer
  }

  async function ask(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    if (await isForQmd(query)) {
      qmdEngine ??= import('./qmd/engine.ts').then(({ createQmdEngine }) => createQmdEngine(context))
      const { search: askQmd } = await qmdEngine
      return told(() => askQmd(query, signal))
    }
    engine ??= import('./query/engine.ts').then(({ createBuiltinEngine }) => createBuiltinEngine(context))
    const { search: answer } = await engine
    return told(() => answer(query))
  }

  /** Without words there is nothing to ask it: what touched a file, and what is recent, the built-in engine knows. */
  async function isForQmd({ collection, engine: asked, text }: SearchQuery): Promise<boolean> {
    if (collection !== undefined && asked === 'builtin')
      throw new AppError('usage', 'A collection is searched by qmd: leave out the collection, or the engine "builtin".')
    if (collection === undefined && (asked ?? (await context.defaultEngine())) !== 'qmd') return false
    const { parseQuery } = await import('./query/parse-query.ts')
    return parseQuery(text, context.now()).words !== ''
  }

  const qmd = {
    /** Exports every session, makes the collections where they are missing, else brings them up to date. */
    update: (options?: QmdUpdateOptions): Promise<QmdReport> =>
      told(async () => (await import('./qmd/pipeline.ts')).updateQmd(context, options)),
    /** What must hold before the server keeps qmd's index. */
    startChecks: async (signal?: AbortSignal): Promise<readonly Check[]> =>
      (await import('./qmd/start-checks.ts')).checkPipeline(context, signal),
    check: async (isWanted: boolean): Promise<Check> => (await import('./qmd/check.ts')).checkQmd(context, isWanted),
  }

  return { index, search, qmd }
}

/** A fault of the database in words. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isStoreFault(error) ? toStoreError(error) : error
  }
}
