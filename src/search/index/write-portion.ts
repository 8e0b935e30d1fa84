// Writes portions, each in one transaction with the marks of the sessions it completes: a kill in the middle loses a portion,
// never the index.
import type { IndexedSession } from '../../store/search-index.ts'
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { Portion } from './portion.ts'
import type { SessionWork, TurnWork } from './wanted.ts'

export interface PortionWriter {
  /** What is to be done for a session besides adding turns: done with the first portion that has something of it. */
  begin(work: SessionWork, turns: TurnWork): void
  /** `works` are the sessions by the numbers the portion knows them by. */
  write(portion: Portion, works: readonly SessionWork[]): void
  /** Sessions that moved, and sessions nobody knows any more. */
  tidy(moves: readonly { readonly key: number; readonly path: string }[], gone: readonly IndexedSession[]): void
  /** Chunks written so far. */
  readonly chunks: number
}

export function createPortionWriter(store: Store, model: VectorModel): PortionWriter {
  const { index, segments, vectors } = store.search
  const waiting = new Map<SessionWork, TurnWork>()
  let chunks = 0

  function transact(work: (touched: Set<number>) => void): void {
    try {
      store.write(() => {
        const touched = new Set<number>()
        index.begin()
        work(touched)
        index.finish(touched)
      })
    } finally {
      index.forget()
    }
  }

  /** Its row, made with its first turn; turns that are gone leave, those whose number changed get theirs. */
  function open(work: SessionWork, touched: Set<number>): number {
    const { agent, path, id } = work.session
    const key = index.addSession(agent, path, id)
    const { drop, renumber } = waiting.get(work) ?? { drop: [], renumber: [] }
    for (const turn of drop) index.dropTurn(key, turn)
    for (const { id: turn, number } of renumber) index.setNumber(key, turn, number)
    touched.add(key)
    return key
  }

  return {
    get chunks() {
      return chunks
    },
    begin(work, turns) {
      waiting.set(work, turns)
    },
    write({ turns, ends, segment }, works) {
      const written = new Set<SessionWork>()
      transact((touched) => {
        const keys = new Map<number, number>()
        const keyOf = (session: number): number => {
          const work = works[session] as SessionWork
          const key = keys.get(session) ?? open(work, touched)
          keys.set(session, key)
          written.add(work)
          return key
        }
        const base = index.nextChunk()
        let next = base
        for (const { session, turn, chunks: parts, files } of turns) {
          const sessionKey = keyOf(session)
          const turnKey = index.addTurn(sessionKey, turn, files, parts)
          for (const [part, chunk] of parts.entries()) {
            index.addChunk(next, sessionKey, turnKey, part, chunk)
            next += 1
          }
        }
        if (next - base !== segment.chunks) throw new Error(`a segment of ${segment.chunks} chunks for ${next - base}`)
        if (segment.chunks > 0) {
          segments.put(base, segment.chunks, segment.postings)
          const added = Array.from({ length: segment.chunks }, (_, at) => base + at)
          vectors.put(model, { keys: added, bytes: segment.vectors, codes: segment.codes }, index.generation())
        }
        // A file that cannot be read is left for the next update.
        for (const { session, problem } of ends) {
          if (problem === null) index.setMark(keyOf(session), (works[session] as SessionWork).mark)
        }
      })
      for (const work of written) waiting.set(work, { add: new Map(), drop: [], renumber: [] })
      for (const { session } of ends) waiting.delete(works[session] as SessionWork)
      chunks += segment.chunks
    },
    tidy(moves, gone) {
      if (moves.length > 0) {
        transact(() => {
          for (const { key, path } of moves) index.moveSession(key, path)
        })
      }
      // One by one: nobody else has to wait for long.
      for (const { key } of gone) {
        transact(() => {
          for (const { id } of index.turns(key)) index.dropTurn(key, id)
          index.removeSession(key)
        })
      }
    },
  }
}
