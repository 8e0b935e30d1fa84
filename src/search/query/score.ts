// A score from 0 to 1 that means the same for every query. The parts are shares of what a query could reach at most, so their sum
// compares across queries; the curve only spreads it. Measured on 367 intents and 40 questions about other things entirely:
// the best of the latter reached 0.65 at most (a score of 0.12), nine of ten right answers 1.2 or more (0.43).
import type { TermWeight } from './bm25.ts'
import { type Ranked, weights } from './rank.ts'

const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
/** Where right and wrong first places are about as many. */
const middle = 1.3
const steepness = 3
const least = 0.75
/** Meaning alone is enough above this: a paraphrase may share no word. */
const leastCosine = 0.5

/** So is having most of what the words say, wherever they stand. */
const leastWords = 0.5

type Scored = Pick<Ranked, 'total' | 'cosine' | 'matched'>

export function toScore(total: number, hasVector: boolean): number {
  const score = 1 / (1 + Math.exp(-steepness * (inFull(total, hasVector) - middle)))
  return Math.round(score * 1000) / 1000
}

/** False for noise: the best there is, and still about something else. */
export function isAboutIt({ total, cosine, matched }: Scored, terms: readonly TermWeight[], hasVector: boolean): boolean {
  if (inFull(total, hasVector) >= least || cosine >= leastCosine) return true
  const worth = (some: readonly TermWeight[]) => some.reduce((sum, { idf }) => sum + idf, 0)
  return worth(terms) > 0 && worth(matched) >= leastWords * worth(terms)
}

/** Without a vector less can be reached. */
function inFull(total: number, hasVector: boolean): number {
  return hasVector ? total : (total * all) / (all - weights.meaning)
}
