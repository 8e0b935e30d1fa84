// From what the person named to where the child's conversation ends: always by id, and never with an unanswered prompt at
// the end (a prompt that was chosen is carried along as the pending prompt instead).
import { parseAddress, parseTurnName } from '../model/address.ts'
import type { CodeMoment } from '../model/capture.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Cut, ForkRequest } from '../model/fork.ts'
import { sessionAddress } from '../model/render.ts'
import type { Message, Turn } from '../model/session.ts'
import type { ForkContext } from './context.ts'

export interface CutPlan {
  readonly session: CatalogSession
  /** All turns: the live chain, then those of dead branches. */
  readonly turns: readonly Turn[]
  readonly cut: Cut
  /** The last turn the child keeps, whole or in part; `null` when it keeps none. */
  readonly turn: Turn | null
  /** The turns the child keeps, oldest first. */
  readonly keptIds: readonly string[]
  readonly droppedTurns: number
  readonly pendingPrompt: string | null
  readonly midTurn: boolean
  /** The turn was compacted after what is kept of it: the child has its history, not the summary. */
  readonly beforeSummary: boolean
  /** A compaction came after the last answer that is kept and before the end of that turn: the child has the summary. */
  readonly keepsSummary: boolean
  /** Which state of the code belongs to it: what the last turn left, or what a prompt to try again found. */
  readonly code: CodeMoment
}

export async function resolveCut(context: ForkContext, request: ForkRequest): Promise<CutPlan> {
  const target = await resolveWritten(context, addressOf(context, request))
  const session = { ...target.session, ...request.seenAs }
  const turns = target.turns ?? (await context.catalog.listTurns(session, { deadBranches: true, refresh: false }))
  const live = turns.filter(({ number }) => number !== null)
  const finish = (kept: Kept): CutPlan => ({
    session,
    turns,
    midTurn: false,
    beforeSummary: false,
    keepsSummary: false,
    pendingPrompt: null,
    ...kept,
    droppedTurns: live.filter(({ id }) => !kept.ids.has(id)).length,
    keptIds: [...kept.ids],
    cut: isTip(kept, live) ? { kind: 'tip' } : kept.cut,
  })
  if (target.messageId !== null) return finish(await keepMessages(context, session, turns, target.messageId))
  const turn = target.turn ?? live.at(-1) ?? null
  if (turn === null) return finish({ ...nothing, cut: { kind: 'tip' } })
  if (request.before !== undefined) return finish(await keepBefore(context, session, turns, turn))
  return finish(await keepTurn(context, session, turns, turn))
}

/** A fork that its agent has not written yet is forked as what it is: its parent at a turn. */
async function resolveWritten(context: ForkContext, address: string): Promise<Target> {
  const target = await context.catalog.resolve(address)
  const { unwritten } = target.session
  if (unwritten === undefined) return target
  const turn = target.messageId === null ? (target.turn?.number === 0 ? '0' : (target.turn?.id ?? unwritten.turnId)) : null
  const at = target.messageId === null ? turn : `m:${target.messageId}`
  return context.catalog.resolve(`${sessionAddress(unwritten.source)}${at === null ? '' : `@${at}`}`)
}

function addressOf({ nameOption }: ForkContext, { address, at, before }: ForkRequest): string {
  if (at !== undefined && before !== undefined) {
    throw new AppError('usage', `Give ${nameOption('at')} or ${nameOption('before')}, not both.`)
  }
  const wanted = at ?? before
  if (wanted === undefined) return address
  if (parseAddress(address).turn !== null) {
    throw new AppError('usage', `"${address}" names a turn already; give it in one place only.`)
  }
  if (before?.startsWith('m:')) {
    throw new AppError('usage', `${nameOption('before')} takes a turn; name a prompt by its message with ${nameOption('at')}.`)
  }
  parseTurnName(wanted) // blames what was given, not the address made of it
  return `${address}@${wanted.replace(/^@/, '')}`
}

interface Kept {
  readonly cut: Cut
  readonly turn: Turn | null
  readonly ids: ReadonlySet<string>
  readonly code: CodeMoment
  readonly pendingPrompt?: string
  readonly midTurn?: boolean
  readonly beforeSummary?: boolean
  readonly keepsSummary?: boolean
}

const nothing = {
  cut: { kind: 'start' },
  turn: null,
  ids: new Set<string>(),
  code: { turnId: null, moment: 'start' },
} as const

function isTip({ cut }: Kept, live: readonly Turn[]): boolean {
  return cut.kind === 'turn' && cut.turnId === live.at(-1)?.id
}

async function keepTurn(context: ForkContext, session: CatalogSession, turns: readonly Turn[], turn: Turn): Promise<Kept> {
  if (turn.number === 0) return nothing
  const ids = await idsUpTo(context, session, turns, turn)
  const keepsSummary = await endsSummarised(context, session, turns, turn)
  return {
    cut: { kind: 'turn', turnId: turn.id },
    turn,
    ids: new Set(ids),
    code: { turnId: turn.id, moment: 'end' },
    keepsSummary,
  }
}

