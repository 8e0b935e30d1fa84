// Collects prepared turns and writes them batch by batch, each in one transaction with the marks of the sessions it completes:
// a kill in the middle loses a batch, never the index.
import type { IndexedSession } from '../../store/search-index.ts'
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { PreparedTurn } from './prepare.ts'
import type { SessionWork, TurnWork } from './wanted.ts'

const batchChunks = 512

type Step = (store: Store, touched: Set<number>) => void

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

  function flush(): void {
    if (steps.length === 0) return
    const { index } = store.search
    try {
      store.write(() => {
        const touched = new Set<number>()
        index.begin()
        for (const step of steps) step(store, touched)
        index.finish(touched)
      })
    } finally {
      index.forget()
    }
    chunks += waiting
    steps = []
    waiting = 0
  }

  function push(step: Step, weight = 1): void {
    steps.push(step)
    waiting += weight
    if (waiting >= batchChunks || steps.length >= batchChunks) flush()
  }

  return {
    get chunks() {
      return chunks
    },
    begin(work, { drop, renumber }) {
      if (drop.length + renumber.length === 0) return
      push(({ search }, touched) => {
        const key = keyOf(store, work)
        touched.add(key)
        for (const id of drop) search.index.dropTurn(key, id)
        for (const { id, number } of renumber) search.index.setNumber(key, id, number)
      }, 0)
    },
    add(work, { turn, chunks: prepared, files }) {
      push(({ search }, touched) => {
        const key = keyOf(store, work)
        touched.add(key)
        const stored = prepared.map((chunk) => chunk.stored)
        const keys = search.index.addTurn(key, turn, stored, files)
        const vectors = prepared.map(({ vector }, at) => ({ chunkKey: keys[at] ?? 0, vector }))
        search.vectors.put(model, vectors, search.index.generation())
      }, prepared.length)
    },
    complete(work) {
      push(({ search }) => search.index.setMark(keyOf(store, work), work.mark), 0)
    },
    remove(row) {
      push(({ search }) => {
        for (const { id } of search.index.turns(row.key)) search.index.dropTurn(row.key, id)
        search.index.removeSession(row.key)
      }, 0)
    },
    move(key, path) {
      push(({ search }) => search.index.moveSession(key, path), 0)
    },
    flush,
  }
}

/** Made with the session's first turn, inside the transaction. */
function keyOf({ search }: Store, { session }: SessionWork): number {
  return search.index.addSession(session.agent, session.path, session.id)
}
