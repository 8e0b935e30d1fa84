// Speaks `wezterm cli`: which of its instances is meant, and what its error texts mean. Never starts a mux server on its own:
// a stale socket in the environment (a tmux that outlived the window) would otherwise do that.
import { anyFolder, type Exec, type ExecResult } from '../lib/exec.ts'
import { AppError } from '../model/error.ts'

export interface WeztermOptions {
  readonly exec: Exec
  readonly vars: Readonly<Record<string, string | undefined>>
}

/** `undefined`: the one we are in, else any that runs. `''`: any that runs. Otherwise exactly this one. */
export type WeztermSocket = string | undefined

export interface WeztermAnswer {
  readonly stdout: string
  /** The socket that answered, as far as we know it; `''`: it was found by wezterm itself. */
  readonly socket: string
}

/** Of a `list --format json` entry, what we need. */
export interface WeztermPane {
  readonly paneId: number
  readonly title: string
  readonly tty: string | null
}

const timeoutMs = 15_000

export function createWeztermCli({ exec, vars }: WeztermOptions) {
  const { WEZTERM_UNIX_SOCKET: around = '', NODE_OPTIONS: _, ...env } = vars

  function run(args: readonly string[], socket: string, input: string): Promise<ExecResult> {
    const at = socket === '' ? env : { ...env, WEZTERM_UNIX_SOCKET: socket }
    return exec('wezterm', ['cli', '--no-auto-start', ...args], { cwd: anyFolder, env: at, timeoutMs, input })
  }

  async function ask(args: readonly string[], socket: WeztermSocket, input = ''): Promise<WeztermAnswer> {
    const first = socket ?? around
    const result = await run(args, first, input)
    if (result.exitCode === 0) return { stdout: result.stdout, socket: first }
    const isStale = socket === undefined && first !== '' && /failed to connect to Socket/.test(result.stderr)
    if (!isStale) throw explain(result)
    const again = await run(args, '', input)
    if (again.exitCode !== 0) throw explain(again)
    return { stdout: again.stdout, socket: '' }
  }

  return {
    ask,
    async list(socket: WeztermSocket): Promise<readonly WeztermPane[]> {
      const { stdout } = await ask(['list', '--format', 'json'], socket)
      return parseArray(stdout).map((entry) => ({
        paneId: Number(entry.pane_id),
        title: String(entry.title ?? ''),
        tty: typeof entry.tty_name === 'string' ? entry.tty_name : null,
      }))
    },
    async focusedPanes(socket: WeztermSocket): Promise<readonly number[]> {
      const { stdout } = await ask(['list-clients', '--format', 'json'], socket)
      return parseArray(stdout).map((entry) => Number(entry.focused_pane_id))
    },
    async version(): Promise<string | null> {
      const { stdout, exitCode } = await exec('wezterm', ['--version'], { cwd: anyFolder, env, timeoutMs })
      return exitCode === 0 ? stdout.trim().replace(/^wezterm /, '') : null
    },
  }
}

function parseArray(text: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch (cause) {
    throw new AppError('failed', 'wezterm answered with something else than JSON.', { cause })
  }
}

function explain(result: ExecResult): AppError {
  // `12:00:00.000  ERROR  wezterm > the words; terminating`
  const said = result.stderr
    .trim()
    .replace(/^.*?ERROR\s+\S+\s+>\s*/s, '')
    .replace(/; terminating$/, '')
  const unavailable = (message: string, hint: string) => new AppError('terminal_unavailable', message, { hint })
  if (result.missing) return unavailable('wezterm was not found on the PATH.', 'Install WezTerm, or use another `--terminal`.')
  if (result.timedOut) return new AppError('timed_out', 'WezTerm did not answer.', { hint: 'Its window may hang.' })
  if (/no such pane|pane.* not found/i.test(said))
    return new AppError('pane_gone', `WezTerm has no such pane any more (${said}).`)
  if (/failed to connect to Socket|no default unix domain/.test(said)) {
    return unavailable(`No WezTerm is running that can be reached (${said}).`, 'Open a WezTerm window, then try again.')
  }
  if (/same version of wezterm/.test(said)) {
    return unavailable(`The wezterm on the PATH is of another version than the one that runs (${said}).`, 'Restart WezTerm.')
  }
  if (/--pane-id was not specified/.test(said)) {
    return unavailable('WezTerm has no window to open a tab in.', 'Open a WezTerm window, then try again.')
  }
  if (/doesn't exist on the filesystem/.test(said)) return new AppError('tool_missing', `WezTerm: ${said}`)
  if (/unrecognized subcommand|unexpected argument|wasn't expected/.test(said)) {
    return unavailable(`This WezTerm is too old (${said}).`, 'Install WezTerm 20230408 or newer.')
  }
  return new AppError('failed', `wezterm refused: ${said || `it ended with ${result.exitCode ?? 'no status'}`}`)
}
