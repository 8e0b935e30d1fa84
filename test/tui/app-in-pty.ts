// The whole terminal UI as a process on a pseudo-terminal, its screen kept by a terminal emulator.
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface AppInPty {
  readonly pid: number
  /** The rows of the screen, trailing blanks trimmed. */
  lines(): string[]
  screen(): string
  /** Everything that was written to the terminal so far. */
  raw(): string
  /** On the alternate screen, as long as the UI has the terminal. */
  isFullScreen(): boolean
  waitFor(pattern: string | RegExp): Promise<string>
  waitWhile(pattern: string | RegExp): Promise<string>
  /** Names of keys, or text as it is typed. */
  press(...keys: (keyof typeof keyBytes | (string & {}))[]): void
  paste(text: string): void
  /** Counted from 1, as terminals do. */
  click(column: number, row: number): void
  wheel(direction: 'up' | 'down'): void
  resize(size: Size): void
  kill(signal: string): void
  /** The exit status, and the signal that ended it if one did. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>
  /** Closes the terminal itself, as one closes its window. */
  close(): void
}

const keyBytes = {
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  space: ' ',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  home: '\u001b[H',
  end: '\u001b[F',
  f1: '\u001bOP',
  'ctrl+c': '\u0003',
  'ctrl+p': '\u0010',
  'ctrl+q': '\u0011',
  'ctrl+u': '\u0015',
  'alt+0': '\u001b0',
  'alt+shift+f': '\u001bF',
  'alt+left': '\u001b[1;3D',
  'alt+right': '\u001b[1;3C',
  'alt+o': '\u001bo',
  'alt+x': '\u001bx',
  'alt+enter': '\u001b\r',
} as const

export interface OpenOptions extends Size {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly argv?: readonly string[]
}

export function openApp({ columns, rows, cwd, env, argv = [process.execPath, bin] }: OpenOptions): AppInPty {
  const [program = '', ...args] = argv
  const pty = spawn(program, args, {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...env, LANG: 'C.UTF-8' },
  })
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  let raw = ''
  let unread = 0
  pty.onData((data) => {
    raw += data
    unread += 1
    terminal.write(data, () => {
      unread -= 1
    })
  })
  // The emulator reads what it is given a little later: whoever waits for the end finds the last screen.
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
    pty.onExit((how) => terminal.write('', () => resolve(how))),
  )
  /** Frames come in pieces: between its first and its last one, a screen is half of the old and half of the new. */
  const isWhole = () => unread === 0 && raw.lastIndexOf('\u001b[?2026l') >= raw.lastIndexOf('\u001b[?2026h')
  const lines = () => {
    const { active } = terminal.buffer
    return Array.from(
      { length: terminal.rows },
      (_, row) =>
        active
          .getLine(active.viewportY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
    )
  }
  const screen = () => lines().join('\n')
  const fits = (pattern: string | RegExp) => (typeof pattern === 'string' ? screen().includes(pattern) : pattern.test(screen()))
  const described = { describe: () => `the screen was:\n${screen()}` }
  return {
    pid: pty.pid,
    lines,
    screen,
    raw: () => raw,
    isFullScreen: () => terminal.buffer.active.type === 'alternate',
    waitFor: (pattern) =>
      waitUntil(`${pattern} on the screen`, () => (isWhole() && fits(pattern) ? screen() : undefined), described),
    waitWhile: (pattern) =>
      waitUntil(`${pattern} to go`, () => (isWhole() && !fits(pattern) ? screen() || ' ' : undefined), described),
    press: (...keys) => {
      for (const key of keys) pty.write(key in keyBytes ? keyBytes[key as keyof typeof keyBytes] : key)
    },
    paste: (text) => pty.write(`\u001b[200~${text}\u001b[201~`),
    click: (column, row) => pty.write(`\u001b[<0;${column};${row}M\u001b[<0;${column};${row}m`),
    wheel: (direction) => pty.write(`\u001b[<${direction === 'up' ? 64 : 65};5;5M`),
    resize(size) {
      terminal.resize(size.columns, size.rows)
      pty.resize(size.columns, size.rows)
    },
    kill: (signal) => pty.kill(signal),
    ended,
    // Not in its types, but the only way to close its end of the pair, as a closed window does.
    close: () => (pty as unknown as { destroy(): void }).destroy(),
  }
}
