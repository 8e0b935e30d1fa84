// The one place that knows all parts and wires them. Every face calls only this.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent } from './agents/agent.ts'
import { builtinAgents } from './agents/index.ts'
import type { CodeVerbs } from './app/code-verbs.ts'
import type { ForkVerbs } from './app/fork-verbs.ts'
import { createRecovery } from './app/recovery.ts'
import type { SearchVerbs } from './app/search-verbs.ts'
import type { SessionVerbs } from './app/session-verbs.ts'
import type { WorkerVerbs } from './app/worker-verbs.ts'
import { createCapture } from './capture/capture.ts'
import { createCatalog } from './catalog/catalog.ts'
import { readModelSettings } from './config/models.ts'
import { resolvePaths } from './config/paths.ts'
import { readSetting } from './config/read.ts'
import { readRepositorySettings } from './config/repositories.ts'
import { readWorkerDefaults } from './config/workers.ts'
import type { ForkContext } from './fork/context.ts'
import { createForking } from './fork/fork.ts'
import { readModels } from './fork/models.ts'
import { createPlanMemory } from './fork/planned.ts'
import { runChecksApart } from './lib/checks-apart.ts'
import { createEventLog } from './lib/event-log.ts'
import { exec } from './lib/exec.ts'
import type { ProcessOwner } from './lib/process-owner.ts'
import { AppError } from './model/error.ts'
import { nothingRecovered, type RecoverReport } from './model/fork.ts'
import { type NameOption, nameParameter } from './model/option-names.ts'
import { resumeModel } from './model/resume-model.ts'
import type { WorkerHolder } from './model/worker.ts'
import { createSearch } from './search/search.ts'
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
  /** Told what had been cut off, when it is cleared up before something is written. */
  readonly onRecovered?: (report: RecoverReport) => void
  /** Told before and after each step of a fork or an undo. */
  readonly onForkStep?: (moment: string) => void
  /** Speaks to the process that holds a headless worker (the server of this home), should that not be this one. */
  readonly reachHolder?: (owner: ProcessOwner) => Promise<WorkerHolder | null>
  /** How messages name options: as parameters unless a face has other words for them. */
  readonly nameOption?: NameOption
  /** Another tmux server than that of `$TMUX` or the default one. */
  readonly tmux?: TerminalsOptions['tmux']
}

/** The whole of offshoot, as every face has it. */
export interface App extends SessionVerbs, ForkVerbs, CodeVerbs, SearchVerbs, WorkerVerbs {
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
  const { home, vars, cwd, now, agents = builtinAgents, onRepair, onForkStep, nameOption = nameParameter } = options
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
  const endChildren = async () => {
    await (await import('./lib/left-children.ts')).endLeftChildren(root, vars)
    return nothingRecovered
  }
  const recoverFirst = createRecovery(
    [endChildren, () => forking.recover(), () => capture.recoverRestores(), () => capture.recoverRemovals()],
    options.onRecovered,
  )
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
    catalog,
    maxFileBytes: async () => (await readSetting<number>(settings, 'snapshots.max_file_mb')) * 1024 * 1024,
    keepDays: () => readSetting<number>(settings, 'snapshots.keep_days'),
    nameOption,
    hasHooks: async (agent) => (await loadHooks()).hasHooks(hooks, agent),
    keepWorkspaceDays: () => readSetting<number>(settings, 'workspaces.keep_days'),
    recoverFirst,
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
    maxPrice: () => readSetting<number>(settings, 'fork.max_price'),
    repositories: () => readRepositorySettings(config),
    pushes: () => readSetting<boolean>(settings, 'workspaces.push'),
    hookFlags,
    nameOption,
    plans: createPlanMemory(now),
    recoverFirst,
    onForked({ id: forkId, agent, sessionId, parent, command }) {
      const of = { agent, sessionId, cwd: command.cwd, workerId: null }
      events.emit({ type: 'fork.created', data: { ...of, forkId, parentSessionId: parent.sessionId } })
    },
    ...(onForkStep === undefined ? {} : { onStep: onForkStep }),
  }
  async function hookFlags(agent: Agent, workspace: string): Promise<readonly string[]> {
    if (!(await readSetting<boolean>(settings, 'snapshots.enabled'))) return []
    return (await import('./capture/run-hooks.ts')).flagsForRun({ env, command: hookCommand }, root, agent, workspace)
  }
  const forkingAt = (folder: string) => createForking({ ...forkContext, cwd: folder })
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
    findPane: async (id, tag) => (await terminals()).find(id, tag, now()),
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
  const doctor = () =>
    runChecksApart({
      app: catalog.doctor,
      forks: checkForks,
      restores: capture.checkRestores,
      captures: capture.checkCaptures,
      hooks: async () => (await loadHooks()).checkHooks(hooks),
      qmd: checkQmd,
      terminals: lookAtTerminals,
    })
  const { sessionOfWorker: __, watchPanes, ...workerVerbs } = workers
  return {
    ...catalog,
    ...verbs,
    ...workerVerbs,
    async openCommand(session) {
      const { agent: id, id: sessionId, cwd: folder } = session
      const agent = agents.find((each) => each.id === id)
      if (agent === undefined || folder === null)
        throw new AppError('refused', `${id}:${sessionId} names no folder to be opened in.`)
      await catalog.putBackMissing(session)
      const model = resumeModel(session)
      return agent.command({ kind: 'resume', sessionId, cwd: folder, ...(model === null ? {} : { model }) })
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
      await recoverFirst()
      return capture.gc(options)
    },
    async undo(id, options) {
      const { undoneByRecovery } = await import('./app/undo.ts')
      const recovered = undoneByRecovery(await recoverFirst(), id)
      if (recovered !== null) return recovered
      const restore = capture.findRestore(id, newestMadeAt())
      return restore === null ? forking.undo(id, options) : capture.undoRestore(restore, options)
    },
    recover: recoverFirst,
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
    async resolve(address: string) {
      const target = await catalog.resolve(address)
      if (target.turn === null) return target
      const [turn = target.turn] = await capture.withSnapshots(target.session, [target.turn])
      return { ...target, turn }
    },
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
