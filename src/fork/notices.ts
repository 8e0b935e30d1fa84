// What the size of the child's context and of its first prompt means for a fork.
import { systemText } from '../lib/system-text.ts'
import type { BlockerCode, Notice, Strategy, WarningCode } from '../model/fork.ts'
import type { ForkContext } from './context.ts'
import type { SeedPlan } from './seed-plan.ts'
import type { Estimate } from './tokens.ts'

const highPercent = 80
/** Linux takes no single argument of 128 KiB or more. */
const argumentBytes = 96 << 10

interface Sized {
  readonly strategy: Strategy
  readonly model: string | null
  readonly seed: SeedPlan | null
  /** What a seed may cost without being accepted; 0: anything. */
  readonly maxPrice: number
}

export function contextNotices(
  { nameOption }: ForkContext,
  { tokens, cost }: Estimate,
  { strategy, model, seed, maxPrice }: Sized,
) {
  const warnings: Notice<WarningCode>[] = []
  const confirm: WarningCode[] = []
  const blockers: Notice<BlockerCode>[] = []
  const { estimate, contextWindow, contextWindowSource, percent } = tokens
  const isAssumed = contextWindowSource === 'assumed'
  const window = isAssumed ? `the ${contextWindow} that are assumed for ${model}` : `the context window of ${contextWindow}`
  const size = `${estimate} tokens, ${percent} % of ${window}`
  if (percent !== null && percent > 100) {
    const shorter = seed?.canBeCut
      ? `Use ${nameOption('allow_cut', true)} to shorten the oldest tool outputs.`
      : 'Choose an earlier turn.'
    const over =
      strategy === 'seed'
        ? `The transcript has ${size}. ${shorter}`
        : `The fork has ${size}: the agent will have to compact it at once.`
    if (strategy === 'seed' && !isAssumed) blockers.push({ code: 'context_over', message: over })
    else {
      const setting = `If it is larger, set \`context_window\` under [models."${model}"] in config.toml.`
      warnings.push({ code: 'context_over', message: isAssumed ? `${over} ${setting}` : over })
      confirm.push('context_over')
    }
  } else if (percent !== null && percent >= highPercent) {
    warnings.push({ code: 'context_high', message: `The fork has ${size}.` })
    if (strategy === 'seed') confirm.push('context_high')
  }
  if (strategy === 'seed' && cost !== null && maxPrice > 0 && cost.uncached > maxPrice) {
    const message = `The transcript costs about ${cost.uncached} ${cost.currency}, more than fork.max_price (${maxPrice}).`
    warnings.push({ code: 'price_high', message })
    confirm.push('price_high')
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
  const why = systemText(prompt) === null ? 'contains a NUL character' : 'is too long for a command line'
  const message = `The prompt ${why}: it is not part of the command, send it once the fork is open.`
  return [{ code: 'prompt_long', message }]
}

export function fitsArgument(prompt: string): boolean {
  return systemText(prompt) !== null && Buffer.byteLength(prompt) < argumentBytes
}
