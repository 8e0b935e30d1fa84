// The guard itself: each verb names what it is about, has it judged, and hands on only what was judged.
import type { App } from '../app.ts'
import { buildForest, findTree } from '../catalog/tree.ts'
import { realFolder } from '../catalog/within.ts'
import { unknownPlan } from '../fork/planned.ts'
import type { GuardedApp, GuardOptions } from '../guarded-app.ts'
import { parseAddress, parseTurnName } from '../model/address.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkRequest, Plan } from '../model/fork.ts'
import type { QmdGuidance } from '../model/qmd.ts'
import { sessionAddress } from '../model/render.ts'
import type { SearchResult } from '../model/search.ts'
import type { Turn } from '../model/session.ts'
import type { ForkWorkerRequest, WorkerRequest } from '../model/worker.ts'
import { cleanError } from './errors.ts'
import { changesSessions, filterEvents } from './events.ts'
import { createGate, joinGates } from './gate.ts'
import { checkTurn, findSession, parseSessionId, unknownSession, writeAddress, writeTurn } from './names.ts'
import { createTurnGate } from './turn-gate.ts'
import { type PartlySeen, unknownTurn } from './turns.ts'
import { createVisible, part, placeOf } from './visible.ts'
import { createWorkerGate, maskWorker } from './workers.ts'

