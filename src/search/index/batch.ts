// Collects prepared turns and writes them batch by batch, each in one transaction with the marks of the sessions it completes:
// a kill in the middle loses a batch, never the index.
import type { IndexedSession } from '../../store/search-index.ts'
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { PreparedTurn } from './prepare.ts'
import type { SessionWork, TurnWork } from './wanted.ts'

/** Every batch becomes a segment of the full-text index, and many small ones cost more to merge than to write. */
const batchChunks = 1024
/** At first a batch does not wait long for more: something useful is wanted soon. Later a kill must not cost much. */
const batchMs = { first: 300, later: 3000 }
const firstMs = 3000

/** `keyOf` makes the session's row with its first turn; `touched` are the sessions whose lengths change. */
type Step = (search: Store['search'], keyOf: (work: SessionWork) => number, touched: Set<number>) => void

export interface Batch {
  /** The turns that are gone, and those whose number changed. */
  begin(work: SessionWork, turns: TurnWork): void
  add(work: SessionWork, turn: PreparedTurn): void
  /** All turns of the session are in: with the batch it is marked as done. */
  complete(work: SessionWork): void
  remove(row: IndexedSession): void
  move(key: number, path: string): void
  /** Chunks written so far. */
  readonly chunks: number
  flush(): void
}

export function createBatch(store: Store, model: VectorModel): Batch {
  let steps: Step[] = []
  let waiting = 0
  let chunks = 0
  const startedAt = performance.now()
  let writtenAt = startedAt

  function flush(): void {
    if (steps.length === 0) return
    const { index } = store.search
    try {
      store.write(() => {
        const touched = new Set<number>()
        const keys = new Map<SessionWork, number>()
        const keyOf = (work: SessionWork) => {
          const { agent, path, id } = work.session
          const key = keys.get(work) ?? index.addSession(agent, path, id)
          keys.set(work, key)
          return key
        }
        index.begin()
        for (const step of steps) step(store.search, keyOf, touched)
        index.finish(touched)
      })
    } finally {
      index.forget()
    }
    chunks += waiting
    steps = []
    waiting = 0
    writtenAt = performance.now()
  }

  function isTime(): boolean {
    const now = performance.now()
    return now - writtenAt > (now - startedAt < firstMs ? batchMs.first : batchMs.later)
  }

  function push(step: Step, weight = 1): void {
    steps.push(step)
    waiting += weight
    if (waiting >= batchChunks || steps.length >= batchChunks || isTime()) flush()
  }

  return {
    get chunks() {
      return chunks
    },
    begin(work, { drop, renumber }) {
      if (drop.length + renumber.length === 0) return
      push(({ index }, keyOf, touched) => {
        const key = keyOf(work)
        touched.add(key)
        for (const id of drop) index.dropTurn(key, id)
        for (const { id, number } of renumber) index.setNumber(key, id, number)
      }, 0)
    },
    add(work, { turn, chunks: prepared, files }) {
      push(({ index, vectors: table }, keyOf, touched) => {
        const key = keyOf(work)
        touched.add(key)
        const stored = prepared.map((chunk) => chunk.stored)
        const keys = index.addTurn(key, turn, stored, files)
        const vectors = prepared.map(({ vector }, at) => ({ chunkKey: keys[at] ?? 0, vector }))
        table.put(model, vectors, index.generation())
      }, prepared.length)
    },
    complete(work) {
      push(({ index }, keyOf) => index.setMark(keyOf(work), work.mark), 0)
    },
    remove(row) {
      push(({ index }) => {
        for (const { id } of index.turns(row.key)) index.dropTurn(row.key, id)
        index.removeSession(row.key)
      }, 0)
    },
    move(key, path) {
      push(({ index }) => index.moveSession(key, path), 0)
    },
    flush,
  }
}
