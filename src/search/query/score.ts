// A score from 0 to 1 that means the same for every query. The parts are shares of what a query could reach at most, so their sum
// compares across queries; the curve only spreads it. Measured on 367 intents and 40 questions about other things entirely:
// the best of the latter reached 0.65 at most (a score of 0.12), nine of ten right answers 1.2 or more (0.43).
import type { TermWeight } from './bm25.ts'
import { type Ranked, weights } from './rank.ts'

const allWeights = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
/** Where right and wrong first places are about as many. */
const middle = 1.3
const steepness = 3

interface Bar {
  readonly total: number
  /** Meaning alone is enough above this: a paraphrase may share no word. */
  readonly cosine: number
  /** So is having this share of what the words say, wherever they stand. */
  readonly words: number
}

/** One answer has to pass this; else the best there is is about something else. */
const aboutIt: Bar = { total: 0.75, cosine: 0.5, words: 0.5 }
/** Then others are listed behind it that pass this. */
const worthListing: Bar = { total: 0.5, cosine: 0.5, words: 0.34 }

type Scored = Pick<Ranked, 'total' | 'cosine' | 'matched'>

export function toScore(total: number, hasVector: boolean): number {
  const score = 1 / (1 + Math.exp(-steepness * (inFull(total, hasVector) - middle)))
  return Math.round(score * 1000) / 1000
}

/** What is to be listed: nothing at all where even the best is noise. */
export function leaveOutNoise(ranked: readonly Ranked[], terms: readonly TermWeight[], hasVector: boolean): readonly Ranked[] {
  const all = worthOf(terms)
  const clears = ({ total, cosine, matched }: Scored, bar: Bar) =>
    inFull(total, hasVector) >= bar.total || cosine >= bar.cosine || (all > 0 && worthOf(matched) >= bar.words * all)
  if (!ranked.some((each) => clears(each, aboutIt))) return []
  return ranked.filter((each) => clears(each, worthListing))
}

function worthOf(terms: readonly TermWeight[]): number {
  return terms.reduce((sum, { idf }) => sum + idf, 0)
}

/** Without a vector less can be reached. */
function inFull(total: number, hasVector: boolean): number {
  return hasVector ? total : (total * allWeights) / (allWeights - weights.meaning)
}
