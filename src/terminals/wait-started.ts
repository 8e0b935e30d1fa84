// Waits until the launcher has started the agent: a terminal's own word that a pane is open says nothing of what runs in it.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/error.ts'
import { type Ended, readEnded, readStarted, type Started } from './job.ts'

const pollMs = 25
/** Node alone needs 40 ms on a quiet machine, seconds on one where ten agents start at once. */
export const startMs = 30_000
const maxTries = startMs / pollMs
const checkPaneEvery = 20
const endTries = 120

/** `isOpen`: whether the pane is still there. Gives `null` for one that ended at once. */
export async function waitForStart(job: string, isOpen: () => Promise<boolean>): Promise<Started | null> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const ended = await readEnded(job)
    if (ended?.error) throw new AppError('tool_missing', `The agent could not be started in the pane: ${ended.error}`)
    const started = await readStarted(job)
    if (started !== null || ended !== null) return started
    if (tries % checkPaneEvery === 0 && !(await isOpen()) && (await readStarted(job)) === null) {
      throw new AppError('terminal_unavailable', 'The pane closed before the agent could start.')
    }
    await sleep(pollMs)
  }
  throw new AppError('timed_out', 'The pane is open, but the agent did not start in it.', {
    hint: 'The machine may be overloaded.',
  })
}

/** After its pane was closed: what became of the agent, as far as it is known within 3 s. */
export async function waitForEnd(job: string): Promise<Ended | null> {
  if ((await readStarted(job)) === null) return null
  for (let tries = 1; tries <= endTries; tries += 1) {
    const ended = await readEnded(job)
    if (ended !== null) return ended
    await sleep(pollMs)
  }
  return null
}
