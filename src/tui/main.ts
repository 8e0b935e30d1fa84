// The terminal UI on the whole screen: keys, mouse and drawing put together with the state.
import { constants } from 'node:os'
import type { ReadStream, WriteStream } from 'node:tty'
import type { App } from '../app.ts'
import { createCanvas } from './canvas.ts'
import { runCore } from './core.ts'
import { targetAt } from './draw.ts'
import type { TuiEvent } from './events.ts'
import type { Input } from './input.ts'
import { followJobControl } from './job-control.ts'
import { createKeyTable, type OwnKeys } from './keys.ts'
import { drawFrame } from './screens/frame.ts'
import { boundScroll, type Scrolled, syncScroll } from './scrolling.ts'
import type { createStore } from './store.ts'
import { openScreen } from './terminal.ts'
import { colorDepth, createPaint, guessTheme, type ThemeName } from './theme.ts'

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
  /** Signals that would end the process; gives what stops listening. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void
}

const tickMs = 100

/** Resolves with the exit status when the person leaves, a signal says so, or the terminal is gone. */
export async function runTui(options: TuiOptions): Promise<number> {
  const { input, output, vars, now } = options
  const paint = createPaint(options.theme === 'auto' ? guessTheme(vars) : options.theme, colorDepth(vars))
  const keys = createKeyTable(options.keys)
  const size = () => ({ columns: output.columns || 80, rows: output.rows || 24 })
  return await runCore({ ...options, keys, size: size(), plain: false }, ({ store, leave }) => {
    const scrolled = (event: Scrolled) => store.dispatch({ ...event, at: now() })
    const tell = (event: TuiEvent) => {
      syncScroll(store.state, paint, scrolled)
      store.dispatch(event)
      boundScroll(store.state, paint, scrolled)
    }
    const hear = (heard: Input) => {
      if (heard.kind !== 'mouse') return tell({ ...heard, at: now() })
      const line = drawFrame(store.state, keys, paint)[heard.row]
      tell({ kind: 'mouse', action: heard.action, target: targetAt(line, heard.column), at: now() })
    }
    const screen = openScreen({
      input,
      output,
      onInput: hear,
      onResize: () => tell({ kind: 'resize', ...size(), at: now() }),
      onGone: () => leave(128 + constants.signals.SIGHUP),
    })
    const canvas = createCanvas(output)
    const draw = () => {
      if (!screen.isOpen) return
      const { state } = store
      canvas.draw(
        drawFrame(state, keys, paint).map(({ text }) => text),
        state.size,
      )
    }
    const redraw = () => {
      canvas.forget()
      tell({ kind: 'resize', ...size(), at: now() })
    }
    const jobControl = followJobControl(screen, redraw)
    const stopDrawing = store.subscribe(draw)
    const stopTicking = tickWhile(store, () => store.dispatch({ kind: 'tick', at: now() }))
    draw()
    return {
      async handOver(argv, cwd) {
        const back = screen.lend()
        try {
          return await options.handOver(argv, cwd)
        } finally {
          back()
          redraw()
        }
      },
      write: (sequence) => output.write(sequence),
      suspend: jobControl.suspend,
      close() {
        jobControl.close()
        stopTicking()
        stopDrawing()
        screen.close()
      },
    }
  })
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
