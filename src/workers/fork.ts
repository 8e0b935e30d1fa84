// A fork of a worker's session in a worker of its own, with the same settings. The source is only read: while it answers, the
// fork ends with its last finished turn, as a copy of the file, since the agent's own fork would take half a turn along.
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import { acceptedByYes, type ForkRequest, type ForkResult, type Plan, type WarningCode } from '../model/fork.ts'
import type { Turn } from '../model/session.ts'
import type { ForkWorkerRequest, SpawnedWorker, WorkerSettings } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { runsOf, type WorkerContext } from './context.ts'
import { readEnv } from './files.ts'
import { forkFreshly } from './fork-freshly.ts'
import { refuseTakenName } from './see.ts'
import { fromFork, type Place, refuseTakenId } from './session.ts'
import { choosePlace, open } from './spawn.ts'
import type { WorkerBench } from './workers.ts'

export async function forkWorker(
  bench: WorkerBench,
  record: WorkerRecord,
  request: ForkWorkerRequest,
  signal?: AbortSignal,
): Promise<SpawnedWorker> {
  const { context } = bench
  await refuseTakenName(context, request.name)
  if (record.sessionId === null) {
    throw new AppError(
      'worker_unforkable',
      `"${record.name}" runs a session that offshoot does not know, so it cannot be forked.`,
    )
  }
  if (request.sessionId !== undefined) {
    const { choosesIds, label } = agentOf(context, record.agent)
    if (choosesIds) throw new AppError('usage', `${label} names its sessions itself; leave the id out.`)
    await refuseTakenId(context, request.sessionId)
  }
  const wanted = request.terminal ?? record.terminal
  const place = await choosePlace(context, wanted === null ? { kind: 'headless' } : { terminal: wanted })
  const session = fromFork(await forkSession(bench, record, request, place))
  return open(bench, {
    agent: record.agent,
    // In the same folder it is captured there as its source is.
    session: { ...session, workspace: session.workspace ?? record.workspace },
    place,
    settings: await settingsOf(context, record),
    forkedFrom: record.id,
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.prompt === undefined ? {} : { prompt: request.prompt, send: request.send === true }),
    ...(signal === undefined ? {} : { signal }),
  })
}

function forkSession(bench: WorkerBench, record: WorkerRecord, request: ForkWorkerRequest, place: Place): Promise<ForkResult> {
  const makeRequest = async (): Promise<ForkRequest> => ({
    ...(await whereToCut(bench, record, request)),
    ...(request.workspace !== true ? { code: 'none' } : request.code === undefined ? {} : { code: request.code }),
    ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
    terminal: place.terminal ?? 'none',
  })
  // Nothing is asked here: a fork in place changes no file, and one in a workspace carries what is open.
  // Asking for a fork accepts what it warns of, but for a context that does not fit and code of another time.
  const acceptOf = ({ confirm }: Plan) => [
    ...acceptedByYes(confirm).filter((code) => code !== 'code_now'),
    ...((request.accept ?? []) as readonly WarningCode[]),
  ]
  return forkFreshly(bench.context.forkingAt(record.cwd), makeRequest, acceptOf)
}

async function whereToCut(
  bench: WorkerBench,
  record: WorkerRecord,
  { atTurn }: ForkWorkerRequest,
): Promise<Pick<ForkRequest, 'address' | 'at' | 'strategy'>> {
  const { context } = bench
  const address = `${record.agent}:${record.sessionId}`
  const { session } = await findSession(context, record, address)
  if (atTurn !== undefined) return { address, at: atTurn }
  const turns = await context.catalog.listTurns(session)
  const busy = await isAnswering(bench, record)
  const last = turns.at(-1)
  if (!busy && last !== undefined && last.state !== 'running') return { address }
  const finished = turns.findLast((turn) => turn.state !== 'running' && !(busy && turn === last && isOpen(turn)))
  if (finished === undefined) {
    throw new AppError('worker_unforkable', `"${record.name}" has not finished a turn yet: there is nothing to fork.`, {
      hint: 'Wait for its first answer.',
    })
  }
  return { address, at: finished.id, ...(agentOf(context, record.agent).choosesIds ? {} : { strategy: 'prefix' as const }) }
}

/** The catalogue calls a turn interrupted that lacks its end: of a busy worker it may be the one that runs. */
function isOpen({ state }: Turn): boolean {
  return state === 'interrupted'
}

async function findSession(context: WorkerContext, record: WorkerRecord, address: string) {
  try {
    return await context.catalog.resolve(address)
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
