// How much context the child will carry, and what one request with it costs. What the agent recorded counts first; a tokenizer
// estimates only what came after, or everything where nothing is recorded or the text is a new one (a seed).
import type { CatalogSession } from '../model/catalog.ts'
import type { Plan } from '../model/fork.ts'
import type { Message, Turn } from '../model/session.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import type { KnownWindow } from './models.ts'
import { createTokenCounter } from './tokenizer.ts'
import { readOptionsFor } from './up-to.ts'

type Tokens = Plan['tokens']

export interface Estimate {
  readonly tokens: Tokens
  readonly cost: Plan['cost']
}

export interface ModelInUse {
  readonly model: string | null
  readonly window: KnownWindow | null
}

/** A window that the agent did not record is an assumption, which the recorded size of a request may disprove. */
export async function findWindow(
  context: ForkContext,
  { model, contextWindow }: Pick<CatalogSession, 'model' | 'contextWindow'>,
  turns: readonly Turn[],
): Promise<KnownWindow | null> {
  if (contextWindow != null) return { tokens: contextWindow, source: 'agent' }
  if (model === null) return null
  const observed = turns.reduce((most, { contextTokens = 0 }) => Math.max(most, contextTokens), 0)
  return (await context.models()).contextWindow(model, observed)
}

export async function estimateTokens(
  context: ForkContext,
  cutPlan: CutPlan,
  { model, window }: ModelInUse,
  seed: { readonly tokens: number } | null,
): Promise<Estimate> {
  const { estimate, source } =
    seed === null ? await measure(context, cutPlan) : { estimate: seed.tokens, source: 'tokenizer' as const }
  const models = await context.models()
  const percent = window === null ? null : Math.round((estimate / window.tokens) * 1000) / 10
  const price = model === null ? null : models.price(model)
  const costOf = (perMillion: number) => Math.round((estimate * perMillion) / 100) / 10_000
  return {
    tokens: {
      estimate,
      source,
      contextWindow: window?.tokens ?? null,
      contextWindowSource: window?.source ?? null,
      percent,
    },
    cost:
      price === null
        ? null
        : {
            cached: seed === null ? costOf(price.cachedInput) : null,
            uncached: costOf(price.input),
            currency: models.currency,
          },
  }
}

async function measure(context: ForkContext, cutPlan: CutPlan): Promise<{ estimate: number; source: Tokens['source'] }> {
  const { cut, turn, session, turns, keptIds } = cutPlan
  if (cut.kind === 'start' || turn === null) return { estimate: 0, source: 'observed' }
  // What is recorded for a turn counts all of it.
  const isWhole = cut.kind !== 'message'
  if (isWhole && turn.contextTokens !== undefined) return { estimate: turn.contextTokens, source: 'observed' }
  const byId = new Map(turns.map((each) => [each.id, each]))
  const places = new Map(keptIds.map((id, at) => [id, at]))
  const known = keptIds.findLastIndex((id) => id !== turn.id && byId.get(id)?.contextTokens !== undefined)
  const recorded = byId.get(keptIds[known] ?? '')?.contextTokens
  const [all, tail] = [await createTokenCounter(), await createTokenCounter()]
  let isCompacted = false
  for await (const entry of context.catalog.readSession(session, { view: 'context', ...readOptionsFor(cut, turn.id) })) {
    if (entry.kind !== 'message') continue
    const { message } = entry
    all.add(textOf(message))
    if ((places.get(message.turnId) ?? -1) <= known) continue
    tail.add(textOf(message))
    isCompacted ||= message.role === 'summary'
  }
  if (recorded === undefined || isCompacted) return { estimate: all.total(), source: 'tokenizer' }
  return { estimate: recorded + tail.total(), source: 'mixed' }
}

function textOf({ text, tool }: Message): string {
  if (tool === undefined) return text
  const given = typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments ?? null)
  return `${text}${tool.name}${given}${tool.output ?? ''}`
}
