// Brings the index up to date: newest sessions first, turn by turn, in bounded batches. One process at a time; the lock is the
// kernel's, so it dies with its holder. What a kill cuts off is done by the next update.
import { join } from 'node:path'
import { AppError } from '../../model/error.ts'
import type { IndexProgress, IndexReport } from '../../model/search.ts'
import { createRedactor } from '../../redact/redact.ts'
import { takeLock } from '../../store/lock.ts'
import type { IndexedSession } from '../../store/search-index.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import type { Embedder } from '../embed/embedder.ts'
import { loadStaticModel } from '../embed/static-model.ts'
import { dropOtherModels, embedMissing } from './embed-missing.ts'
import type { GiveWay } from './give-way.ts'
import type { Preparer } from './portion.ts'
import { prepareSessions } from './prepare-sessions.ts'
import { createProgress } from './progress.ts'
import { lockName, lockWaitMs, nothingDone, setComplete, signatureOf } from './status.ts'
import { findTurnWork, findWork, type SessionWork, type TurnWork } from './wanted.ts'
import { createPortionWriter } from './write-portion.ts'

type Problem = IndexReport['problems'][number]

export interface UpdateOptions {
  readonly onProgress?: (progress: IndexProgress) => void
  /** Ends the update after the turn in hand; what is done stays. */
  readonly signal?: AbortSignal
  /** Rests while somebody searches. */
  readonly giveWay?: GiveWay
  /** Leaves sessions in the index that were deleted. */
  readonly keepDeleted?: boolean
}

/** The catalogue is fresh. */
export async function updateIndex(context: SearchContext, options: UpdateOptions = {}): Promise<IndexReport> {
  const lock = takeLock(join(context.folder, lockName), lockWaitMs)
  if (lock === null) return { ...nothingDone, busy: true }
  const store = context.store()
  try {
    store.setCheckpoint(checkpointPages.indexing)
    return await updateLocked(context, options)
  } finally {
    store.setCheckpoint(checkpointPages.usual)
    lock.release()
  }
}

/** A page is 4 KB: 32 MB of log while much is written, then what SQLite does by itself. */
const checkpointPages = { indexing: 8192, usual: 1000 }

async function updateLocked(context: SearchContext, options: UpdateOptions): Promise<IndexReport> {
  const { onProgress, signal, giveWay, keepDeleted = false } = options
  const store = context.store()
  const model = await loadStaticModel()
  const preparer: Preparer = { redactor: createRedactor(), model }
  const signature = signatureOf(store, model.id)
  const work = findWork(store, await context.catalog.listSessions({}, { refresh: false }))
  const writer = createPortionWriter(store, store.search.vectors.model(model.id, model.dims))
  const gone = keepDeleted ? [] : work.gone
  writer.tidy(work.moves, gone)
  store.sessions.dropLost()
  const progress = createProgress(work.sessions, onProgress)
  const problems: Problem[] = []
  const lost: Pick<IndexedSession, 'agent' | 'id'>[] = [...gone]
  let sessions = 0
  const findTurns = (each: SessionWork): TurnWork => {
    const turns = findTurnWork(store, each)
    writer.begin(each, turns)
    if (turns.drop.length > 0) lost.push(each.session)
    return turns
  }
  const onRead = ({ session }: SessionWork) => progress.done(session.bytes)
  for await (const portion of prepareSessions(context, preparer, work.sessions, { findTurns, onRead, signal, giveWay })) {
    writer.write(portion, work.sessions)
    for (const { session: at, problem } of portion.ends) {
      if (problem !== null) problems.push({ path: (work.sessions[at] as SessionWork).session.path, problem })
      sessions += 1
    }
    mergeSegments(store)
  }
  const unread = problems.length
  problems.push(...(await embedRest(context, model, signal)))
  if (lost.length > 0) (await import('../qmd/exports.ts')).removeExports(context.folder, lost)
  eraseDropped(store, signal)
  store.write(() => store.search.index.keepTotals())
  const stopped = sessions < work.sessions.length || (signal?.aborted ?? false)
  setComplete(store, stopped || unread > 0 ? null : signature)
  return { busy: false, stopped, sessions, removed: gone.length, chunks: writer.chunks, problems }
}

/** A term is looked up in every segment: there must not be many. */
function mergeSegments(store: Store): void {
  const { segments } = store.search
  for (let some = segments.mergeable(); some !== null; some = segments.mergeable()) store.write(segments.merge(some))
}

/** What left the index leaves the files too. Where another process reads from the log, the next update ends it. */
function eraseDropped(store: Store, signal?: AbortSignal): void {
  const { dropped } = store.search
  if (dropped.isEmpty()) return
  for (const step of dropped.erase()) {
    if (signal?.aborted) return
    store.write(step)
  }
  if (store.truncateLog()) dropped.clear()
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
