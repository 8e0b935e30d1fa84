// The terminal UI: state, keys, effects and screen put together. Ink puts lines on the screen; everything else is plain functions.
import type { ReadStream, WriteStream } from 'node:tty'
import { Box, render, Text } from 'ink'
import { createElement, useSyncExternalStore } from 'react'
import type { App } from '../app.ts'
import { shownTab } from './context.ts'
import type { Paint } from './draw.ts'
import type { TuiEvent } from './events.ts'
import type { Input } from './input.ts'
import { createKeyTable, type OwnKeys } from './keys.ts'
import { recallLayout, rememberLayout } from './remember.ts'
import { createEffects } from './run-effects.ts'
import { drawFrame } from './screens/frame.ts'
import { transcriptLimit } from './screens/tab.ts'
import type { TuiState } from './state.ts'
import { firstState } from './state-first.ts'
import { createStore } from './store.ts'
import { openScreen } from './terminal.ts'
import { colorDepth, createPaint, guessTheme, type ThemeName } from './theme.ts'
import { listEffect } from './update/sessions.ts'
import { openEffect } from './update/tabs.ts'
import { createUpdate } from './update/update.ts'

export interface TuiOptions {
  readonly app: App
  readonly input: ReadStream
  readonly output: WriteStream
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  readonly repository: { readonly root: string; readonly name: string } | null
  /** Where tabs and layout are remembered. */
  readonly layoutFile: string
  readonly theme: ThemeName | 'auto'
  readonly keys: OwnKeys
  readonly handOver: (argv: readonly string[], cwd: string) => Promise<number>
  readonly listFiles: (cwd: string) => Promise<readonly string[]>
}

const tickMs = 100

/** Resolves when the person leaves, or the terminal is gone. */
export async function runTui(options: TuiOptions): Promise<void> {
  const { app, input, output, vars, now, repository } = options
  const paint = createPaint(options.theme === 'auto' ? guessTheme(vars) : options.theme, colorDepth(vars))
  const keys = createKeyTable(options.keys)
  const layout = await recallLayout(options.layoutFile)
  const size = () => ({ columns: output.columns || 80, rows: Math.max(1, (output.rows || 24) - 1) })
  let leave: () => void = () => undefined
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const runEffect = createEffects({
    app,
    repository: repository?.root ?? null,
    tell: (event) => store.dispatch({ ...event, at: now() } as TuiEvent),
    state: () => store.state,
    handOver,
    write: (sequence) => output.write(sequence),
    remember: (state) => rememberLayout(options.layoutFile, state),
    listFiles: options.listFiles,
    quit: () => leave(),
  })
  const store = createStore({
    state: firstState({ size: size(), now: now(), repository, layout }),
    update: createUpdate(keys),
    run: runEffect,
  })
  const tell = (event: TuiEvent) => {
    store.dispatch(event)
    boundScroll(store.state, paint, (bounded) => store.dispatch({ ...bounded, at: now() }))
  }
  const hear = (heard: Input) => {
    if (heard.kind !== 'mouse') return tell({ ...heard, at: now() })
    const target = drawFrame(store.state, keys, paint)[heard.row]?.target ?? null
    tell({ kind: 'mouse', action: heard.action, target, at: now() })
  }
  const screen = openScreen({
    input,
    output,
    onInput: hear,
    onResize: () => tell({ kind: 'resize', ...size(), at: now() }),
    onGone: () => leave(),
  })
  const Frame = () => {
    const state = useSyncExternalStore(store.subscribe, () => store.state)
    const lines = drawFrame(state, keys, paint)
    return createElement(
      Box,
      { flexDirection: 'column' },
      // A line without a character takes no row in Ink.
      lines.map((line, at) => createElement(Text, { key: at, wrap: 'truncate' }, line.text === '' ? ' ' : line.text)),
    )
  }
  const mount = () =>
    render(createElement(Frame), { stdout: output, exitOnCtrlC: false, patchConsole: false, incrementalRendering: true })
  let ink = mount()
  async function handOver(argv: readonly string[], cwd: string): Promise<number> {
    ink.unmount()
    const back = screen.lend()
    try {
      return await options.handOver(argv, cwd)
    } finally {
      back()
      ink = mount()
      tell({ kind: 'resize', ...size(), at: now() })
    }
  }
  const stopTicking = tickWhile(store, () => store.dispatch({ kind: 'tick', at: now() }))
  const stopEvents = app.onEvent((event) => store.dispatch({ kind: 'app', event, at: now() }))
  const watch = app.keepWatch()
  runEffect(listEffect(store.state.sessions))
  runEffect({ kind: 'list_workers' })
  for (const tab of store.state.tabs) runEffect(openEffect(tab))
  try {
    await left
  } finally {
    stopEvents()
    stopTicking()
    ink.unmount()
    screen.close()
    store.close()
    await (await watch).close()
    await app.shutDown()
  }
}

/** How far one can scroll is known once it is laid out. */
function boundScroll(
  state: TuiState,
  paint: Paint,
  tell: (event: { kind: 'scrolled'; tabId: string; scroll: number; atTop: boolean }) => void,
): void {
  const tab = shownTab(state)
  if (tab === null || tab.transcript.scroll === 0) return
  const limit = transcriptLimit(state, tab, paint)
  if (tab.transcript.scroll >= limit) tell({ kind: 'scrolled', tabId: tab.id, scroll: limit, atTop: true })
}

/** Time passes on the screen only while something moves there: an idle UI costs nothing. */
function tickWhile(store: ReturnType<typeof createStore>, tick: () => void): () => void {
  let timer: NodeJS.Timeout | null = null
  const look = () => {
    const { tabs, sessions } = store.state
    const moves = sessions.loading || sessions.searching || tabs.some(({ run }) => run.state !== 'idle')
    if (moves) timer ??= setInterval(tick, tickMs)
    else if (timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }
  const stop = store.subscribe(look)
  look()
  return () => {
    stop()
    if (timer !== null) clearInterval(timer)
  }
}
