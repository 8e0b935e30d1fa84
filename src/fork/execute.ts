// Makes a fork as planned: workspace, session, proof, each step journalled with its undo. Whatever fails, all is taken back.
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import type { Cut, ForkResult, Plan, WarningCode } from '../model/fork.ts'
import type { ForkContext } from './context.ts'
import { createHasher, type Hasher } from './hasher.ts'
import { chooseSessionId, commandOf, isSentByCommand, makeSession, seedModel, toSessionFile } from './make-session.ts'
import { makeWorkspace, nameWorkspaceSession, type Place } from './make-workspace.ts'
import { type Claim, hashSource, proveFork, refuseUnproven, type SourceHash } from './prove.ts'
import { finishFork, recordFork, withSession } from './record.ts'
import { refuseBlocked, refuseUnconfirmed } from './refuse.ts'
import { busyFork, runSaga, type Saga, withForkLock } from './saga.ts'
import { checkSeen, type Seen, seenOf } from './seen.ts'
import { describeOutcome, type MakingOptions, setUpWorkspace } from './set-up.ts'
import type { SessionUndo } from './take-back.ts'
import { type ForkedRecord, toFork } from './view.ts'

export interface ExecuteOptions extends MakingOptions {
  /** Codes of warnings the person said yes to. */
  readonly accept?: readonly WarningCode[]
}

export async function executeFork(context: ForkContext, plan: Plan, options: ExecuteOptions = {}): Promise<ForkResult> {
  refuseBlocked(plan, context.nameOption)
  refuseUnconfirmed(plan, options.accept ?? [], context.nameOption)
  await context.recoverFirst()
  const cut = await checkSeen(context, plan)
  const forkId = plan.id
  const result = await withForkLock(context, forkId, async () => {
    if (context.store().forks.get(forkId) !== null) throw new AppError('plan_stale', 'This plan was executed before.')
    return runSaga(context, forkId, (saga) => run(context, saga, forkId, plan, cut, options))
  })
  if (result === null) throw busyFork(forkId)
  return result
}

async function run(
  context: ForkContext,
  saga: Saga,
  forkId: string,
  plan: Plan,
  cut: Cut,
  options: MakingOptions,
): Promise<ForkResult> {
  const seen = seenOf(plan)
  const sessionId = chooseSessionId(context, plan)
  const workspaceId = seen.workspace?.id ?? null
  const record = await saga.step('record', { kind: 'record', workspaceId }, () =>
    recordFork(context, forkId, plan, cut, sessionId),
  )
  if (seen.source.mark === null || (seen.missing ?? []).length > 0) await putBack(context, saga, seen)
  const hasher = createHasher()
  let release: (() => void) | undefined
  try {
    const hashes = hashSource(hasher, [seen.source.path, ...seen.source.olderPaths])
    hashes.catch(() => undefined) // awaited later; a fault in the workspace must not leave it unheard
    const place = await makeWorkspace(context, saga, plan, sessionId)
    const source = sourceFile(seen)
    if (plan.strategy === 'prefix') release = await agentOf(context, plan.agent).holdSource?.(source, context.env, cut)
    return await makeAndProve(context, { saga, forkId, plan, cut, seen, record, place, source, hasher, hashes, options })
  } finally {
    release?.()
    hasher.close()
  }
}

interface Making {
  readonly saga: Saga
  readonly forkId: string
  readonly plan: Plan
  readonly cut: Cut
  readonly seen: Seen
  readonly record: ForkedRecord
  readonly place: Place
  readonly source: SessionFile
  readonly hasher: Hasher
  readonly hashes: Promise<readonly SourceHash[]>
  readonly options: MakingOptions
}

async function makeAndProve(context: ForkContext, making: Making): Promise<ForkResult> {
  const { saga, forkId, plan, cut, seen, record, place, source, hasher, hashes, options } = making
  const { sessionId } = record
  // What the source was before must be known before anything is made of it.
  const before = await hashes
  const undo: SessionUndo = {
    kind: 'session',
    agent: plan.agent,
    sessionId,
    paths: [],
    find: plan.strategy === 'prefix' ? null : sessionId === null ? 'likeness' : 'id',
    parentId: plan.parent.sessionId,
    cwd: place.cwd,
    since: context.now(),
    promptPath: null,
  }
  const wish = { forkId, plan, cut, source, cwd: place.cwd, title: record.title, sessionId }
  const made = await saga.step('session', undo, async (amend) => {
    const session = await makeSession(context, wish, undo, amend)
    context.store().forks.put(withSession(context, record, plan, session, place.cwd))
    const { file } = session
    if (seen.workspace !== null && file.sessionId !== sessionId)
      await nameWorkspaceSession(context, seen.workspace.path, file.sessionId)
    return session
  })
  const claim: Claim = {
    agent: agentOf(context, plan.agent),
    env: context.env,
    source,
    cut,
    lastTurnId: seen.turnId,
    byAgent: plan.strategy === 'native',
    child: made.file.path === null ? null : toSessionFile(plan.agent, made.file.sessionId, made.file.path),
    cwd: place.cwd,
  }
  const proven = await proveFork(hasher, claim, before, plan.strategy === 'seed' ? made.details : null, place.details)
  refuseUnproven(proven, seen.source)
  const setup = await setUpWorkspace(context, saga, plan.setup, record.workspaceId, options)
  const proof = setup === undefined ? proven : { ...proven, details: [...proven.details, describeOutcome(setup)] }
  const final = { ...withSession(context, record, plan, made, place.cwd), state: 'made' as const, proof }
  finishFork(context, final)
  context.onStep?.('made')
  const fork = { ...toFork(context.store(), final), command: commandOf(context, plan, made.file, place.cwd, true) }
  const model = seedModel(plan)
  const { sessionId: madeId } = made.file
  const again = claim.agent.command({ kind: 'resume', sessionId: madeId, cwd: place.cwd, ...(model === null ? {} : { model }) })
  const { pendingPrompt } = plan
  const pending = pendingPrompt === undefined || isSentByCommand(plan) ? {} : { pendingPrompt }
  const notes = place.notes.length === 0 ? {} : { notes: place.notes }
  return { fork: { ...fork, ...pending }, plan, proof, ...notes, ...(setup === undefined ? {} : { setup }), again, model }
}

async function putBack(context: ForkContext, saga: Saga, { source, missing = [] }: Seen): Promise<void> {
  const undo = { kind: 'put_back' as const, files: missing }
  await saga.step('put back', undo, async (amend) => {
    const { session } = await context.catalog.resolve(`${source.agent}:${source.id}`)
    const written = new Set(await context.catalog.putBackMissing(session))
    amend({ ...undo, files: missing.filter(({ path }) => written.has(path)) })
  })
}

function sourceFile({ source }: Seen): SessionFile {
  const { agent, id, path, state, olderPaths } = source
  return { ...toSessionFile(agent, id, path), archived: state === 'archived', olderPaths }
}
