// Which sessions answer a query, and with which chunk: scores are fused, not ranks. Words and vectors propose candidates; only
// those are looked at closely (exact cosine, common words, how near the words stand to each other).
import type { ChunkTexts } from '../../store/search-index.ts'
import type { ChunkRow } from '../../store/search-lookup.ts'
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import { type ReadBudget, scoreWords, type TermWeight, type WordScores } from './bm25.ts'
import { type CloseLook, createCloseLook } from './closely.ts'
import { cosineOf, findNear } from './vectors.ts'
import type { Codes, View } from './view.ts'

/**
 * What each part may add. The first three are the model card's; sessions say a little more by what was asked and done in them,
 * and words that stand together mean more than words that stand apart.
 */
export const weights = { words: 1, session: 0.5, meaning: 0.8, asked: 0.25, did: 0.25, nearness: 0.3 } as const

export type Part = keyof typeof weights

export interface QueryVector {
  readonly model: VectorModel
  readonly codes: Codes
  readonly vector: Float32Array
}

export interface RankInput {
  readonly view: View
  /** Words of the query as terms, and in the order they were typed. */
  readonly terms: readonly string[]
  readonly sequence: readonly string[]
  readonly vector: QueryVector | null
  /** By session key; `null`: all. */
  readonly allowed: Uint8Array | null
  /** Chunks that have a quoted phrase. */
  readonly required: ReadonlySet<number> | null
  readonly budget?: ReadBudget
}

export interface Ranked {
  readonly sessionKey: number
  readonly chunk: ChunkRow
  /** Each part by its weight. */
  readonly parts: Readonly<Record<Part, number>>
  readonly total: number
  readonly cosine: number
  readonly matched: readonly TermWeight[]
}

export interface Ranking {
  readonly ranked: readonly Ranked[]
  readonly terms: readonly TermWeight[]
}

const wordSessions = 50
const nearChunks = 128
const chunksEach = 3
const closeSessions = 40
/** Of these more than one chunk is read. */
const closestSessions = 12

interface Candidate {
  readonly sessionKey: number
  readonly chunks: { readonly key: number; readonly score: number; readonly cosine: number }[]
}

export function rankSessions(store: Store, input: RankInput): Ranking {
  const { view, vector, allowed, required } = input
  const words = scoreWords(store, view, input.terms, allowed, input.budget)
  const sessionScore = (key: number) =>
    weights.session * (words.said[key] ?? 0) + weights.asked * (words.asked[key] ?? 0) + weights.did * (words.did[key] ?? 0)
  const proposed = proposeByWords(view, words, sessionScore, required)
  if (vector !== null) {
    for (const key of findNear(view, vector.codes, vector.vector, nearChunks, allowed)) {
      if (required === null || required.has(key)) propose(proposed, view.sessions[key] as number, key)
    }
  }
  for (const key of required ?? []) {
    const session = view.sessions[key] ?? 0
    if (session !== 0 && (allowed === null || allowed[session] === 1) && proposed.size < 4 * wordSessions) {
      propose(proposed, session, key)
    }
  }
  const candidates: Candidate[] = []
  for (const [sessionKey, keys] of proposed) {
    const chunks = [...keys].map((key) => {
      const cosine = vector === null ? 0 : cosineOf(store, vector.model, vector.vector, key)
      return { key, cosine, score: weights.words * (words.chunk[key] ?? 0) + weights.meaning * Math.max(0, cosine) }
    })
    candidates.push({ sessionKey, chunks: chunks.sort((a, b) => b.score - a.score) })
  }
  const best = (candidate: Candidate) => (candidate.chunks[0]?.score ?? 0) + sessionScore(candidate.sessionKey)
  candidates.sort((a, b) => best(b) - best(a))
  const lookClosely = createCloseLook(input, words)
  const ranked = candidates
    .slice(0, closeSessions)
    .flatMap((candidate, at) => examine(store, lookClosely, words, candidate, at < closestSessions ? chunksEach : 1))
  return { ranked: ranked.sort((a, b) => b.total - a.total), terms: words.terms }
}

/** The sessions with the best chunk and session scores, with their best chunks. */
function proposeByWords(
  view: View,
  { chunk, found }: WordScores,
  sessionScore: (key: number) => number,
  required: ReadonlySet<number> | null,
): Map<number, Set<number>> {
  const best = new Float32Array(view.sessionsSize)
  const sessions: number[] = []
  const keys = required === null ? found : found.filter((key) => required.has(key))
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as number
    const session = view.sessions[key] as number
    const before = best[session] as number
    if (before === 0) sessions.push(session)
    if ((chunk[key] as number) > before) best[session] = chunk[key] as number
  }
  for (const session of sessions) best[session] = weights.words * (best[session] as number) + sessionScore(session)
  const leading = leadingBy(best, sessions, wordSessions)
  const chosen = new Map<number, number[]>(leading.map((session) => [session, []]))
  const isChosen = new Uint8Array(view.sessionsSize)
  for (const session of chosen.keys()) isChosen[session] = 1
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as number
    const session = view.sessions[key] as number
    if (isChosen[session] === 1) insertByScore(chosen.get(session) ?? [], key, chunk)
  }
  return new Map([...chosen].map(([session, chunks]) => [session, new Set(chunks)]))
}

/** The highest, in order; of equals the first. Bare numbers are sorted ten times as fast as what they belong to. */
function leadingBy(score: Float32Array, all: readonly number[], most: number): number[] {
  const sorted = Float32Array.from(all, (each) => score[each] as number).sort()
  const least = sorted[Math.max(0, sorted.length - most)] ?? 0
  return all
    .filter((each) => (score[each] as number) >= least)
    .sort((a, b) => (score[b] as number) - (score[a] as number))
    .slice(0, most)
}

function insertByScore(keys: number[], key: number, score: Float32Array): void {
  let at = keys.length
  while (at > 0 && (score[keys[at - 1] as number] as number) < (score[key] as number)) at -= 1
  if (at === chunksEach) return
  keys.splice(at, 0, key)
  if (keys.length > chunksEach) keys.pop()
}

function propose(proposed: Map<number, Set<number>>, session: number, key: number): void {
  const keys = proposed.get(session)
  if (keys === undefined) proposed.set(session, new Set([key]))
  else keys.add(key)
}

/** The candidate's best chunks read as text; gives the one that stands best then. */
function examine(
  store: Store,
  lookClosely: (chunk: ChunkTexts) => CloseLook,
  words: WordScores,
  { sessionKey, chunks }: Candidate,
  most: number,
): Ranked[] {
  let best: Ranked | undefined
  for (const { key, cosine } of chunks.slice(0, most)) {
    const row = store.search.lookup.chunk(key)
    if (row === null) continue
    const close = lookClosely(row)
    const parts = {
      words: weights.words * ((words.chunk[key] ?? 0) + close.common),
      session: weights.session * (words.said[sessionKey] ?? 0),
      meaning: weights.meaning * Math.max(0, cosine),
      asked: weights.asked * (words.asked[sessionKey] ?? 0),
      did: weights.did * (words.did[sessionKey] ?? 0),
      nearness: weights.nearness * close.nearness,
    }
    const total = Object.values(parts).reduce((sum, part) => sum + part, 0)
    if (best === undefined || total > best.total) best = { sessionKey, chunk: row, parts, total, cosine, matched: close.matched }
  }
  return best === undefined ? [] : [best]
}
