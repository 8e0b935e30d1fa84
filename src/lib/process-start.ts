import { readRegularText } from './regular-file.ts'

// When a process began, in epoch milliseconds. Linux tells it in ticks since the machine was started.

/** Of every architecture Node runs on. */
const ticksPerSecond = 100

/** `null` where the system does not tell, or `now` is not known. */
export function processStart(pid: number, now: number | undefined): number | null {
  if (now === undefined) return null
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    const ticks = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20])
    const uptime = Number(readRegularText('/proc/uptime').split(' ')[0])
    const start = now - uptime * 1000 + (ticks / ticksPerSecond) * 1000
    return Number.isFinite(start) ? Math.round(start) : null
  } catch {
    return null // it has ended, or there is no /proc
  }
}
