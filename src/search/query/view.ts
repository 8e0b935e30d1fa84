// The part of the index a process keeps in memory between queries: for each chunk its session, length and code, for each session
// its lengths. 42 bytes a chunk; only what changed since the last query is read again.
import { asInts, asShorts, blockSize } from '../../store/search-blocks.ts'
import { codeBytesOf, type VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import { chunkGain } from './bm25.ts'

export interface View {
  /** Keys of chunks are below this. */
  readonly size: number
  /** By chunk key; 0: there is no such chunk. */
  readonly sessions: Int32Array
  readonly terms: Uint16Array
  readonly chunks: number
  readonly averageTerms: number
  /** What a term gives a chunk that has it once, before its rarity, by the chunk's length: most postings are of common terms. */
  readonly onceGains: Float32Array
  /** Keys of sessions are below this. */
  readonly sessionsSize: number
  readonly sessionCount: number
  readonly said: Lengths
  readonly asked: Lengths
  readonly did: Lengths
}

/** Terms per session in one field or several. */
export interface Lengths {
  readonly of: Float64Array
  readonly average: number
}

export interface Codes {
  /** Words of 32 bits per chunk. */
  readonly words: number
  readonly codes: Uint32Array
}

export function createViewCache() {
  let store: Store | null = null
  let epoch = ''
  let generation = 0
  let chunks = { sessions: new Int32Array(0), terms: new Uint16Array(0) }
  const lengths = new Map<number, readonly [asked: number, said: number, did: number]>()
  let view: View | null = null
  const codes = new Map<number, { generation: number; codes: Uint8Array<ArrayBuffer> }>()

  function forget(): void {
    generation = 0
    chunks = { sessions: new Int32Array(0), terms: new Uint16Array(0) }
    lengths.clear()
    codes.clear()
    view = null
  }

  /** Inside a read transaction, so that the view and the postings are of one moment. */
  function look(from: Store): View {
    const { lookup, index } = from.search
    const nowEpoch = from.meta.get('search_epoch') ?? ''
    if (from !== store || nowEpoch !== epoch) forget()
    store = from
    epoch = nowEpoch
    const nowGeneration = index.generation()
    if (view !== null && nowGeneration === generation) return view
    const blocks = lookup.blocksSince(generation)
    const least = blocks.reduce((most, { block }) => Math.max(most, (block + 1) * blockSize), 0)
    if (chunks.sessions.length < least) chunks = grow(chunks, least)
    for (const { block, sessions, terms } of blocks) {
      const from = block * blockSize
      chunks.sessions.set(asInts(sessions), from)
      chunks.terms.set(asShorts(terms), from)
    }
    for (const { key, promptTerms, bodyTerms, toolTerms } of lookup.lengthsSince(generation)) {
      lengths.set(key, [promptTerms, bodyTerms, toolTerms])
    }
    generation = nowGeneration
    view = makeView(chunks, lengths)
    return view
  }

  function lookAtCodes(from: Store, model: VectorModel): Codes {
    const bytes = codeBytesOf(model.dims)
    const known = codes.get(model.key) ?? { generation: 0, codes: new Uint8Array(0) }
    let all = known.codes
    const size = chunks.sessions.length * bytes
    if (all.length < size) {
      const larger = new Uint8Array(size)
      larger.set(all)
      all = larger
    }
    if (known.generation !== generation) {
      for (const block of from.search.vectors.codesSince(model, known.generation)) {
        const at = block.block * blockSize * bytes
        if (at + block.codes.length <= all.length) all.set(block.codes, at)
      }
    }
    codes.set(model.key, { generation, codes: all })
    return { words: bytes / 4, codes: new Uint32Array(all.buffer) }
  }

  return { look, lookAtCodes }
}

export type ViewCache = ReturnType<typeof createViewCache>

interface Chunks {
  readonly sessions: Int32Array<ArrayBuffer>
  readonly terms: Uint16Array<ArrayBuffer>
}

/** By half again, so that a growing index is not copied with every block. */
function grow(chunks: Chunks, least: number): Chunks {
  const size = Math.ceil(Math.max(least, chunks.sessions.length * 1.5) / blockSize) * blockSize
  const sessions = new Int32Array(size)
  const terms = new Uint16Array(size)
  sessions.set(chunks.sessions)
  terms.set(chunks.terms)
  return { sessions, terms }
}

function makeView({ sessions, terms }: Chunks, lengths: ReadonlyMap<number, readonly [number, number, number]>): View {
  let chunks = 0
  let allTerms = 0
  let highest = 0
  const present = new Set<number>()
  let last = 0
  let longest = 0
  for (let key = 0; key < sessions.length; key += 1) {
    const session = sessions[key] as number
    if (session === 0) continue
    chunks += 1
    const length = terms[key] as number
    allTerms += length
    if (length > longest) longest = length
    // Chunks of a session stand side by side.
    if (session === last) continue
    last = session
    if (session > highest) highest = session
    present.add(session)
  }
  const size = highest + 1
  const asked = new Float64Array(size)
  const said = new Float64Array(size)
  const did = new Float64Array(size)
  for (const key of present) {
    const [prompt = 0, body = 0, tools = 0] = lengths.get(key) ?? []
    asked[key] = prompt
    said[key] = prompt + body
    did[key] = tools
  }
  const withAverage = (of: Float64Array): Lengths => ({ of, average: sum(of) / Math.max(1, present.size) || 1 })
  const averageTerms = allTerms / Math.max(1, chunks) || 1
  const average = { averageTerms }
  const onceGains = Float32Array.from({ length: longest + 1 }, (_, length) => chunkGain(1, length, average))
  return {
    size: sessions.length,
    sessions,
    terms,
    chunks,
    averageTerms,
    onceGains,
    sessionsSize: size,
    sessionCount: present.size,
    asked: withAverage(asked),
    said: withAverage(said),
    did: withAverage(did),
  }
}

function sum(values: Float64Array): number {
  let total = 0
  for (const value of values) total += value
  return total
}
