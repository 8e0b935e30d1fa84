// The folder through which a pane is told what to run and tells what became of it: job.json (0600) for bin/run-pane.js, which
// answers with started.json and exit.json. So no environment, prompt or path stands on a terminal's command line.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import type { OpenPane, PaneRef, PaneStatus } from './terminal.ts'

export interface Started {
  readonly pid: number
  /** Together with the pid unique: process numbers are used again. */
  readonly procStart: string | null
  readonly launcherPid: number
  readonly launcherStart: string | null
  readonly tty: string | null
  /** `WEZTERM_UNIX_SOCKET` as the pane has it. */
  readonly socket: string | null
  /** What else the terminal told the launcher of its pane: `TMUX_PANE` and the like. Absent in files of older launchers. */
  readonly vars?: PaneVars
}

export type PaneVars = Readonly<Record<string, string | undefined>>

export interface Ended {
  readonly status: number | null
  readonly signal: string | null
  /** Why it could not be started at all. */
  readonly error: string | null
}

export interface JobOptions {
  readonly folder: string
  readonly vars: Readonly<Record<string, string | undefined>>
}

/** Of the terminal we are in ourselves: the pane has its own, or none. */
const ofOurTerminal =
  /^(TERM|TERMINFO|TERMINFO_DIRS|COLORTERM|COLORFGBG|COLUMNS|LINES|WINDOWID|VTE_VERSION|STY|TMUX|TMUX_PANE)$|^(TERM_|LC_TERMINAL|WEZTERM_|ITERM|KITTY_|ZELLIJ|ALACRITTY_|KONSOLE_|GHOSTTY_)/

export interface JobWishes {
  /** When the agent fails, the pane waits for Enter before it closes. */
  readonly hold?: boolean
  /** The pane is one of tmux: the launcher marks it with our tag, and has it stay when the agent fails. */
  readonly inTmux?: boolean
}

/** Opens a pane with its job; what cannot be opened leaves none behind. */
export async function withJob(
  options: JobOptions,
  pane: OpenPane,
  wishes: JobWishes,
  open: (job: string) => Promise<PaneRef>,
): Promise<PaneRef> {
  const job = await writeJob(options, pane, wishes)
  try {
    return await open(job)
  } catch (error) {
    await removeJob(job)
    throw error
  }
}

/** By what the launcher has written; `isThere`: what the terminal said before that was read. */
export async function statusByJob({ job }: PaneRef, isThere: boolean): Promise<PaneStatus> {
  const [started, ended] = await Promise.all([readStarted(job), readEnded(job)])
  return {
    state: ended !== null ? 'exited' : isThere ? 'running' : 'gone',
    exitStatus: ended?.status ?? null,
    signal: ended?.signal ?? null,
    pid: started?.pid ?? null,
    procStart: started?.procStart ?? null,
    inputBlocked: false,
  }
}

/** Gives the job's folder. */
export async function writeJob({ folder, vars }: JobOptions, pane: OpenPane, wishes: JobWishes = {}): Promise<string> {
  const { argv, cwd, unset, tag } = pane
  const job = jobFolder(folder, tag)
  const inherited = Object.entries(vars).filter(([name]) => !ofOurTerminal.test(name) && !unset.includes(name))
  const env = { ...Object.fromEntries(inherited), ...pane.env }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await mkdir(job, { mode: 0o700 })
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
    throw new AppError('file_exists', `${job} exists already: a pane's tag is used once.`, { cause: error })
  }
  const { hold = false, inTmux = false } = wishes
  const content = { argv, cwd, unset, hold, tmuxTag: inTmux ? tag : null, env }
  await writeFile(join(job, 'job.json'), JSON.stringify(content), { mode: 0o600, flag: 'wx' })
  return job
}

/** Named by the pane's tag, which is ours and plain. */
export function jobFolder(folder: string, tag: string): string {
  if (!/^[\w-]{1,64}$/.test(tag)) throw new Error(`No tag for a pane: ${JSON.stringify(tag)}`)
  return join(folder, tag)
}

export const readStarted = (job: string) => readRecord<Started>(job, 'started.json')

export const readEnded = (job: string) => readRecord<Ended>(job, 'exit.json')

/** The agent has ended, its pane may not have yet: what is sent now would be lost. */
export async function checkNotEnded({ job, id }: PaneRef): Promise<void> {
  if ((await readEnded(job)) !== null) throw new AppError('worker_ended', `What ran in pane ${id} has ended.`)
}

export async function removeJob(job: string): Promise<void> {
  await rm(job, { recursive: true, force: true })
}

/** `null`: not written yet, or never. The launcher writes whole files. */
async function readRecord<T>(job: string, name: string): Promise<T | null> {
  try {
    return JSON.parse(await loadRegularText(join(job, name))) as T
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
