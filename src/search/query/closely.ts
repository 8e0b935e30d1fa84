// A close look at one candidate's text: what the common words add, and how near the words of the query stand to each other.
import type { ChunkTexts } from '../../store/search-index.ts'
import { toolWeight } from '../../store/search-index.ts'
import { createTermFinder, namesOf } from '../text/terms.ts'
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
  /** The words of the query as terms, in order. */
  readonly sequence: readonly string[]
}

/** Made once per query. */
export function createCloseLook({ view, sequence }: Asked, { terms, chunkMax }: WordScores): (chunk: ChunkTexts) => CloseLook {
  const findTerms = createTermFinder(new Set([...sequence, ...terms.map(({ term }) => term)]))
  const idfs = new Map(terms.map(({ term, idf }) => [term, idf]))
  const pairs = pairUp(sequence, idfs)
  const whole = new Set(terms.map(({ term }) => term).filter((term) => !sequence.includes(term)))

  return (chunk) => {
    const places = new Map<string, number[]>()
    const note = (from: number) => (term: string, at: number) => {
      const known = places.get(term)
      if (known === undefined) places.set(term, [from + at])
      else known.push(from + at)
    }
    const asked = findTerms(chunk.prompt, note(0))
    const said = asked + findTerms(chunk.body, note(asked))
    const times = new Map<string, number>()
    const did = findTerms(chunk.tools, (term) => times.set(term, (times.get(term) ?? 0) + 1))
    const names = whole.size === 0 ? whole : new Set(namesOf(`${chunk.prompt}\n${chunk.body}\n${chunk.tools}`))
    const length = said + toolWeight * did
    let common = 0
    const matched: TermWeight[] = []
    for (const weight of terms) {
      const { term, idf, scored } = weight
      const tf = (places.get(term)?.length ?? 0) + toolWeight * (times.get(term) ?? 0)
      if (tf > 0 || names.has(term)) matched.push(weight)
      if (!scored && tf > 0) common += idf * chunkGain(tf, length, view)
    }
    return { common: chunkMax === 0 ? 0 : common / chunkMax, nearness: measureNearness(pairs, places), matched }
  }
}

interface Pair {
  readonly one: string
  readonly other: string
  /** The rarity of the commoner of the two. */
  readonly weight: number
}

function pairUp(sequence: readonly string[], idfs: ReadonlyMap<string, number>): Pair[] {
  return sequence.slice(0, -1).flatMap((one, at) => {
    const other = sequence[at + 1] as string
    return one === other ? [] : [{ one, other, weight: Math.min(idfs.get(one) ?? 0, idfs.get(other) ?? 0) }]
  })
}

/** For each pair one over the least distance of the two. */
function measureNearness(pairs: readonly Pair[], places: ReadonlyMap<string, readonly number[]>): number {
  let reached = 0
  let possible = 0
  for (const { one, other, weight } of pairs) {
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
