// How large a seed will be, what is left out of it, which model it is for and, where the user allows it, how many of the oldest tool
// outputs have to be shortened to fit.
import { agentOf } from '../agents/agent-of.ts'
import { isFolder } from '../lib/is-folder.ts'
import type { ForkRequest } from '../model/fork.ts'
import type { AgentId, ParentLink } from '../model/session.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import { cutFrom, seedBlock, seedPieces } from './seed.ts'
import { type Dropped, messagesForSeed } from './seed-messages.ts'
import { createTokenCounter } from './tokenizer.ts'
import { findWindow, type ModelInUse } from './tokens.ts'
import { readOptionsFor } from './up-to.ts'

export interface SeedPlan {
  readonly tokens: number
  /** Text of the agent's harness that is left out. */
  readonly dropped: Readonly<Dropped>
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
  parent: ParentLink,
  contextWindow: number | null,
): Promise<SeedPlan> {
  const counter = await createTokenCounter()
  const savings: number[] = []
  let characters = 0
  const add = (piece: string) => {
    characters += piece.length
    counter.add(piece)
  }
  for await (const piece of seedPieces([], { forkId: '00000000', parent })) add(piece)
  const dropped = { messages: 0, characters: 0 }
  for await (const message of readMessages(context, cutPlan, dropped)) {
    add(seedBlock(message))
    const saved = cutFrom(message.tool?.output ?? '')
    if (saved > 0) savings.push(saved)
  }
  const tokens = counter.total()
  const whole = { tokens, dropped, shortenedOutputs: 0, cutCharacters: 0, canBeCut: false }
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
  return { ...whole, tokens: Math.ceil(tokens - cutCharacters / charactersPerToken), shortenedOutputs, cutCharacters, canBeCut }
}

function readMessages(context: ForkContext, { session, cut, turn }: CutPlan, dropped: Dropped) {
  const options = readOptionsFor(cut, turn?.id ?? null)
  const entries = options === null ? [] : context.catalog.readSession(session, options)
  return messagesForSeed(agentOf(context, session.agent), entries, dropped)
}

/**
 * Within one agent the parent's model, and in another one that agent's default. Where only a run would tell, no model is named; the window
 * is then that of the model the agent was used with last.
 */
export async function findSeedModel(context: ForkContext, to: AgentId, { session, turns }: CutPlan): Promise<ModelInUse> {
  if (to === session.agent && session.model !== null) {
    return { model: session.model, window: await findWindow(context, session, turns) }
  }
  const cwd = [session.cwd, context.cwd].find((folder) => folder !== null && isFolder(folder)) ?? context.env.home
  // An agent that is not installed is a blocker of its own.
  const model = await agentOf(context, to)
    .defaultModel(context.env, cwd)
    .catch(() => null)
  const [last] = await context.catalog.listSessions({ agent: to, limit: 1 }, { refresh: false })
  if (last === undefined || (model !== null && last.model !== model)) {
    return { model, window: model === null ? null : (await context.models()).contextWindow(model) }
  }
  const theirs = await context.catalog.listTurns(last, { deadBranches: true, refresh: false })
  return { model, window: await findWindow(context, last, theirs) }
}
