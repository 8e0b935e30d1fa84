// A score from 0 to 1 that means the same for every query. The parts are shares of what a query could reach at most, so they
// compare across queries; only their sum has to be bent into the scale.
import type { TermWeight } from './bm25.ts'
import type { Ranked } from './rank.ts'

/** A session that has every word once, in chunks of ordinary length, and means the same, reaches about this. */
const plainHit = 1.6

export function toScore({ total }: Pick<Ranked, 'total'>): number {
  return 1 - 0.5 ** ((total / plainHit) * 2)
}

/** Below both it is noise: hardly any of the words that say something, and a meaning no nearer than chance. */
const leastWords = 0.34
const leastCosine = 0.5

export function isAboutIt({ matched, cosine }: Pick<Ranked, 'matched' | 'cosine'>, terms: readonly TermWeight[]): boolean {
  const all = terms.reduce((sum, { idf }) => sum + idf, 0)
  const has = matched.reduce((sum, { idf }) => sum + idf, 0)
  return cosine >= leastCosine || (all > 0 && has / all >= leastWords)
}