export function guardApp(app: App, options: GuardOptions): GuardedApp {
  const { surface, onRefusal, now, home, searchUpdateMs, isWatched = () => false } = options
  const open = createGate(app, { roots: options.roots, home, now })
  const gate = options.within === undefined ? open : joinGates(open, createGate(app, { roots: options.within, home, now }))
  const visible = createVisible(app, gate, { now, isWatched })
  if (options.isWatched !== undefined) app.onEvent((event) => changesSessions(event) && visible.told())

  /** For the owner's log alone: whoever asked gets the answer that an unknown name gets. */
  function note(verb: string, subject: string, reason: string): void {
    onRefusal({ at: now(), verb: `${verb} ${surface}`, subject, reason })
  }

  function refuse(verb: string, subject: string, reason: string): never {
    note(verb, subject, reason)
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
    return partWithin(seen, folder)
  }

  /** The same of sessions that were deleted, and that a search may still find. */
  async function deletedIn(projectPath: string | undefined, verb: string): Promise<readonly CatalogSession[]> {
    // Which turns were whose is not known of these any more: only those that were inside all the time are shown.
    const { whole } = await part(await app.listDeleted(), gate)
    const folder = projectPath === undefined ? null : await scopeOf(projectPath, verb)
    return folder === null ? whole : partWithin(whole, folder)
  }

  async function partWithin(sessions: readonly CatalogSession[], folder: string): Promise<readonly CatalogSession[]> {
    const { outside } = await part(sessions, createGate(app, { roots: [folder], home, now }))
    const left = new Set(outside)
    return sessions.filter((session) => !left.has(session))
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
    if (found.kind !== 'seen') {
      visible.forget()
      found = await look()
    }
    if (found.kind === 'seen') return found.session
    if (found.hidden !== null) note(verb, sessionAddress(found.hidden), 'its folder is outside the roots')
    throw unknownSession(text, found.near)
  }

  /** The address pinned to one session that may be seen. */
  async function pin(verb: string, text: string): Promise<Pinned> {
    const { session: name, turn } = parseAddress(text)
    const session =
      name.kind === 'worker' ? await workers.sessionOf(verb, name.name) : await find(verb, text.replace(/@[^@/]*$/, ''), name)
    const part = await turns.partOf(session)
    if (part === null || turn === null) return { session, part, address: writeAddress(session, turn) }
    const pinned = await turns.pinTurn(verb, part, turn)
    return { session, part, turn: pinned.turn, address: writeAddress(session, pinned.name) }
  }

  /** The name of a turn of the session; where only part of it may be seen, of one that may. */
  async function pinTurn(verb: string, { part }: Pinned, text: string): Promise<{ name: string; turn?: Turn | null }> {
    const name = checkTurn(text)
    if (part === null) return { name }
    const pinned = await turns.pinTurn(verb, part, parseTurnName(name))
    return { name: writeTurn(pinned.name), turn: pinned.turn }
  }

  /** A session in a caller's hands is only a name: where its file is decides, not what else stands in it. */
  async function requireSeen(verb: string, { agent, path }: CatalogSession): Promise<CatalogSession> {
    const session = await find(verb, path, { kind: 'path', path })
    if (session.agent !== agent) throw unknownSession(path, [])
    return session
  }

  /** Without a turn the code is that of the last captured one; where not all may be seen, that of the last that may. */
  async function pinCode(verb: string, text: string): Promise<Pinned> {
    const pinned = await pin(verb, text)
    if (pinned.part === null || pinned.turn !== undefined) return pinned
    return pin(verb, `${pinned.session.path}@last`)
  }

  async function pinFork(verb: string, request: ForkRequest): Promise<ForkRequest> {
    const pinned = await pin(verb, request.address)
    const { part } = pinned
    const at = request.at === undefined ? null : await pinTurn(verb, pinned, request.at)
    const before = request.before === undefined ? null : await pinTurn(verb, pinned, request.before)
    const codeAt = request.codeAt === undefined ? null : await pinTurn(verb, pinned, request.codeAt)
    if (part !== null) await turns.requireKept(verb, part, (at ?? before ?? pinned).turn)
    return {
      ...request,
      address: pinned.address,
      ...(at === null ? {} : { at: at.name }),
      ...(before === null ? {} : { before: before.name }),
      ...(codeAt === null ? {} : { codeAt: codeAt.name }),
      ...(part === null ? {} : { seenAs: seenAs(part.shown) }),
    }
  }

  /** How many turns are left behind would count those that may not be seen. */
  async function maskPlan(plan: Plan): Promise<Plan> {
    const { agent, sessionId } = plan.parent
    const found = findSession({ kind: 'id', agent, prefix: sessionId }, await visible.sessions(), true)
    const part = found.kind === 'seen' ? await turns.partOf(found.session) : null
    return part === null ? plan : { ...plan, droppedTurns: Math.max(0, part.shown.turns - plan.keptTurns) }
  }

  async function plannedFork(id: string): Promise<Plan> {
    const plan = app.plannedFork(id)
    const { agent, sessionId } = plan.parent
    const look = async () => findSession({ kind: 'id', agent, prefix: sessionId }, await visible.sessions(), true)
    const found = await look()
    const part = found.kind === 'seen' ? await turns.partOf(found.session) : null
    const isKept = part === null || isSeenPlan(plan, part)
    if (found.kind !== 'seen' || !isKept) {
      note('fork', `${agent}:${sessionId}`, 'its folder is outside the roots')
      throw unknownPlan(id)
    }
    return maskPlan(plan)
  }

  async function pinWorker(request: WorkerRequest): Promise<WorkerRequest> {
    const { resume, planId } = request
    if (planId !== undefined) await plannedFork(planId)
    const projectPath = await scopeOf(request.projectPath, 'spawn_worker')
    const pinned = resume === undefined ? null : await pin('spawn_worker', resume)
    const atTurn = request.atTurn === undefined ? null : checkTurn(request.atTurn)
    const at = atTurn === null || pinned === null ? null : await pinTurn('spawn_worker', pinned, atTurn)
    // An agent that goes on has all of the session before it, and begins where the session is now.
    if (pinned?.part != null) {
      await turns.requireKept('spawn_worker', pinned.part, request.fork === true ? (at ?? pinned).turn : undefined)
      if (pinned.part.shown.cwd !== pinned.part.original.cwd) throw unknownTurn(pinned.part)
    }
    return {
      ...request,
      projectPath,
      ...(pinned === null ? {} : { resume: pinned.address }),
      ...(atTurn === null ? {} : { atTurn: at?.name ?? atTurn }),
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

  const turns = createTurnGate(app, { gate, visible, note })
  const workers = createWorkerGate(app, { gate, visible, note, find })

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
      const { session, address, part } = await pin('resolve', text)
      if (address === session.path) return { session, turn: null, messageId: null }
      const target = await cleaned(() => app.resolve(address))
      return { ...target, session, ...(part === null ? {} : { turns: part.turns }) }
    },

    async listTurns(session, turnOptions) {
      const seen = await requireSeen('list_turns', session)
      return turns.seenTurns(seen, await app.listTurns(seen, { ...turnOptions, refresh: !isWatched() }))
    },

    async *readSession(session, readOptions) {
      const seen = await requireSeen('read_session', session)
      yield* turns.entries(seen, app.readSession(seen, readOptions))
    },

    async readPage(session, range) {
      const seen = await requireSeen('read_session', session)
      const page = (await turns.partOf(seen)) === null ? await app.readPage(seen, range) : null
      // Its indexes count all messages: where some may not be seen, only reading from the start can tell.
      return page !== null && (await turns.seenTurns(seen, page.turns)).length < page.turns.length ? null : page
    },

    async readTurns(session, range) {
      const seen = await requireSeen('read_session', session)
      return turns.ofTurns(seen, await app.readTurns(seen, range))
    },

    async tree(of) {
      const from = of === undefined ? null : await requireSeen('tree', of)
      // Made of what may be seen alone: a parent outside is not there, and its children are roots.
      const forest = buildForest((await visible.sessions()).seen)
      return from === null ? forest : findTree(forest, from)
    },

    async diff({ from, to }) {
      if (from === 'now') throw new AppError('usage', 'Compare from a turn: `now` can only be what it is compared to.')
      const { address, session } = await pinCode('diff', from)
      const other = to === null || to === 'now' ? to : (await pinCode('diff', to)).address
      // Where the server was started says nothing: `now` is the work tree of the session.
      const nowAt = session.cwd === null ? {} : { nowAt: session.cwd }
      return cleaned(() => app.diff({ from: address, ...(other === null ? {} : { to: other }), ...nowAt }))
    },

    async search({ projectPath, repo, among: _, turnsOf: __, ...query }, signal) {
      options.onSearch?.()
      const seen = await seenIn(projectPath ?? repo, 'search')
      const deleted = await deletedIn(projectPath ?? repo, 'search')
      const among = new Set([...seen, ...deleted].map(placeOf))
      const { partly } = await visible.sessions()
      const seenIds = new Map([...partly].map(([place, part]) => [place, new Set(part.turns.map(({ id }) => id))]))
      try {
        const answer = await app.search(
          { ...query, among, ...(partly.size === 0 ? {} : { turnsOf: seenIds }) },
          { ...(signal === undefined ? {} : { signal }), ...(searchUpdateMs === undefined ? {} : { updateMs: searchUpdateMs }) },
        )
        const shown = new Map([...deleted, ...(await visible.sessions()).seen].map((session) => [placeOf(session), session]))
        const results = answer.results.flatMap((result) => {
          const session = shown.get(placeOf(result.session))
          if (session === undefined || !among.has(placeOf(session))) return []
          return maskResult({ ...result, session }, partly.get(placeOf(session)), answer.mode)
        })
        return { ...answer, results }
      } catch (error) {
        const ofAgent = query.agent === undefined ? seen : seen.filter((one) => one.agent === query.agent)
        throw cleanError(withOwnFallback(error, ofAgent.slice(0, query.limit ?? fallbackCount)), seen)
      }
    },

    planFork: async (request) => {
      const pinned = await pinFork('plan_fork', request)
      return maskPlan(await cleaned(() => app.planFork(pinned)))
    },
    plannedFork,
    executePlanned: async (id, forkOptions) => {
      await plannedFork(id)
      return changing(() => app.executePlanned(id, forkOptions))
    },
    fork: async (request, forkOptions) => {
      const pinned = await pinFork('fork', request)
      const made = await changing(() => app.fork(pinned, forkOptions))
      return { ...made, plan: await maskPlan(made.plan) }
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
      const part = await turns.partOf(seen)
      if (part !== null) await turns.requireKept('send_to_session', part, undefined)
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
    indexStatus: async () => app.indexStatus(new Set((await visible.sessions()).seen.map(placeOf))),
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

interface Pinned {
  readonly session: CatalogSession
  /** Set where only part of the session may be seen. */
  readonly part: PartlySeen | null
  readonly address: string
  /** Where only part may be seen: the turn that is named; `null`: the state before the first one. */
  readonly turn?: Turn | null
}

function seenAs(shown: CatalogSession): NonNullable<ForkRequest['seenAs']> {
  const { title, titleFrom, label = null, cwd, branch, repoId, repoRoot, repoClaimed = false } = shown
  return { title, titleFrom, label, cwd, branch, repoId, repoRoot, repoClaimed }
}

function isSeenPlan({ turn, cut }: Plan, part: PartlySeen): boolean {
  if (turn === null) return cut.kind !== 'tip' || !part.hidesLive
  return turn.number !== null && turn.number < part.firstHidden && part.turns.some(({ id }) => id === turn.id)
}

/** What was not found in the text of a seen turn shows the title and the end of what may be seen. */
function maskResult(result: SearchResult, part: PartlySeen | undefined, mode: string): readonly SearchResult[] {
  if (part === undefined) return [result]
  const isOfSeen = part.turns.some(({ id }) => id === result.turn?.id)
  if (isOfSeen && mode !== 'recent') return [result]
  const last = part.turns.findLast(({ number }) => number !== null)
  const turn = last === undefined ? null : { id: last.id, number: last.number }
  return [{ ...result, turn, snippet: { text: part.shown.title, marks: [] } }]
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
