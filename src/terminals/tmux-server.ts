// Speaks to one tmux server: argv as tmux reads it, sockets, error texts. tmux 3.2 or newer (`new-session -e`, `copy-mode -q`).
import { realpathSync } from 'node:fs'
import { anyFolder, type Exec, type ExecResult } from '../lib/exec.ts'
import { isAtLeast } from '../lib/find-program.ts'
import { AppError } from '../model/error.ts'

export type Vars = Readonly<Record<string, string | undefined>>

export interface TmuxOptions {
  readonly exec: Exec
  readonly vars: Vars
  /** The server's socket; without it that of `$TMUX`, else tmux' own default. */
  readonly socket?: string
  /** Read instead of the person's own configuration by a server that offshoot starts. */
  readonly config?: string
}

/** One tmux command with its arguments. */
export type TmuxCommand = readonly string[]

export interface TmuxCall {
  /** Of a saved pane; without it the server that panes are opened on. */
  readonly socket?: string
  readonly input?: string
  /** Names that a server started by this call must not inherit. */
  readonly without?: readonly string[]
  /** What runs tmux: `systemd-run ...`. */
  readonly through?: readonly string[]
}

export interface TmuxServer {
  version(): Promise<TmuxVersion>
  /** Where offshoot itself stands on that server: the pane it runs in. */
  readonly inside: { readonly pane: string } | null
  /** Runs inside some tmux, perhaps another one. */
  readonly nested: boolean
  /** Never throws; one invocation for all commands, so that nobody comes in between. */
  run(commands: readonly TmuxCommand[], call?: TmuxCall): Promise<ExecResult>
  /** The same, but a failure is an AppError. */
  ask(commands: readonly TmuxCommand[], call?: TmuxCall): Promise<string>
  isRunning(): Promise<boolean>
}

export interface TmuxVersion {
  readonly text: string | null
  readonly problem: string | null
  /** From 3.7 on buffers are escaped unless told not to; ours are cleaned already. */
  readonly escapesPastes: boolean
}

const timeoutMs = 15_000
const howToInstall = 'Install it (Debian: sudo apt-get install tmux; macOS: brew install tmux), or use `--terminal print`.'

export function createTmuxServer({ exec, vars, socket, config }: TmuxOptions): TmuxServer {
  const [, around = null] = /^(.+),\d+,\d+$/s.exec(vars.TMUX ?? '') ?? []
  const ours = socket ?? around
  const standsThere = around !== null && ours !== null && isSameFile(around, ours)
  const { TMUX: _, TMUX_PANE: ownPane = '', ...env } = vars
  let known: Promise<TmuxVersion> | undefined

  const run: TmuxServer['run'] = (commands, call = {}) => {
    const at = call.socket ?? ours
    const flags = ['-u', ...(config === undefined ? [] : ['-f', config]), ...(at === null ? ['-L', 'default'] : ['-S', at])]
    const words = commands.flatMap((command, place) => [...(place === 0 ? [] : [';']), ...command.map(escapeWord)])
    const [program = '', ...args] = [...(call.through ?? []), 'tmux', ...flags, ...words]
    const kept = Object.entries(env).filter(([name]) => !call.without?.includes(name))
    return exec(program, args, { cwd: anyFolder, env: Object.fromEntries(kept), timeoutMs, input: call.input ?? '' })
  }

  async function askVersion(): Promise<TmuxVersion> {
    const { stdout, missing, exitCode } = await exec('tmux', ['-V'], { cwd: anyFolder, env, timeoutMs })
    if (missing || exitCode !== 0) return { text: null, problem: 'tmux is not installed.', escapesPastes: false }
    const text = stdout.trim().replace(/^tmux /, '')
    const [number] = /\d+\.\d+/.exec(text) ?? [] // `3.3a`, `next-3.6`; `master` and `openbsd-7.6` are new enough
    const counts = number !== undefined && !text.startsWith('openbsd')
    const problem = counts && !isAtLeast(number, [3, 2]) ? `tmux ${text} is too old: offshoot needs 3.2 or newer.` : null
    return { text, problem, escapesPastes: !counts || isAtLeast(number, [3, 7]) }
  }

  return {
    inside: standsThere && /^%\d+$/.test(ownPane) ? { pane: ownPane } : null,
    nested: around !== null,
    run,
    version() {
      known ??= askVersion()
      return known
    },
    async ask(commands, call) {
      const result = await run(commands, call)
      if (result.exitCode === 0) return result.stdout
      throw explain(result)
    },
    async isRunning() {
      return (await run([['display-message', '-p', '#{pid}']])).exitCode === 0
    },
  }
}

/** A word that is `;` or ends in one would begin another command. */
export function escapeWord(word: string): string {
  return word.replace(/;$/, '\\;')
}

/** `-c`, `-s` and `-n` are formats: a folder named `#(cmd)` would run cmd. */
export function escapeFormat(text: string): string {
  return text.replaceAll('#', '##')
}

export function isTmuxGone(result: ExecResult): boolean {
  return /no server running|error connecting to|can't find (pane|window|session)|server exited|lost server/.test(result.stderr)
}

function explain(result: ExecResult): AppError {
  const said = result.stderr.trim()
  if (result.missing) return new AppError('terminal_unavailable', 'tmux is not installed.', { hint: howToInstall })
  if (result.timedOut) return new AppError('timed_out', 'tmux did not answer.', { hint: 'Its server may hang: see `tmux ls`.' })
  if (/File name too long/.test(said)) {
    return new AppError('terminal_unavailable', `The path of tmux' socket is too long: ${said}`, {
      hint: 'Set TMUX_TMPDIR to a shorter folder.',
    })
  }
  if (isTmuxGone(result)) return new AppError('pane_gone', `The pane is gone (tmux: ${said}).`)
  if (/unknown (flag|command)/.test(said)) {
    return new AppError('terminal_unavailable', `tmux is too old for offshoot (${said}).`, { hint: 'Install tmux 3.2 or newer.' })
  }
  return new AppError('failed', `tmux refused: ${said || `it ended with ${result.exitCode ?? 'no status'}`}`)
}

function isSameFile(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false // one of them is not there any more
  }
}
