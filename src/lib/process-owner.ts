// A process named so that it is never taken for another: process numbers are used again, so the time it started belongs to it.
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAlive } from './is-alive.ts'

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
  if (owner.host !== hostname()) return true
  if (!isAlive(owner.pid)) return false
  const startedAt = startOf(owner.pid)
  return startedAt === '-' || owner.startedAt === '-' || startedAt === owner.startedAt
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '-'
  } catch {
    return '-' // this system does not tell, or the process is gone
  }
}
