// What the full screen and the plain mode have in common: state, effects, what the app tells, and every way out.
import { constants } from 'node:os'
import type { App } from '../app.ts'
import { watchIndex } from '../search/watch-index.ts'
import type { TuiEvent } from './events.ts'
import type { KeyTable } from './keys.ts'
import { recallLayout, rememberLayout } from './remember.ts'
import { createEffects } from './run-effects.ts'
import type { Size, TuiState } from './state.ts'
import { firstState } from './state-first.ts'
import { createStore, type Store } from './store.ts'
import { listEffect } from './update/sessions.ts'
import { openEffect } from './update/tabs.ts'
import { createUpdate } from './update/update.ts'

export interface CoreOptions {
  readonly app: App
  readonly now: () => number
  readonly repository: { readonly root: string; readonly name: string } | null
  /** Where tabs and layout are remembered. */
  readonly layoutFile: string
  readonly keys: KeyTable
  readonly size: Size
  readonly plain: boolean
  readonly listFiles: (cwd: string) => Promise<readonly string[]>
  /** Signals that would end the process; gives what stops listening. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void
}

export interface Core {
  readonly store: Store
  tell(event: Untimed): void
  /** The first way out that is taken counts. */
  leave(status: number): void
}

/** An event without its time. */
type Untimed<E = TuiEvent> = E extends unknown ? Omit<E, 'at'> : never

/** What a person looks at and types into. */
export interface Face {
  /** Gives the terminal to a program and takes it back when it ends. */
  handOver(argv: readonly string[], cwd: string): Promise<number>
  write(sequence: string): void
  /** Absent: the terminal itself does it. */
  suspend?(): void
  /** Each step, before anything else happens. */
  onStep?(before: TuiState, after: TuiState, event: TuiEvent): void
  /** True: it was taken care of, and is no way out. */
  onSignal?(signal: NodeJS.Signals): boolean
  close(): void
}

/** Resolves with the exit status when the person leaves, a signal says so, or the terminal is gone. */
export async function runCore(options: CoreOptions, open: (core: Core) => Face): Promise<number> {
  const { app, now, repository, keys, size, plain } = options
  const layout = await recallLayout(options.layoutFile)
  const { promise: left, leave, crash } = createExit()
  const remember = (state: TuiState) => rememberLayout(options.layoutFile, state)
  const update = createUpdate(keys)
  const tell = (event: Untimed) => store.dispatch({ ...event, at: now() } as TuiEvent)
  const runEffect = createEffects({
    app,
    repository: repository?.root ?? null,
    tell,
    state: () => store.state,
    handOver: (argv, cwd) => face.handOver(argv, cwd),
    write: (sequence) => face.write(sequence),
    suspend: () => face.suspend?.(),
    remember,
    listFiles: options.listFiles,
    quit: () => leave(0),
  })
  const store = createStore({
    state: firstState({ size, now: now(), repository, layout, conflicts: plain ? [] : keys.conflicts, plain }),
    update(state, event) {
      const step = update(state, event)
      face.onStep?.(state, step.state, event)
      return step
    },
    run: runEffect,
  })
  const face = open({ store, tell, leave })
  const stopSignals = options.onSignal((signal) => {
    if (face.onSignal?.(signal) !== true) leave(128 + constants.signals[signal])
  })
  process.on('uncaughtException', crash)
  const stopEvents = app.onEvent((event) => tell({ kind: 'app', event }))
  const watch = app.keepWatch()
  const indexing = watchIndex(app, {
    onIndexed: () => {
      const { query, scope, agent } = store.state.sessions
      // A search tells how complete the index is; else it is asked for as long as it is not.
      if (query !== null && query.text.trim() !== '') runEffect({ kind: 'search', text: query.text, scope, agent })
      else if (store.state.index?.complete === false) runEffect({ kind: 'read_index' })
    },
    onProblem: (problem) => tell({ kind: 'told', text: problem }),
  })
  indexing.catch(crash)
  watch.catch(crash)
  try {
    runEffect(listEffect(store.state.sessions))
    runEffect({ kind: 'list_workers' })
    for (const tab of store.state.tabs) runEffect(openEffect(tab))
    return await left
  } finally {
    stopEvents()
    face.close()
    store.close()
    // A disk that is full loses the layout, not the way out.
    await remember(store.state).catch(() => undefined)
    await Promise.allSettled([watch, indexing].map(async (each) => (await each).close()))
    await app.shutDown()
    process.off('uncaughtException', crash)
    stopSignals()
  }
}

function createExit() {
  let leave: (status: number) => void = () => undefined
  let crash: (error: unknown) => void = () => undefined
  const promise = new Promise<number>((resolve, reject) => {
    leave = resolve
    crash = reject
  })
  return { promise, leave, crash }
}
