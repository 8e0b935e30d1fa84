// Makes a fork as planned: workspace, session, proof, each step journalled with its undo. Whatever fails, all is taken back.
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import type { Cut, ForkResult, Plan, WarningCode } from '../model/fork.ts'
import { makeShortId } from '../snapshots/short-id.ts'
import type { ForkContext } from './context.ts'
import { createHasher, type Hasher } from './hasher.ts'
import { chooseSessionId, commandOf, isSentByCommand, makeSession, seedModel, toSessionFile } from './make-session.ts'
import { makeWorkspace, nameWorkspaceSession, type Place } from './make-workspace.ts'
import { type Claim, hashSource, proveFork, refuseUnproven, type SourceHash } from './prove.ts'
import { finishFork, recordFork, withSession } from './record.ts'
import { recover } from './recover.ts'
import { refuseBlocked, refuseUnconfirmed } from './refuse.ts'
import { busyFork, runSaga, type Saga, withForkLock } from './saga.ts'
import { checkSeen, type Seen, seenOf } from './seen.ts'
import type { SessionUndo } from './take-back.ts'
import { type ForkedRecord, toFork } from './view.ts'

export interface ExecuteOptions {
  /** Codes of warnings the person said yes to. */
  readonly accept?: readonly WarningCode[]
}

export async function executeFork(context: ForkContext, plan: Plan, options: ExecuteOptions = {}): Promise<ForkResult> {
  refuseBlocked(plan)
  refuseUnconfirmed(plan, options.accept ?? [])
  await recover(context)
  const cut = await checkSeen(context, plan)
  const forkId = seenOf(plan).workspace?.id ?? makeShortId()
  const result = await withForkLock(context, forkId, async () => {
    if (context.store().forks.get(forkId) !== null) throw new AppError('plan_stale', 'This plan was executed before.')
    return runSaga(context, forkId, (saga) => run(context, saga, forkId, plan, cut))
  })
  if (result === null) throw busyFork(forkId)
  return result
}

async function run(context: ForkContext, saga: Saga, forkId: string, plan: Plan, cut: Cut): Promise<ForkResult> {
  const seen = seenOf(plan)
  const sessionId = chooseSessionId(context, plan)
  const workspaceId = seen.workspace?.id ?? null
  const record = await saga.step('record', { kind: 'record', workspaceId }, () =>
    recordFork(context, forkId, plan, cut, sessionId),
  )
  if (seen.source.state === 'gone') await putBack(context, saga, seen)
  const hasher = createHasher()
  let release: (() => void) | undefined
  try {
    const hashes = hashSource(hasher, [seen.source.path, ...seen.source.olderPaths])
    hashes.catch(() => undefined) // awaited later; a fault in the workspace must not leave it unheard
    const place = await makeWorkspace(context, saga, plan, sessionId)
    const source = sourceFile(seen)
    if (plan.strategy === 'prefix') release = await agentOf(context, plan.agent).holdSource?.(source, context.env, cut)
    return await makeAndProve(context, { saga, forkId, plan, cut, seen, record, place, source, hasher, hashes })
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
}

async function makeAndProve(context: ForkContext, making: Making): Promise<ForkResult> {
  const { saga, forkId, plan, cut, seen, record, place, source, hasher, hashes } = making
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
    child: made.file.path === null ? null : toSessionFile(plan.agent, made.file.sessionId, made.file.path),
    cwd: place.cwd,
  }
  const proof = await proveFork(hasher, claim, before, plan.strategy === 'seed' ? made.details : null, place.details)
  refuseUnproven(proof, seen.source)
  const final = { ...withSession(context, record, plan, made, place.cwd), state: 'made' as const, proof }
  finishFork(context, final)
  context.onStep?.('made')
  const fork = { ...toFork(context.store(), final), command: commandOf(context, plan, made.file, place.cwd, true) }
  const model = seedModel(plan)
  const { sessionId: madeId } = made.file
  const again = claim.agent.command({ kind: 'resume', sessionId: madeId, cwd: place.cwd, ...(model === null ? {} : { model }) })
  const { pendingPrompt } = plan
  const pending = pendingPrompt === undefined || isSentByCommand(plan) ? {} : { pendingPrompt }
  return { fork: { ...fork, ...pending }, plan, proof, again, model }
}

async function putBack(context: ForkContext, saga: Saga, { source }: Seen): Promise<void> {
  const undo = { kind: 'put_back' as const, paths: [source.path], sourcePath: source.path, bytes: source.bytes }
  await saga.step('put back', undo, async (amend) => {
    const { session } = await context.catalog.resolve(`${source.agent}:${source.id}`)
    amend({ ...undo, paths: await context.catalog.putBack(session) })
  })
}

function sourceFile({ source }: Seen): SessionFile {
  const { agent, id, path, state, olderPaths } = source
  return { ...toSessionFile(agent, id, path), archived: state === 'archived', olderPaths }
}
