// tmux: panes that outlive offshoot and any window. The launcher marks each with our tag before its agent starts. An agent that
// ends well closes its pane; one that failed stays to be read, and the newest few of those are kept.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../lib/is-alive.ts'
import { AppError } from '../model/error.ts'
import { checkCommand } from './check-command.ts'
import { cleanPaste, cleanTitle } from './clean.ts'
import { checkNotEnded, statusByJob, withJob } from './job.ts'
import { orGone } from './or-gone.ts'
import { type ServiceFiles, scopeForServer } from './service-scope.ts'
import type { OpenPane, PaneGlance, PaneKey, PaneRef, PaneScreen, PaneStatus, PaneView, Terminal } from './terminal.ts'
import { focusTmuxPane } from './tmux-focus.ts'
import { isOurs, paneFormat, parsePane, runGuarded, type TmuxPane, tagOption } from './tmux-guard.ts'
import { createTmuxServer, escapeFormat, isTmuxGone, type TmuxCommand, type TmuxOptions } from './tmux-server.ts'
import { waitForEnd, waitForStart } from './wait-started.ts'

export interface TmuxTerminalOptions extends TmuxOptions {
  /** Where job folders are made. */
  readonly folder: string
  readonly node: string
  readonly launcher: string
  readonly serviceFiles?: ServiceFiles
}

/** Failed panes of ours that stay open; older ones are closed when another opens. */
const keptDead = 5
const size = ['-x', '200', '-y', '50']
const endingMs = 50
const endingTries = 20
const keys: Record<PaneKey, string> = { enter: 'Enter', escape: 'Escape', 'ctrl-c': 'C-c', 'ctrl-u': 'C-u' }

