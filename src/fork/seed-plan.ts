// How large a seed will be and, where the person allows it, how many of the oldest tool outputs have to be shortened to fit.
import type { ForkRequest } from '../model/fork.ts'
import type { Message } from '../model/session.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import { cutFrom, seedBlock, seedPieces } from './seed.ts'
import { createTokenCounter } from './tokenizer.ts'
import { readOptionsFor } from './up-to.ts'

export interface SeedPlan {
  readonly tokens: number
  readonly shortenedOutputs: number
  readonly cutCharacters: number
  /** Shortening tool outputs would make it fit. */
  readonly canBeCut: boolean
}

/** Room for the agent's own instructions and an answer. */
const usableShare = 0.95

export async function planSeed(
  context: ForkContext,
  request: ForkRequest,
  cutPlan: CutPlan,
  contextWindow: number | null,
): Promise<SeedPlan> {
  const counter = await createTokenCounter()
  const savings: number[] = []
  let characters = 0
  const add = (piece: string) => {
    characters += piece.length
    counter.add(piece)
  }
  for await (const piece of seedPieces([], { forkId: '00000000' })) add(piece)
  for await (const message of readMessages(context, cutPlan)) {
    add(seedBlock(message))
    const saved = cutFrom(message.tool?.output ?? '')
    if (saved > 0) savings.push(saved)
  }
  const tokens = counter.total()
  const whole = { tokens, shortenedOutputs: 0, cutCharacters: 0, canBeCut: false }
  if (contextWindow === null || tokens <= contextWindow) return whole
  const charactersPerToken = characters / tokens
  const tooMany = (tokens - contextWindow * usableShare) * charactersPerToken
  let cutCharacters = 0
  let shortenedOutputs = 0
  while (cutCharacters < tooMany && shortenedOutputs < savings.length) {
    cutCharacters += savings[shortenedOutputs] ?? 0
    shortenedOutputs += 1
  }
  const canBeCut = cutCharacters >= tooMany
  if (!canBeCut || request.allowCut !== true) return { ...whole, canBeCut }
  return { tokens: Math.ceil(tokens - cutCharacters / charactersPerToken), shortenedOutputs, cutCharacters, canBeCut }
}

async function* readMessages(context: ForkContext, { session, cut, turn }: CutPlan): AsyncGenerator<Message> {
  const options = readOptionsFor(cut, turn?.id ?? null)
  if (options === null) return
  for await (const entry of context.catalog.readSession(session, options)) if (entry.kind === 'message') yield entry.message
}
