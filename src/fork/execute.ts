// Makes a fork as planned: workspace, session, proof, each step journalled with its undo. Whatever fails, all is taken back.
import { statSync } from 'node:fs'
import type { SessionFile } from '../agents/agent.ts'
import { AppError } from '../model/error.ts'
import type { Cut, ForkResult, Plan, Proof, WarningCode } from '../model/fork.ts'
import { makeShortId } from '../snapshots/short-id.ts'
import type { ForkRecord } from '../store/forks.ts'
import { agentOf, type ForkContext } from './context.ts'
import { chooseSessionId, commandOf, fileBytes, type MadeSession, makeSession, toSessionFile } from './make-session.ts'
import { makeWorkspace } from './make-workspace.ts'
import { type Claim, describeHashes, hashSource, isUnchanged, proveFolder, provePrefix, type SourceHash } from './prove.ts'
import { recover } from './recover.ts'
import { refuseBlocked, refuseUnconfirmed } from './refuse.ts'
import { busyFork, createSaga, type Saga, withForkLock } from './saga.ts'
import { checkSeen, type Seen, seenOf } from './seen.ts'
import type { SessionUndo } from './take-back.ts'
import { forkTitle } from './title.ts'
import { toFork } from './view.ts'

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
    const saga = createSaga(context, forkId)
    try {
      return await run(context, saga, forkId, plan, cut)
    } catch (error) {
      await saga.rollBack()
      throw explainFault(error)
    }
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
  const hashes = hashSource([seen.source.path, ...seen.source.olderPaths])
  hashes.catch(() => undefined) // awaited below; a fault in the workspace must not leave it unheard
  const place = await makeWorkspace(context, saga, plan)
  const source = sourceFile(seen)
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
    return session
  })
  const claim: Claim = {
    agent: agentOf(context, plan.agent),
    env: context.env,
    source,
    cut,
    lastTurnId: seen.turnId,
    child: made.file.path === null ? null : toSessionFile(agentOf(context, plan.agent), made.file.sessionId, made.file.path),
    cwd: place.cwd,
  }
  const proof = await prove(claim, before, plan, made, place.details)
  refuseUnproven(proof)
  const final = { ...withSession(context, record, plan, made, place.cwd), state: 'made' as const, proof }
  finishFork(context, final)
  context.onStep?.('made')
  const fork = { ...toFork(context.store(), final), command: commandOf(context, plan, made.file, place.cwd, true) }
  return { fork: plan.pendingPrompt === undefined ? fork : { ...fork, pendingPrompt: plan.pendingPrompt }, plan, proof }
}

/** Made and no longer in the journal, at one stroke; the session is linked anew, now that its parent is known. */
export function finishFork(context: ForkContext, record: ForkRecord): void {
  const store = context.store()
  store.write(() => {
    store.forks.put(record)
    store.journal.clear(record.id)
    if (record.sessionId === null) return
    for (const { key } of store.sessions.withId(record.agent, record.sessionId)) store.sessions.unlink(key)
  })
}

function recordFork(context: ForkContext, forkId: string, plan: Plan, cut: Cut, sessionId: string | null): ForkRecord {
  const seen = seenOf(plan)
  const store = context.store()
  return store.write(() => {
    // Counted on when another fork of the same session was made meanwhile.
    const taken = new Set(
      store.forks
        .all()
        .filter(({ state }) => state !== 'undone')
        .map(({ title }) => title),
    )
    const title = seen.ownTitle || !taken.has(plan.title) ? plan.title : forkTitle(seen.parentTitle, taken)
    const record: ForkRecord = {
      id: forkId,
      state: 'making',
      agent: plan.agent,
      sessionId,
      strategy: plan.strategy,
      title,
      file: null,
      fileBytes: null,
      createdPaths: [],
      cwd: plan.cwd,
      command: { argv: [], cwd: plan.cwd, env: {} },
      workspaceId: seen.workspace?.id ?? null,
      parent: plan.parent,
      source: { path: seen.source.path, olderPaths: seen.source.olderPaths, cut, turnId: seen.turnId },
      proof: null,
      createdAt: context.now(),
      undoneAt: null,
    }
    store.forks.put(record)
    return record
  })
}

function withSession(context: ForkContext, record: ForkRecord, plan: Plan, { file }: MadeSession, cwd: string): ForkRecord {
  return {
    ...record,
    sessionId: file.sessionId,
    file: file.path,
    fileBytes: fileBytes(file.path),
    createdPaths: file.created,
    cwd,
    command: commandOf(context, plan, file, cwd, false),
  }
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
  const { size: bytes, mtimeMs, ino: inode } = statSync(path)
  return { agent, id, path, bytes, modifiedAt: mtimeMs, inode, archived: state === 'archived', olderPaths }
}

export async function prove(
  claim: Claim,
  before: readonly SourceHash[],
  plan: Pick<Plan, 'strategy'>,
  made: MadeSession,
  notes: readonly string[],
): Promise<Proof> {
  const prefix = plan.strategy === 'seed' ? { prefixVerified: true, details: made.details } : await provePrefix(claim)
  const folder = await proveFolder(claim)
  const sourceUnchanged = await isUnchanged(before)
  const details = [...describeHashes(before, sourceUnchanged), ...prefix.details, ...folder.details, ...notes]
  return { sourceUnchanged, prefixVerified: prefix.prefixVerified, cwdVerified: folder.cwdVerified, details }
}

function refuseUnproven(proof: Proof): void {
  if (proof.sourceUnchanged && proof.prefixVerified !== false && proof.cwdVerified) return
  throw new AppError('failed', `The fork could not be proven and was taken back: ${proof.details.join('; ')}.`, {
    details: {
      proof: { source_unchanged: proof.sourceUnchanged, prefix_verified: proof.prefixVerified, cwd_verified: proof.cwdVerified },
    },
  })
}

function explainFault(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) return error
  const { code } = error
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new AppError('failed', 'The disk is full; what had been made of the fork was removed.', {
      cause: error,
      hint: 'Free some space and try again.',
    })
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new AppError('failed', `The fork cannot be written: ${error.message}`, {
      cause: error,
      hint: 'Make the folder named above writable.',
    })
  }
  return error
}
