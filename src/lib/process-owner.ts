// A process named so that it is never taken for another: process numbers are used again, so the time it started belongs to it.
import { execFileSync } from 'node:child_process'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { isAlive } from './is-alive.ts'
import { readRegularText } from './regular-file.ts'

export interface ProcessOwner {
  readonly pid: number
  /** As the system tells it; `-` where it does not. */
  readonly startedAt: string
  readonly host: string
}

export function describeProcess(pid: number): ProcessOwner {
  return { pid, startedAt: startOf(pid), host: hostname() }
}

/** Of another machine nothing can be told: it counts as running. */
export function isRunning(owner: ProcessOwner): boolean {
  if (!isHere(owner)) return true
  if (!isAlive(owner.pid)) return false
  const startedAt = startOf(owner.pid)
  return startedAt === '-' || owner.startedAt === '-' || startedAt === owner.startedAt
}

export function isHere({ host }: ProcessOwner): boolean {
  return host === hostname()
}

/** Program and verb only: prompts and names stand behind them. `null` where the system does not tell. */
export function commandOf(pid: number): string | null {
  const [program = '', first = '', ...rest] = readArguments(pid)
  const isNode = /^(node|bun)(\.exe)?$/.test(basename(program))
  const name = basename(isNode ? first : program).replace(/\.[cm]?[jt]s$/, '')
  const verb = (isNode ? rest[0] : first) ?? ''
  if (!/^[\w.-]+$/.test(name)) return null
  return /^[a-z][a-z-]*$/.test(verb) ? `${name} ${verb}` : name
}

function readArguments(pid: number): string[] {
  try {
    return readRegularText(`/proc/${pid}/cmdline`).split('\0')
  } catch {
    return askPs(pid, 'command').split(' ') // no /proc here, or the process is gone
  }
}

function startOf(pid: number): string {
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '-'
  } catch {
    return askPs(pid, 'lstart') || '-' // macOS has no /proc; or the process is gone
  }
}

/** Empty where there is no such process, or no `ps` to ask. */
export function askPs(pid: number, column: 'command' | 'lstart'): string {
  try {
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe', env }).trim()
  } catch {
    return ''
  }
}
