// How far the index is. Whether it is complete is told by a signature of the catalogue as it was when an update last ended: to
// compare every session with its mark would cost a search more than the search.
import { join } from 'node:path'
import { AppError } from '../../model/error.ts'
import type { IndexReport, IndexState, SearchQuery } from '../../model/search.ts'
import { isStoreFault, toStoreError } from '../../store/faults.ts'
import { takeLock } from '../../store/lock.ts'
import { databasePath } from '../../store/open.ts'
import type { SessionCounts } from '../../store/search-lookup.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import { readModelHeader } from '../embed/model-parts.ts'

/** Raised whenever the same session gives other chunks: everything is then indexed anew. */
export const indexVersion = 7
export const lockName = 'search.lock'
/** Who only asks whether someone is indexing holds the lock for a moment too. */
export const lockWaitMs = 60
export const nothingDone: IndexReport = { busy: false, stopped: false, sessions: 0, removed: 0, chunks: 0, problems: [] }
const signatureKey = 'search_complete'

export async function readState(context: SearchContext): Promise<IndexState> {
  const store = context.store()
  const model = readModelHeader()
  const { sessions: indexedSessions, turns, chunks } = store.search.index.totals()
  const row = store.search.vectors.findModel(model.id)
  return {
    sessions: store.sessions.count(),
    indexedSessions,
    turns,
    chunks,
    complete: isComplete(store, signatureOf(store, model.id)),
    running: isIndexing(context.folder),
    model: model.id,
    embedded: chunks === 0 || row === null ? 0 : store.search.vectors.count(row, chunks) / chunks,
  }
}

/** The same with the counts of some sessions and turns alone, for who may not see the others. */
export function narrowState(
  store: Store,
  state: IndexState,
  { among, turnsOf = new Map() }: Pick<SearchQuery, 'among' | 'turnsOf'>,
): IndexState {
  if (among === undefined) return state
  const counts = countsOf(store)
  const partly = new Map(turnsOf.size === 0 ? [] : countPartly(store, turnsOf))
  const counted = [...among].flatMap((place) => {
    const count = counts.get(place)
    return count === undefined ? [] : { ...count, ...partly.get(place) }
  })
  const sum = (of: (one: SessionCounts) => number) => counted.reduce((total, one) => total + of(one), 0)
  return {
    ...state,
    sessions: among.size,
    indexedSessions: sum(({ complete }) => complete),
    turns: sum(({ turns }) => turns),
    chunks: sum(({ chunks }) => chunks),
  }
}

function countPartly(store: Store, turnsOf: NonNullable<SearchQuery['turnsOf']>) {
  const { lookup } = store.search
  return [...lookup.keysOf(new Set(turnsOf.keys()))].map((key) => {
    const { agent = '', path = '' } = lookup.place(key) ?? {}
    const place = `${agent}:${path}`
    const seen = lookup.chunksOf(key).filter(({ turnId }) => turnsOf.get(place)?.has(turnId) === true)
    return [place, { turns: new Set(seen.map(({ turnId }) => turnId)).size, chunks: seen.length }] as const
  })
}

const counted = new WeakMap<Store, { readonly generation: number; readonly counts: ReadonlyMap<string, SessionCounts> }>()

/** Counted again only when something was indexed since. */
function countsOf(store: Store): ReadonlyMap<string, SessionCounts> {
  const generation = store.search.index.generation()
  const known = counted.get(store)
  if (known?.generation === generation) return known.counts
  const counts = new Map(store.search.lookup.counts().map((one) => [one.place, one]))
  counted.set(store, { generation, counts })
  return counts
}

/** Changes when a session does, when the model does, and when we index otherwise than before. */
export function signatureOf(store: Store, modelId: string): string {
  return `${indexVersion} ${modelId} ${store.sessions.signature()}`
}

/**
 * Told without comparing thousands of sessions: nearly every search finds nothing new. `keepDeleted`: what was deleted may still be
 * in it.
 */
export async function isUpToDate(context: SearchContext, keepDeleted: boolean): Promise<boolean> {
  const store = context.store()
  if (!keepDeleted && store.sessions.lost().length > 0) return false
  const isWhole = isComplete(store, signatureOf(store, readModelHeader().id))
  const isSettled = store.search.vectors.models().length === 1 && store.search.dropped.isEmpty()
  return isWhole && isSettled && (await context.embedder()) === null
}

function isComplete(store: Store, signature: string): boolean {
  return store.meta.get(signatureKey) === signature
}

/** Called when everything the catalogue had is in; `null` when some of it is not. */
export function setComplete(store: Store, signature: string | null): void {
  store.meta.set(signatureKey, signature ?? '')
}

/** Empties the index; the problems are those of what could be left undone. */
export async function clearIndex(context: SearchContext): Promise<IndexReport['problems']> {
  const lock = takeLock(join(context.folder, lockName), lockWaitMs)
  if (lock === null) throw new AppError('store_busy', 'Another offshoot is indexing right now.')
  try {
    const store = context.store()
    store.write(() => {
      store.search.index.clear()
      setComplete(store, null)
      // Keys begin anew: what a process keeps in memory means nothing any more.
      store.meta.set('search_epoch', String(Number(store.meta.get('search_epoch') ?? 0) + 1))
    })
    return pack(store, context.folder)
  } finally {
    lock.release()
  }
}

/** Now, while little is left to copy. The index is worth building without it: a disk too full for the copy stops nothing. */
function pack(store: Store, folder: string): IndexReport['problems'] {
  try {
    store.pack()
    return []
  } catch (error) {
    if (!isStoreFault(error)) throw error
    const { message } = toStoreError(error)
    return [{ path: databasePath(folder), problem: `what was deleted could not be removed from its free space. ${message}` }]
  }
}

/** Somebody holds the lock. */
export function isIndexing(folder: string): boolean {
  const lock = takeLock(join(folder, lockName), 0)
  lock?.release()
  return lock === null
}
