// Starts a worker: the session first (named from birth), then its entry, then the agent, which is observed to be ready.
import { randomBytes } from 'node:crypto'
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import type { ForkResult, Plan } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import type { StartPlan, StartResult } from '../model/start.ts'
import type { SpawnedWorker, WorkerRequest, WorkerSettings } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { PaneRef, TerminalId } from '../terminals/terminal.ts'
import { checkSettings, settingsFor } from './check-settings.ts'
import { runsOf, type WorkerContext } from './context.ts'
import { keepEnv } from './files.ts'
import { commandForPane, type PaneCommand } from './pane-command.ts'
import { waitUntilReady } from './ready.ts'
import { amend, enter, toStoredSettings } from './register.ts'
import { refuseTakenName, seeDead } from './see.ts'
import { draftInPane } from './send-pane.ts'
import {
  checkRequest,
  forkRequest,
  fromFork,
  fromStart,
  type Place,
  prepareSession,
  realFolder,
  type SessionToRun,
  startRequest,
} from './session.ts'
import { takeBack } from './take-back.ts'
import { noteInput } from './told.ts'
import { placeOf, toWorker } from './view.ts'
import type { WorkerBench } from './workers.ts'

export interface Spawning {
  readonly agent: AgentId
  readonly session: SessionToRun
  readonly place: Place
  readonly settings: WorkerSettings
  readonly name?: string
  readonly unseenWorkers?: WorkerRequest['unseenWorkers']
  readonly prompt?: string
  /** False: the prompt waits in the composer. */
  readonly send?: boolean
  readonly forkedFrom?: string
  readonly signal?: AbortSignal
}

export async function spawnWorker(bench: WorkerBench, request: WorkerRequest, signal?: AbortSignal): Promise<SpawnedWorker> {
  const { context } = bench
  const { place, settings } = await prepare(context, request)
  const session = await prepareSession(context, await nameOfCommand(context, request, settings), place)
  const prompt = session.fork === null ? {} : plannedPrompt(session.fork.plan)
  return open(bench, { ...pick(request), ...prompt, session, place, settings, ...(signal === undefined ? {} : { signal }) })
}

/** The plan of a fork also says its first prompt, and whether that is sent. */
export function plannedPrompt({ pendingPrompt, send }: Plan): Pick<Spawning, 'prompt' | 'send'> {
  return pendingPrompt === undefined ? {} : { prompt: pendingPrompt, send }
}

/** What starting a worker on a new session in a workspace is going to do; nothing is made. */
export async function planWorker({ context }: WorkerBench, request: WorkerRequest): Promise<StartPlan> {
  const { place } = await prepare(context, request)
  return context.forkingAt(realFolder(request.projectPath)).planStart({
    ...startRequest(request),
    terminal: place.terminal ?? 'headless',
  })
}

/** The fork that starting a worker on one is going to make; nothing is made. */
export async function planSpawnedFork({ context }: WorkerBench, request: WorkerRequest): Promise<Plan> {
  const { place } = await prepare(context, request)
  const folder = realFolder(request.projectPath)
  return context.forkingAt(folder).planFork(await forkRequest(context, request, folder, place))
}

/** All that can be refused is refused before anything is made. */
async function prepare(context: WorkerContext, request: WorkerRequest) {
  checkRequest(request)
  await refuseTakenName(context, request)
  const place = await choosePlace(context, request)
  const settings = await settingsFor(context, request.settings)
  await checkSettings(context, request, settings, place)
  if (settings.command !== null) {
    const { commandWith } = await runsOf(context, request)
    commandWith(settings.command, { kind: 'start', sessionId: '' }) // throws where it does not call the agent
  }
  return { place, settings }
}

