// What offshoot asks of a terminal. One file per terminal implements this. Panes run `bin/run-pane.js` with a job file, so that
// working directory, environment, pid and exit status are alike everywhere and no text passes through a shell on the way.

import type { Started } from './job.ts'

export type TerminalId = 'tmux' | 'wezterm' | 'iterm2' | 'print'

/** Enough to find a pane again after a restart, and to see that it is still the same one. JSON-able. */
export interface PaneRef {
  readonly terminal: TerminalId
  /** The socket (tmux, WezTerm), `''` where there is none. */
  readonly server: string
  /** tmux: pid of its server. Ids are used again after a restart. */
  readonly serverPid: number | null
  readonly id: string
  /** Ours, random, also kept in the pane where the terminal can (tmux `@offshoot_worker`). */
  readonly tag: string
  /** The folder of its job file. */
  readonly job: string
}

export type PanePlace = Pick<PaneRef, 'server' | 'serverPid' | 'id'>

export interface OpenPane {
  readonly argv: readonly string[]
  readonly cwd: string
  /** In addition to the environment offshoot runs in. Goes into the job file (0600), never onto a command line. */
  readonly env: Readonly<Record<string, string>>
  /** Variables the agent must not inherit: those of an agent offshoot itself may run in. */
  readonly unset: readonly string[]
  /** Shown by the terminal; may hold anything, so it is cleaned first. */
  readonly title: string
  readonly where?: 'window' | 'split' | 'session'
  readonly tag: string
}

export interface PaneStatus {
  /** `gone`: no such pane, or another one under that id. */
  readonly state: 'running' | 'exited' | 'gone'
  readonly exitStatus: number | null
  readonly signal: string | null
  /** The agent's own pid, as the launcher recorded it. */
  readonly pid: number | null
  /** When that process started (field 22 of /proc/<pid>/stat; macOS: `ps -o lstart`): pids are used again. */
  readonly procStart: string | null
  /** Input would be lost or land elsewhere: copy mode that cannot be left, input switched off. */
  readonly inputBlocked: boolean
}

export interface PaneScreen {
  readonly lines: readonly string[]
  readonly title: string
}

/** Both at one moment. */
export interface PaneView {
  readonly status: PaneStatus
  /** Only of one that runs. */
  readonly screen: PaneScreen | null
}

export interface PaneGlance {
  readonly status: PaneStatus
  /** Another one as soon as something was written on the screen; it may lag by a second. */
  readonly mark: string
}

export type PaneKey = 'enter' | 'escape' | 'ctrl-c' | 'ctrl-u'

export interface Probe {
  readonly installed: boolean
  readonly version: string | null
  /** We stand in this terminal right now. */
  readonly inside: boolean
  /** Why it cannot be used; `null` when it can. */
  readonly problem: string | null
}

export interface Terminal {
  readonly id: TerminalId
  readonly label: string
  probe(): Promise<Probe>
  /** Checks program and folder first: terminals report neither. */
  open(pane: OpenPane): Promise<PaneRef>
  /** The pane whose launcher wrote this; `null` where it does not say enough. Whether that is still ours `status` tells. */
  locate(started: Started): PanePlace | null
  /** Text as one paste, cleaned of control characters; nothing is submitted. Refuses a dead, gone, foreign or blocked pane. */
  paste(pane: PaneRef, text: string): Promise<void>
  key(pane: PaneRef, key: PaneKey): Promise<void>
  read(pane: PaneRef): Promise<PaneScreen>
  status(pane: PaneRef): Promise<PaneStatus>
  /** `status` and `read` by one question, where the terminal can. */
  view?(pane: PaneRef): Promise<PaneView>
  /** All of these by one question for each of its servers, by tag: for who looks at many again and again. */
  glance?(panes: readonly PaneRef[]): Promise<ReadonlyMap<string, PaneGlance>>
  /** Brings it before the person; where only they can do that, the command to run. */
  focus(pane: PaneRef): Promise<{ readonly shown: boolean; readonly command: readonly string[] | null }>
  /** Only a pane that is still ours. */
  close(pane: PaneRef): Promise<void>
}
