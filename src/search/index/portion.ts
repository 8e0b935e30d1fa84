// What is written to the index at once: turns of one session or of several with their chunks, and the segment those make. A
// portion is plain data, so that threads can make it and hand it over.
import type { Redactor } from '../../redact/redact.ts'
import type { IndexedTurn, StoredChunk, TouchedFile } from '../../store/search-index.ts'
import type { StaticModel } from '../embed/static-model.ts'
import { type CollectedTurn, prepareTurn } from './prepare.ts'
import { type MadeSegment, SegmentBuilder } from './segment.ts'

export interface PreparedTurn {
  /** Which of the sessions it belongs to. */
  readonly session: number
  readonly turn: IndexedTurn
  readonly chunks: readonly StoredChunk[]
  readonly files: readonly TouchedFile[]
}

export interface SessionEnd {
  readonly session: number
  /** What went wrong, if something did. */
  readonly problem: string | null
}

export interface Portion {
  readonly turns: readonly PreparedTurn[]
  /** Sessions that are whole with this portion. */
  readonly ends: readonly SessionEnd[]
  readonly segment: MadeSegment
}

export interface Preparer {
  readonly redactor: Redactor
  readonly model: StaticModel
}

/** A kill costs a portion, and so does memory; many small ones have to be merged. */
const fullChunks = 512
/** At first a portion does not wait long for more: something useful is wanted soon. Later a kill must not cost much. */
const waits = { firstMs: 300, laterMs: 3000, firstPhaseMs: 3000 }

export interface PortionMaker {
  add(session: number, collected: CollectedTurn): Promise<void>
  end(session: number, problem: string | null): void
  /** It is time to write it. */
  readonly isDue: boolean
  readonly isEmpty: boolean
  take(): Portion
}

export function createPortionMaker({ redactor, model }: Preparer): PortionMaker {
  const builder = new SegmentBuilder(model)
  let turns: PreparedTurn[] = []
  let ends: SessionEnd[] = []
  const startedAt = performance.now()
  let takenAt = startedAt
  return {
    async add(session, collected) {
      const { chunks, files } = await prepareTurn(redactor, collected)
      const stored = chunks.map((texts) => ({ ...texts, counts: builder.add(texts) }))
      turns.push({ session, turn: collected.turn, chunks: stored, files })
    },
    end(session, problem) {
      ends.push({ session, problem })
    },
    get isDue() {
      if (builder.chunks >= fullChunks || turns.length >= fullChunks) return true
      const now = performance.now()
      return now - takenAt > (now - startedAt < waits.firstPhaseMs ? waits.firstMs : waits.laterMs)
    },
    get isEmpty() {
      return turns.length === 0 && ends.length === 0
    },
    take() {
      const portion = { turns, ends, segment: builder.finish() }
      turns = []
      ends = []
      takenAt = performance.now()
      return portion
    },
  }
}
