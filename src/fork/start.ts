// Starts a session afresh in a workspace of its own: branch, worktree, the session's id known from birth, a marker so that every
// turn there is captured and committed. The steps are those of a fork without a parent, journalled and undone the same way.
import { randomUUID } from 'node:crypto'
import type { CommandSpec } from '../model/fork.ts'
import type { StartPlan, StartRequest, StartResult } from '../model/start.ts'
import type { WorkspacePlan } from '../snapshots/workspace-plan.ts'
import type { ForkRecord } from '../store/forks.ts'
import { agentOf, type ForkContext } from './context.ts'
import { explainFault, takeAllBack } from './execute.ts'
import { fileBytes } from './make-session.ts'
import { type Prepared, prepareStart } from './plan-start.ts'
import { finishFork } from './record.ts'
import { recover } from './recover.ts'
import { withRunHooks } from './run-hooks.ts'
import { busyFork, createSaga, type Saga, withForkLock } from './saga.ts'
import type { SessionUndo } from './take-back.ts'
import { toStarted } from './view.ts'

export async function start(context: ForkContext, request: StartRequest): Promise<StartResult> {
  await recover(context)
  const prepared = await prepareStart(context, request)
  const { id } = prepared.workspace
  const result = await withForkLock(context, id, async () => {
    const saga = createSaga(context, id)
    try {
      return await run(context, saga, prepared, request.sessionId)
    } catch (error) {
      await takeAllBack(saga, id, error)
      throw explainFault(error)
    }
  })
  if (result === null) throw busyFork(id)
  return result
}

async function run(context: ForkContext, saga: Saga, prepared: Prepared, wantedId?: string): Promise<StartResult> {
  const { plan, workspace } = prepared
  const agent = agentOf(context, plan.agent)
  const sessionId = agent.startSession === undefined ? (wantedId ?? randomUUID()) : null
  const record = await saga.step('record', { kind: 'record', workspaceId: workspace.id }, () =>
    recordStart(context, prepared, sessionId),
  )
  const cwd = await makePlace(context, saga, prepared, sessionId)
  const made = await makeSession(context, saga, prepared, cwd, sessionId)
  if (sessionId === null) await markSession(context, workspace, made.sessionId)
  const final: ForkRecord = {
    ...record,
    state: 'made',
    sessionId: made.sessionId,
    file: made.path,
    fileBytes: fileBytes(made.path),
    createdPaths: made.created,
    cwd,
    command: commandOf(context, plan, made, cwd, false),
  }
  finishFork(context, final)
  context.onStep?.('made')
  const command = await withRunHooks(context, plan.agent, workspace.path, commandOf(context, plan, made, cwd, true))
  return { start: { ...toStarted(context.store(), final), command }, plan: { ...plan, cwd } }
}

function recordStart(context: ForkContext, { plan, titled, workspace: { id } }: Prepared, sessionId: string | null): ForkRecord {
  const record: ForkRecord = {
    id,
    state: 'making',
    agent: plan.agent,
    sessionId,
    strategy: 'start',
    title: plan.title,
    file: null,
    fileBytes: null,
    createdPaths: [],
    cwd: plan.cwd,
    command: { argv: [], cwd: plan.cwd, env: {} },
    workspaceId: id,
    parent: null,
    source: { titled },
    proof: null,
    createdAt: context.now(),
    undoneAt: null,
  }
  context.store().forks.put(record)
  return record
}

async function makePlace(
  context: ForkContext,
  saga: Saga,
  { plan, repository, workspace: wanted }: Prepared,
  sessionId: string | null,
): Promise<string> {
  const [{ createWorkspace, workspaceOf }, { openStartFolder }] = await Promise.all([
    import('../snapshots/workspace.ts'),
    import('../snapshots/start-folder.ts'),
  ])
  const { id, path, branch, baseCommit } = wanted
  const row = { id, path, branch, baseCommit, commonDir: repository.commonDir, createdAt: context.now(), removedAt: null }
  const undo = { kind: 'workspace' as const, workspace: workspaceOf(repository, wanted), claimed: false }
  return saga.step('workspace', undo, async (amend) => {
    context.store().workspaces.put({ ...row, made: null })
    const mode = plan.code.mode === 'now' ? 'now' : 'head'
    const onClaimed = () => {
      amend({ ...undo, claimed: true })
      context.onStep?.('workspace claimed')
    }
    const use = { agent: plan.agent, sessionId, keptTurns: 0, push: plan.push }
    const { report } = await createWorkspace(context.git, repository, wanted, mode, onClaimed, use)
    context.store().workspaces.put({ ...row, made: report.made })
    return (await openStartFolder(path, plan.cwd)).path
  })
}

interface MadeSession {
  readonly sessionId: string
  readonly path: string | null
  readonly created: readonly string[]
}

/** Claude Code takes the id with its first command; Codex has to make the thread to tell its id. */
async function makeSession(
  context: ForkContext,
  saga: Saga,
  { plan }: Prepared,
  cwd: string,
  sessionId: string | null,
): Promise<MadeSession> {
  const agent = agentOf(context, plan.agent)
  if (agent.startSession === undefined || sessionId !== null) {
    return { sessionId: sessionId ?? randomUUID(), path: null, created: [] }
  }
  const { startSession } = agent
  const undo: SessionUndo = {
    kind: 'session',
    agent: plan.agent,
    sessionId: null,
    paths: [],
    find: 'likeness',
    parentId: null,
    cwd,
    since: context.now(),
    promptPath: null,
  }
  return saga.step('session', undo, async (amend) => {
    const made = await startSession(context.env, { cwd, title: plan.title })
    amend({ ...undo, find: null, sessionId: made.sessionId, paths: made.created })
    return made
  })
}

async function markSession(context: ForkContext, { path }: WorkspacePlan, sessionId: string): Promise<void> {
  const [{ findRepository }, { amendMarker }] = await Promise.all([
    import('../snapshots/repository.ts'),
    import('../snapshots/workspace-marker.ts'),
  ])
  await amendMarker((await findRepository(context.git, path)).gitDir, { sessionId })
}

function commandOf(context: ForkContext, plan: StartPlan, made: MadeSession, cwd: string, withPrompt: boolean): CommandSpec {
  const agent = agentOf(context, plan.agent)
  const prompt = withPrompt && plan.prompt !== undefined ? { prompt: plan.prompt } : {}
  const kind = made.path === null ? 'start' : 'resume'
  return agent.command({ kind, sessionId: made.sessionId, cwd, ...prompt })
}
