// BM25 for every chunk and every session that has one of the query's terms: one pass over the postings gives four scores, the
// chunk's, and of its session what was said, what was asked, what was done.
// The commoner a term, the less it says how often it comes: of common ones counts only which chunks have them, and in a very large
// index the commonest of all rescore candidates later.
import { toolWeight } from '../../store/search-index.ts'
import { readKeys, readPostings } from '../../store/search-postings.ts'
import type { SegmentPostings } from '../../store/search-segments.ts'
import type { Store } from '../../store/store.ts'
import type { Lengths, View } from './view.ts'

export interface TermWeight {
  readonly term: string
  readonly chunks: number
  /** How much it says, by how few chunks have it. */
  readonly idf: number
  /** Its postings were read: what is not common. */
  readonly scored: boolean
}

export interface WordScores {
  readonly terms: readonly TermWeight[]
  /** Each from 0 to 1: the share of the highest score the query could reach. */
  readonly chunk: Float32Array
  /** Keys of the chunks with a score. */
  readonly found: Int32Array
  readonly said: Float32Array
  readonly asked: Float32Array
  readonly did: Float32Array
  /** What a chunk's sum of idf times saturation is divided by. */
  readonly chunkMax: number
}

/** A chunk is short: its first mention says most. In a whole session a word has to come again and again. */
const chunkCurve = { k1: 1.2, b: 0.75 }
const askedCurve = { k1: 1.2, b: 0.75 }
const sessionCurve = { k1: 3, b: 1 }

export interface ReadBudget {
  /** Occurrences counted one by one, rarest terms first. */
  readonly places: number
  /** Chunks read for terms beyond that, of which counts only that they have them. */
  readonly chunks: number
}

export const readBudget: ReadBudget = { places: 50_000, chunks: 250_000 }

function idfOf(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5))
}

/** Saturation of a frequency, times what it may reach: `tf * (k1 + 1) / (tf + k1 * ...)`. */
function saturate(tf: number, { k1, b }: typeof chunkCurve, length: number, average: number): number {
  return (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / average))
}

export function chunkGain(tf: number, length: number, view: Pick<View, 'averageTerms'>): number {
  return saturate(tf, chunkCurve, length, view.averageTerms)
}

export function scoreWords(
  { search: { segments } }: Store,
  view: View,
  terms: readonly string[],
  allowed: Uint8Array | null,
  budget = readBudget,
): WordScores {
  const all = segments.all()
  const counted = terms.map((term) => countTerm(term, segments.find(all, term))).sort((a, b) => a.places - b.places)
  const chunk = new Float32Array(view.size)
  const found = new KeyList(1024)
  const said = createSessionScore(view, view.said, sessionCurve)
  const asked = createSessionScore(view, view.asked, askedCurve)
  const did = createSessionScore(view, view.did, sessionCurve)
  const { weights, readings, chunkMax } = planReading(counted, view, budget)

  function countPart(part: SegmentPostings, idf: number): void {
    const { keys, counts } = roomFor(part)
    readPostings(part, room, part.base)
    for (let at = 0; at < part.chunks; at += 1) {
      const key = keys[at] as number
      const session = view.sessions[key] as number
      if (session === 0 || (allowed !== null && allowed[session] === 0)) continue
      const count = counts[at] as number
      const prompts = count & 255
      const tools = (count >>> 16) & 255
      const others = prompts + ((count >>> 8) & 255) + (count >>> 24)
      if (chunk[key] === 0) found.push(key)
      ;(chunk[key] as number) += idf * chunkGain(others + toolWeight * tools, view.terms[key] as number, view)
      if (others > 0) said.add(session, others)
      if (prompts > 0) asked.add(session, prompts)
      if (tools > 0) did.add(session, tools)
    }
  }

  /** As if the term were said once in every chunk that has it. */
  function notePart(part: SegmentPostings, idf: number): void {
    const { keys } = roomFor(part)
    readKeys(part, keys, part.base)
    const { sessions, terms: lengths, onceGains } = view
    // A session's chunks stand together: they are told it at once.
    let last = 0
    let times = 0
    for (let at = 0; at < part.chunks; at += 1) {
      const key = keys[at] as number
      const session = sessions[key] as number
      if (session === 0 || (allowed !== null && allowed[session] === 0)) continue
      const before = chunk[key] as number
      if (before === 0) found.push(key)
      chunk[key] = before + idf * (onceGains[lengths[key] as number] as number)
      if (session !== last) {
        if (times > 0) said.add(last, times)
        last = session
        times = 0
      }
      times += 1
    }
    if (times > 0) said.add(last, times)
  }

  const factor = chunkMax === 0 ? 0 : 1 / chunkMax
  for (const { chunks, idf, isCounted, read } of readings) {
    if (read === null) {
      for (const score of [said, asked, did]) score.skip(chunks)
      continue
    }
    for (const part of read) {
      if (isCounted) countPart(part, idf * factor)
      else notePart(part, idf * factor)
    }
    for (const score of [said, asked, did]) score.close()
  }
  return {
    terms: weights,
    chunk,
    found: found.keys.subarray(0, found.length),
    said: said.finish(),
    asked: asked.finish(),
    did: did.finish(),
    chunkMax,
  }
}

