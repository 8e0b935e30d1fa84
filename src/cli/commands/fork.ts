// `offshoot fork`: choose a turn, show the plan, ask, fork, prove, open. All that is done is done by the app.
import type { App } from '../../app.ts'
import { refuseBlocked, refuseUnconfirmed } from '../../fork/refuse.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import {
  acceptedByYes,
  type ForkResult,
  isCarried,
  type Plan,
  type TerminalChoice,
  type WarningCode,
  warningCodes,
} from '../../model/fork.ts'
import { renderPlan } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { type ForkOptions, namesTurn, refuseOptions, requestOf } from '../forking/request.ts'
import { nameFlag } from '../name-flag.ts'
import { refreshWithMeter } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { isWorkerFork, opensWorker } from '../workers/wants-worker.ts'

/** Gives the exit status. `name`: of the new worker, where one is forked. */
export async function fork(context: Context, address: string, name: string | undefined, options: ForkOptions): Promise<number> {
  if (name !== undefined && options.name !== undefined) throw new AppError('usage', 'Name the new worker in one place only.')
  const { orNearWorker, workerAddress } = await import('../workers/worker-address.ts')
  const app = await context.app()
  const worker = await workerAddress(app, address)
  const named = name === undefined ? options : { ...options, name }
  if (worker !== null && isWorkerFork(options)) {
    return (await import('../workers/fork-worker.ts')).forkWorker(context, worker, named)
  }
  return orNearWorker(app, address, async () => {
    if (name !== undefined && !opensWorker(options.terminal)) {
      await app.resolve(worker ?? address)
      throw notOpened(name, options)
    }
    if (worker === null) return forkSession(context, address, named)
    const { planFrom } = await import('../workers/fork-worker.ts')
    const accept = [...(options.accept ?? []), ...warningCodes.filter(isCarried)]
    return forkSession(context, worker, { ...named, accept }, undefined, await planFrom(context, worker, named))
  })
}

function notOpened(name: string, { to, terminal }: ForkOptions): AppError {
  const why =
    terminal !== undefined ? ` with --terminal ${terminal}` : to !== undefined ? ` in ${to} unless it has a terminal` : ''
  return new AppError('usage', `"${name}" names a worker, and none is opened${why}.`, {
    hint: 'Open one with --terminal tmux, wezterm, iterm2 or headless; name the fork itself with --title.',
  })
}

/**
 * Gives the exit status. `wrap`: what else belongs into the one document of --json. `planOwn`: plans the fork of a worker, which
 * knows its turn and its code itself.
 */
export async function forkSession(
  context: Context,
  address: string,
  options: ForkOptions,
  wrap = (document: object) => document,
  planOwn?: (app: App, terminal: TerminalChoice) => Promise<Plan>,
): Promise<number> {
  // Who pipes the prompt in, or wants a document, cannot be asked.
  const terminal = options.json === true || options.prompt === '-' ? null : context.terminal()
  refuseOptions(options, terminal !== null)
  const app = await context.app()
  if (options.name !== undefined) await refuseName(app, options)
  if (options.dryRun !== true) await app.recover() // the plan is made of what it leaves
  await refreshWithMeter(context, app)
  const { session } = await app.resolve(address)
  const asked = { yes: options.yes === true, accept: options.accept ?? [], terminal }
  const opens = options.terminal ?? (terminal === null ? 'print' : 'here')
  const plan = planOwn === undefined ? await planner() : () => planOwn(app, opens)
  if (options.dryRun === true) return showPlan(context, await plan(), session, options.json === true ? wrap : null)
  const { result, wasShown } = await confirmAndFork(context, app, session, plan, asked)
  if (opensWorker(opens))
    return (await import('../workers/open-fork.ts')).openFork(context, app, result, { ...options, wasShown }, wrap)
  if (options.json === true) {
    const { forkDocument } = await import('../forking/fork-document.ts')
    await context.out.json(wrap(await forkDocument(app, result)))
    return 0
  }
  await (await import('../forking/report.ts')).printFork(context, result, wasShown)
  if (opens !== 'here') return 0
  return (await import('../forking/open-here.ts')).openHere(context, result)

  async function planner(): Promise<() => Promise<Plan>> {
    const at = namesTurn(address, options)
      ? options.at
      : await (await import('../forking/choose-turn.ts')).chooseTurn(context, app, session, asked)
    const request = await requestOf(context, address, { ...options, at, terminal: opens })
    return () => app.planFork(request)
  }
}

