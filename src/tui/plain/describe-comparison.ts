// Two sessions compared, in words: what each cost after the turn where they part, then how their code differs.
import { cleanLine } from '../../lib/text/clean.ts'
import { groupDigits } from '../../lib/text/context-bar.ts'
import type { SessionCost } from '../../model/catalog.ts'
import type { CompareOverlay } from '../state-overlay.ts'
import { countTurns, readable } from './describe.ts'

export function describeComparison({ sides, costs, diff, problem }: CompareOverlay): string[] {
  if (costs === null) return ['Comparing ...']
  const [one, other] = sides.map((side) => cleanLine(side))
  const since = costs.sharedTurns === null ? 'They share no turns.' : `They share ${countTurns(costs.sharedTurns)}; after that:`
  return [
    `First: ${one}. Second: ${other}.`,
    since,
    `First: ${describeCost(costs.sides[0])}`,
    `Second: ${describeCost(costs.sides[1])}`,
    ...(problem === null ? [] : [`Their code cannot be compared: ${cleanLine(problem)}`]),
    ...(diff === null ? [] : ['From the first to the second:', readable(diff.patch ?? '') || 'Their code is the same.']),
  ]
}

function describeCost({ turns, usage, workedMs }: SessionCost): string {
  const tokens =
    usage === null
      ? 'tokens not recorded'
      : `${groupDigits(usage.inputTokens)} tokens in, ${groupDigits(usage.cachedInputTokens)} of them cached, ${groupDigits(usage.outputTokens)} out`
  const time = workedMs === null ? 'time not recorded' : `${groupDigits(Math.round(workedMs / 1000))} seconds at work`
  return `${countTurns(turns)}, ${tokens}, ${time}.`
}