/** What the user ran after a compaction still belongs to the turn before it, which then ends behind the summary. */
async function endsSummarised(
  context: ForkContext,
  session: CatalogSession,
  turns: readonly Turn[],
  { id, number, afterCompaction }: Turn,
): Promise<boolean> {
  const next = turns.find((each) => number !== null && each.number === number + 1)
  if (afterCompaction || next?.afterCompaction !== true) return false
  for await (const entry of context.catalog.readSession(session, { upTo: { turnId: id } }))
    if (entry.kind === 'message' && entry.message.role === 'summary') return true
  return false
}

async function keepBefore(context: ForkContext, session: CatalogSession, turns: readonly Turn[], turn: Turn): Promise<Kept> {
  if (turn.number === 0)
    throw new AppError('turn_not_found', 'There is nothing before turn 0, the state before the first prompt.')
  const ids = await idsUpTo(context, session, turns, turn)
  const before = turns.find(({ id }) => id === ids.at(-2))
  const kept = before === undefined ? nothing : await keepTurn(context, session, turns, before)
  return { ...kept, code: { turnId: turn.id, moment: 'start' }, pendingPrompt: await readPrompt(context, session, turn) }
}

/** The catalogue keeps prompts without the secrets in them; what is to be sent again has to be whole. */
async function readPrompt(context: ForkContext, session: CatalogSession, turn: Turn): Promise<string> {
  if (!turn.prompt.includes('[redacted:')) return turn.prompt
  for await (const entry of context.catalog.readSession(session, { upTo: { turnId: turn.id } })) {
    if (entry.kind === 'turn' && entry.turn.id === turn.id) return entry.turn.prompt
  }
  return turn.prompt
}

/** Along the live chain by number; a dead branch has to be read for its turns. */
async function idsUpTo(
  context: ForkContext,
  session: CatalogSession,
  turns: readonly Turn[],
  turn: Turn,
): Promise<readonly string[]> {
  if (turn.number !== null) {
    return turns.filter(({ number }) => number !== null && number <= (turn.number ?? 0)).map(({ id }) => id)
  }
  const ids: string[] = []
  for await (const entry of context.catalog.readSession(session, { upTo: { turnId: turn.id } })) {
    if (entry.kind === 'turn') ids.push(entry.turn.id)
  }
  return ids
}

/** A compaction and the agent's notes belong to the turn they follow, but are no part of its work: it does not end in the middle. */
async function whatFollows(
  context: ForkContext,
  session: CatalogSession,
  turn: Turn | null,
  last: Message | undefined,
): Promise<Pick<Kept, 'midTurn' | 'beforeSummary'>> {
  if (turn === null || last === undefined) return { midTurn: true }
  let isBehind = false
  const roles = new Set<Message['role']>()
  for await (const entry of context.catalog.readSession(session, { upTo: { turnId: turn.id } })) {
    if (entry.kind !== 'message') continue
    if (isBehind) roles.add(entry.message.role)
    isBehind ||= entry.message.id === last.id
  }
  const beforeSummary = roles.delete('summary')
  roles.delete('system')
  return { midTurn: !isBehind || roles.size > 0, beforeSummary }
}

/** Whether the session up to one message holds another one. */
async function holds(context: ForkContext, session: CatalogSession, messageId: string, wanted: string): Promise<boolean> {
  for await (const entry of context.catalog.readSession(session, { upTo: { messageId } })) {
    if (entry.kind === 'message' && entry.message.id === wanted) return true
  }
  return false
}

async function keepMessages(
  context: ForkContext,
  session: CatalogSession,
  turns: readonly Turn[],
  messageId: string,
): Promise<Kept> {
  const ids: string[] = []
  let chosen: Message | undefined
  let last: Message | undefined
  let before: Message | undefined
  /** Whether the chosen message's turn had begun to be worked on before it. */
  let worked = false
  for await (const entry of context.catalog.readSession(session, { upTo: { messageId } })) {
    if (entry.kind === 'turn') {
      ids.push(entry.turn.id)
      if (chosen === undefined) worked = false
    }
    if (entry.kind !== 'message') continue
    if (entry.message.id === messageId) {
      chosen = entry.message
      before = last
    } else if (chosen === undefined && entry.message.role !== 'system') worked = true
    last = entry.message
  }
  if (chosen === undefined) throw new AppError('message_not_found', `${session.agent}:${session.id} has no message ${messageId}.`)
  const turn = turns.find(({ id }) => id === chosen.turnId) ?? null
  if (chosen.role === 'user' && !worked) {
    const previous = turns.find(({ id }) => id === ids.at(-2))
    const kept = previous === undefined ? nothing : await keepTurn(context, session, turns, previous)
    return { ...kept, code: { turnId: chosen.turnId, moment: 'start' }, pendingPrompt: chosen.text }
  }
  if (turn !== null && last?.id === turn.lastMessageId && chosen.role !== 'user') return keepTurn(context, session, turns, turn)
  const code = { turnId: chosen.turnId, moment: 'end' } as const
  const kept = { turn, ids: new Set(ids), code, ...(await whatFollows(context, session, turn, last)) }
  // A prompt typed while the agent was at work. Words beside a tool's result cannot be cut off from it.
  if (chosen.role === 'user' && before !== undefined && !(await holds(context, session, before.id, messageId))) {
    return { ...kept, cut: { kind: 'message', messageId: before.id }, pendingPrompt: chosen.text }
  }
  return { ...kept, cut: { kind: 'message', messageId } }
}
