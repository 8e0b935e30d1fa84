// The hook leaves a process behind that nobody waits for; a test that removes its home has to.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const lookMs = 50
const maxLooks = 600

/** Resolves once no such process of this home is left. */
export async function followUpsEnded(offshootHome: string): Promise<void> {
  for (let looks = 0; looks < maxLooks; looks++) {
    if (!readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && isFollowUp(pid, offshootHome))) return
    await sleep(lookMs)
  }
  throw new Error(`a process that follows a capture of ${offshootHome} does not end`)
}

function isFollowUp(pid: string, offshootHome: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('__after-capture')) return false
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`OFFSHOOT_HOME=${offshootHome}`)
  } catch {
    return false // it has just ended, or is another user's
  }
}