/** Before anything is made: a fork that cannot be opened under its name would be left over. */
async function refuseName(app: App, { name = '', terminal }: ForkOptions): Promise<void> {
  if (!opensWorker(terminal)) {
    throw new AppError('usage', `"${name}" would name a worker, and this fork is not opened as one.`, {
      hint: 'Open it as a worker with --terminal tmux, wezterm, iterm2 or headless, or name the fork itself with --title.',
    })
  }
  const { checkName } = await import('../../workers/names.ts')
  checkName(name)
  const isTaken = (await app.listWorkers()).some((worker) => worker.name === name)
  if (isTaken) throw new AppError('name_taken', `There is a worker "${name}" already.`)
}

/** `asJson`: else it is printed for people. */
export async function showPlan(
  context: Context,
  plan: Plan,
  session: CatalogSession,
  asJson: ((document: object) => object) | null,
): Promise<number> {
  if (asJson !== null) await context.out.json(asJson({ plan: renderPlan(plan) }))
  else await printPlan(context, plan, session)
  try {
    refuseBlocked(plan, nameFlag)
    return 0
  } catch (error) {
    if (error instanceof AppError) return error.exit
    throw error
  }
}

export async function printPlan({ out, now }: Context, plan: Plan, session: CatalogSession, rows?: number): Promise<void> {
  const { formatPlan } = await import('../forking/plan-page.ts')
  const page = { colors: out.colors, columns: out.columns, now: now(), ...(rows === undefined ? {} : { rows }) }
  for (const line of formatPlan(plan, session, page)) await out.line(line)
}

/** Words for `--yes`, where it accepts all that is open. */
export function yesFor({ confirm }: Plan, accept: readonly WarningCode[]): string {
  const open = confirm.filter((code) => !accept.includes(code))
  return acceptedByYes(open).length < open.length ? '' : ', or with --yes'
}

interface Asked {
  readonly yes: boolean
  readonly accept: readonly WarningCode[]
  readonly terminal: Terminal | null
}

interface Forked {
  readonly result: ForkResult
  readonly wasShown: boolean
}

/** The plan that is shown is the one that is executed; if what it saw has changed meanwhile, it is made and shown again. */
async function confirmAndFork(
  context: Context,
  app: App,
  session: CatalogSession,
  planAgain: () => Promise<Plan>,
  asked: Asked,
): Promise<Forked> {
  for (;;) {
    const plan = await planAgain()
    const { accept, wasShown } = await confirm(context, plan, session, asked)
    try {
      const { makeWithMeter } = await import('../making-meter.ts')
      const result = await makeWithMeter(context, (onProgress) => app.executeFork(plan, { accept, onProgress }))
      return { result, wasShown }
    } catch (error) {
      if (!wasShown || !(error instanceof AppError) || error.code !== 'plan_stale') throw error
      context.out.note(`${error.message} The plan as it is now:\n`)
    }
  }
}

interface Confirmed {
  readonly accept: readonly WarningCode[]
  /** The person has read the plan. */
  readonly wasShown: boolean
}

/** What was accepted: what `--accept` names, by `--yes` all but being over the context limit, at a terminal all of the page. */
async function confirm(
  context: Context,
  plan: Plan,
  session: CatalogSession,
  { yes, accept: named, terminal }: Asked,
): Promise<Confirmed> {
  const accept = [...named, ...(yes ? acceptedByYes(plan.confirm) : [])]
  if (terminal === null) {
    refuseBlocked(plan, nameFlag)
    refuseUnconfirmed(plan, accept, nameFlag, yesFor(plan, accept))
  }
  if (terminal === null || (yes && plan.confirm.every((code) => accept.includes(code)))) return { accept, wasShown: false }
  await printPlan(context, plan, session, terminal.output.rows - 2)
  await context.out.line()
  await context.out.flush()
  refuseBlocked(plan, nameFlag)
  const { askYesNo } = await import('../forking/ask.ts')
  if (await askYesNo(terminal, 'Fork?')) return { accept: plan.confirm, wasShown: true }
  throw new AppError('interrupted', 'Nothing was done.')
}
