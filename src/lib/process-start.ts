// When a process began, in epoch milliseconds. Linux tells it in ticks since the machine was started.
import { readFileSync } from 'node:fs'

/** Of every architecture Node runs on. */
const ticksPerSecond = 100

/** `null` where the system does not tell, or `now` is not known. */
export function processStart(pid: number, now: number | undefined): number | null {
  if (now === undefined) return null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20])
    const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
    const start = now - uptime * 1000 + (ticks / ticksPerSecond) * 1000
    return Number.isFinite(start) ? Math.round(start) : null
  } catch {
    return null // it has ended, or there is no /proc
  }
}
