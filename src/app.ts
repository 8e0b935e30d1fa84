// The one place that knows all parts and wires them. Every face calls only this.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Entry, ReadOptions } from './agents/agent.ts'
import { builtinAgents } from './agents/index.ts'
import type { AfterOptions, AfterReport } from './capture/after.ts'
import { createCapture } from './capture/capture.ts'
import type { CaptureWatching, WatchCaptureOptions } from './capture/watcher.ts'
import { createCatalog } from './catalog/catalog.ts'
import type { MessagePage, PageRange } from './catalog/read-page.ts'
import type { TurnRange, TurnsRead } from './catalog/read-turns.ts'
import { readModelSettings } from './config/models.ts'
import { resolvePaths } from './config/paths.ts'
import { readSetting } from './config/read.ts'
import { readWorkerDefaults } from './config/workers.ts'
import type { ForkContext } from './fork/context.ts'
import { createForking, tellForks } from './fork/fork.ts'
import { readModels } from './fork/models.ts'
import { createEventLog } from './lib/event-log.ts'
import { exec } from './lib/exec.ts'
import type { ProcessOwner } from './lib/process-owner.ts'
import type {
  CaptureStatus,
  DiffRequest,
  DiffResult,
  GcReport,
  HookOutcome,
  HookRequest,
  HookStatus,
  PushState,
  RebuildReport,
  RestoreEntry,
  RestorePlan,
  RestoreRequest,
  RestoreResult,
} from './model/capture.ts'
import type {
  ArchiveOptions,
  ArchiveReport,
  CatalogSession,
  Check,
  CostComparison,
  LineageNode,
  RefreshProgress,
  RefreshReport,
  Repository,
  SessionChange,
  SessionQuery,
  Target,
} from './model/catalog.ts'
import { AppError } from './model/error.ts'
import type { AppEvent } from './model/event.ts'
import type {
  CommandSpec,
  ForkEntry,
  ForkRequest,
  ForkResult,
  Plan,
  RecoverReport,
  UndoResult,
  WarningCode,
} from './model/fork.ts'
import type { QmdReport } from './model/qmd.ts'
import type { Decision, RunEvent } from './model/run.ts'
import type { IndexReport, IndexState, SearchAnswer, SearchQuery } from './model/search.ts'
import type { Turn } from './model/session.ts'
import type { StartEntry, StartPlan, StartRequest, StartResult } from './model/start.ts'
import type { ForkWorkerRequest, SendResult, SpawnedWorker, Worker, WorkerHolder, WorkerRequest } from './model/worker.ts'
import { createSearch, type QmdUpdateOptions, type SearchOptions, type UpdateOptions } from './search/search.ts'
import { createGit } from './snapshots/git.ts'
import type { TerminalsOptions } from './terminals/index.ts'
import type { TerminalId } from './terminals/terminal.ts'
import { createWorkers } from './workers/workers.ts'

export interface AppOptions {
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** Where the person stands: decides which repository commands speak of. */
  readonly cwd: string
  readonly now: () => number
  /** Default: every agent offshoot knows. */
  readonly agents?: readonly Agent[]
  /** Told where a damaged database was moved to before it was rebuilt. */
  readonly onRepair?: (movedTo: string) => void
  /** Told before and after each step of a fork or an undo. */
  readonly onForkStep?: (moment: string) => void
  /** Speaks to the process that holds a headless worker (the server of this home), should that not be this one. */
  readonly reachHolder?: (owner: ProcessOwner) => Promise<WorkerHolder | null>
  /** Another tmux server than that of `$TMUX` or the default one. */
  readonly tmux?: TerminalsOptions['tmux']
}

export interface RefreshOptions {
  readonly onProgress?: (progress: RefreshProgress) => void
  /** Time to spend on archiving sessions the agents will purge; default none. */
  readonly archiveBudgetMs?: number
}

