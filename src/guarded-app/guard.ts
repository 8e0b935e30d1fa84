// The guard itself: each verb names what it is about, has it judged, and hands on only what was judged.
import type { App } from '../app.ts'
import { buildForest, findTree } from '../catalog/tree.ts'
import { unknownPlan } from '../fork/planned.ts'
import { seenOf } from '../fork/seen.ts'
import type { GuardedApp, GuardOptions } from '../guarded-app.ts'
import { realFolder } from '../lib/within.ts'
import { parseAddress, parseTurnName } from '../model/address.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkRequest, Plan } from '../model/fork.ts'
import type { QmdGuidance } from '../model/qmd.ts'
import { sessionAddress } from '../model/render.ts'
import type { SearchResult } from '../model/search.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { ForkWorkerRequest, Worker, WorkerRequest } from '../model/worker.ts'
import { nothingToContinue } from '../workers/refusals.ts'
import { checkRequest } from '../workers/session.ts'
import { cleanError } from './errors.ts'
import { changesSessions, filterEvents } from './events.ts'
import { createGate, joinGates } from './gate.ts'
import { checkTurn, findSession, parseSessionId, unknownSession, writeAddress, writeTurn } from './names.ts'
import { createTurnGate } from './turn-gate.ts'
import type { PartlySeen } from './turns.ts'
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
  async function pinTurn(
    verb: string,
    { part }: Pick<Pinned, 'part'>,
    text: string,
  ): Promise<{ name: string; turn?: Turn | null }> {
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

  async function pinFork(verb: string, request: ForkRequest): Promise<ForkRequest> {
    const pinned = await pin(verb, request.address)
    const { part } = pinned
    const at = request.at === undefined ? null : await pinTurn(verb, pinned, request.at)
    const before = request.before === undefined ? null : await pinTurn(verb, pinned, request.before)
    const codeAt = request.codeAt === undefined ? null : await pinTurn(verb, pinned, request.codeAt)
    if (part !== null) await turns.requireKept(verb, part, (at ?? before ?? pinned).turn)
    const { sessionId: _, ...rest } = request
    return {
      ...rest,
      address: pinned.address,
      ...(at === null ? {} : { at: at.name }),
      ...(before === null ? {} : { before: before.name }),
      ...(codeAt === null ? {} : { codeAt: codeAt.name }),
      ...(part === null ? {} : { seenAs: seenAs(part.shown) }),
      isOpen: gate.letsCode,
    }
  }

  /** What may be seen of a session known by its id; `null`: all of it, or there is none yet. */
  async function partOfId({ agent, sessionId }: Pick<Plan['parent'], 'agent' | 'sessionId'>): Promise<PartlySeen | null> {
    const found = findSession({ kind: 'id', agent, prefix: sessionId }, await visible.sessions(), true)
    return found.kind === 'seen' ? turns.partOf(found.session) : null
  }

  /** How many turns are left behind would count those that may not be seen. */
  async function maskPlan(plan: Plan): Promise<Plan> {
    const part = await partOfId(plan.parent)
    const turn = plan.turn === null ? null : ((await turns.maskCode([plan.turn]))[0] ?? null)
    if (part === null) return { ...plan, turn }
    return { ...plan, turn, droppedTurns: Math.max(0, part.shown.turns - plan.keptTurns) }
  }

  async function plannedFork(id: string): Promise<Plan> {
    const plan = app.plannedFork(id)
    const { agent, sessionId } = plan.parent
    const look = async () => findSession({ kind: 'id', agent, prefix: sessionId }, await visible.sessions(), true)
    const found = await look()
    const part = found.kind === 'seen' ? await turns.partOf(found.session) : null
    const code = seenOf(plan).atTurn?.code
    // It may have been made for somebody who may see more.
    const isKept = (part === null || isSeenPlan(plan, part)) && (code === undefined || (await gate.letsCode(code)))
    if (found.kind !== 'seen' || !isKept) {
      note('fork', `${agent}:${sessionId}`, 'its folder is outside the roots')
      throw unknownPlan(id)
    }
    return maskPlan(plan)
  }

  async function maskResult(result: SearchResult, part: PartlySeen | undefined, mode: string): Promise<SearchResult> {
    if (part === undefined) return result
    const masked = maskHit(result, part, mode)
    const turn = part.turns.find(({ id }) => id === masked.turn?.id)
    if (!result.canFork || (await turns.isKeptSeen(part, turn))) return masked
    return { ...masked, canFork: false, warning: 'This turn cannot be forked here: turns before it are not in an open project.' }
  }

  async function pinWorker(request: WorkerRequest): Promise<WorkerRequest> {
    checkRequest(request)
    // A program chooses no session ids: one that is taken outside would have to be refused.
    const { resume, planId, continue: goesOn, sessionId: _, ...rest } = request
    if (planId !== undefined) await plannedFork(planId)
    const projectPath = await scopeOf(request.projectPath, 'spawn_worker')
    // An agent starts next: what it is handed is judged as it is now.
    if (resume !== undefined || goesOn === true) visible.forget()
    const named = goesOn === true ? (await newestIn(projectPath, request.agent)).path : resume
    const pinned = named === undefined ? null : await pin('spawn_worker', named)
    const atTurn = request.atTurn === undefined ? null : checkTurn(request.atTurn)
    const at = atTurn === null || pinned === null ? null : await pinTurn('spawn_worker', pinned, atTurn)
    const codeAt = request.codeAt === undefined || pinned === null ? null : await pinTurn('spawn_worker', pinned, request.codeAt)
    const part = pinned?.part ?? null
    if (part !== null && request.fork === true) await turns.requireKept('spawn_worker', part, (at ?? pinned)?.turn)
    else if (part !== null) await turns.requireAll('spawn_worker', part)
    return workers.withUnseen({
      ...rest,
      ...(planId === undefined ? {} : { planId }),
      projectPath,
      ...(pinned === null ? {} : { resume: pinned.address }),
      ...(atTurn === null ? {} : { atTurn: at?.name ?? atTurn }),
      ...(codeAt === null ? {} : { codeAt: codeAt.name }),
      ...(part === null || request.fork !== true ? {} : { seenAs: seenAs(part.shown) }),
      ...(request.fork === true ? { isOpen: gate.letsCode } : {}),
    })
  }

  /** Chosen here and handed on by its file: what is chosen later, by the app or the agent, could be another than the one judged. */
  async function newestIn(folder: string, agent: AgentId): Promise<CatalogSession> {
    const { seen } = await visible.sessions()
    const newest = seen.find((each) => each.agent === agent && each.cwd === folder && each.state === 'present')
    if (newest === undefined) throw nothingToContinue(agent, folder)
    return newest
  }

  /** Turns of the worker's own session that may be seen, and of no other: those of its dead branches may be hidden. */
  async function pinWorkerFork({ agent, sessionId }: Worker, request: ForkWorkerRequest = {}): Promise<ForkWorkerRequest> {
    const part = sessionId === null ? null : await partOfId({ agent, sessionId })
    const pinOne = async (text: string | undefined) => (text === undefined ? null : pinTurn('fork_worker', { part }, text))
    const [at, before, codeAt] = [await pinOne(request.atTurn), await pinOne(request.before), await pinOne(request.codeAt)]
    if (part !== null) await turns.requireKept('fork_worker', part, (at ?? before)?.turn)
    const { sessionId: _, ...rest } = request
    return workers.withUnseen({
      ...rest,
      ...(at === null ? {} : { atTurn: at.name }),
      ...(before === null ? {} : { before: before.name }),
      ...(codeAt === null ? {} : { codeAt: codeAt.name }),
      isOpen: gate.letsCode,
    })
  }

  /** What fails below may name sessions and folders that may not be seen. */
  async function cleaned<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await cleanError(error, { sessions: await visible.sessions(), gate, home })
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
      const turn = target.turn === null ? null : ((await turns.maskCode([target.turn]))[0] ?? null)
      return { ...target, session, turn, ...(part === null ? {} : { turns: await turns.maskCode(part.turns) }) }
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
      if (page === null || (await turns.seenTurns(seen, page.turns)).length < page.turns.length) return null
      return { ...page, messages: await turns.maskMessages(seen, page.messages) }
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
      const { address, session } = await pin('diff', from)
      const other = to === null || to === 'now' ? to : (await pin('diff', to)).address
      // Where the server was started says nothing: `now` is the work tree of the session.
      const nowAt = session.cwd === null ? {} : { nowAt: session.cwd }
      // Without a turn the code is that of the last captured one that may be seen.
      const limits = { turnsOf: seenTurnsOf((await visible.sessions()).partly), isOpen: gate.letsCode }
      return cleaned(() => app.diff({ from: address, ...(other === null ? {} : { to: other }), ...nowAt, ...limits }))
    },

    async search({ projectPath, repo, among: _, turnsOf: __, ...query }, signal) {
      options.onSearch?.()
      const seen = await seenIn(projectPath ?? repo, 'search')
      const deleted = await deletedIn(projectPath ?? repo, 'search')
      const among = new Set([...seen, ...deleted].map(placeOf))
      const { partly } = await visible.sessions()
      try {
        const answer = await app.search(
          { ...query, among, ...(partly.size === 0 ? {} : { turnsOf: seenTurnsOf(partly) }) },
          { ...(signal === undefined ? {} : { signal }), ...(searchUpdateMs === undefined ? {} : { updateMs: searchUpdateMs }) },
        )
        const shown = new Map([...deleted, ...(await visible.sessions()).seen].map((session) => [placeOf(session), session]))
        const results = answer.results.map(async (result) => {
          const session = shown.get(placeOf(result.session))
          if (session === undefined || !among.has(placeOf(session))) return []
          return [await maskResult({ ...result, session }, partly.get(placeOf(session)), answer.mode)]
        })
        return { ...answer, results: (await Promise.all(results)).flat() }
      } catch (error) {
        const ofAgent = query.agent === undefined ? seen : seen.filter((one) => one.agent === query.agent)
        const sessions = { ...(await visible.sessions()), seen }
        throw await cleanError(withOwnFallback(error, ofAgent.slice(0, query.limit ?? fallbackCount)), { sessions, gate, home })
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
      return maskPlan(await cleaned(() => app.planSpawnedFork(pinned)))
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
      visible.forget()
      const seen = await requireSeen('send_to_session', session)
      const part = await turns.partOf(seen)
      if (part !== null) await turns.requireAll('send_to_session', part)
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
      const worker = await workers.find('fork_worker', name)
      if (request?.planId !== undefined) await plannedFork(request.planId)
      const pinned = await pinWorkerFork(worker, request)
      return maskWorker(await changing(() => app.forkWorker(worker.id, pinned, forkOptions)))
    },
    planForkWorker: async (name, request) => {
      const worker = await workers.find('fork_worker', name)
      const pinned = await pinWorkerFork(worker, request)
      return maskPlan(await cleaned(() => app.planForkWorker(worker.id, pinned)))
    },
    stopWorker: async (name) => {
      const { id } = await workers.find('stop_worker', name)
      return maskWorker(await changing(() => app.stopWorker(id)))
    },

    onEvent: (listener) => filterEvents((hear) => app.onEvent(hear), { gate, visible, maskWorker, now }, listener),
    async indexStatus() {
      const { seen, partly } = await visible.sessions()
      return app.indexStatus({ among: new Set(seen.map(placeOf)), turnsOf: seenTurnsOf(partly) })
    },
    doctor: () => app.doctor(),
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
  const {
    title,
    titleFrom,
    label = null,
    cwd,
    branch,
    repoId,
    repoRoot,
    repoClaimed = false,
    model,
    contextWindow = null,
  } = shown
  return { title, titleFrom, label, cwd, branch, repoId, repoRoot, repoClaimed, model, contextWindow }
}

function seenTurnsOf(partly: ReadonlyMap<string, PartlySeen>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...partly].map(([place, part]) => [place, new Set(part.turns.map(({ id }) => id))]))
}

function isSeenPlan({ turn, cut }: Plan, part: PartlySeen): boolean {
  if (turn === null) return !part.hidesStart && (cut.kind !== 'tip' || !part.hidesLive)
  return turn.number !== null && turn.number < part.firstHidden && part.turns.some(({ id }) => id === turn.id)
}

/** What was not found in the text of a seen turn shows the title and the end of what may be seen. */
function maskHit(result: SearchResult, part: PartlySeen, mode: string): SearchResult {
  const isOfSeen = part.turns.some(({ id }) => id === result.turn?.id)
  if (isOfSeen && mode !== 'recent') return result
  const last = part.turns.findLast(({ number }) => number !== null)
  const turn = last === undefined ? null : { id: last.id, number: last.number }
  return { ...result, turn, snippet: { text: part.shown.title, marks: [] } }
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
