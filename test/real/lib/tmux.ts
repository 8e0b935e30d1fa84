// A real terminal for the interactive scenarios: a tmux server of our own on a socket inside the sandbox.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { endTree } from './processes.ts'
import type { Sandbox } from './sandbox.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

export interface Terminal {
  /** What stands on the screen now, trailing blanks trimmed. */
  screen(): string
  /** Every row as it stands there, blank ones too, and the title the program has set. */
  look(): { readonly lines: readonly string[]; readonly title: string }
  /** The screen and what has scrolled away. */
  scrollback(): string
  waitFor(pattern: string | RegExp, options?: WaitOptions): Promise<string>
  waitWhile(pattern: string | RegExp, options?: WaitOptions): Promise<string>
  /** Puts text into the input line and waits until it is seen there; does not send it. */
  type(text: string): Promise<void>
  /** Pastes a file's text as a person would, in brackets where the program asked for them. */
  paste(file: string): void
  /** Puts text in as a terminal pastes it, between brackets. */
  pasteText(text: string): void
  /** `Enter`, `Escape`, `Up`, `C-c` ... */
  key(...names: string[]): void
  /** `type`, then Enter on its own: agents take text and Enter in one burst for a paste. */
  submit(text: string): Promise<void>
  /** True once the program in the pane has ended. */
  ended(): boolean
  /** Types the command that ends it and waits for that; agents lose an Enter now and then, and a person presses it again. */
  leave(command: string): Promise<void>
  /** Process in the pane. */
  readonly pid: number
  close(): void
}

export interface TerminalOptions {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

let count = 0
const againMs = 4000

export function openTerminal(sandbox: Pick<Sandbox, 'root' | 'onDispose'>, options: TerminalOptions): Terminal {
  count += 1
  const socket = join(sandbox.root, `tmux-${count}`)
  const tmuxWith = (input: string, ...args: string[]): string =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], { env: options.env, encoding: 'utf8', input })
  const tmux = (...args: string[]): string => tmuxWith('', ...args)
  const size = ['-x', String(options.columns ?? 140), '-y', String(options.rows ?? 45)]
  // remain-on-exit is set before the program starts, so that the last screen of one that ends at once can still be read.
  tmux('new-session', '-d', '-s', 'idle', ...size, 'sleep 600')
  tmux('set-option', '-g', 'remain-on-exit', 'on')
  tmux('set-option', '-g', 'history-limit', '20000')
  tmux('set-option', '-s', 'escape-time', '10')
  tmux('new-session', '-d', '-s', 'main', ...size, '-c', options.cwd, shellLine(options.argv))
  tmux('kill-session', '-t', 'idle')
  const serverPid = Number(tmux('display-message', '-p', '-t', 'main', '#{pid}'))
  const pid = Number(tmux('display-message', '-p', '-t', 'main', '#{pane_pid}'))

  const capture = (...args: string[]) => tmux('capture-pane', '-p', '-J', '-t', 'main', ...args).replace(/\s+$/gm, '')
  const screen = () => capture()
  const matches = (pattern: string | RegExp, text: string) =>
    typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)
  const described = (wait: WaitOptions = {}) => ({ describe: () => `the screen was:\n${screen()}`, ...wait })
  const waitFor = (pattern: string | RegExp, wait?: WaitOptions) =>
    waitUntil(`"${pattern}" on the screen`, () => [screen()].find((text) => matches(pattern, text)), described(wait))
  const key = (...names: string[]) => {
    tmux('send-keys', '-t', 'main', ...names)
  }
  async function type(text: string): Promise<void> {
    tmux('send-keys', '-t', 'main', '-l', '--', text)
    const packed = text.replace(/\s+/g, '').slice(-30) // the agent wraps its input line where it likes
    await waitUntil(
      `"${text}" in the input line`,
      () =>
        screen()
          .replace(/[\s│]+/g, '')
          .includes(packed),
      described(),
    )
  }
  const ended = () => tmux('display-message', '-p', '-t', 'main', '#{pane_dead}').trim() === '1'
  let open = true
  const close = () => {
    if (!open) return
    open = false
    process.removeListener('exit', close)
    endTree(pid)
    endTree(serverPid)
  }
  sandbox.onDispose(close)
  process.once('exit', close)

  return {
    pid,
    screen,
    look: () => ({
      lines: tmux('capture-pane', '-p', '-t', 'main').split('\n'),
      title: tmux('display-message', '-p', '-t', 'main', '#{pane_title}').trim(),
    }),
    scrollback: () => capture('-S', '-'),
    waitFor,
    waitWhile: (pattern, wait) =>
      waitUntil(`"${pattern}" to leave the screen`, () => [screen()].find((text) => !matches(pattern, text)), described(wait)),
    type,
    paste(file) {
      tmux('load-buffer', '-b', 'pasted', file, ';', 'paste-buffer', '-d', '-p', '-r', '-b', 'pasted', '-t', 'main')
    },
    pasteText: (text) => {
      tmuxWith(text, 'load-buffer', '-b', 'text', '-', ';', 'paste-buffer', '-d', '-p', '-r', '-b', 'text', '-t', 'main')
    },
    key,
    async submit(text) {
      await type(text)
      key('Enter')
    },
    ended,
    async leave(command) {
      await type(command)
      let pressedAt = 0
      const isOver = () => {
        if (ended()) return true
        if (Date.now() - pressedAt < againMs) return false
        pressedAt = Date.now()
        key('Enter')
        return false
      }
      await waitUntil('the end', isOver, described())
    },
    close,
  }
}

/** `exec`, so that the pane's process is the program itself and not a shell. */
function shellLine(argv: readonly string[]): string {
  return `exec ${argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`
}
