// Notices a git process that waits for something that never comes, such as a pipe in the place of a file: it and all it started are git,
// all of them sleep, and none uses the processor. Only where the system has /proc; elsewhere time limits alone end it.
import { readRegularText } from './regular-file.ts'

const looks = 5

/** Calls `onStuck` once nothing happened for `idleMs`; returns what ends the watch. */
export function watchForStuck(pid: number, idleMs: number, onStuck: () => void): () => void {
  let idle = 0
  let before: number | null = null
  // Looks are counted, not time: while this process stood still, nobody gave git its input.
  const timer = setInterval(() => {
    const used = usedBySleepers(pid)
    const isIdle = used !== null && used === before
    idle = isIdle ? idle + 1 : 0
    before = used
    if (idle >= looks) onStuck()
  }, idleMs / looks)
  return () => clearInterval(timer)
}

/** Processor time of the process and those below it; `null` where one of them is at work, or is another program than git. */
function usedBySleepers(pid: number): number | null {
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    const end = stat.lastIndexOf(')')
    const name = stat.slice(stat.indexOf('(') + 1, end)
    const fields = stat.slice(end + 2).split(' ')
    // A filter, a merge driver or a helper of the user has reasons of its own to wait.
    if (fields[0] !== 'S' || name !== 'git') return null
    let used = Number(fields[11]) + Number(fields[12])
    for (const child of readRegularText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)) {
      const below = usedBySleepers(Number(child))
      if (below === null) return null
      used += below
    }
    return used
  } catch {
    return null // no /proc, or just ended
  }
}
