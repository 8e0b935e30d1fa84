// No terminal of ours: the person runs the command themselves, wherever they like. The launcher tells of pid and end all the same.
import { AppError } from '../model/error.ts'
import { checkCommand } from './check-command.ts'
import { readStarted, statusByJob, writeJob } from './job.ts'
import { isSameProcess } from './process.ts'
import type { PaneRef, PaneStatus, Terminal } from './terminal.ts'

export interface PrintOptions {
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly node: string
  readonly launcher: string
}

export function createPrint(options: PrintOptions): Terminal {
  const { vars, node, launcher } = options

  /** `running` with no pid: nobody has run the command yet. */
  async function status(pane: PaneRef): Promise<PaneStatus> {
    const started = await readStarted(pane.job)
    const lost = started !== null && !isSameProcess(started.launcherPid, started.launcherStart)
    return { ...(await statusByJob(pane, !lost)), inputBlocked: true }
  }

  const refuse = async (): Promise<never> => {
    throw new AppError('refused', 'This agent runs in a terminal of your own, which offshoot does not reach.', {
      hint: 'Type there; or start it with `--terminal tmux` next time.',
    })
  }

  return {
    id: 'print',
    label: 'a terminal of your own',
    probe: async () => ({ installed: true, version: null, inside: false, problem: null }),
    async open(pane) {
      checkCommand(pane, vars.PATH)
      const job = await writeJob(options, pane)
      return { terminal: 'print', server: '', serverPid: null, id: pane.tag, tag: pane.tag, job }
    },
    locate: () => null, // its tag is all there is
    paste: refuse,
    key: refuse,
    read: refuse,
    status,
    async focus(pane) {
      const { pid, state } = await status(pane)
      return { shown: false, command: pid === null && state === 'running' ? [node, launcher, pane.job] : null }
    },
    /** The person's own terminal is theirs to close. */
    close: async () => undefined,
  }
}