/** A worker on what a fork or a start has just made. */
export async function workOn(
  bench: WorkerBench,
  made: ForkResult | StartResult,
  request: Pick<WorkerRequest, 'name' | 'prompt' | 'send' | 'terminal' | 'kind' | 'settings'>,
  signal?: AbortSignal,
): Promise<SpawnedWorker> {
  const { context } = bench
  const place = await choosePlace(context, request)
  const settings = await settingsFor(context, request.settings)
  const agent = 'fork' in made ? made.fork.agent : made.start.agent
  await checkSettings(context, { ...request, agent }, settings, place)
  // It was there before this: it stays, whatever becomes of its agent.
  const session = { ...('fork' in made ? fromFork(made) : fromStart(made)), madeId: null }
  return open(bench, { ...pick({ ...request, agent }), session, place, settings, ...(signal === undefined ? {} : { signal }) })
}

function pick(request: Pick<WorkerRequest, 'agent' | 'name' | 'prompt' | 'send' | 'unseenWorkers'>) {
  const { agent, name, prompt, send = true, unseenWorkers } = request
  return {
    agent,
    send,
    ...(name === undefined ? {} : { name }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(unseenWorkers === undefined ? {} : { unseenWorkers }),
  }
}

export async function choosePlace(
  context: WorkerContext,
  { kind, terminal }: Pick<WorkerRequest, 'kind' | 'terminal'>,
): Promise<Place> {
  if (terminal === 'here') throw new AppError('usage', 'A worker has a pane of its own; it does not open here.')
  if (terminal === 'none') {
    throw new AppError('usage', 'A worker runs: with `none` nothing would be opened. For one without a terminal use `headless`.')
  }
  if (kind === 'headless' || terminal === 'headless') {
    if (kind === 'terminal') throw new AppError('usage', 'A terminal worker needs a terminal.')
    if (terminal !== undefined && terminal !== 'headless')
      throw new AppError('usage', 'A headless worker has no terminal; leave one of the two out.')
    return { kind: 'headless', terminal: null }
  }
  const chosen = terminal ?? (await context.chooseTerminal())
  if (chosen !== null) return usable(context, chosen)
  if (kind === undefined) return { kind: 'headless', terminal: null }
  throw new AppError('terminal_unavailable', 'There is no terminal to open it in.')
}

async function usable(context: WorkerContext, id: TerminalId): Promise<Place> {
  const terminal = await context.terminal(id)
  const { problem } = await terminal.probe()
  if (problem !== null) throw new AppError('terminal_unavailable', `${terminal.label} cannot be used: ${problem}`)
  return { kind: 'terminal', terminal: id }
}

/** The id a command of the person's own names already is kept (WK1). */
async function nameOfCommand(
  context: WorkerContext,
  request: WorkerRequest,
  { command }: WorkerSettings,
): Promise<WorkerRequest> {
  if (command === null || request.resume !== undefined || request.continue === true) return request
  const named = (await runsOf(context, request)).sessionIdIn(command)
  return named === null ? request : { ...request, sessionId: named }
}

export async function open(bench: WorkerBench, spawning: Spawning): Promise<SpawnedWorker> {
  const id = randomBytes(5).toString('hex')
  try {
    return await enterAndOpen(bench, spawning, id)
  } catch (error) {
    throw await takeBack(bench.context, id, spawning.session, error)
  }
}

async function enterAndOpen(bench: WorkerBench, spawning: Spawning, id: string): Promise<SpawnedWorker> {
  const { context } = bench
  const { agent: agentId, session, place } = spawning
  const settings = { ...spawning.settings, model: spawning.settings.model ?? session.model ?? null }
  const sent = spawning.send === false ? undefined : spawning.prompt
  // A fork at a prompt has one of its own to give.
  const draft = sent === undefined ? (spawning.prompt ?? session.fork?.plan.pendingPrompt ?? null) : null
  const agent = agentOf(context, agentId)
  const pane = place.terminal === null ? null : await commandForPane(context, agent, await agent.runs(), session, settings, sent)
  await seeDead(context, (each) => each.name === spawning.name || each.sessionId === session.sessionId)
  keepEnv(context.folder, id, settings.env)
  const record = enter(context, {
    id,
    ...(spawning.name === undefined ? {} : { name: spawning.name }),
    ...(spawning.unseenWorkers === undefined ? {} : { unseenWorkers: spawning.unseenWorkers }),
    agent: agentId,
    kind: place.kind,
    sessionId: session.sessionId,
    state: place.kind === 'headless' ? 'resumable' : 'starting',
    cwd: session.cwd,
    workspace: session.workspace,
    terminal: place.terminal,
    begin: session.begin,
    pane: null,
    pid: null,
    // Of a headless one: how a person would open its session.
    command: pane?.shown ?? agent.command({ kind: 'resume', sessionId: session.sessionId, cwd: session.cwd }),
    settings: toStoredSettings(settings),
    // Until its pane is there: then the pane tells of itself.
    owner: pane === null ? null : bench.headless.owner,
    forkedFrom: spawning.forkedFrom ?? null,
    createdAt: context.now(),
    endedAt: null,
    exitStatus: null,
    exitSignal: null,
    turnCutOff: false,
  })
  const tellCreated = (made: WorkerRecord) => {
    const persistent = place.kind === 'terminal'
    context.events.emit({ type: 'worker.created', data: { ...placeOf(made), worker: toWorker(context, made), persistent } })
  }
  const opening = { ...spawning, settings, prompt: sent, tellCreated }
  const worker = await (pane === null ? openHeadless(bench, record, opening) : openPane(bench, record, opening, pane))
  const waits =
    draft === null ||
    (worker.kind === 'terminal' && (await draftInPane(context, context.store().workers.get(id) ?? record, draft)))
  return { ...worker, fork: session.fork, ...session.made, pendingPrompt: waits ? null : draft }
}

interface Opening extends Pick<Spawning, 'place' | 'settings' | 'signal'> {
  readonly prompt: string | undefined
  readonly tellCreated: (made: WorkerRecord) => void
}

async function openHeadless(bench: WorkerBench, record: WorkerRecord, { prompt, tellCreated }: Opening) {
  const { context, headless } = bench
  await headless.open(record.id)
  const made = context.store().workers.get(record.id) ?? record
  tellCreated(made)
  bench.tellReady(made)
  const sent = prompt === undefined ? null : await bench.send(record.id, prompt, { wait: false })
  if (sent?.outcome === 'failed') throw await notTaken(bench, made, sent.error)
  return bench.see(record.id)
}

async function notTaken({ context, headless }: WorkerBench, record: WorkerRecord, error: string | null): Promise<AppError> {
  await headless.close(record.id)
  const data = { ...placeOf(record), status: null, signal: null, stopped: false, error }
  context.events.emit({ type: 'worker.exited', data })
  return new AppError('failed', `"${record.name}" did not take its first prompt: ${error ?? 'it did not say why.'}`)
}

async function openPane(
  bench: WorkerBench,
  record: WorkerRecord,
  { place, settings, prompt, signal, tellCreated }: Opening,
  command: PaneCommand,
) {
  const { context } = bench
  const { pane: driver } = await runsOf(context, record)
  const transcript = await bench.transcriptOf(record)
  const terminal = await context.terminal(place.terminal ?? 'print')
  const pane: PaneRef = await terminal.open({
    argv: command.spec.argv,
    cwd: command.spec.cwd,
    env: { ...command.spec.env, ...settings.env, OFFSHOOT_WORKER: record.id },
    unset: driver.unset,
    title: record.name,
    tag: record.id,
  })
  const made = amend(context, record.id, { pane, owner: null }) ?? record
  if (command.hasPrompt && prompt !== undefined) await noteInput(context, made, prompt)
  tellCreated(made)
  // Nobody has run what was printed yet: there is nothing to wait for.
  if (pane.terminal === 'print') return bench.see(record.id)
  // What was given along may be taken a moment after the agent is ready for more.
  const isTaken = async () => !command.hasPrompt || ((await transcript?.newTurn()) ?? null) !== null
  const { state } = await waitUntilReady(context, made, isTaken, signal)
  if (state === 'waiting') return bench.see(record.id)
  bench.tellReady(made)
  if (prompt === undefined) return bench.see(record.id)
  if (command.hasPrompt) bench.followPane(record.id, prompt, transcript)
  else await bench.send(record.id, prompt, { wait: false })
  return bench.see(record.id)
}
