// WezTerm, by `wezterm cli`. It tells neither pid nor exit status, and its small pane ids start anew with its window: a pane is
// ours as long as our launcher lives on that pane's tty.
import { AppError } from '../model/error.ts'
import { checkCommand } from './check-command.ts'
import { cleanPaste, cleanTitle } from './clean.ts'
import { checkNotEnded, readStarted, statusByJob, withJob } from './job.ts'
import { orGone } from './or-gone.ts'
import { isSameProcess } from './process.ts'
import type { OpenPane, PaneKey, PaneRef, Terminal } from './terminal.ts'
import { waitForEnd, waitForStart } from './wait-started.ts'
import { createWeztermCli, type WeztermOptions, type WeztermPane } from './wezterm-cli.ts'

export interface WeztermTerminalOptions extends WeztermOptions {
  readonly folder: string
  readonly node: string
  readonly launcher: string
}

const keys: Record<PaneKey, string> = { enter: '\r', escape: '\u001b', 'ctrl-c': '\u0003', 'ctrl-u': '\u0015' }

export function createWezterm(options: WeztermTerminalOptions): Terminal {
  const { vars, node, launcher } = options
  const cli = createWeztermCli(options)
  const ownPane = /^\d+$/.test(vars.WEZTERM_PANE ?? '') ? (vars.WEZTERM_PANE ?? null) : null

  /** The pane as WezTerm lists it; `null` when it is gone, or another has its id. */
  async function find({ id, server, job }: PaneRef): Promise<WeztermPane | null> {
    if (!/^\d+$/.test(id)) return null
    const listed = (await listOrNone(server)).find(({ paneId }) => paneId === Number(id))
    const started = await readStarted(job)
    if (listed === undefined || started === null) return null
    const isOurs = isSameProcess(started.launcherPid, started.launcherStart) && (!listed.tty || listed.tty === started.tty)
    return isOurs ? listed : null
  }

  /** The window whose socket this was is closed, and its panes with it. */
  async function listOrNone(server: string): Promise<readonly WeztermPane[]> {
    try {
      return await cli.list(server)
    } catch (error) {
      if (error instanceof AppError && error.code === 'terminal_unavailable' && server !== '') return []
      throw error
    }
  }

  async function need(pane: PaneRef): Promise<WeztermPane> {
    await checkNotEnded(pane)
    const found = await find(pane)
    if (found === null) throw new AppError('pane_gone', `WezTerm has no pane ${pane.id} of this worker any more.`)
    return found
  }

  function place({ where, cwd }: OpenPane): string[] {
    if (where === 'session') return ['spawn', '--new-window', '--cwd', cwd]
    if (where === 'split' && ownPane !== null) return ['split-pane', '--pane-id', ownPane, '--cwd', cwd]
    return ownPane === null ? ['spawn', '--cwd', cwd] : ['spawn', '--pane-id', ownPane, '--cwd', cwd]
  }

  async function openPane(pane: OpenPane, job: string): Promise<PaneRef> {
    const { stdout, socket } = await cli.ask([...place(pane), '--', node, launcher, job], undefined)
    const id = stdout.trim()
    if (!/^\d+$/.test(id)) throw new AppError('terminal_unavailable', `WezTerm did not say which pane it opened: ${id}`)
    const isAlive = async () => (await cli.list(socket)).some(({ paneId }) => String(paneId) === id)
    const started = await waitForStart(job, isAlive)
    const ref = { terminal: 'wezterm', server: started?.socket ?? socket, serverPid: null, id, tag: pane.tag, job } as const
    await setTitle(ref, pane.title)
    return ref
  }

  /** Nice to have: versions before 20230408 cannot. */
  async function setTitle({ id, server }: PaneRef, title: string): Promise<void> {
    try {
      await cli.ask(['set-tab-title', '--pane-id', id, '--', cleanTitle(title)], server)
    } catch (error) {
      if (!(error instanceof AppError)) throw error // its agent runs all the same
    }
  }

  return {
    id: 'wezterm',
    label: 'WezTerm',
    async probe() {
      const version = await cli.version()
      const inside = ownPane !== null && vars.TMUX === undefined
      if (version === null) return { installed: false, version, inside, problem: 'wezterm was not found on the PATH.' }
      try {
        await cli.list(undefined)
        return { installed: true, version, inside, problem: null }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { installed: true, version, inside, problem: error.message }
      }
    },
    async open(pane) {
      checkCommand(pane, vars.PATH)
      return withJob(options, pane, { hold: true }, (job) => openPane(pane, job))
    },
    locate: ({ socket, vars: { WEZTERM_PANE: id } = {} }) =>
      id === undefined ? null : { server: socket ?? '', serverPid: null, id },
    async paste(pane, text) {
      const clean = cleanPaste(text)
      if (clean === '') return
      await need(pane)
      await cli.ask(['send-text', '--pane-id', pane.id], pane.server, clean)
    },
    async key(pane, key) {
      await need(pane)
      await cli.ask(['send-text', '--pane-id', pane.id, '--no-paste'], pane.server, keys[key])
    },
    async read(pane) {
      const found = await find(pane)
      if (found === null) throw new AppError('pane_gone', `WezTerm has no pane ${pane.id} of this worker any more.`)
      const { stdout } = await cli.ask(['get-text', '--pane-id', pane.id], pane.server)
      return { lines: stdout.replace(/\n$/, '').split('\n'), title: cleanTitle(found.title) }
    },
    status: async (pane) => statusByJob(pane, (await find(pane)) !== null),
    /** WezTerm cannot raise its window everywhere (Wayland): whether the person sees it is asked afterwards. */
    async focus(pane) {
      const found = await find(pane)
      if (found === null) throw new AppError('pane_gone', `WezTerm has no pane ${pane.id} of this worker any more.`)
      await cli.ask(['activate-pane', '--pane-id', pane.id], pane.server)
      const shown = (await cli.focusedPanes(pane.server)).includes(Number(pane.id))
      return { shown, command: null }
    },
    async close(pane) {
      if ((await find(pane)) === null) return
      await orGone(cli.ask(['kill-pane', '--pane-id', pane.id], pane.server))
      await waitForEnd(pane.job)
    },
  }
}
