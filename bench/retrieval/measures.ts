// Recall at k, mean reciprocal rank, and how sure one can be that one system is better than another.
import { createRandom } from '../generate/random.ts'

/** Rank of the first relevant session per query, from 1; 0: not found. */
export type Ranks = readonly number[]

export const recall = (k: number) => (rank: number) => (rank > 0 && rank <= k ? 1 : 0)
export const reciprocal = (rank: number) => (rank === 0 ? 0 : 1 / rank)

export function mean(ranks: Ranks, measure: (rank: number) => number): number {
  return ranks.reduce((sum, rank) => sum + measure(rank), 0) / ranks.length
}

/** 95 % of the differences `ours - theirs` when the queries are drawn again and again, both sides on the same draw. */
export function bootstrap(
  ours: Ranks,
  theirs: Ranks,
  measure: (rank: number) => number,
  draws = 5000,
): [low: number, high: number] {
  const random = createRandom(7)
  const differences = ours.map((rank, at) => measure(rank) - measure(theirs[at] ?? 0))
  const means = Array.from({ length: draws }, () => {
    let sum = 0
    for (let count = 0; count < differences.length; count += 1) sum += random.pick(differences)
    return sum / differences.length
  }).sort((a, b) => a - b)
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.floor(draws * 0.975)] ?? 0]
}
