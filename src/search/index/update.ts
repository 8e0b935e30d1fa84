// Brings the index up to date: newest sessions first, turn by turn, in bounded batches. One process at a time; the lock is the
// kernel's, so it dies with its holder. What a kill cuts off is done by the next update.
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { AppError } from '../../model/error.ts'
import type { IndexProgress, IndexReport } from '../../model/search.ts'
import { createRedactor } from '../../redact/redact.ts'
import { takeLock } from '../../store/lock.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import type { Embedder } from '../embed/embedder.ts'
import { loadStaticModel } from '../embed/static-model.ts'
import { createBatch } from './batch.ts'
import { dropOtherModels, embedMissing } from './embed-missing.ts'
import type { Preparer } from './prepare.ts'
import { prepareSessions } from './prepare-sessions.ts'
import { createProgress } from './progress.ts'
import { isComplete, lockName, lockWaitMs, setComplete, signatureOf } from './status.ts'
import { findTurnWork, findWork, type SessionWork, type TurnWork } from './wanted.ts'

type Problem = IndexReport['problems'][number]

export interface UpdateOptions {
  readonly onProgress?: (progress: IndexProgress) => void
  /** Ends the update after the turn in hand; what is done stays. */
  readonly signal?: AbortSignal
}

export async function updateIndex(context: SearchContext, options: UpdateOptions = {}): Promise<IndexReport> {
  await context.catalog.refresh()
  if (await isUpToDate(context)) return nothingDone
  const lock = takeLock(join(context.folder, lockName), lockWaitMs)
  if (lock === null) return { ...nothingDone, busy: true }
  try {
    return await updateLocked(context, options)
  } finally {
    lock.release()
  }
}

const nothingDone: IndexReport = { busy: false, stopped: false, sessions: 0, removed: 0, chunks: 0, problems: [] }

/** Told without comparing thousands of sessions: nearly every search finds nothing new. */
async function isUpToDate(context: SearchContext): Promise<boolean> {
  const model = await loadStaticModel()
  const store = context.store()
  return isComplete(store, signatureOf(store, model.id)) && (await context.embedder()) === null && hasOneModel(store)
}

function hasOneModel({ search }: Store): boolean {
  return search.vectors.models().length === 1
}

async function updateLocked(context: SearchContext, { onProgress, signal }: UpdateOptions): Promise<IndexReport> {
  const store = context.store()
  const model = await loadStaticModel()
  const preparer: Preparer = { redactor: createRedactor(), model }
  const signature = signatureOf(store, model.id)
  const work = findWork(store, await context.catalog.listSessions({}, { refresh: false }))
  const batch = createBatch(store, store.search.vectors.model(model.id, model.dims))
  for (const { key, path } of work.moves) batch.move(key, path)
  for (const row of work.gone) batch.remove(row)
  const progress = createProgress(work.sessions, onProgress)
  const problems: Problem[] = []
  let sessions = 0
  const findTurns = (each: SessionWork): TurnWork => {
    const turns = findTurnWork(store, each)
    batch.begin(each, turns)
    return turns
  }
  for await (const { work: each, turns, end } of prepareSessions(context, preparer, work.sessions, findTurns, signal)) {
    for (const turn of turns) batch.add(each, turn)
    if (end === null) continue
    // A file that cannot be read is left for the next update.
    if (end.problem === null) batch.complete(each)
    else problems.push({ path: each.session.path, problem: end.problem })
    sessions += 1
    progress.done(each.session.bytes)
  }
  batch.flush()
  await mergeSegments(store, batch.chunks, signal)
  countCommonTerms(store)
  const unread = problems.length
  problems.push(...(await embedRest(context, model, signal)))
  const stopped = sessions < work.sessions.length || (signal?.aborted ?? false)
  setComplete(store, stopped || unread > 0 ? null : signature)
  return { busy: false, stopped, sessions, removed: work.gone.length, chunks: batch.chunks, problems }
}

/** After much was written: a term is then looked up in one place instead of many. */
async function mergeSegments(store: Store, written: number, signal?: AbortSignal): Promise<void> {
  if (written < leastMerged || written < store.search.index.totals().chunks / 5) return
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    if (!store.write(() => store.search.index.merge(isFirst))) return
    await nextTick()
  }
}

const leastMerged = 5000
/** Below this a term is counted when it is asked for. */
const commonPlaces = 5000
const largeIndex = 20_000
const countedKey = 'search_counted_chunks'

/** Counted again when the index has grown by a tenth: until then the counts are off by no more than that. */
function countCommonTerms(store: Store): void {
  const { chunks } = store.search.index.totals()
  const counted = Number(store.meta.get(countedKey) ?? 0)
  if (chunks < largeIndex || Math.abs(chunks - counted) < counted / 10) return
  store.write(() => {
    store.search.index.countCommon(commonPlaces)
    store.meta.set(countedKey, String(chunks))
  })
}

/** What was indexed under another model, and what the endpoint has not seen yet. Its failure fails nothing else. */
async function embedRest(context: SearchContext, model: Embedder, signal?: AbortSignal): Promise<Problem[]> {
  const store = context.store()
  await embedMissing(store, model, signal)
  const used = [model.id]
  const problems: Problem[] = []
  try {
    const endpoint = await context.embedder()
    if (endpoint !== null) {
      used.push(endpoint.id)
      const { problem } = await embedMissing(store, endpoint, signal)
      if (problem !== null) problems.push({ path: endpoint.id, problem })
    }
    dropOtherModels(store, used)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.push({ path: 'search.embed_url', problem: error.message })
  }
  return problems
}
