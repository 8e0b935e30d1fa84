// The terminals there are, and which one to use. The one list to extend.
import type { Exec } from '../lib/exec.ts'
import { AppError } from '../model/error.ts'
import { findPane } from './find-pane.ts'
import { createIterm2 } from './iterm2.ts'
import { jobFolder, removeJob } from './job.ts'
import { createPrint } from './print.ts'
import type { PaneRef, Terminal, TerminalId } from './terminal.ts'
import { createTmux } from './tmux.ts'
import { createWezterm } from './wezterm.ts'

export interface TerminalsOptions {
  readonly exec: Exec
  /** The environment offshoot runs in: what panes inherit, and what tells in which terminal we are. */
  readonly vars: Readonly<Record<string, string | undefined>>
  /** Where job folders are made, one for each pane. */
  readonly folder: string
  /** The Node that runs the launcher. */
  readonly node: string
  /** `bin/run-pane.js`. */
  readonly launcher: string
  /** Another tmux server than that of `$TMUX` or the default one; `config` is read by one that is started. */
  readonly tmux?: { readonly socket?: string; readonly config?: string }
}

export interface Terminals {
  get(id: TerminalId): Terminal
  /** The one named; `auto`: the one we are in, else tmux where it can be used, else print. Throws where the one named cannot be used. */
  choose(setting?: TerminalId | 'auto'): Promise<Terminal>
  list(): readonly Terminal[]
  /** The pane with this tag, for who does not know what `open` gave; `opening`: it may still come. */
  find(id: TerminalId, tag: string, now: number): Promise<PaneRef | 'opening' | null>
  /** Removes what the launcher wrote of a pane, once its end is recorded elsewhere. What was not started yet never will be. */
  forget(pane: Pick<PaneRef, 'tag'>): Promise<void>
}

export function createTerminals(options: TerminalsOptions): Terminals {
  const all: Record<TerminalId, Terminal> = {
    tmux: createTmux({ ...options, ...options.tmux }),
    wezterm: createWezterm(options),
    iterm2: createIterm2(options),
    print: createPrint(options),
  }
  return {
    get: (id) => all[id],
    list: () => Object.values(all),
    async choose(setting = 'auto') {
      if (setting === 'auto') return chooseBySurroundings(all, options.vars)
      const { problem } = await all[setting].probe()
      if (problem === null) return all[setting]
      throw new AppError('terminal_unavailable', problem)
    },
    find: (id, tag, now) => findPane(options.folder, all[id], tag, now),
    forget: (pane) => removeJob(jobFolder(options.folder, pane.tag)),
  }
}

/** tmux first: inside it the variables of the terminal around it are those of when its server was started. */
async function chooseBySurroundings(all: Record<TerminalId, Terminal>, vars: TerminalsOptions['vars']): Promise<Terminal> {
  if (vars.TMUX) return all.tmux
  if (vars.WEZTERM_PANE) return all.wezterm
  if (vars.ITERM_SESSION_ID && vars.TERM_PROGRAM === 'iTerm.app') return all.iterm2
  return (await all.tmux.probe()).problem === null ? all.tmux : all.print
}
