// Everything a fork is going to do, computed before anything is done. Pure reading.
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { longestLine } from '../lib/jsonl.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { BlockerCode, ForkRequest, Notice, Plan, TerminalChoice, WarningCode } from '../model/fork.ts'
import { sessionAddress, turnAddress } from '../model/render.ts'
import type { ParentLink, Turn } from '../model/session.ts'
import { makeShortId } from '../snapshots/short-id.ts'
import { type CodePlan, planCode } from './code.ts'
import type { ForkContext, MissingFile } from './context.ts'
import { type CutPlan, resolveCut } from './cut.ts'
import { contextNotices, promptNotices } from './notices.ts'
import { takenTitles } from './record.ts'
import { markSource, type Seen } from './seen.ts'
import { describeSteps } from './steps.ts'
import { chooseStrategy, isLaunched } from './strategy.ts'
import { forkTitle } from './title.ts'
import { estimateTokens, findWindow, type ModelInUse } from './tokens.ts'

export async function planFork(context: ForkContext, request: ForkRequest): Promise<Plan> {
  const { nameOption } = context
  if (request.allowCut === true && (request.strategy === 'native' || request.strategy === 'prefix')) {
    const strategy = nameOption('strategy', request.strategy)
    throw new AppError('usage', `Only a seed can be shortened: ${nameOption('allow_cut')} has no effect with ${strategy}.`)
  }
  const cutPlan = await resolveCut(context, request)
  const { session, turn, cut } = cutPlan
  const terminal = request.terminal ?? 'print'
  const agent = request.to ?? session.agent
  const busy = isBusy(context, session)
  const [choice, code] = await Promise.all([
    chooseStrategy(context, request, cutPlan, { busy, launched: isLaunched(terminal) }),
    planCode(context, request, cutPlan),
  ])
  const missing = await context.catalog.listMissing(session)
  const parent = parentLink(cutPlan, choice.strategy)
  const seeding = choice.strategy === 'seed' ? await import('./seed-plan.ts') : null
  const { model, window } = await (seeding?.findSeedModel(context, agent, cutPlan) ?? findModel(context, cutPlan))
  const seed = seeding === null ? null : await seeding.planSeed(context, request, cutPlan, parent, window?.tokens ?? null)
  const estimate = await estimateTokens(context, cutPlan, { model, window }, seed)
  const pendingPrompt = request.prompt ?? cutPlan.pendingPrompt
  if (request.send === true && pendingPrompt === null) {
    throw new AppError('usage', `${nameOption('send')} has nothing to send; give a prompt with ${nameOption('prompt')}.`)
  }
  const maxPrice = (await context.maxPrice?.()) ?? 0
  const size = contextNotices(context, estimate, { strategy: choice.strategy, model, seed, maxPrice })
  const plan: Omit<Plan, 'steps' | 'seen'> = {
    id: code.workspace?.id ?? makeShortId(),
    agent,
    model,
    title: await chooseTitle(context, request, session),
    parent,
    turn: turn === null ? null : ((await context.snapshots.withSnapshots(session, [turn]))[0] ?? turn),
    cut,
    keptTurns: cutPlan.keptIds.length,
    droppedTurns: cutPlan.droppedTurns,
    strategy: choice.strategy,
    strategyReason: choice.reason,
    seed: seed === null ? null : { droppedMessages: seed.dropped.messages, droppedCharacters: seed.dropped.characters },
    ...estimate,
    code: code.code,
    workspace: code.workspace === null ? null : { path: code.workspace.path, branch: code.workspace.branch },
    cwd: code.cwd,
    ...(pendingPrompt === null ? {} : { pendingPrompt }),
    send: request.send === true,
    setup: code.setup,
    terminal,
    warnings: [
      ...sourceWarnings(cutPlan, busy),
      ...missingWarnings(context.catalog.sessionFile(session), missing),
      ...size.warnings,
      ...promptNotices(request.send === true && isCommandRun(terminal) ? pendingPrompt : null),
      ...code.warnings,
    ],
    confirm: [...size.confirm, ...code.confirm],
    blockers: [
      ...joinBlockers(sourceBlockers(context, cutPlan, choice.strategy), choice.blocker),
      ...size.blockers,
      ...code.blockers,
    ],
  }
  return {
    ...plan,
    steps: describeSteps(plan, missing),
    seen: { ...rememberSeen(context, request, cutPlan, code, seed?.shortenedOutputs ?? 0), missing },
  }
}

/** Whoever opens it runs its command; a worker is also given what no command line holds. */
function isCommandRun(terminal: TerminalChoice): boolean {
  return terminal === 'here' || terminal === 'print' || terminal === 'none'
}

async function findModel(context: ForkContext, { session, turns }: CutPlan): Promise<ModelInUse> {
  return { model: session.model, window: await findWindow(context, session, turns) }
}

function isBusy(context: ForkContext, session: CatalogSession): boolean {
  const live = agentOf(context, session.agent).live(context.env)
  return live.some(({ sessionId, busy }) => sessionId === session.id && busy)
}

function parentLink({ session, turn, cut }: CutPlan, kind: Plan['strategy']): ParentLink {
  const messageId = cut.kind === 'message' ? cut.messageId : (turn?.lastMessageId ?? null)
  return {
    agent: session.agent,
    sessionId: session.id,
    turnId: turn?.id ?? null,
    turnNumber: cut.kind === 'start' ? 0 : (turn?.number ?? null),
    messageId,
    kind,
  }
}

