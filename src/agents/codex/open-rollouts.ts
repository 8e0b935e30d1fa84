// Rollouts that Codex processes have open for writing, from /proc: the only sign of versions that take no lock (0.142).
import { readdirSync, readlinkSync } from 'node:fs'
import { processStart } from '../../lib/process-start.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import type { AgentEnv } from '../agent-env.ts'
import { codexHome, parsePaths } from './rollout-files.ts'

export interface RolloutWriter {
  readonly threadId: string
  readonly pid: number
  /** When the process began; `null` where that cannot be told. */
  readonly since: number | null
  readonly path: string
}

/** Every Codex holds some lock in its home, so only `pids` that hold any are looked at. */
export function* listWriters(env: AgentEnv, pids: ReadonlySet<number>): Generator<RolloutWriter> {
  for (const pid of pids) {
    if (pid <= 0 || !read(`/proc/${pid}/comm`).startsWith('codex')) continue
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const path = linkOf(`/proc/${pid}/fd/${fd}`)
      const [rollout] = path.startsWith(codexHome(env)) ? parsePaths([path]) : []
      if (rollout === undefined || !isWritten(pid, fd)) continue
      yield { threadId: rollout.threadId, pid, since: processStart(pid, env.now?.()), path }
    }
  }
}

/** Octal, as open(2) takes them: the lowest two bits are 0 for reading only. */
function isWritten(pid: number, fd: string): boolean {
  const flags = /^flags:\s+([0-7]+)/m.exec(read(`/proc/${pid}/fdinfo/${fd}`))?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // ended meanwhile, or another user's
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed meanwhile
  }
}

function read(path: string): string {
  try {
    return readRegularText(path)
  } catch {
    return '' // ended or closed meanwhile
  }
}
