// `offshoot fork <worker> [name]`: a fork of its session in a worker of its own, with its settings. The source goes on.
import type { App } from '../../app.ts'
import { refuseBlocked, refuseUnconfirmed } from '../../fork/refuse.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { acceptedByYes, type ForkResult, type TerminalChoice, warningCodes } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { ForkWorkerRequest, SpawnedWorker } from '../../model/worker.ts'
import { printPlan, showPlan, yesFor } from '../commands/fork.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
import { printPending } from '../forking/report.ts'
import { type ForkOptions, promptOf } from '../forking/request.ts'
import { printMade } from '../labelled-rows.ts'
import { nameFlag } from '../name-flag.ts'
import { printWorker } from './report-worker.ts'
import { streamTurn } from './stream-turn.ts'

/** The plan of a fork that is not to be a worker itself: it has the turn and the code that one would have. */
export async function planFrom(context: Context, address: string, options: ForkOptions) {
  const { name, request } = await parse(context, address, options)
  const { to } = options
  return (app: App, terminal: TerminalChoice) =>
    app.planForkWorker(name, { ...request, terminal, ...(to === undefined ? {} : { to }) })
}

async function parse(context: Context, address: string, options: ForkOptions) {
  const [name = '', turn] = address.slice('worker:'.length).split('@')
  if (turn !== undefined && (options.at ?? options.before) !== undefined)
    throw new AppError('usage', 'Name the turn in one place only.')
  return { name, request: await requestOf(context, { ...options, at: turn ?? options.at }) }
}

/** Gives the exit status. */
export async function forkWorker(context: Context, address: string, options: ForkOptions): Promise<number> {
  const app = await context.app()
  try {
    const { name, request } = await parse(context, address, options)
    const json = options.json === true
    if (options.dryRun === true) {
      const plan = await app.planForkWorker(name, request)
      const { session } = await app.resolve(`worker:${name}`)
      return await showPlan(context, plan, session, json ? (document) => document : null)
    }
    const terminal = request.terminal ?? (await app.findWorker(name)).terminal ?? 'headless'
    // The turn of a headless one is run by this command, to its end: until then its prompt waits.
    const isRunHere = request.send === true && terminal === 'headless'
    const worker = await forkAfterYes(context, app, name, isRunHere ? { ...request, send: false } : request, options)
    const printed = worker.terminal === 'print' ? (await app.attachWorker(worker.id)).command : null
    const { pendingPrompt, fork } = worker
    const toRun = isRunHere ? pendingPrompt : null
    const isLeft = pendingPrompt !== null && toRun === null
    if (!json) {
      for (const { message } of fork?.plan.warnings ?? []) context.out.note(context.out.noteColors.yellow(cleanLine(message)))
      await printWorker(context, worker, printed)
      await printMade(context.out, worker)
      const prompt = fork?.plan.pendingPrompt
      if (prompt !== undefined && request.send !== true) await printPending(context, prompt, !isLeft)
    }
    const result = toRun === null ? null : await streamTurn(context, app, worker.id, toRun, { wait: true, json })
    if (json) {
      const waits = isLeft ? { pending_prompt: pendingPrompt } : {}
      const answer = result === null ? {} : renderSendResult(result)
      await context.out.json({
        worker: renderWorker(worker),
        ...(printed === null ? {} : { run: printed }),
        ...(fork === null ? {} : renderMadeFork(fork)),
        ...waits,
        ...answer,
      })
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
  let attempt: ForkWorkerRequest = { ...request, accept: accepted }
  for (;;) {
    try {
      return await app.forkWorker(name, attempt)
    } catch (error) {
      const open = planToShow(error)
      const terminal = yes === true || json === true || prompt === '-' ? null : context.terminal()
      if (open === null) throw error
      const plan = app.plannedFork(open.id)
      if (terminal === null) {
        if (yes !== true) refuseUnconfirmed(plan, accepted, nameFlag, yesFor(plan, accepted))
        throw error
      }
      if (attempt.planId !== undefined) context.out.note(`${errorMessage(error)} The plan as it is now:\n`)
      const { session } = await app.resolve(`worker:${name}`)
      await printPlan(context, plan, session, terminal.output.rows - 2)
      await context.out.line()
      await context.out.flush()
      refuseBlocked(plan, nameFlag)
      const { askYesNo } = await import('../forking/ask.ts')
      if (!(await askYesNo(terminal, 'Fork?'))) throw new AppError('interrupted', 'Nothing was done.')
      attempt = { ...openingOf(request), planId: plan.id, accept: plan.confirm }
    }
  }
}

/** The plan that has to be accepted, or the new one where the one that was accepted no longer holds. */
function planToShow(error: unknown): { readonly id: string } | null {
  if (!(error instanceof AppError) || (error.code !== 'confirm_needed' && error.code !== 'plan_stale')) return null
  const { plan } = (error.details ?? {}) as { readonly plan?: { readonly id: string } }
  return plan ?? null
}

/** Without its prompt: where that is stands beside it. */
function renderMadeFork(result: ForkResult) {
  const document = renderForkResult(result)
  const { pending_prompt: _, ...fork } = document.fork
  return { ...document, fork }
}

/** How it is opened, which no plan says. */
function openingOf({ name, terminal }: ForkWorkerRequest): ForkWorkerRequest {
  return { ...(name === undefined ? {} : { name }), ...(terminal === undefined ? {} : { terminal }) }
}

async function requestOf(context: Context, options: ForkOptions): Promise<ForkWorkerRequest> {
  const { name, at, before, code, codeAt, branch, title, strategy, allowCut, send, terminal } = options
  const prompt = await promptOf(context, options.prompt)
  const given = { name, atTurn: at, before, code, codeAt, branch, title, strategy, allowCut, prompt, send, terminal }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(set), ...(code === 'none' ? { workspace: false } : {}) }
}