export function createTmux(options: TmuxTerminalOptions): Terminal {
  const { vars, folder, node, launcher, serviceFiles } = options
  const server = createTmuxServer(options)

  /** Beside what one looks at, inside tmux; else in a session of its own. */
  async function place(where: OpenPane['where'], title: string, tag: string): Promise<TmuxCommand> {
    const name = escapeFormat(title)
    const session = [...['new-session', '-d', '-s', sessionName(title, tag)], ...['-n', name, ...size]]
    if (where === 'session' || server.inside === null) return session
    const { pane } = server.inside
    const { stdout } = await server.run([['display-message', '-p', '-t', pane, '#{session_id}']])
    if (!/^\$\d+$/.test(stdout.trim())) return session
    if (where === 'split') return ['split-window', '-d', '-t', pane]
    return ['new-window', '-d', '-n', name, '-t', `${stdout.trim()}:`]
  }

  async function openPane(pane: OpenPane, job: string): Promise<PaneRef> {
    const where = await place(pane.where, cleanTitle(pane.title), pane.tag)
    const print = ['-P', '-F', '#{pane_id} #{pid} #{socket_path}']
    // Two words and more are run as they are; one would go to a shell. NODE_OPTIONS of the server's would break the launcher.
    const program = ['env', '-u', 'NODE_OPTIONS', node, launcher, job]
    const command = [...where, ...print, '-c', escapeFormat(pane.cwd), '--', ...program]
    const through = (await server.isRunning()) ? [] : scopeForServer(vars.PATH, serviceFiles)
    if (through === null) throw inServiceError('systemd-run was not found')
    const without = [...pane.unset, 'OFFSHOOT_INTERNAL']
    const call = () => server.run([command], { without, through })
    let result = await call()
    // A server whose last pane has just closed takes a moment to end.
    for (let tries = 0; tries < endingTries && result.exitCode !== 0 && isTmuxGone(result); tries += 1) {
      await sleep(endingMs)
      result = await call()
    }
    if (result.exitCode !== 0 && through.length > 0) throw inServiceError(result.stderr.trim())
    const [, id = '', serverPid = '', socket = ''] = /^(%\d+) (\d+) (.+)\n$/.exec(result.stdout) ?? []
    if (result.exitCode !== 0 || id === '') {
      throw new AppError(
        'terminal_unavailable',
        `tmux opened no pane: ${result.stderr.trim() || result.stdout.trim() || 'no word why'}`,
      )
    }
    return { terminal: 'tmux', server: socket, serverPid: Number(serverPid), id, tag: pane.tag, job }
  }

  async function closeOldDead(): Promise<void> {
    const format = `#{pane_dead} #{pane_id} #{pid} #{${tagOption}}`
    const { stdout } = await server.run([['list-panes', '-a', '-F', format]])
    const dead = [...stdout.matchAll(/^1 (%\d+) (\d+) ([\w-]+)$/gm)]
      .map(([, id = '', serverPid = '', tag = '']) => ({ id, serverPid: Number(serverPid), tag }))
      .filter(({ tag }) => existsSync(join(folder, tag))) // of this home: another's are not ours to close
      .sort((one, other) => Number(other.id.slice(1)) - Number(one.id.slice(1)))
    const commands = dead.slice(keptDead).map(({ id, serverPid, tag }) => {
      const still = `#{&&:#{pane_dead},${isOurs({ terminal: 'tmux', server: '', serverPid, id, tag, job: '' })}}`
      return ['if-shell', '-F', '-t', id, still, `kill-pane -t ${id}`]
    })
    if (commands.length > 0) await server.run(commands)
  }

  /** `null`: gone, with its server or without. A server that hangs is no end of the pane. */
  async function look(pane: PaneRef): Promise<TmuxPane | null> {
    const printed = await orGone(server.ask([['display-message', '-p', '-t', pane.id, paneFormat]], { socket: pane.server }))
    return printed === null ? null : parsePane(pane, printed)
  }

  /** Until the launcher has put our tag on it it has none: one look for both, or it could get it in between. */
  async function isOpen(pane: PaneRef): Promise<boolean> {
    const printed =
      (await orGone(server.ask([['display-message', '-p', '-t', pane.id, paneFormat]], { socket: pane.server }))) ?? ''
    return [pane, { ...pane, tag: '' }].some((each) => parsePane(each, printed)?.dead === false)
  }

  const status = async (pane: PaneRef) => statusOf(pane, await look(pane))

  /** Asked after the pane: one that was there before its end was written is running, not gone. */
  async function statusOf(pane: PaneRef, seen: TmuxPane | null): Promise<PaneStatus> {
    const known = await statusByJob(pane, seen !== null)
    const inputBlocked = seen !== null && (seen.inputOff || seen.synchronized)
    if (known.state === 'exited' || !seen?.dead) return { ...known, inputBlocked }
    const { status: exitStatus, signal } = (await reap(pane, seen)) ?? seen
    return { ...known, state: 'exited', exitStatus, signal: signal === null ? null : signalName(signal), inputBlocked }
  }

  /** A quarter to a half of killed panes of tmux 3.3a stay without their status until the server gets another SIGCHLD. */
  async function reap(pane: PaneRef, seen: TmuxPane): Promise<TmuxPane | null> {
    if (seen.status !== null || seen.signal !== null || pane.serverPid === null || !isAlive(pane.serverPid)) return seen
    process.kill(pane.serverPid, 'SIGCHLD')
    return look(pane)
  }

  /** tmux' own syntax: the title, then what is shown. */
  function screenCommands(pane: PaneRef): string[] {
    // Of a dead pane the last lines have made room for tmux' own words.
    const capture = `if-shell -F -t ${pane.id} '#{pane_dead}' 'capture-pane -p -S -20 -t ${pane.id}' 'capture-pane -p -t ${pane.id}'`
    return [`display-message -p -t ${pane.id} '#{pane_title}'`, capture]
  }

  const read = async (pane: PaneRef) => toScreen(await runGuarded(server, pane, 'ours', { commands: screenCommands(pane) }))

  async function view(pane: PaneRef): Promise<PaneView> {
    const commands = [`display-message -p -t ${pane.id} '${paneFormat}'`, ...screenCommands(pane)]
    const printed = await orGone(runGuarded(server, pane, 'ours', { commands }))
    if (printed === null) return { status: await statusOf(pane, null), screen: null }
    const end = printed.indexOf('\n') + 1
    const now = await statusOf(pane, parsePane(pane, printed.slice(0, end)))
    return { status: now, screen: now.state === 'running' ? toScreen(printed.slice(end)) : null }
  }

  async function glance(panes: readonly PaneRef[]): Promise<ReadonlyMap<string, PaneGlance>> {
    const found = new Map<string, PaneGlance>()
    for (const socket of new Set(panes.map((pane) => pane.server))) {
      const lines = (await orGone(server.ask([['list-panes', '-a', '-F', glanceFormat]], { socket })))?.split('\n') ?? []
      const known = new Map(lines.map((line) => [line.slice(0, line.indexOf('\t')), line]))
      for (const pane of panes.filter((each) => each.server === socket)) {
        const line = known.get(pane.id) ?? ''
        const mark = line.slice(line.lastIndexOf('\t') + 1)
        found.set(pane.tag, { status: await statusOf(pane, parsePane(pane, line)), mark })
      }
    }
    return found
  }

  return {
    id: 'tmux',
    label: 'tmux',
    async probe() {
      const { text, problem } = await server.version()
      return { installed: text !== null, version: text, inside: server.inside !== null, problem }
    },
    async open(pane) {
      const { problem } = await server.version()
      if (problem !== null) throw new AppError('terminal_unavailable', problem)
      checkCommand(pane, vars.PATH)
      await closeOldDead()
      return withJob(options, pane, { inTmux: true }, async (job) => {
        const ref = await openPane(pane, job)
        await waitForStart(job, () => isOpen(ref))
        return ref
      })
    },
    locate({ vars: { TMUX = '', TMUX_PANE: id = '' } = {} }) {
      const [, socket = '', serverPid = ''] = /^(.+),(\d+),\d+$/s.exec(TMUX) ?? []
      return socket === '' || id === '' ? null : { server: socket, serverPid: Number(serverPid), id }
    },
    async paste(pane, text) {
      const clean = cleanPaste(text)
      if (clean === '') return
      await checkNotEnded(pane)
      const buffer = `offshoot-${randomBytes(6).toString('hex')}`
      const { escapesPastes } = await server.version()
      const flags = escapesPastes ? '-d -p -r -S' : '-d -p -r'
      await runGuarded(server, pane, 'live', {
        before: [['load-buffer', '-b', buffer, '-']],
        input: clean,
        commands: [`copy-mode -q -t ${pane.id}`, `paste-buffer ${flags} -b ${buffer} -t ${pane.id}`],
        otherwise: [`delete-buffer -b ${buffer}`],
      })
    },
    async key(pane, key) {
      await checkNotEnded(pane)
      await runGuarded(server, pane, 'live', { commands: [`copy-mode -q -t ${pane.id}`, `send-keys -t ${pane.id} ${keys[key]}`] })
    },
    read,
    status,
    view,
    glance,
    focus: (pane) => focusTmuxPane(server, pane),
    async close(pane) {
      if ((await look(pane)) === null) return
      await orGone(runGuarded(server, pane, 'ours', { commands: [`kill-pane -t ${pane.id}`] }))
      await waitForEnd(pane.job)
    },
  }
}

/** The time, in seconds, at which something was last written in its window. */
const glanceFormat = `${paneFormat}\t#{window_activity}`

function toScreen(printed: string): PaneScreen {
  const [title = '', ...lines] = printed.replace(/\n$/, '').split('\n')
  return { lines, title: cleanTitle(title) }
}

/** Only letters, digits, `-` and `_`: anything else is changed by tmux or read as a target. */
function sessionName(title: string, tag: string): string {
  const words = title.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return `offshoot-${[words.slice(0, 30), tag.slice(0, 12)].filter((part) => part !== '').join('-')}`
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
}

function inServiceError(why: string): AppError {
  return new AppError(
    'terminal_unavailable',
    `No tmux server runs, and one started from this service would end with it (${why}).`,
    {
      hint: 'Start one yourself and leave it running: tmux new-session -d',
    },
  )
}
