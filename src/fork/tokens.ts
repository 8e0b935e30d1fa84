// How much context the child will carry, and what one request with it costs: what the agent recorded for that turn counts
// first, a tokenizer only where nothing is recorded or the text is a new one (a seed).
import type { Plan } from '../model/fork.ts'
import type { Message } from '../model/session.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import { createTokenCounter } from './tokenizer.ts'
import { readOptionsFor } from './up-to.ts'

type Tokens = Plan['tokens']

export interface Estimate {
  readonly tokens: Tokens
  readonly cost: Plan['cost']
}

export interface ModelInUse {
  readonly model: string | null
  readonly contextWindow: number | null
}

export async function estimateTokens(
  context: ForkContext,
  cutPlan: CutPlan,
  { model, contextWindow }: ModelInUse,
  seed: { readonly tokens: number } | null,
): Promise<Estimate> {
  const { estimate, source } =
    seed === null ? await measure(context, cutPlan) : { estimate: seed.tokens, source: 'tokenizer' as const }
  const models = await context.models()
  const percent = contextWindow === null ? null : Math.round((estimate / contextWindow) * 1000) / 10
  const price = model === null ? null : models.price(model)
  const costOf = (perMillion: number) => Math.round((estimate * perMillion) / 100) / 10_000
  return {
    tokens: { estimate, source, contextWindow, percent },
    cost: price === null ? null : { cached: costOf(price.cachedInput), uncached: costOf(price.input), currency: models.currency },
  }
}

async function measure(
  context: ForkContext,
  { cut, turn, session }: CutPlan,
): Promise<{ estimate: number; source: Tokens['source'] }> {
  if (cut.kind === 'start' || turn === null) return { estimate: 0, source: 'observed' }
  if (turn.contextTokens !== undefined) return { estimate: turn.contextTokens, source: 'observed' }
  const counter = await createTokenCounter()
  for await (const entry of context.catalog.readSession(session, { view: 'context', ...readOptionsFor(cut, turn.id) })) {
    if (entry.kind === 'message') counter.add(textOf(entry.message))
  }
  return { estimate: counter.total(), source: 'tokenizer' }
}

function textOf({ text, tool }: Message): string {
  if (tool === undefined) return text
  const given = typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments ?? null)
  return `${text}${tool.name}${given}${tool.output ?? ''}`
}