async function chooseTitle(context: ForkContext, { title }: ForkRequest, session: CatalogSession): Promise<string> {
  if (title !== undefined) return title
  const sessions = await context.catalog.listSessions({}, { refresh: false })
  return forkTitle(session.title, new Set([...sessions.map((each) => each.title), ...takenTitles(context)]))
}

function sourceWarnings(
  { session, turn, cut, midTurn, beforeSummary, keepsSummary, turns }: CutPlan,
  busy: boolean,
): Notice<WarningCode>[] {
  const warnings: Notice<WarningCode>[] = []
  if (busy) warnings.push({ code: 'source_busy', message: 'The session is answering right now; it goes on undisturbed.' })
  if (midTurn) warnings.push({ code: 'mid_turn', message: `The fork ends in the middle of turn ${turn?.number ?? turn?.id}.` })
  const crossed =
    beforeSummary ||
    (turns.some(({ number, afterCompaction }) => number !== null && afterCompaction) && turn?.afterCompaction === false)
  if (crossed && !keepsSummary && cut.kind !== 'start') {
    const message = 'The session was compacted after this turn; the fork has the full history before it instead of the summary.'
    warnings.push({ code: 'compaction_crossed', message })
  }
  const newer = cut.kind === 'tip' ? newerTurns(turn, turns) : []
  if (newer.length > 0) {
    const names = newer.map((each) => turnAddress(session, each)).join(', ')
    const message = `Turns written after this one are on a dead branch, which the agent would not resume: ${names}. Name one of them to fork it instead.`
    warnings.push({ code: 'newer_turns', message })
  }
  if (session.state === 'archived') {
    warnings.push({ code: 'source_archived', message: 'The session is archived by its agent; it stays archived.' })
  }
  return warnings
}

function missingWarnings({ id, path, olderPaths }: SessionFile, missing: readonly MissingFile[]): Notice<WarningCode>[] {
  const own = missing.filter(({ sessionId }) => sessionId === id)
  const isWhollyGone = [path, ...olderPaths].every((file) => own.some((each) => each.path === file))
  const messages: string[] = []
  if (isWhollyGone) messages.push('The agent has deleted the session; it is put back from the archive first.')
  else if (own.length > 0) messages.push('Part of the session is deleted; the missing files are put back from the archive first.')
  if (own.length < missing.length)
    messages.push('A session that this one was forked from is deleted; it is put back from the archive first.')
  return messages.map((message) => ({ code: 'source_archived', message }))
}

/** Taken back and not yet replaced, or written by a process the agent's own rule does not follow. */
function newerTurns(last: Turn | null, turns: readonly Turn[]): Turn[] {
  const since = last?.startedAt ?? Number.POSITIVE_INFINITY
  return turns.filter(({ number, startedAt }) => number === null && startedAt !== null && startedAt > since)
}

function sourceBlockers(
  context: ForkContext,
  { session, turn, turns }: CutPlan,
  strategy: Plan['strategy'],
): Notice<BlockerCode>[] {
  if (turn?.state === 'running') return [{ code: 'turn_running', message: describeRunning(session, turn, turns) }]
  if (session.broken !== null) {
    const message = `Part of the session's history cannot be read: ${session.broken}.`
    return [{ code: 'parent_missing', message }]
  }
  // The agent's own fork copies what it reads itself.
  if (strategy !== 'native' && context.store().skipped.has(session.agent, session.id, 'too_long')) {
    const message = `The session has a line over ${longestLine >> 20} MB, which offshoot passes over: a copy would lack it.`
    return [{ code: 'line_too_long', message }]
  }
  return []
}

/** One blocker for one cause: of a running turn ours, which names the turn to fork instead; else the agent's own words. */
function joinBlockers(known: readonly Notice<BlockerCode>[], found: Notice<BlockerCode> | null): Notice<BlockerCode>[] {
  if (found === null) return [...known]
  if (found.code === 'turn_running' && known.some(({ code }) => code === found.code)) return [...known]
  return [...known.filter(({ code }) => code !== found.code), found]
}

function describeRunning(session: CatalogSession, turn: Turn, turns: readonly Turn[]): string {
  const finished = turns.findLast(({ number, state }) => number !== null && state !== 'running')
  const name = turn.number === null ? turn.id : String(turn.number)
  const nearest =
    finished === undefined
      ? `no turn of ${sessionAddress(session)} is finished yet`
      : `the nearest finished turn is ${turnAddress(session, finished)}`
  return `Turn ${name} is still running; ${nearest}.`
}

function rememberSeen(
  context: ForkContext,
  request: ForkRequest,
  { session, turn }: CutPlan,
  code: CodePlan,
  shortenedOutputs: number,
): Omit<Seen, 'missing'> {
  const { olderPaths } = context.catalog.sessionFile(session)
  const { agent, id, path, state, bytes } = session
  return {
    version: 1,
    source: { agent, id, path, state, bytes, mark: markSource(session), olderPaths },
    turnId: turn?.id ?? null,
    repository: code.repository,
    workspace: code.workspace,
    extrasFrom: code.extrasFrom,
    fingerprint: code.fingerprint,
    atTurn: code.atTurn,
    ownTitle: request.title !== undefined,
    parentTitle: session.title,
    parentWorkspace: code.repository?.root ?? code.atTurn?.code.root ?? session.cwd,
    shortenedOutputs,
    ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
  }
}
