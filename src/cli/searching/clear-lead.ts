// Whether the best one may be taken without asking: only where it is likely right and nothing else comes near.
import type { SearchResult } from '../../model/search.ts'

/** Right answers come first with 0.43 or more nine times of ten, questions about something else reach 0.12 (search/query/score.ts). */
const leastScore = 0.5
const leastLead = 0.15

export function findClearLead(results: readonly SearchResult[]): SearchResult | null {
  const [best, second] = results
  if (best === undefined || best.score < leastScore || !best.canFork) return null
  return best.score - (second?.score ?? 0) >= leastLead ? best : null
}
