// What `doctor` says about terminals. Not to have one is fine; to have one that will make trouble is said beforehand.
import { existsSync } from 'node:fs'
import { isAtLeast } from '../lib/find-program.ts'
import type { Check } from '../model/catalog.ts'
import type { Terminal } from './terminal.ts'
import { createTmuxServer, type TmuxOptions } from './tmux-server.ts'

/** tmux 3.3a: text pasted into a pane that has just ended ends the server and every session in it. Fixed in 3.4. */
const safeTmux = [3, 4] as const
/** tmux waits this long for what follows an Esc; its own default is 500. */
const longEscapeMs = 50
const iterm2App = '/Applications/iTerm.app'

export interface TerminalChecks {
  readonly tmux: TmuxOptions
  readonly wezterm: Terminal
  readonly iterm2: Terminal
  readonly platform: string
  /** Where offshoot runs: tells whether that is iTerm2, without asking it. */
  readonly vars: Readonly<Record<string, string | undefined>>
}

export async function checkTerminals({ tmux, wezterm, iterm2, platform, vars }: TerminalChecks): Promise<readonly Check[]> {
  const rows = await Promise.all([checkTmux(tmux), checkWezterm(wezterm), platform === 'darwin' ? checkIterm2(iterm2, vars) : []])
  return rows.flat()
}

async function checkTmux(options: TmuxOptions): Promise<readonly Check[]> {
  const server = createTmuxServer(options)
  const { text, problem } = await server.version()
  if (text === null) {
    return [{ id: 'tmux', state: 'ok', message: 'tmux is not on PATH (only needed to open workers in tmux panes)', fix: null }]
  }
  const message = `tmux ${text}`
  if (problem !== null) return [{ id: 'tmux', state: 'warn', message: problem, fix: 'Update tmux to 3.4 or newer.' }]
  const [number] = /\d+\.\d+/.exec(text) ?? []
  const isOld = number !== undefined && !text.startsWith('openbsd') && !isAtLeast(number, safeTmux)
  const version: Check = isOld
    ? {
        id: 'tmux',
        state: 'warn',
        message: `${message} ends with all its sessions when text is pasted into a pane that has just ended; offshoot takes care, other programs may not`,
        fix: 'Update tmux to 3.4 or newer.',
      }
    : { id: 'tmux', state: 'ok', message, fix: null }
  return [version, ...(await checkEscapeTime(server))]
}

/** Only a server that runs can be asked; asking starts none. */
async function checkEscapeTime(server: ReturnType<typeof createTmuxServer>): Promise<readonly Check[]> {
  const { exitCode, stdout } = await server.run([['show-options', '-sv', 'escape-time']])
  const ms = Number(stdout.trim())
  if (exitCode !== 0 || stdout.trim() === '' || !(ms > longEscapeMs)) return []
  return [
    {
      id: 'tmux-escape-time',
      state: 'warn',
      message: `tmux holds every Esc back for ${ms} ms: keys feel slow in offshoot and in agents`,
      fix: 'Put `set -s escape-time 10` into ~/.tmux.conf, and run `tmux set -s escape-time 10` now.',
    },
  ]
}

async function checkWezterm(terminal: Terminal): Promise<readonly Check[]> {
  const { installed, version, inside, problem } = await terminal.probe()
  if (!installed) {
    return [
      { id: 'wezterm', state: 'ok', message: 'WezTerm is not on PATH (only needed to open workers in its tabs)', fix: null },
    ]
  }
  const message = `WezTerm ${version ?? '(version unknown)'}`
  if (problem === null) return [{ id: 'wezterm', state: 'ok', message, fix: null }]
  // Not to run right now is no fault, unless we stand in it.
  const state = inside ? 'warn' : 'ok'
  return [{ id: 'wezterm', state, message: `${message}; ${problem}`, fix: inside ? 'Run `wezterm cli list` yourself.' : null }]
}

/** To ask it may make macOS ask the person for leave: only where they stand in it, and so want it. */
async function checkIterm2(terminal: Terminal, vars: TerminalChecks['vars']): Promise<readonly Check[]> {
  if (vars.TERM_PROGRAM !== 'iTerm.app') {
    const message = existsSync(iterm2App)
      ? 'iTerm2 is installed'
      : 'iTerm2 is not installed (only needed to open workers in its tabs)'
    return [{ id: 'iterm2', state: 'ok', message, fix: null }]
  }
  const { version, problem } = await terminal.probe()
  if (problem === null) return [{ id: 'iterm2', state: 'ok', message: `iTerm2 ${version ?? ''}`.trim(), fix: null }]
  const fix = 'Allow it in System Settings > Privacy & Security > Automation.'
  return [{ id: 'iterm2', state: 'warn', message: problem, fix }]
}
