// `offshoot start` as a worker: in a pane of a terminal, or headless.
import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import { describeUndo } from '../../lib/text/describe-undo.ts'
import { AppError } from '../../model/error.ts'
import { renderMade } from '../../model/render-code.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { AgentId } from '../../model/session.ts'
import type { SpawnedWorker, WorkerRequest, WorkerSettings } from '../../model/worker.ts'
import { statusOf } from '../commands/send.ts'
import { type StartOptions, showPlan } from '../commands/start.ts'
import type { Context } from '../context.ts'
import { printMade } from '../labelled-rows.ts'
import { printWorker } from './report-worker.ts'
import { streamTurn } from './stream-turn.ts'
import type { WorkerOptions } from './wants-worker.ts'

/** Gives the exit status. */
export async function startWorker(
  context: Context,
  agent: AgentId,
  prompt: string | undefined,
  options: StartOptions,
): Promise<number> {
  const app = await context.app()
  const json = options.json === true
  const isHeadless = options.headless === true || options.terminal === 'headless'
  if (options.dryRun === true) {
    await showPlan(context, await app.planWorker(requestOf(context, agent, prompt, options)), options)
    return 0
  }
  try {
    const worker = await app.spawnWorker(requestOf(context, agent, isHeadless ? undefined : prompt, options))
    const printed = worker.terminal === 'print' ? (await app.attachWorker(worker.id)).command : null
    if (!json) await printWorker(context, worker, printed)
    if (!json) await printMade(context.out, worker)
    if (!isHeadless || prompt === undefined) {
      if (json) await context.out.json(documentOf(worker, printed))
      return 0
    }
    await context.out.flush()
    const result = await streamTurn(context, app, worker.id, prompt, { wait: true, json })
    if (result.outcome === 'failed') await takeBackUnspoken(app, worker, result.error)
    if (json) await context.out.json({ ...renderSendResult(result), ...renderMade(worker) })
    return statusOf(result)
  } finally {
    await app.shutDown()
  }
}

/** An agent that died before anything of its first turn was written is a failed start, as in a pane: nothing of it stays. */
async function takeBackUnspoken(app: App, { id, agent, sessionId }: SpawnedWorker, error: string | null): Promise<void> {
  const { session } = await app.resolve(`${agent}:${sessionId}`).catch(orNothing)
  if (session !== null && session.turns > 0) return
  const made = (await app.listStarts()).find(({ start, state }) => state === 'made' && start.sessionId === sessionId)
  if (made === undefined) return
  const undone = await app.undo(made.start.id).catch((refused: unknown) => {
    if (refused instanceof AppError) return null // something was done in it all the same
    throw refused
  })
  if (undone === null) return
  await app.stopWorker(id)
  const why = error ?? 'The agent ended.'
  throw new AppError('failed', `${why}\n${describeUndo(undone, made.start.workspace !== null)}`)
}

function orNothing(error: unknown): { readonly session: null } {
  if (error instanceof AppError && error.code === 'session_not_found') return { session: null }
  throw error
}

function documentOf(worker: SpawnedWorker, printed: readonly string[] | null) {
  return { worker: renderWorker(worker), ...(printed === null ? {} : { run: printed }), ...renderMade(worker) }
}

function requestOf(context: Context, agent: AgentId, prompt: string | undefined, options: StartOptions): WorkerRequest {
  const { name, terminal, branch, title, code, push, headless } = options
  const remote = push === true ? 'origin' : push
  return {
    agent,
    projectPath: context.cwd,
    workspace: true,
    ...(headless === true ? { kind: 'headless' } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(name === undefined ? {} : { name }),
    ...(terminal === undefined ? {} : { terminal }),
    ...(branch === undefined ? {} : { branch }),
    ...(title === undefined ? {} : { title }),
    ...(code === undefined ? {} : { code }),
    ...(remote === undefined ? {} : { push: remote }),
    settings: settingsOf(context, options),
  }
}

function settingsOf(context: Context, options: WorkerOptions): Partial<WorkerSettings> {
  const { command, model, env, mcpConfig, policy, allow, history } = options
  const given = { command, model, env, mcpConfig: mcpConfig && resolve(context.cwd, mcpConfig), policy, allow, history }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
