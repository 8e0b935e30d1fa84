// A tmux server that a systemd service starts lives in that service's cgroup and is killed when it stops or restarts, with
// every pane in it. So it is started in a scope of its own there.
import { existsSync } from 'node:fs'
import { findProgram } from '../lib/find-program.ts'
import { readIfThere } from '../lib/read-if-there.ts'

export interface ServiceFiles {
  readonly cgroup: string
  /** There exactly where systemd runs the system (sd_booted). */
  readonly booted: string
}

const systemFiles: ServiceFiles = { cgroup: '/proc/self/cgroup', booted: '/run/systemd/system' }

/** What to run a server through: nothing outside of a service; `null` where it is needed and cannot be had. */
export function scopeForServer(path: string | undefined, files: ServiceFiles = systemFiles): readonly string[] | null {
  if (!existsSync(files.booted) || !/\.service$/m.test(readIfThere(files.cgroup) ?? '')) return []
  if (findProgram('systemd-run', path) === null) return null
  return ['systemd-run', '--user', '--scope', '--quiet', '--collect', '--']
}
