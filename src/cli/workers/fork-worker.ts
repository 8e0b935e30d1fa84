// `offshoot fork <worker> [name]`: a fork of its session in a worker of its own, with its settings. The source goes on.
import type { App } from '../../app.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { acceptedByYes, warningCodes } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { ForkWorkerRequest, SpawnedWorker } from '../../model/worker.ts'
import { printPlan, showPlan } from '../commands/fork.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
import { printPending } from '../forking/report.ts'
import { type ForkOptions, promptOf } from '../forking/request.ts'
import { printMade } from '../labelled-rows.ts'
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
    const send = options.send === true
    const isRunHere = send && terminal === 'headless'
    const given = prompt === undefined || isRunHere ? request : { ...request, prompt, send }
    const worker = await forkAfterYes(context, app, name, given, options)
    if (!json) {
      for (const { message } of worker.fork?.plan.warnings ?? [])
        context.out.note(context.out.noteColors.yellow(cleanLine(message)))
      await printWorker(context, worker)
      await printMade(context.out, worker)
      if (prompt !== undefined && !send) await printPending(context, prompt, worker.pendingPrompt === null)
    }
    const result =
      prompt === undefined || !isRunHere ? null : await streamTurn(context, app, worker.id, prompt, { wait: true, json })
    if (json) {
      const made = worker.fork === null ? {} : renderForkResult(worker.fork)
      const waits = worker.pendingPrompt === null ? {} : { pending_prompt: worker.pendingPrompt }
      const answer = result === null ? {} : renderSendResult(result)
      await context.out.json({ worker: renderWorker(worker), ...made, ...waits, ...answer })
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
  { yes, accept = [], json, prompt }: ForkOptions,
): Promise<SpawnedWorker> {
  const accepted = [...accept, ...(yes === true ? acceptedByYes(warningCodes) : [])]
  try {
    return await app.forkWorker(name, { ...request, accept: accepted })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'confirm_needed') throw error
    const { plan, confirm } = error.details as ConfirmNeeded
    const terminal = yes === true || json === true || prompt === '-' ? null : context.terminal()
    if (terminal === null) throw error
    const { session } = await app.resolve(`worker:${name}`)
    await printPlan(context, app.plannedFork(plan.id), session, terminal.output.rows - 2)
    await context.out.line()
    await context.out.flush()
    const { askYesNo } = await import('../forking/ask.ts')
    if (!(await askYesNo(terminal, 'Fork?'))) throw new AppError('interrupted', 'Nothing was done.')
    return app.forkWorker(name, { ...openingOf(request), planId: plan.id, accept: [...accepted, ...confirm] })
  }
}

interface ConfirmNeeded {
  readonly plan: { readonly id: string }
  readonly confirm: readonly string[]
}

/** How it is opened, which no plan says. */
function openingOf({ name, prompt, send, terminal }: ForkWorkerRequest): ForkWorkerRequest {
  const set = Object.entries({ name, prompt, send, terminal }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set)
}

async function requestOf(context: Context, options: ForkOptions): Promise<ForkWorkerRequest> {
  const { name, at, before, code, codeAt, branch, title, strategy, terminal } = options
  const prompt = await promptOf(context, options.prompt)
  const given = { name, atTurn: at, before, code, codeAt, branch, title, strategy, prompt, terminal }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(set), ...(code === 'none' ? { workspace: false } : {}) }
}
