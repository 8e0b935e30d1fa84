// A server that the system starts and keeps: one interface for launchd and systemd (SF12).
import type { Exec } from '../lib/exec.ts'

/** What is to be run; everything absolute, nothing of it read by a shell. */
export interface ServiceSpec {
  readonly argv: readonly [node: string, script: string, ...rest: string[]]
  /** Only what it needs to find its files and programs: secrets do not belong into a file that others may read. */
  readonly env: Readonly<Record<string, string>>
  readonly workingDirectory: string
  /** `$OFFSHOOT_HOME/logs`. */
  readonly logs: string
}

export interface ServiceReport {
  readonly manager: ServiceManager['id']
  readonly file: string
  /** What the file says (is going to say); empty after an uninstall. */
  readonly text: string
  /** What was done, or with `dryRun` would be, in order. */
  readonly steps: readonly string[]
  /** What the person should know besides. */
  readonly hints: readonly string[]
}

export interface ServiceStatus {
  readonly manager: ServiceManager['id']
  readonly file: string
  readonly installed: boolean
  readonly state: 'running' | 'starting' | 'stopped' | 'failed' | 'unknown'
  readonly pid: number | null
  readonly lastExit: number | null
  readonly restarts: number | null
  /** The command as the file names it: Node, program, its words; `null` where it is not ours or cannot be read. */
  readonly argv: readonly string[] | null
  /** What the manager says where it can say nothing of use. */
  readonly problem: string | null
}

export interface ServiceManager {
  readonly id: 'systemd' | 'launchd'
  install(spec: ServiceSpec, options?: { readonly dryRun?: boolean }): Promise<ServiceReport>
  uninstall(options?: { readonly dryRun?: boolean }): Promise<ServiceReport>
  status(): Promise<ServiceStatus>
  /** The last lines it wrote. */
  logs(lines: number): Promise<readonly string[]>
}

export interface ServiceOptions {
  readonly exec: Exec
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly uid: number
  /** `$OFFSHOOT_HOME/logs`. */
  readonly logs: string
  readonly pause: (ms: number) => Promise<void>
}
