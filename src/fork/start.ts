// Starts a session afresh in a workspace of its own: branch, worktree, the session's id known from birth, a marker so that every
// turn there is captured and committed. The steps are those of a fork without a parent, journalled and undone the same way.
import { randomUUID } from 'node:crypto'
import { agentOf } from '../agents/agent-of.ts'
import type { ForkedFile } from '../agents/forking.ts'
import type { CommandSpec } from '../model/fork.ts'
import type { StartPlan, StartRequest, StartResult } from '../model/start.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { ForkContext } from './context.ts'
import { fileBytes } from './make-session.ts'
import { nameWorkspaceSession, openWorkspace } from './make-workspace.ts'
import { type Prepared, prepareStart } from './plan-start.ts'
import { finishFork } from './record.ts'
import { withRunHooks } from './run-hooks.ts'
import { busyFork, runSaga, type Saga, withForkLock } from './saga.ts'
import { type MakingOptions, setUpWorkspace } from './set-up.ts'
import type { SessionUndo } from './take-back.ts'
import { toStarted } from './view.ts'

export async function start(context: ForkContext, request: StartRequest, options: MakingOptions = {}): Promise<StartResult> {
  await context.recoverFirst()
  const prepared = await prepareStart(context, request)
  const { id } = prepared.workspace
  const result = await withForkLock(context, id, () =>
    runSaga(context, id, (saga) => run(context, saga, prepared, { ...options, wantedId: request.sessionId })),
  )
  if (result === null) throw busyFork(id)
  return result
}

interface RunOptions extends MakingOptions {
  readonly wantedId: string | undefined
}

async function run(context: ForkContext, saga: Saga, prepared: Prepared, options: RunOptions): Promise<StartResult> {
  const { plan, workspace } = prepared
  const agent = agentOf(context, plan.agent)
  const sessionId = agent.startSession === undefined ? (options.wantedId ?? randomUUID()) : null
  const record = await saga.step('record', { kind: 'record', workspaceId: workspace.id }, () =>
    recordStart(context, prepared, sessionId),
  )
  const { cwd, notes } = await makePlace(context, saga, prepared, sessionId)
  const made = await makeSession(context, saga, prepared, cwd, sessionId)
  if (sessionId === null) await nameWorkspaceSession(context, workspace.path, made.sessionId)
  const setup = await setUpWorkspace(context, saga, plan.setup, workspace.id, options)
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
  const hooked = (command: CommandSpec) => withRunHooks(context, plan.agent, workspace.path, command)
  const command = await hooked(commandOf(context, plan, made, cwd, true))
  const again = await hooked(agent.command({ kind: 'resume', sessionId: made.sessionId, cwd }))
  const more = { ...(notes.length === 0 ? {} : { notes }), ...(setup === undefined ? {} : { setup }) }
  return { start: { ...toStarted(context.store(), final), command }, plan: { ...plan, cwd }, ...more, again }
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
    createdAt: context.store().timeOfNext(context.now()),
    undoneAt: null,
  }
  context.store().forks.put(record)
  return record
}

async function makePlace(
  context: ForkContext,
  saga: Saga,
  { plan, repository, workspace }: Prepared,
  sessionId: string | null,
): Promise<{ cwd: string; notes: readonly string[] }> {
  const use = { agent: plan.agent, sessionId, keptTurns: 0, push: plan.push }
  const code = plan.code.mode === 'now' ? 'now' : 'head'
  const { start, notes } = await openWorkspace(context, saga, { repository, workspace, code, use, cwd: plan.cwd })
  return { cwd: start.path, notes }
}

/** Claude Code takes the id with its first command; Codex has to make the thread to tell its id. */
async function makeSession(
  context: ForkContext,
  saga: Saga,
  { plan }: Prepared,
  cwd: string,
  sessionId: string | null,
): Promise<ForkedFile> {
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

function commandOf(context: ForkContext, plan: StartPlan, made: ForkedFile, cwd: string, withPrompt: boolean): CommandSpec {
  const agent = agentOf(context, plan.agent)
  const prompt = withPrompt && plan.prompt !== undefined ? { prompt: plan.prompt } : {}
  const kind = made.path === null ? 'start' : 'resume'
  return agent.command({ kind, sessionId: made.sessionId, cwd, ...prompt })
}
