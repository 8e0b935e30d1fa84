// Which session a worker runs, and how it is opened: a new one, one that is resumed, a fork, or the newest of the folder. Agents
// are never mixed unless the request names another one for a fork.
import { randomUUID } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { agentOf } from '../agents/agent-of.ts'
import { titleBeforePrompt, titleOfPrompt } from '../lib/prompt-title.ts'
import { stateWord } from '../lib/text/session-state.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkRequest, ForkResult, WarningCode } from '../model/fork.ts'
import { resumeModel } from '../model/resume-model.ts'
import type { StartRequest, StartResult } from '../model/start.ts'
import type { Worker, WorkerKind, WorkerRequest } from '../model/worker.ts'
import type { TerminalId } from '../terminals/terminal.ts'
import type { Begin, WorkerContext } from './context.ts'
import { forkFreshly } from './fork-freshly.ts'
import { nothingToContinue } from './refusals.ts'

export interface SessionToRun {
  readonly sessionId: string
  readonly begin: Begin
  readonly cwd: string
  readonly workspace: Worker['workspace']
  readonly fork: ForkResult | null
  /** What became of its workspace besides what was planned. */
  readonly made: Pick<ForkResult, 'notes' | 'setup'>
  /** To be named when it is opened, unless the worker's settings name another; absent: the agent takes the right one by itself. */
  readonly model?: string | null
  /** The fork or start that was made for it, by its id: taken back where its agent dies at once. */
  readonly madeId: string | null
}

export interface Place {
  readonly kind: WorkerKind
  readonly terminal: TerminalId | null
}

/** Contradictions are refused before anything is made. */
export function checkRequest(request: WorkerRequest): void {
  const { resume, fork, continue: goOn, atTurn, codeAt, sessionId, kind, settings } = request
  const refuse = (message: string) => {
    throw new AppError('usage', message)
  }
  if (goOn === true && resume !== undefined) refuse('Give a session to resume, or continue the newest one, not both.')
  if (fork === true && resume === undefined) refuse('A fork needs the session to fork.')
  if ((atTurn !== undefined || codeAt !== undefined) && fork !== true) refuse('Only a fork can begin at an earlier turn.')
  if (sessionId !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sessionId))
    refuse(`"${sessionId}" is no UUID, and a session's id must be one.`)
  if (sessionId !== undefined && fork !== true && (resume !== undefined || goOn === true))
    refuse('A session that is resumed has its id already.')
  if (settings?.command != null && kind === 'headless') refuse('A command of your own needs a terminal.')
  if (fork !== true) refuseForkOptions(request, resume !== undefined || goOn === true)
}

