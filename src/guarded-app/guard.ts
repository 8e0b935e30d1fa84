// The guard itself: each verb names what it is about, has it judged, and hands on only what was judged.
import type { App } from '../app.ts'
import { buildForest, findTree } from '../catalog/tree.ts'
import { realFolder } from '../catalog/within.ts'
import type { GuardedApp, GuardOptions } from '../guarded-app.ts'
import { parseAddress } from '../model/address.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkRequest, Plan } from '../model/fork.ts'
import type { QmdGuidance } from '../model/qmd.ts'
import { sessionAddress } from '../model/render.ts'
import type { ForkWorkerRequest, WorkerRequest } from '../model/worker.ts'
import { cleanError } from './errors.ts'
import { changesSessions, filterEvents } from './events.ts'
import { createGate, joinGates } from './gate.ts'
import { checkTurn, findSession, parseSessionId, unknownSession, writeAddress } from './names.ts'
import { createVisible, part } from './visible.ts'
import { createWorkerGate, maskWorker } from './workers.ts'

export function guardApp(app: App, options: GuardOptions): GuardedApp {
  const { surface, onRefusal, now, home, searchUpdateMs, isWatched = () => false } = options
  const open = createGate(app, { roots: options.roots, home, now })
  const gate = options.within === undefined ? open : joinGates(open, createGate(app, { roots: options.within, home, now }))
  const visible = createVisible(app, gate, { now, isWatched })
  if (options.isWatched !== undefined) app.onEvent((event) => changesSessions(event) && visible.told())

  function refuse(verb: string, subject: string, reason: string): never {
    onRefusal({ at: now(), verb: `${verb} ${surface}`, subject, reason })
    throw new AppError('refused', `${subject} is outside the projects this server may show.`, {
      hint: 'Start the server with `--project`, or add the folder to the setting server.allow_repos.',
    })
  }

  async function scopeOf(projectPath?: string, verb = 'scope'): Promise<string> {
    if (projectPath === undefined) {
      for (const root of gate.roots) if (await gate.letsFolder(root)) return root
      return refuse(verb, 'Everything', 'no root is open')
    }
    const real = realFolder(projectPath)
    if (real === null || !(await gate.letsFolder(real))) return refuse(verb, projectPath, 'outside the roots')
    return real
  }

  /** Those that may be seen, and of these the ones of a project where one is named. */
  async function seenIn(projectPath: string | undefined, verb: string): Promise<readonly CatalogSession[]> {
    const folder = projectPath === undefined ? null : await scopeOf(projectPath, verb)
    const { seen } = await visible.sessions()
    if (folder === null) return seen
    return (await part(seen, createGate(app, { roots: [folder], home, now }))).inside
  }

  /** The same of sessions that were deleted, and that a search may still find. */
  async function deletedIn(projectPath: string | undefined, verb: string): Promise<readonly CatalogSession[]> {
    const { inside } = await part(await app.listDeleted(), gate)
    const folder = projectPath === undefined ? null : await scopeOf(projectPath, verb)
    return folder === null ? inside : (await part(inside, createGate(app, { roots: [folder], home, now }))).inside
  }

  /** What is not known a moment ago is looked for anew: a fork just made has an id the kept list does not have. */
  async function find(
    verb: string,
    text: string,
    name: Parameters<typeof findSession>[0],
    whole = false,
  ): Promise<CatalogSession> {
    const look = async () => findSession(name, await visible.sessions(), whole)
    let found = await look()
    if (found.kind === 'unknown') {
      visible.forget()
      found = await look()
    }
    if (found.kind === 'hidden') return refuse(verb, sessionAddress(found.session), 'its folder is outside the roots')
    if (found.kind === 'unknown') throw unknownSession(text, found.near)
    return found.session
  }

  /** The address pinned to one session that may be seen. */
  async function pin(verb: string, text: string): Promise<{ readonly session: CatalogSession; readonly address: string }> {
    const { session: name, turn } = parseAddress(text)
    const session =
      name.kind === 'worker' ? await workers.sessionOf(verb, name.name) : await find(verb, text.replace(/@[^@/]*$/, ''), name)
    return { session, address: writeAddress(session, turn) }
  }

  /** A session in a caller's hands is only a name: where its file is decides, not what else stands in it. */
  async function requireSeen(verb: string, { agent, path }: CatalogSession): Promise<CatalogSession> {
    const session = await find(verb, path, { kind: 'path', path })
    if (session.agent !== agent) throw unknownSession(path, [])
    return session
  }

  async function pinFork(verb: string, request: ForkRequest): Promise<ForkRequest> {
    const { address } = await pin(verb, request.address)
    const { at, before, codeAt } = request
    return {
      ...request,
      address,
      ...(at === undefined ? {} : { at: checkTurn(at) }),
      ...(before === undefined ? {} : { before: checkTurn(before) }),
      ...(codeAt === undefined ? {} : { codeAt: checkTurn(codeAt) }),
    }
  }

  async function plannedFork(id: string): Promise<Plan> {
    const plan = app.plannedFork(id)
    await pin('fork', `${plan.parent.agent}:${plan.parent.sessionId}`)
    return plan
  }

  async function pinWorker(request: WorkerRequest): Promise<WorkerRequest> {
    const { resume, atTurn, planId } = request
    if (planId !== undefined) await plannedFork(planId)
    return {
      ...request,
      projectPath: await scopeOf(request.projectPath, 'spawn_worker'),
      ...(resume === undefined ? {} : { resume: (await pin('spawn_worker', resume)).address }),
      ...(atTurn === undefined ? {} : { atTurn: checkTurn(atTurn) }),
    }
  }

  /** What fails below may name sessions that may not be seen. */
  async function cleaned<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw cleanError(error, (await visible.sessions()).seen)
    }
  }

  /** Runs what makes or changes sessions; the next list is looked at anew. */
  async function changing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await cleaned(work)
    } finally {
      visible.forget()
    }
  }

  const workers = createWorkerGate(app, { gate, visible, refuse, find })

  return {
    roots: gate.roots,
    scopeOf: (projectPath) => scopeOf(projectPath),

    async listSessions({ agent, projectPath, limit, offset = 0 } = {}) {
      const seen = await seenIn(projectPath, 'list_sessions')
      const wanted = agent === undefined ? seen : seen.filter((session) => session.agent === agent)
      return wanted.slice(offset, limit === undefined ? undefined : offset + limit)
    },

    session: async (id) => find('session', id, parseSessionId(id), true),

    async resolve(text): Promise<Target> {
      const { session, address } = await pin('resolve', text)
      if (address === session.path) return { session, turn: null, messageId: null }
      return { ...(await cleaned(() => app.resolve(address))), session }
    },

    async listTurns(session, turnOptions) {
      return app.listTurns(await requireSeen('list_turns', session), { ...turnOptions, refresh: !isWatched() })
    },

    async *readSession(session, readOptions) {
      yield* app.readSession(await requireSeen('read_session', session), readOptions)
    },

    async readPage(session, range) {
      return app.readPage(await requireSeen('read_session', session), range)
    },

    async readTurns(session, range) {
      return app.readTurns(await requireSeen('read_session', session), range)
    },

    async tree(of) {
      const from = of === undefined ? null : await requireSeen('tree', of)
      // Made of what may be seen alone: a parent outside is not there, and its children are roots.
      const forest = buildForest((await visible.sessions()).seen)
      return from === null ? forest : findTree(forest, from)
    },

    async diff({ from, to }) {
      if (from === 'now') throw new AppError('usage', 'Compare from a turn: `now` can only be what it is compared to.')
      const { address, session } = await pin('diff', from)
      const other = to === null || to === 'now' ? to : (await pin('diff', to)).address
      // Where the server was started says nothing: `now` is the work tree of the session.
      const nowAt = session.cwd === null ? {} : { nowAt: session.cwd }
      return cleaned(() => app.diff({ from: address, ...(other === null ? {} : { to: other }), ...nowAt }))
    },

    async search({ projectPath, repo, among: _, ...query }, signal) {
      options.onSearch?.()
      const seen = await seenIn(projectPath ?? repo, 'search')
      const deleted = await deletedIn(projectPath ?? repo, 'search')
      const among = new Set([...seen, ...deleted].map(placeOf))
      try {
        const answer = await app.search(
          { ...query, among },
          { ...(signal === undefined ? {} : { signal }), ...(searchUpdateMs === undefined ? {} : { updateMs: searchUpdateMs }) },
        )
        const shown = new Map([...deleted, ...(await visible.sessions()).seen].map((session) => [placeOf(session), session]))
        const results = answer.results.flatMap((result) => {
          const session = shown.get(placeOf(result.session))
          return session === undefined || !among.has(placeOf(session)) ? [] : [{ ...result, session }]
        })
        return { ...answer, results }
      } catch (error) {
        const ofAgent = query.agent === undefined ? seen : seen.filter((one) => one.agent === query.agent)
        throw cleanError(withOwnFallback(error, ofAgent.slice(0, query.limit ?? fallbackCount)), seen)
      }
    },

    planFork: async (request) => {
      const pinned = await pinFork('plan_fork', request)
      return cleaned(() => app.planFork(pinned))
    },
    plannedFork,
    executePlanned: async (id, forkOptions) => {
      await plannedFork(id)
      return changing(() => app.executePlanned(id, forkOptions))
    },
    fork: async (request, forkOptions) => {
      const pinned = await pinFork('fork', request)
      return changing(() => app.fork(pinned, forkOptions))
    },

    async listWorkers(listOptions) {
      return workers.filter(await app.listWorkers(listOptions))
    },
    findWorker: async (name) => maskWorker(await workers.find('find_worker', name)),
    planSpawnedFork: async (request) => {
      const pinned = await pinWorker(request)
      return cleaned(() => app.planSpawnedFork(pinned))
    },
    spawnWorker: async (request, spawnOptions) => {
      const pinned = await pinWorker(request)
      return maskWorker(await changing(() => app.spawnWorker(pinned, spawnOptions)))
    },
    sendToWorker: async (name, prompt, sendOptions) => {
      const { id } = await workers.find('send_to_worker', name)
      const sent = await changing(() => app.sendToWorker(id, prompt, sendOptions))
      return { ...sent, worker: maskWorker(sent.worker) }
    },
    sendToSession: async (session, prompt, sendOptions) => {
      const seen = await requireSeen('send_to_session', session)
      const sent = await changing(() => app.sendToSession(seen, prompt, sendOptions))
      return { ...sent, worker: maskWorker(sent.worker) }
    },
    interruptWorker: async (name) => {
      const { id } = await workers.find('interrupt_worker', name)
      return maskWorker(await changing(() => app.interruptWorker(id)))
    },
    answerPermission: async (name, requestId, decision) => {
      const { id } = await workers.find('answer_permission', name)
      return maskWorker(await changing(() => app.answerPermission(id, requestId, decision)))
    },
    forkWorker: async (name, request, forkOptions) => {
      const { id } = await workers.find('fork_worker', name)
      if (request?.planId !== undefined) await plannedFork(request.planId)
      return maskWorker(await changing(() => app.forkWorker(id, pinWorkerFork(request), forkOptions)))
    },
    planForkWorker: async (name, request) => {
      const { id } = await workers.find('fork_worker', name)
      return cleaned(() => app.planForkWorker(id, pinWorkerFork(request)))
    },
    stopWorker: async (name) => {
      const { id } = await workers.find('stop_worker', name)
      return maskWorker(await changing(() => app.stopWorker(id)))
    },

    onEvent: (listener) => filterEvents((hear) => app.onEvent(hear), { gate, visible, maskWorker, now }, listener),
    indexStatus: () => app.indexStatus(),
    doctor: () => app.doctor(),
  }
}

/** A turn of the worker's own session, and of no other. */
function pinWorkerFork(request: ForkWorkerRequest = {}): ForkWorkerRequest {
  const { atTurn, before, codeAt } = request
  return {
    ...request,
    ...(atTurn === undefined ? {} : { atTurn: checkTurn(atTurn) }),
    ...(before === undefined ? {} : { before: checkTurn(before) }),
    ...(codeAt === undefined ? {} : { codeAt: checkTurn(codeAt) }),
  }
}

function placeOf({ agent, path }: Pick<CatalogSession, 'agent' | 'path'>): string {
  return `${agent}:${path}`
}

/** Where nobody says how many. */
const fallbackCount = 10

/** The sessions offered instead of an answer may only be such as may be seen. */
function withOwnFallback(error: unknown, fallbackSessions: readonly CatalogSession[]): unknown {
  if (!(error instanceof AppError) || error.code !== 'qmd_not_available') return error
  const { nextSteps } = error.details as QmdGuidance
  const details: QmdGuidance = { nextSteps, fallbackSessions }
  return new AppError(error.code, error.message, { hint: error.hint, details, cause: error.cause })
}
