// A close look at one candidate's text: what the common words add, and how near the words of the query stand to each other.
import type { ChunkTexts } from '../../store/search-index.ts'
import { toolWeight } from '../../store/search-index.ts'
import { namesOf, termsOfText } from '../text/terms.ts'
import { chunkGain, type TermWeight, type WordScores } from './bm25.ts'
import type { View } from './view.ts'

export interface CloseLook {
  /** Added to the chunk's share of the query's highest score. */
  readonly common: number
  /** 0 to 1: every pair of neighbours in the query stands side by side here too. */
  readonly nearness: number
  readonly matched: readonly TermWeight[]
}

/** Further apart than this, two words have nothing to do with each other. */
const reach = 8

interface Asked {
  readonly view: View
  readonly sequence: readonly string[]
}

export function lookClosely(chunk: ChunkTexts, { view, sequence }: Asked, { terms, chunkMax }: WordScores): CloseLook {
  const said = [...termsOfText(chunk.prompt), ...termsOfText(chunk.body)]
  const did = termsOfText(chunk.tools)
  const wanted = new Set([...sequence, ...terms.map(({ term }) => term)])
  const places = new Map<string, number[]>()
  for (const [at, term] of said.entries()) if (wanted.has(term)) note(places, term, at)
  const doneTimes = new Map<string, number>()
  for (const term of did) if (wanted.has(term)) doneTimes.set(term, (doneTimes.get(term) ?? 0) + 1)
  const names = new Set(namesOf(`${chunk.prompt}\n${chunk.body}\n${chunk.tools}`))
  const length = said.length + toolWeight * did.length
  let common = 0
  const matched: TermWeight[] = []
  for (const weight of terms) {
    const { term, idf, scored } = weight
    const tf = (places.get(term)?.length ?? 0) + toolWeight * (doneTimes.get(term) ?? 0)
    if (tf > 0 || names.has(term)) matched.push(weight)
    if (!scored && tf > 0) common += idf * chunkGain(tf, length, view)
  }
  const idfs = new Map(terms.map(({ term, idf }) => [term, idf]))
  return { common: chunkMax === 0 ? 0 : common / chunkMax, nearness: measureNearness(sequence, places, idfs), matched }
}

function note(places: Map<string, number[]>, term: string, at: number): void {
  const known = places.get(term)
  if (known === undefined) places.set(term, [at])
  else known.push(at)
}

/** For each two words that follow each other in the query one over their least distance, weighed by the rarity of the commoner. */
function measureNearness(
  sequence: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  idfs: ReadonlyMap<string, number>,
): number {
  let reached = 0
  let possible = 0
  for (let at = 0; at + 1 < sequence.length; at += 1) {
    const [one, other] = [sequence[at] as string, sequence[at + 1] as string]
    if (one === other) continue
    const weight = Math.min(idfs.get(one) ?? 0, idfs.get(other) ?? 0)
    possible += weight
    const distance = leastDistance(places.get(one) ?? [], places.get(other) ?? [])
    if (distance <= reach) reached += weight / distance
  }
  return possible === 0 ? 0 : reached / possible
}

/** Both rise: one walk along the two. */
function leastDistance(ones: readonly number[], others: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  let i = 0
  let j = 0
  while (i < ones.length && j < others.length) {
    const [one, other] = [ones[i] as number, others[j] as number]
    least = Math.min(least, Math.abs(one - other))
    if (one < other) i += 1
    else j += 1
  }
  return least
}
