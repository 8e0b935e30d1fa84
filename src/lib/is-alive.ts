// Whether a process runs. One that has ended stays listed until its parent asks for it (tmux 3.3a sometimes does not for minutes):
// such a one does not.
import { fileErrorCode } from './file-errors.ts'
import { readRegularText } from './regular-file.ts'

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return fileErrorCode(error) === 'EPERM' // there, but another user's
  }
  return stateOf(pid) !== 'Z'
}

/** The letter of /proc/pid/stat; `null` where the system has none, or the process is just gone. */
function stateOf(pid: number): string | null {
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    return stat[stat.lastIndexOf(')') + 2] ?? null
  } catch {
    return null // what is gone was there a moment ago; the next look tells
  }
}