/** What would have no effect is refused: whoever asks for it expects one. */
function refuseForkOptions({ accept, workspace, code, branch, title, planId }: WorkerRequest, isResumed: boolean): void {
  const refuse = (names: readonly string[], why: string) => {
    if (names.length > 0) throw new AppError('usage', `${names.map((name) => `\`${name}\``).join(', ')}: ${why}`)
  }
  const given = (fields: Readonly<Record<string, unknown>>) =>
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  refuse(given({ accept, plan_id: planId }), 'only a fork has a plan.')
  if (isResumed) {
    const own = workspace === true ? workspace : undefined
    refuse(given({ workspace: own, code, branch, title }), 'a session that is resumed goes on as and where it is.')
  } else if (workspace === false) {
    refuse(given({ code, branch }), 'without a workspace there is nowhere to put it.')
  } else if (code === 'turn' || code === 'none') {
    refuse(['code'], `a new session has no turn to take it from: give "now" or "head", not "${code}".`)
  }
}

export async function prepareSession(context: WorkerContext, request: WorkerRequest, place: Place): Promise<SessionToRun> {
  const folder = realFolder(request.projectPath)
  const agent = agentOf(context, request.agent)
  if (request.sessionId !== undefined) {
    if (agent.choosesIds) throw new AppError('usage', `${agent.label} names its sessions itself; leave the id out.`)
    await refuseTakenId(context, request.sessionId)
  }
  if (request.fork === true) return forkSession(context, request, folder, place)
  if (request.resume !== undefined) {
    const { session, turn } = await context.catalog.resolve(request.resume, folder)
    if (turn !== null) throw new AppError('usage', 'A session is resumed at its end; fork it to begin at an earlier turn.')
    return resumeSession(context, request, session, folder)
  }
  if (request.continue === true) return resumeSession(context, request, await findNewest(context, request, folder), folder)
  return startSession(context, request, folder)
}

async function startSession(context: WorkerContext, request: WorkerRequest, folder: string): Promise<SessionToRun> {
  const { prompt, title = titleOfPrompt(prompt ?? '') || titleBeforePrompt() } = request
  const agent = agentOf(context, request.agent)
  const isAsked = request.code !== undefined || request.branch !== undefined
  const ownWorkspace = request.workspace ?? (isAsked || (await context.isInRepository(folder)))
  if (ownWorkspace) return fromStart(await context.forkingAt(folder).start(startRequest(request)))
  const { installed, problem } = await agent.abilities(context.env)
  if (!installed) throw new AppError('tool_missing', problem ?? `${agent.label} is not installed, or not on the PATH.`)
  const place = { cwd: folder, workspace: null, fork: null, made: {}, madeId: null }
  if (agent.startSession === undefined) {
    const sessionId = request.sessionId ?? randomUUID()
    return { ...place, sessionId, begin: { kind: 'start', sessionId } }
  }
  const { sessionId } = await agent.startSession(context.env, { cwd: folder, title })
  return { ...place, sessionId, begin: { kind: 'resume', sessionId } }
}

export function startRequest({ agent, title, prompt, branch, push, code, sessionId }: WorkerRequest): StartRequest {
  return {
    agent,
    ...(title === undefined ? {} : { title }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(branch === undefined ? {} : { branch }),
    ...(push === undefined ? {} : { push }),
    ...(code === 'now' || code === 'head' ? { code } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
  }
}

export function fromStart({ start, ...result }: StartResult): SessionToRun {
  const { id, sessionId, file, workspace, command } = start
  const begin: Begin = file === null ? { kind: 'start', sessionId } : { kind: 'resume', sessionId }
  const place = { cwd: command.cwd, workspace: workspace && pick(workspace), fork: null }
  return { sessionId, begin, ...place, made: madeOf(result), madeId: id }
}

export function fromFork(result: ForkResult): SessionToRun {
  const { id, sessionId, file, strategy, parent, workspace, command } = result.fork
  const begin: Begin =
    file !== null
      ? { kind: 'resume', sessionId }
      : strategy === 'native'
        ? { kind: 'fork', sourceId: parent.sessionId, sessionId }
        : { kind: 'start', sessionId }
  const place = { cwd: command.cwd, workspace: workspace && pick(workspace), fork: result }
  return { sessionId, begin, ...place, made: madeOf(result), madeId: id, model: result.model }
}

function madeOf({ notes, setup }: SessionToRun['made']): SessionToRun['made'] {
  return { ...(notes === undefined ? {} : { notes }), ...(setup === undefined ? {} : { setup }) }
}

function pick({ path, branch }: { readonly path: string; readonly branch: string }) {
  return { path, branch }
}

async function forkSession(context: WorkerContext, request: WorkerRequest, folder: string, place: Place): Promise<SessionToRun> {
  const accept = (request.accept ?? []) as readonly WarningCode[]
  const forking = context.forkingAt(folder)
  if (request.planId !== undefined) return fromFork(await forking.executePlanned(request.planId, { accept }))
  const wanted = await forkRequest(context, request, folder, place)
  return fromFork(
    await forkFreshly(
      forking,
      async () => wanted,
      () => accept,
    ),
  )
}

/** The fork that a worker is to run. */
export async function forkRequest(
  context: WorkerContext,
  request: WorkerRequest,
  folder: string,
  place: Place,
): Promise<ForkRequest> {
  const { resume = '', atTurn, agent, workspace, code, codeAt, title, branch, sessionId, prompt, send = true } = request
  const { seenAs, isOpen } = request
  const { session } = await context.catalog.resolve(resume, folder)
  return {
    address: `${session.agent}:${session.id}${turnIn(resume)}`,
    ...(atTurn === undefined ? {} : { at: atTurn }),
    ...(agent === session.agent ? {} : { to: agent }),
    ...(workspace === false ? { code: 'none' } : code === undefined ? {} : { code }),
    ...(codeAt === undefined ? {} : { codeAt }),
    ...(title === undefined ? {} : { title }),
    ...(branch === undefined ? {} : { branch }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(prompt === undefined ? {} : { prompt, send }),
    ...(seenAs === undefined ? {} : { seenAs }),
    ...(isOpen === undefined ? {} : { isOpen }),
    terminal: place.terminal ?? 'headless',
  }
}

function turnIn(address: string): string {
  const at = address.lastIndexOf('@')
  return at === -1 || address.includes('/', at) ? '' : address.slice(at)
}

async function resumeSession(
  context: WorkerContext,
  { agent }: WorkerRequest,
  session: CatalogSession,
  folder: string,
): Promise<SessionToRun> {
  const { id: sessionId } = session
  if (session.agent !== agent) {
    throw new AppError('usage', `${session.agent}:${sessionId} is a session of ${session.agent}, not of ${agent}.`, {
      hint: 'Only a fork takes a conversation to another agent.',
    })
  }
  if (session.state === 'archived')
    throw new AppError('refused', `${agent}:${sessionId} is ${stateWord(session.state)}; fork it instead.`)
  const holder = agentOf(context, agent)
    .live(context.env)
    .find((each) => each.sessionId === sessionId)
  if (holder !== undefined) {
    const who = holder.pid === null ? 'another process' : `process ${holder.pid}`
    throw new AppError('busy', `${agent}:${sessionId} is open in ${who}; two at once would write into one session.`, {
      hint: 'End that one first, or fork the session.',
    })
  }
  const cwd = realFolder(session.cwd ?? rememberedFolder(context, session) ?? folder)
  await context.catalog.putBackMissing(session)
  const begin = { kind: 'resume', sessionId } as const
  const place = { cwd, workspace: workspaceAt(context, cwd), fork: null, made: {}, madeId: null }
  return { sessionId, begin, ...place, model: resumeModel(session) }
}

/** One that was killed in its first moments names no folder itself. */
function rememberedFolder(context: WorkerContext, { agent, id }: CatalogSession): string | null {
  const store = context.store()
  const worker = store.workers.all().find((each) => each.agent === agent && each.sessionId === id)
  return worker?.cwd ?? store.forks.ofSession(agent, id)?.cwd ?? null
}

/** A session that ran in a workspace of ours goes on being captured there. */
function workspaceAt(context: WorkerContext, cwd: string): Worker['workspace'] {
  const found = context
    .store()
    .workspaces.all()
    .find(({ path, removedAt }) => removedAt === null && (cwd === path || cwd.startsWith(`${path}/`)))
  return found === undefined ? null : pick(found)
}

async function findNewest(context: WorkerContext, { agent }: WorkerRequest, folder: string): Promise<CatalogSession> {
  const sessions = await context.catalog.listSessions({ agent })
  const newest = sessions.find(({ cwd, state }) => cwd === folder && state === 'present')
  if (newest !== undefined) return newest
  throw nothingToContinue(agent, folder)
}

export async function refuseTakenId(context: WorkerContext, sessionId: string): Promise<void> {
  const isSession = (await context.catalog.listSessions()).some(({ id }) => id === sessionId)
  const isWorker = context
    .store()
    .workers.open()
    .some((each) => each.sessionId === sessionId)
  if (isSession || isWorker) throw new AppError('id_taken', `There is a session ${sessionId} already.`)
}

export function realFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(path)
  throw new AppError('usage', `${path} is no folder.`)
}
