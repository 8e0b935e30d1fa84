// What our engine is held against, on the same words and vectors: BM25 with all terms wanted, with any, and the plain score fusion
// of the model's card. Written out here in the plainest way, apart from the engine.
import { loadStaticModel } from '../../src/search/embed/static-model.ts'
import { termsOfText } from '../../src/search/text/terms.ts'
import type { BenchSession } from './data.ts'

/** Sessions by id, best first. */
export type System = (query: string) => Promise<string[]>

const k1 = 1.2
const b = 0.75
const chunkSize = 1500

interface Documents {
  readonly lengths: readonly number[]
  readonly average: number
  readonly postings: ReadonlyMap<string, ReadonlyMap<number, number>>
}

export async function createBaselines(sessions: readonly BenchSession[]) {
  const texts = sessions.map(({ messages }) => messages.filter(({ role }) => role !== 'tool').map(({ text }) => text))
  const chunks = texts.flatMap((parts, session) => cut(parts).map((text) => ({ session, text })))
  const bySession = index(texts.map((parts) => termsOfText(parts.join('\n'))))
  const byChunk = index(chunks.map(({ text }) => termsOfText(text)))
  const model = await loadStaticModel()
  const vectors = await model.embed(chunks.map(({ text }) => text))

  const best = (scores: readonly number[]) => {
    const ordered = [...scores.keys()].filter((at) => (scores[at] ?? 0) > 0).sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0))
    return ordered.map((at) => sessions[at]?.session_id ?? '')
  }
  const bestChunk = (scores: readonly number[]) => {
    const highest = new Array<number>(sessions.length).fill(0)
    for (const [at, { session }] of chunks.entries()) highest[session] = Math.max(highest[session] ?? 0, scores[at] ?? 0)
    return best(highest)
  }
  const all: System = async (query) => {
    const terms = [...new Set(termsOfText(query))]
    const { scores } = score(bySession, terms)
    return best(scores.map((value, at) => (terms.every((term) => bySession.postings.get(term)?.has(at)) ? value : 0)))
  }
  const any: System = async (query) => best(score(bySession, termsOfText(query)).scores)
  const anyChunk: System = async (query) => bestChunk(score(byChunk, termsOfText(query)).scores)
  const fusion: System = async (query) => {
    const terms = termsOfText(query)
    const chunk = score(byChunk, terms)
    const session = score(bySession, terms)
    const [asked] = await model.embed([query])
    return bestChunk(
      chunks.map(({ session: of }, at) => {
        const words = (chunk.scores[at] ?? 0) / (chunk.max || 1) + (0.5 * (session.scores[of] ?? 0)) / (session.max || 1)
        return words + 0.8 * dot(asked, vectors[at])
      }),
    )
  }
  return {
    'BM25, all terms, sessions': all,
    'BM25, any term, sessions': any,
    'BM25, any term, chunks': anyChunk,
    'plain score fusion of the card': fusion,
  }
}

function cut(parts: readonly string[]): string[] {
  const chunks: string[] = []
  let open = ''
  for (const part of parts) {
    for (let from = 0; from < part.length; from += chunkSize) {
      open += `${part.slice(from, from + chunkSize)}\n`
      if (open.length < chunkSize) continue
      chunks.push(open)
      open = ''
    }
  }
  return open.trim() === '' ? chunks : [...chunks, open]
}

function index(documents: readonly (readonly string[])[]): Documents {
  const postings = new Map<string, Map<number, number>>()
  for (const [at, terms] of documents.entries()) {
    for (const term of terms) {
      const having = postings.get(term) ?? new Map<number, number>()
      postings.set(term, having.set(at, (having.get(at) ?? 0) + 1))
    }
  }
  const lengths = documents.map(({ length }) => length)
  return { lengths, average: lengths.reduce((sum, length) => sum + length, 0) / lengths.length, postings }
}

function score({ lengths, average, postings }: Documents, terms: readonly string[]): { scores: number[]; max: number } {
  const scores = new Array<number>(lengths.length).fill(0)
  let max = 0
  for (const term of new Set(terms)) {
    const having = postings.get(term) ?? new Map<number, number>()
    const idf = Math.log(1 + (lengths.length - having.size + 0.5) / (having.size + 0.5))
    max += idf * (k1 + 1)
    for (const [at, tf] of having) {
      const norm = k1 * (1 - b + (b * (lengths[at] ?? 0)) / average)
      scores[at] = (scores[at] ?? 0) + (idf * tf * (k1 + 1)) / (tf + norm)
    }
  }
  return { scores, max }
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0
  for (let at = 0; at < (one?.length ?? 0); at += 1) sum += (one?.[at] ?? 0) * (other?.[at] ?? 0)
  return sum
}
