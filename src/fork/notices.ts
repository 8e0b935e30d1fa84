// What the size of the child's context and of its first prompt means for a fork.
import type { BlockerCode, Notice, Strategy, WarningCode } from '../model/fork.ts'
import type { SeedPlan } from './seed-plan.ts'
import type { Estimate } from './tokens.ts'

const highPercent = 80
/** Linux takes no single argument of 128 KiB or more. */
const argumentBytes = 96 << 10

export function contextNotices({ tokens, cost }: Estimate, strategy: Strategy, model: string | null, seed: SeedPlan | null) {
  const warnings: Notice<WarningCode>[] = []
  const confirm: WarningCode[] = []
  const blockers: Notice<BlockerCode>[] = []
  const { estimate, contextWindow, percent } = tokens
  const size = `${estimate} tokens, ${percent} % of the context window of ${contextWindow}`
  if (percent !== null && percent > 100) {
    if (strategy === 'seed') {
      const message = `The transcript has ${size}. ${seed?.canBeCut ? 'Use --allow-cut to shorten the oldest tool outputs.' : 'Choose an earlier turn.'}`
      blockers.push({ code: 'context_over', message })
    } else {
      warnings.push({ code: 'context_over', message: `The fork has ${size}: the agent will have to compact it at once.` })
      confirm.push('context_over')
    }
  } else if (percent !== null && percent >= highPercent) {
    warnings.push({ code: 'context_high', message: `The fork has ${size}.` })
  }
  if (seed !== null && seed.shortenedOutputs > 0) {
    const message = `The ${seed.shortenedOutputs} oldest tool outputs are shortened, by ${seed.cutCharacters} characters in all.`
    warnings.push({ code: 'transcript_cut', message })
  }
  if (cost === null && model !== null) {
    const message = `No price is known for ${model}; give one in config.toml under [models."${model}"].`
    warnings.push({ code: 'no_price', message })
  }
  return { warnings, confirm, blockers }
}

export function promptNotices(prompt: string | null): Notice<WarningCode>[] {
  if (prompt === null || fitsArgument(prompt)) return []
  const message = 'The prompt is too long for a command line: it is not part of the command, send it once the fork is open.'
  return [{ code: 'prompt_long', message }]
}

export function fitsArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) < argumentBytes
}