export interface App {
  /** Brings the catalogue up to date with the agents' files. Every query below does this first, without progress. */
  refresh(options?: RefreshOptions | ((progress: RefreshProgress) => void)): Promise<RefreshReport>
  /** Newest first. `refresh: false` right after a refresh of one's own saves a second walk over all folders. */
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  /** `claude:<id>@12`, `last@-2`, ...; throws AppError with the candidates when unknown or ambiguous. */
  resolve(address: string): Promise<Target>
  listTurns(
    session: CatalogSession,
    options?: { readonly deadBranches?: boolean; readonly refresh?: boolean },
  ): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /**
   * The messages of some turns (the last ones, or numbers from-to), and all turns; of a range up to the end, with what was captured
   * of its turns. Reads as much of the file as these take, and walks over no folders: what was written since the last refresh is
   * there all the same.
   */
  readTurns(session: CatalogSession, range: TurnRange): Promise<TurnsRead>
  /**
   * Some messages by their index, or the last ones, from as much of the file as holds them. `null` where reading the session from
   * its start is the quicker way, or the only one.
   */
  readPage(session: CatalogSession, range: PageRange): Promise<MessagePage | null>
  /** The lineage of one session (from its root), or of all sessions of a query. */
  tree(of?: CatalogSession | SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly LineageNode[]>
  /** What the person calls it, in our store alone; `null` or blanks take it away. Gives the label as it is kept: one line, 60 characters at most. */
  labelSession(session: CatalogSession, label: string | null): Promise<string | null>
  /** What two sessions cost after the turn where they part, as the agents recorded it. */
  compareCosts(one: CatalogSession, other: CatalogSession): Promise<CostComparison>
  /** The repository a folder lies in, or is remembered to have lain in; `null` outside git. */
  repositoryOf(folder: string): Promise<Repository | null>
  /** Copies sessions that the agents will purge into our archive. */
  archive(options?: ArchiveOptions): Promise<ArchiveReport>
  /** Puts a session the agent has purged back where it was, from our archive; gives the paths written. */
  putBack(session: CatalogSession): Promise<readonly string[]>
  /** Calls back within a second of a change in the agents' files. */
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
  doctor(): Promise<readonly Check[]>
  /** Everything a fork is going to do. Pure reading. */
  planFork(request: ForkRequest): Promise<Plan>
  /**
   * Makes the fork as planned, proves it, and takes everything back when something fails. Refuses a plan with blockers, with
   * warnings in `plan.confirm` that are not in `accept` (`confirm_needed`), and one that no longer holds (`plan_stale`).
   */
  executeFork(plan: Plan, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  fork(request: ForkRequest, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  /** Everything a start is going to do. Pure reading. */
  planStart(request: StartRequest): Promise<StartPlan>
  /** An agent's session in a workspace of its own, its id known from birth; opened by whoever asked, with `command`. */
  start(request: StartRequest): Promise<StartResult>
  /** Newest first, undone ones included. */
  listStarts(): Promise<readonly StartEntry[]>
  /** The code between two turns, sessions or the present work tree; of one address: what that turn changed. */
  diff(request: DiffRequest): Promise<DiffResult>
  /** What restoring would change. Pure reading. */
  planRestore(request: RestoreRequest): Promise<RestorePlan>
  /** Brings the files of the plan back, after keeping the present state. Refuses while an agent is at work there. */
  restore(plan: RestorePlan, options?: { readonly force?: boolean }): Promise<RestoreResult>
  /** Clears away workspaces, snapshots and leftovers nobody needs; never work that is nowhere else, unless forced. */
  gc(options?: { readonly dryRun?: boolean; readonly force?: boolean }): Promise<GcReport>
  /** Newest first, undone ones included. */
  listRestores(): Promise<readonly RestoreEntry[]>
  /** Newest first, undone ones included. */
  listForks(): Promise<readonly ForkEntry[]>
  /**
   * Removes a fork or a started session, by its id or its session's, or takes a restore back; the newest of all when none is
   * named. Refuses where work was done since.
   */
  undo(id?: string, options?: { readonly force?: boolean }): Promise<UndoResult>
  /** Finishes or takes back forks, restores and undos that were cut off: done by every fork and undo, and by `doctor --fix`. */
  recover(): Promise<RecoverReport>
  /** What was captured, anew from the refs of every repository ever seen. */
  rebuildCaptures(): Promise<RebuildReport>
  /** What follows a capture: table, archive, packs, pushes. Stays up to `stayMs` for pushes that fail. */
  afterCapture(options?: AfterOptions): Promise<AfterReport>
  /** Captures turns of sessions whose agent has no hooks, as their transcripts grow. */
  watchCaptures(options?: WatchCaptureOptions): Promise<CaptureWatching>
  captureStatus(): Promise<CaptureStatus>
  /** Has agents tell us of their turns. What stands in their settings is not disturbed; doing it again changes nothing. */
  installHooks(request?: HookRequest): Promise<readonly HookOutcome[]>
  uninstallHooks(request?: HookRequest): Promise<readonly HookOutcome[]>
  hookStatus(request?: HookRequest): Promise<readonly HookStatus[]>
  /** How far the branches of workspaces have got to where they are pushed. */
  pushStates(): Promise<readonly PushState[]>
  /** Sessions that fit, each with its best turn; brings the index up to date first, for a bounded time. */
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchAnswer>
  /** Indexes what is new or changed, newest first. Search answers meanwhile. */
  updateIndex(options?: UpdateOptions): Promise<IndexReport>
  indexStatus(): Promise<IndexState>
  /** Empties the index and builds it anew. */
  rebuildIndex(options?: UpdateOptions): Promise<IndexReport>
  /** Brings the exports and qmd's index up to date, for `search.engine = qmd`; throws `qmd_not_available` where qmd cannot be used. */
  updateQmd(options?: QmdUpdateOptions): Promise<QmdReport>
  /** What must hold before a server keeps qmd's index (SF10). */
  checkQmdPipeline(signal?: AbortSignal): Promise<readonly Check[]>
  /** Newest first; those that have ended only when asked for. What is said of each is looked up now. */
  listWorkers(options?: { readonly ended?: boolean }): Promise<readonly Worker[]>
  /** By name, id, session id, or `worker:<name>`; throws `worker_not_found` with the nearest names. */
  findWorker(name: string): Promise<Worker>
  /** Starts an agent (new session, resumed, forked, continued), observed to be ready; `signal` gives up waiting. */
  spawnWorker(request: WorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  /** A worker on what a fork or a start has just made. */
  workOn(
    made: ForkResult | StartResult,
    request?: Pick<WorkerRequest, 'name' | 'prompt' | 'terminal' | 'kind' | 'settings'>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SpawnedWorker>
  /**
   * Gives it a prompt, never while it waits for a permission. Resolves when the turn has ended, or with `wait: false` when the
   * agent has taken it. A headless one whose process is gone is resumed first.
   */
  sendToWorker(
    name: string,
    prompt: string,
    options?: { readonly wait?: boolean; readonly signal?: AbortSignal; readonly onEvent?: (event: RunEvent) => void },
  ): Promise<SendResult>
  interruptWorker(name: string): Promise<Worker>
  answerPermission(name: string, requestId: string, decision: Decision): Promise<Worker>
  /** A fork of its session in a worker of its own, with the same settings; the source goes on undisturbed. */
  forkWorker(name: string, request?: ForkWorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  /** Ends the agent: asks first, then a signal to its group. Its session stays. */
  stopWorker(name: string): Promise<Worker>
  /** Brings a terminal worker's pane before the person, or says with which command they can. */
  attachWorker(name: string): Promise<{ readonly shown: boolean; readonly command: readonly string[] | null }>
  /**
   * A turn in a session that has no worker yet: finds its worker or makes a headless one that resumes it in place. What
   * `POST /session/{id}/message` and the TUI's composer call. `model`: for this turn and those after it, `null` what the agent
   * chooses; absent: as its worker has it.
   */
  sendToSession(
    session: CatalogSession,
    prompt: string,
    options?: {
      readonly signal?: AbortSignal
      readonly model?: string | null
      readonly onEvent?: (event: RunEvent) => void
    },
  ): Promise<SendResult>
  /** What opens a session in the agent's own UI, where it was. */
  openCommand(session: CatalogSession): Promise<CommandSpec>
  /** Everything that happens in this process, as it happens. Gives what stops it. */
  onEvent(listener: (event: AppEvent) => void): () => void
  /** What happened after event `id` (0: all), or `null` where some of that is no longer kept or `id` is not of this process. */
  eventsSince(id: number): readonly AppEvent[] | null
  /** For who stays: watches sessions, captures and workers, and lets events tell of them, until closed. */
  keepWatch(): Promise<{ close(): Promise<void> }>
  /** Leaves terminal workers running, ends headless ones. */
  shutDown(): Promise<void>
  close(): void
}

/** What agents' hooks run: this Node and the hook program of this very installation. */
const hookCommand = { argv: [process.execPath, fileURLToPath(new URL('../bin/hook.js', import.meta.url))] }

/** Made with the first question, then kept. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export type CreateApp = (options: AppOptions) => App

/** Opens nothing yet: the database is opened by the first question asked. */
export const createApp: CreateApp = (options) => {
  const { home, vars, cwd, now, agents = builtinAgents, onRepair, onForkStep } = options
  const { root, config } = resolvePaths(options)
  const env = { home, vars, now }
  const events = createEventLog({ now })
  const { store, sessionFile, describeSessions, ...catalog } = createCatalog({
    agents,
    env,
    folder: root,
    cwd,
    now,
    exec,
    onChanged: () => forking.proveWaiting(),
    sessionOfWorker: (name) => workers.sessionOfWorker(name),
    ...(onRepair === undefined ? {} : { onRepair }),
  })
  const git = createGit({ exec, env: vars })
  const settings = { file: config, vars }
  const capture = createCapture({
    agents,
    env,
    folder: root,
    cwd,
    now,
    exec,
    git,
    store,
    catalog: { ...catalog, sessionFile },
    maxFileBytes: async () => (await readSetting<number>(settings, 'snapshots.max_file_mb')) * 1024 * 1024,
    keepDays: () => readSetting<number>(settings, 'snapshots.keep_days'),
    ...(onForkStep === undefined ? {} : { onStep: onForkStep }),
  })
  const forkContext: ForkContext = {
    agents,
    env,
    folder: root,
    cwd,
    now,
    git,
    store,
    snapshots: capture,
    catalog: { ...catalog, sessionFile },
    worktreesRoot: async () => (await readSetting<string>(settings, 'workspaces.folder')) || join(root, 'worktrees'),
    models: async () => readModels(await readModelSettings(config)),
    pushes: () => readSetting<boolean>(settings, 'workspaces.push'),
    hookFlags,
    ...(onForkStep === undefined ? {} : { onStep: onForkStep }),
  }
  async function hookFlags(agent: Agent, workspace: string): Promise<readonly string[]> {
    if (!(await readSetting<boolean>(settings, 'snapshots.enabled'))) return []
    return (await import('./capture/run-hooks.ts')).flagsForRun({ env, command: hookCommand }, root, agent, workspace)
  }
  const forkingAt = (folder: string) => tellForks(createForking({ ...forkContext, cwd: folder }), events)
  const forking = forkingAt(cwd)
  const { proveWaiting: _, checkForks, newestMadeAt, ...verbs } = forking
  const terminals = lazily(async () =>
    (await import('./terminals/index.ts')).createTerminals({
      exec,
      vars,
      folder: join(root, 'panes'),
      node: process.execPath,
      launcher: fileURLToPath(new URL('../bin/run-pane.js', import.meta.url)),
      ...(options.tmux === undefined ? {} : { tmux: options.tmux }),
    }),
  )
  const workers = createWorkers({
    agents,
    env,
    folder: root,
    now,
    store,
    catalog,
    forkingAt,
    hookFlags,
    isInRepository: async (folder) => (await catalog.repositoryOf(folder)) !== null,
    terminal: async (id) => (await terminals()).get(id),
    async chooseTerminal() {
      const chosen = await (await terminals()).choose(await readSetting<TerminalId | 'auto'>(settings, 'workers.terminal'))
      return chosen.id
    },
    forgetPane: async (pane) => (await terminals()).forget(pane),
    defaults: () => readWorkerDefaults(settings),
    events,
    reachHolder: async (owner) => (await options.reachHolder?.(owner)) ?? null,
  })
  const { search, index, qmd } = createSearch({
    agents,
    env,
    folder: root,
    cwd,
    now,
    store,
    catalog: { ...catalog, sessionFile, describeSessions },
    defaultEngine: () => readSetting<'builtin' | 'qmd'>(settings, 'search.engine'),
    embedder: async () => {
      const [url, model] = await Promise.all([
        readSetting<string>(settings, 'search.embed_url'),
        readSetting<string>(settings, 'search.embed_model'),
      ])
      if (url === '' || model === '') return null
      const { createEndpointEmbedder } = await import('./search/embed/openai.ts')
      return createEndpointEmbedder({ url, model, key: vars.OFFSHOOT_EMBED_KEY || null })
    },
  })
  const wantsQmd = async () =>
    (await readSetting<string>(settings, 'search.engine')) === 'qmd' ||
    (await readSetting<boolean>(settings, 'search.qmd_indexing'))
  const checkQmd = async () => {
    try {
      return await qmd.check(await wantsQmd())
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'bad_config') throw error
      return qmd.check(false) // a faulty config file has a check of its own
    }
  }
  const hooks = { agents, env, cwd, git, command: hookCommand }
  const loadHooks = () => import('./capture/hook-setup.ts')
  const lookAtTerminals = async () => {
    const [{ checkTerminals }, all] = await Promise.all([import('./terminals/checks.ts'), terminals()])
    const tmux = { exec, vars, ...options.tmux }
    return checkTerminals({ tmux, wezterm: all.get('wezterm'), iterm2: all.get('iterm2'), platform: process.platform, vars })
  }
  const doctor = async () => [
    ...(await catalog.doctor()),
    ...checkForks(),
    ...(await capture.checkRestores()),
    ...(await capture.checkCaptures()),
    ...(await (await loadHooks()).checkHooks(hooks)),
    await checkQmd(),
    ...(await lookAtTerminals()),
  ]
  const { sessionOfWorker: __, watchPanes, ...workerVerbs } = workers
  return {
    ...catalog,
    ...verbs,
    ...workerVerbs,
    async openCommand({ agent: id, id: sessionId, cwd: folder }) {
      const agent = agents.find((each) => each.id === id)
      if (agent === undefined || folder === null)
        throw new AppError('refused', `${id}:${sessionId} names no folder to be opened in.`)
      return agent.command({ kind: 'resume', sessionId, cwd: folder })
    },
    onEvent: events.onEvent,
    eventsSince: events.since,
    async keepWatch() {
      const { keepWatch } = await import('./workers/keep-watch.ts')
      return keepWatch({ events, now, catalog, store, watchCaptures: capture.watchCaptures, watchPanes })
    },
    doctor,
    diff: capture.diff,
    planRestore: capture.planRestore,
    restore: capture.restore,
    listRestores: capture.listRestores,
    async gc(options) {
      await forking.recover()
      return capture.gc(options)
    },
    async undo(id, options) {
      const restore = capture.findRestore(id, newestMadeAt())
      return restore === null ? forking.undo(id, options) : capture.undoRestore(restore, options)
    },
    async recover() {
      const [forks, restores] = [await forking.recover(), await capture.recoverRestores()]
      return {
        completed: [...forks.completed, ...restores.completed],
        rolledBack: [...forks.rolledBack, ...restores.rolledBack],
        problems: [...forks.problems, ...restores.problems],
      }
    },
    rebuildCaptures: capture.rebuildCaptures,
    afterCapture: capture.afterCapture,
    watchCaptures: capture.watchCaptures,
    pushStates: capture.pushStates,
    captureStatus: capture.captureStatus,
    search,
    updateIndex: index.update,
    indexStatus: index.status,
    rebuildIndex: index.rebuild,
    updateQmd: qmd.update,
    checkQmdPipeline: qmd.startChecks,
    installHooks: async (request) => (await loadHooks()).installHooks(hooks, request),
    uninstallHooks: async (request) => (await loadHooks()).uninstallHooks(hooks, request),
    hookStatus: async (request) => (await loadHooks()).hookStatus(hooks, request),
    async readTurns(session, range) {
      const read = await catalog.readTurns(session, range)
      if (range.to !== undefined) return read
      const [before, shown] = [read.turns.slice(0, read.from - 1), read.turns.slice(read.from - 1)]
      return { ...read, turns: [...before, ...(await capture.withSnapshots(session, shown))] }
    },
    async listTurns(session, options) {
      const turns = await catalog.listTurns(session, options)
      return capture.withSnapshots(session, turns)
    },
  }
}