interface Reading {
  readonly chunks: number
  readonly idf: number
  readonly isCounted: boolean
  /** `null`: too common to be read. */
  readonly read: readonly SegmentPostings[] | null
}

/** What is read of each term, rarest first, as far as the budget goes: known before anything is read. */
function planReading(counted: readonly CountedTerm[], view: View, budget: ReadBudget) {
  const weights: TermWeight[] = []
  const readings: Reading[] = []
  const left = { ...budget }
  let chunkMax = 0
  for (const { term, chunks, places, parts } of counted) {
    const idf = idfOf(view.chunks, Math.min(chunks, view.chunks))
    chunkMax += idf * (chunkCurve.k1 + 1)
    const isCounted = places <= left.places
    // Nothing rarer to go by: then the newest mentions have to do.
    const isFirst = weights.every(({ scored }) => !scored)
    const scored = isCounted || isFirst || chunks <= left.chunks
    weights.push({ term, chunks, idf, scored })
    if (scored && isCounted) left.places -= places
    else if (scored) left.chunks -= chunks
    const fitting = isCounted || left.chunks >= 0 ? parts : newestOf(parts, budget.chunks)
    readings.push({ chunks, idf, isCounted, read: scored ? fitting : null })
  }
  return { weights, readings, chunkMax }
}

/** BM25 of sessions in some fields; frequencies of one term are gathered over its chunks, then counted at once. */
function createSessionScore(view: View, lengths: Lengths, curve: typeof chunkCurve) {
  const score = new Float32Array(view.sessionsSize)
  const tf = new Float32Array(view.sessionsSize)
  const touched = new KeyList(256)
  let max = 0
  return {
    add(session: number, times: number): void {
      if (tf[session] === 0) touched.push(session)
      ;(tf[session] as number) += times
    },
    close(): void {
      const idf = idfOf(view.sessionCount, Math.min(touched.length, view.sessionCount))
      max += idf * (curve.k1 + 1)
      for (let at = 0; at < touched.length; at += 1) {
        const session = touched.keys[at] as number
        const gain = saturate(tf[session] as number, curve, lengths.of[session] as number, lengths.average)
        ;(score[session] as number) += idf * gain
        tf[session] = 0
      }
      touched.length = 0
    },
    /** A term too common to read: about as many sessions have it as chance would give them. */
    skip(chunks: number): void {
      const perSession = view.chunks / Math.max(1, view.sessionCount)
      const having = view.sessionCount * (1 - (1 - Math.min(1, chunks / view.chunks)) ** perSession)
      max += idfOf(view.sessionCount, having) * (curve.k1 + 1)
    },
    finish(): Float32Array {
      if (max > 0) for (let key = 0; key < score.length; key += 1) (score[key] as number) /= max
      return score
    },
  }
}

interface CountedTerm {
  readonly term: string
  /** Those that are gone since their segment was written count still: until it is merged. */
  readonly chunks: number
  readonly places: number
  readonly parts: readonly SegmentPostings[]
}

function countTerm(term: string, parts: readonly SegmentPostings[]): CountedTerm {
  let [chunks, places] = [0, 0]
  for (const part of parts) {
    chunks += part.chunks
    places += part.places
  }
  return { term, chunks, places, parts }
}

/** As many of the newest as fit, at least one. */
function newestOf(parts: readonly SegmentPostings[], most: number): readonly SegmentPostings[] {
  let from = parts.length
  for (let sum = 0; from > 0; from -= 1) {
    sum += parts[from - 1]?.chunks ?? 0
    if (sum > most && from < parts.length) break
  }
  return parts.slice(from)
}

/** Used again and again: a query reads hundreds of thousands. */
let room = { keys: new Int32Array(1 << 14), counts: new Int32Array(1 << 14) }

function roomFor({ chunks }: SegmentPostings): typeof room {
  if (room.keys.length < chunks) room = { keys: new Int32Array(chunks), counts: new Int32Array(chunks) }
  return room
}

class KeyList {
  keys: Int32Array<ArrayBuffer>
  length = 0

  constructor(room: number) {
    this.keys = new Int32Array(room)
  }

  push(key: number): void {
    if (this.length === this.keys.length) {
      const larger = new Int32Array(this.keys.length * 2)
      larger.set(this.keys)
      this.keys = larger
    }
    this.keys[this.length] = key
    this.length += 1
  }
}
