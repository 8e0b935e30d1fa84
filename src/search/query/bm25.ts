// BM25 for every chunk and every session that has one of the query's terms. Postings come from FTS5; the scoring is ours, because
// one pass gives four scores: the chunk, and of its session what was said, what was asked, what was done.
// The commoner a term, the more its postings cost and the less they are worth: of common terms only the chunks that have them are
// read, not how often, and the commonest rescore candidates later.

import { toolWeight } from '../../store/search-index.ts'
import { postingFields } from '../../store/search-lookup.ts'
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
  /** Occurrences read per query: about 0.15 microseconds each, all told. */
  readonly places: number
  /** Chunks read for terms beyond that: 0.1 microseconds each. */
  readonly chunks: number
}

export const readBudget: ReadBudget = { places: 50_000, chunks: 120_000 }

function idfOf(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5))
}

/** Saturation of a frequency, times what it may reach: `tf * (k1 + 1) / (tf + k1 * ...)`. */
function saturate(tf: number, { k1, b }: typeof chunkCurve, length: number, average: number): number {
  return (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / average))
}

export function chunkGain(tf: number, length: number, view: View): number {
  return saturate(tf, chunkCurve, length, view.averageTerms)
}

export function scoreWords(
  { search: { lookup } }: Store,
  view: View,
  terms: readonly string[],
  allowed: Uint8Array | null,
  budget = readBudget,
): WordScores {
  const counted = terms.map((term) => ({ term, ...lookup.counts(term) })).sort((a, b) => a.places - b.places)
  const chunk = new Float32Array(view.size)
  const tf = new Float32Array(view.size)
  const found = new KeyList(1024)
  const touched = new KeyList(1024)
  const said = createSessionScore(view, view.said, sessionCurve)
  const asked = createSessionScore(view, view.asked, askedCurve)
  const did = createSessionScore(view, view.did, sessionCurve)
  const weights: TermWeight[] = []
  let chunkMax = 0
  const spent = { places: 0, chunks: 0 }
  for (const { term, chunks, places } of counted) {
    const idf = idfOf(view.chunks, chunks)
    chunkMax += idf * (chunkCurve.k1 + 1)
    const isFirst = weights.every(({ scored }) => !scored)
    const how = chooseReading(spent, budget, { chunks, places }, isFirst)
    weights.push({ term, chunks, idf, scored: how !== 'later' })
    if (how === 'later') {
      for (const score of [said, asked, did]) score.skip(chunks)
      continue
    }
    touched.length = 0
    const isWhole = how !== 'chunks'
    // Nothing rarer to go by: then the newest mentions have to do.
    const from = how === 'newest' ? Math.floor(view.size * (1 - budget.places / places)) : 0
    const count = numbers.read(isWhole ? lookup.postings(term, from) : lookup.presence(term))
    for (let at = 0; at < count; at += 1) {
      const value = numbers.values[at] as number
      const key = isWhole ? value >>> 2 : value
      const field = isWhole ? value & 3 : bodyField
      const session = view.sessions[key] ?? 0
      if (session === 0 || (allowed !== null && allowed[session] === 0)) continue
      if (tf[key] === 0) touched.push(key)
      ;(tf[key] as number) += field === toolsField ? toolWeight : 1
      if (field === toolsField) did.add(session)
      else said.add(session)
      if (field === promptField) asked.add(session)
    }
    for (let at = 0; at < touched.length; at += 1) {
      const key = touched.keys[at] as number
      if (chunk[key] === 0) found.push(key)
      ;(chunk[key] as number) += idf * chunkGain(tf[key] as number, view.terms[key] as number, view)
      tf[key] = 0
    }
    for (const score of [said, asked, did]) score.close()
  }
  const factor = chunkMax === 0 ? 0 : 1 / chunkMax
  for (let at = 0; at < found.length; at += 1) (chunk[found.keys[at] as number] as number) *= factor
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

/** BM25 of sessions in some fields; frequencies of one term are gathered over its chunks, then counted at once. */
function createSessionScore(view: View, lengths: Lengths, curve: typeof chunkCurve) {
  const score = new Float32Array(view.sessionsSize)
  const tf = new Float32Array(view.sessionsSize)
  const touched = new KeyList(256)
  let max = 0
  return {
    add(session: number): void {
      if (tf[session] === 0) touched.push(session)
      ;(tf[session] as number) += 1
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

type Reading = 'places' | 'chunks' | 'newest' | 'later'

/** Rarest terms come first, so what is spent on them is well spent. */
function chooseReading(
  spent: { places: number; chunks: number },
  budget: ReadBudget,
  { places, chunks }: { readonly places: number; readonly chunks: number },
  isFirst: boolean,
): Reading {
  if (spent.places + places <= budget.places) {
    spent.places += places
    return 'places'
  }
  if (spent.chunks + chunks <= budget.chunks) {
    spent.chunks += chunks
    return 'chunks'
  }
  return isFirst ? 'newest' : 'later'
}

const promptField = postingFields.indexOf('prompt')
const bodyField = postingFields.indexOf('body')
const toolsField = postingFields.indexOf('tools')
const comma = 44
const zero = 48

/** Numbers out of a text, into an array that is used again and again: this runs a hundred thousand times per query. */
const numbers = {
  values: new Int32Array(1 << 16),
  /** Gives how many there are. */
  read(list: string): number {
    let count = 0
    let value = 0
    for (let at = 0; at <= list.length; at += 1) {
      const code = at === list.length ? comma : list.charCodeAt(at)
      if (code !== comma) {
        value = value * 10 + code - zero
        continue
      }
      if (count === this.values.length) {
        const larger = new Int32Array(count * 2)
        larger.set(this.values)
        this.values = larger
      }
      this.values[count] = value
      count += 1
      value = 0
    }
    return list === '' ? 0 : count
  },
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
