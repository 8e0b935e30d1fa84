// `offshoot fork <worker> [name]`: a fork of its session in a worker of its own, with its settings. The source goes on.
import type { App } from '../../app.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { ForkWorkerRequest, SpawnedWorker } from '../../model/worker.ts'
import { printPlan, showPlan } from '../commands/fork.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
import { type ForkOptions, promptOf } from '../forking/request.ts'
import { printWorker } from './report-worker.ts'
import { streamTurn } from './stream-turn.ts'

/** Gives the exit status. */
export async function forkWorker(context: Context, address: string, options: ForkOptions): Promise<number> {
  const [name = '', turn] = address.slice('worker:'.length).split('@')
  if (turn !== undefined && (options.at ?? options.before) !== undefined)
    throw new AppError('usage', 'Name the turn in one place only.')
  const app = await context.app()
  try {
    const { prompt, ...request } = await requestOf(context, { ...options, at: turn ?? options.at })
    const json = options.json === true
    if (options.dryRun === true) {
      const plan = await app.planForkWorker(name, request)
      const { session } = await app.resolve(`worker:${name}`)
      return await showPlan(context, plan, session, json ? (document) => document : null)
    }
    const terminal = request.terminal ?? (await app.findWorker(name)).terminal ?? 'headless'
    // The turn of a headless one is run by this command, to its end.
    const isHeadless = terminal === 'headless'
    const given = prompt === undefined || isHeadless ? request : { ...request, prompt }
    const worker = await forkAfterYes(context, app, name, given, options)
    if (!json) {
      for (const { message } of worker.fork?.plan.warnings ?? [])
        context.out.note(context.out.noteColors.yellow(cleanLine(message)))
      await printWorker(context, worker)
    }
    const result =
      prompt === undefined || !isHeadless ? null : await streamTurn(context, app, worker.id, prompt, { wait: true, json })
    if (json) {
      const made = worker.fork === null ? {} : renderForkResult(worker.fork)
      await context.out.json({ worker: renderWorker(worker), ...made, ...(result === null ? {} : renderSendResult(result)) })
    }
    return result === null ? 0 : statusOf(result)
  } finally {
    await app.shutDown()
  }
}

/** What needs a yes gets it from `--yes` (all but being over the context limit), or from a person who has read the plan. */
async function forkAfterYes(
  context: Context,
  app: App,
  name: string,
  request: ForkWorkerRequest,
  { yes, json, prompt }: ForkOptions,
): Promise<SpawnedWorker> {
  try {
    return await app.forkWorker(name, request)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'confirm_needed') throw error
    const { confirm: accept } = error.details as { readonly confirm: readonly string[] }
    if (yes === true && !accept.includes('context_over')) return app.forkWorker(name, { ...request, accept })
    const terminal = json === true || prompt === '-' ? null : context.terminal()
    if (terminal === null) throw error
    const { session } = await app.resolve(`worker:${name}`)
    await printPlan(context, await app.planForkWorker(name, request), session, terminal.output.rows - 2)
    await context.out.line()
    await context.out.flush()
    const { askYesNo } = await import('../forking/ask.ts')
    if (await askYesNo(terminal, 'Fork?')) return app.forkWorker(name, { ...request, accept })
    throw new AppError('interrupted', 'Nothing was done.')
  }
}

async function requestOf(context: Context, options: ForkOptions): Promise<ForkWorkerRequest> {
  const { name, at, before, code, codeAt, branch, title, strategy, terminal } = options
  const prompt = await promptOf(context, options.prompt)
  const given = { name, atTurn: at, before, code, codeAt, branch, title, strategy, prompt, terminal }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(set), ...(code === 'none' ? { workspace: false } : {}) }
}
