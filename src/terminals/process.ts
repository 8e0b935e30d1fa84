// Whether a process is still the one that was recorded, by the time it started: process numbers are used again.
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { isAlive } from '../lib/is-alive.ts'
import { readRegularText } from '../lib/regular-file.ts'

/** Where the system does not tell when it started (macOS), a process of that number is taken for the same. */
export function isSameProcess(pid: number, procStart: string | null): boolean {
  if (!isAlive(pid)) return false
  const startedAt = procStartOf(pid)
  return startedAt === null || procStart === null || startedAt === procStart
}

function procStartOf(pid: number): string | null {
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'ESRCH') return null
    throw error
  }
}
