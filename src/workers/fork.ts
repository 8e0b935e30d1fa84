// A fork of a worker's session in a worker of its own, with the same settings and the code that belongs to it in a workspace of its
// own. The source is only read: while it answers, the fork ends with its last finished turn, as a copy of the file, since the agent's
// own fork would take half a turn along.
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import { type CodeMode, type ForkRequest, type ForkResult, isCarried, type Plan, type TerminalChoice } from '../model/fork.ts'
import { isPlanOf } from '../model/plan-of.ts'
import type { Turn } from '../model/session.ts'
import type { ForkWorkerPlanRequest, ForkWorkerRequest, SpawnedWorker, WorkerRequest, WorkerSettings } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { runsOf, type WorkerContext } from './context.ts'
import { readEnv } from './files.ts'
import { forkFreshly } from './fork-freshly.ts'
import { refuseTakenName } from './see.ts'
import { fromFork, type Place, refuseTakenId } from './session.ts'
import { choosePlace, open, plannedPrompt } from './spawn.ts'
import type { WorkerBench } from './workers.ts'

export async function forkWorker(
  bench: WorkerBench,
  record: WorkerRecord,
  request: ForkWorkerRequest,
  signal?: AbortSignal,
): Promise<SpawnedWorker> {
  const { context } = bench
  await checkRequest(context, record, request)
  const planned = request.planId === undefined ? null : context.forkingAt(record.cwd).plannedFork(request.planId)
  if (planned !== null) await refuseOtherPlan(context, record, request, planned)
  const place = await choosePlace(context, whereOf(record, request, planned))
  const forked = await forkSession(bench, record, request, place)
  const session = fromFork(forked)
  return open(bench, {
    agent: record.agent,
    // In the same folder it is captured there as its source is.
    session: { ...session, workspace: session.workspace ?? record.workspace },
    place,
    settings: await settingsOf(context, record),
    forkedFrom: record.id,
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.unseenWorkers === undefined ? {} : { unseenWorkers: request.unseenWorkers }),
    ...plannedPrompt(forked.plan),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Everything such a fork is going to do; nothing is made. */
export async function planForkWorker(bench: WorkerBench, record: WorkerRecord, request: ForkWorkerPlanRequest): Promise<Plan> {
  const { context } = bench
  if (request.planId !== undefined) throw new AppError('usage', 'A plan that was made is executed, not planned again.')
  await checkRequest(context, record, request)
  // What is not opened as a worker is planned all the same: the session with the turn and the code of one.
  const { terminal } = request
  const isWorker = terminal !== 'none' && terminal !== 'here'
  const opens = isWorker ? (await choosePlace(context, whereOf(record, request))).terminal : terminal
  return context.forkingAt(record.cwd).planFork(await forkRequest(bench, record, request, opens))
}

async function checkRequest(context: WorkerContext, record: WorkerRecord, request: ForkWorkerRequest): Promise<void> {
  await refuseTakenName(context, request)
  if (record.sessionId === null) {
    throw new AppError(
      'worker_unforkable',
      `"${record.name}" runs a session that offshoot does not know, so it cannot be forked.`,
    )
  }
  if (request.workspace === false && request.code !== undefined && request.code !== 'none')
    throw new AppError('usage', `In the folder of "${record.name}" there is no choice of code; leave the code or the folder out.`)
  if (request.sessionId === undefined) return
  const { choosesIds, label } = agentOf(context, record.agent)
  if (choosesIds) throw new AppError('usage', `${label} names its sessions itself; leave the id out.`)
  await refuseTakenId(context, request.sessionId)
}

/** Where its source is, unless the request or the plan that is executed says where. */
function whereOf(
  { terminal }: WorkerRecord,
  request: ForkWorkerRequest,
  planned: Plan | null = null,
): Pick<WorkerRequest, 'terminal'> {
  const runs = planned !== null && planned.terminal !== 'none' && planned.terminal !== 'here' ? planned.terminal : undefined
  return { terminal: request.terminal ?? runs ?? terminal ?? 'headless' }
}

async function forkSession(
  bench: WorkerBench,
  record: WorkerRecord,
  request: ForkWorkerRequest,
  place: Place,
): Promise<ForkResult> {
  // Asking for a fork says yes to carrying what is open. Other code than was asked for, and a context that does not fit, need a yes of
  // their own.
  const given = new Set(request.accept)
  const acceptOf = ({ confirm }: Plan) => confirm.filter((code) => isCarried(code) || given.has(code))
  const forking = bench.context.forkingAt(record.cwd)
  if (request.planId !== undefined) {
    return forking.executePlanned(request.planId, { accept: acceptOf(forking.plannedFork(request.planId)), worker: record.id })
  }
  const makeRequest = () => forkRequest(bench, record, request, place.terminal)
  return forkFreshly(forking, makeRequest, acceptOf)
}

/** A plan says all of it: anything else that is asked for would not be done. */
async function refuseOtherPlan(
  context: WorkerContext,
  record: WorkerRecord,
  request: ForkWorkerRequest,
  plan: Plan,
): Promise<void> {
  const { planId: _, accept: __, name: ___, terminal: ____, unseenWorkers: _____, isOpen: ______, ...others } = request
  const given = Object.keys(others).map((name) => `\`${parameterOf(name)}\``)
  if (given.length > 0) throw new AppError('usage', `\`plan_id\` cannot be used with ${given.join(', ')}.`)
  const { id, parent } = plan
  const { agent } = record
  const { session } = await findSession(context, record)
  if (!isPlanOf(plan, session)) throw new AppError('usage', `The plan ${id} is of ${parent.agent}:${parent.sessionId}.`)
  if (plan.agent !== agent) throw new AppError('usage', `The plan ${id} is for ${plan.agent}, and this worker runs ${agent}.`)
}

/** As programs name it. */
function parameterOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

async function forkRequest(
  bench: WorkerBench,
  record: WorkerRecord,
  request: ForkWorkerPlanRequest,
  opens: TerminalChoice | null,
): Promise<ForkRequest> {
  const { to, codeAt, isOpen, branch, title, sessionId, allowCut, prompt, send } = request
  const cut = await whereToCut(bench, record, request)
  const code = await codeFor(bench.context, record, request, cut)
  return {
    ...cut,
    ...(to === undefined ? {} : { to }),
    ...(code === undefined ? {} : { code }),
    ...(codeAt === undefined ? {} : { codeAt }),
    ...(isOpen === undefined ? {} : { isOpen }),
    ...(branch === undefined ? {} : { branch }),
    ...(title === undefined ? {} : { title }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(allowCut === undefined ? {} : { allowCut }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(send === undefined ? {} : { send }),
    terminal: opens ?? 'headless',
    worker: record.id,
  }
}

/** `undefined`: as at the turn it ends with. At the end of an idle worker that is what stands in its folder now. */
async function codeFor(
  context: WorkerContext,
  { cwd }: WorkerRecord,
  { workspace, code, codeAt, branch }: ForkWorkerRequest,
  { at, before }: Pick<ForkRequest, 'at' | 'before'>,
): Promise<CodeMode | undefined> {
  if (workspace === false) return 'none'
  if (code !== undefined || codeAt !== undefined) return code
  // Without a repository there is no workspace to be had; who asks for one is told.
  const isAsked = workspace === true || branch !== undefined
  if (!isAsked && !(await context.isInRepository(cwd))) return 'none'
  return at === undefined && before === undefined ? 'now' : undefined
}

type ForkCut = Pick<ForkRequest, 'address' | 'at' | 'before' | 'strategy'>

async function whereToCut(
  bench: WorkerBench,
  record: WorkerRecord,
  { atTurn, before, strategy, to = record.agent }: ForkWorkerPlanRequest,
): Promise<ForkCut> {
  const { context } = bench
  const address = addressOf(record)
  const { session } = await findSession(context, record)
  const wanted = strategy === undefined ? { address } : { address, strategy }
  if (atTurn !== undefined) return { ...wanted, at: atTurn }
  if (before !== undefined) return { ...wanted, before }
  const turns = await context.catalog.listTurns(session)
  const busy = await isAnswering(bench, record)
  const last = turns.at(-1)
  if (!busy && last !== undefined && last.state !== 'running') return wanted
  const finished = turns.findLast((turn) => turn.state !== 'running' && !(busy && turn === last && isOpen(turn)))
  if (finished === undefined) {
    throw new AppError('worker_unforkable', `"${record.name}" has not finished a turn yet: there is nothing to fork.`, {
      hint: 'Wait for its first answer.',
    })
  }
  const { choosesIds } = agentOf(context, record.agent)
  const isCopied = !choosesIds && strategy === undefined && to === record.agent
  return { ...wanted, at: finished.id, ...(isCopied ? { strategy: 'prefix' as const } : {}) }
}

/** The catalogue calls a turn interrupted that lacks its end: of a busy worker it may be the one that runs. */
function isOpen({ state }: Turn): boolean {
  return state === 'interrupted'
}

function addressOf({ agent, sessionId }: WorkerRecord): string {
  return `${agent}:${sessionId}`
}

async function findSession(context: WorkerContext, record: WorkerRecord) {
  try {
    return await context.catalog.resolve(addressOf(record))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'session_not_found') throw error
    throw new AppError('worker_unforkable', `"${record.name}" has no turn yet: there is nothing to fork.`, {
      cause: error,
      hint: 'Send it a prompt first, or start another worker.',
    })
  }
}

async function isAnswering(bench: WorkerBench, record: WorkerRecord): Promise<boolean> {
  const { state } = await bench.see(record.id)
  if (state === 'running' || state === 'waiting') return true
  return agentOf(bench.context, record.agent)
    .live(bench.context.env)
    .some(({ sessionId, busy }) => busy && sessionId === record.sessionId && state !== 'idle')
}

/** Everything goes along; a command of the person's own without what names the old session. */
async function settingsOf(context: WorkerContext, { agent, id, settings }: WorkerRecord): Promise<WorkerSettings> {
  const command = settings.command === null ? null : (await runsOf(context, { agent })).baseCommand(settings.command)
  return { ...settings, command, env: readEnv(context.folder, id, settings.env) }
}
