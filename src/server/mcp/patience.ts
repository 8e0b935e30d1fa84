// Waiting for what may take long, but not for ever: clients give a tool a limited time (Codex 0.166: 300 s).
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from './tool.ts'

/** `null` when the time is over; the work goes on. Throws when nobody waits any more. */
export async function orGiveUp<T>({ signal }: Pick<Call, 'signal'>, work: Promise<T>, seconds: number): Promise<T | null> {
  const done = new AbortController()
  const over = pause(seconds * 1000, null, { signal: AbortSignal.any([signal, done.signal]), ref: false }).catch(() => null)
  try {
    const result = await Promise.race([work, over])
    if (result === null) signal.throwIfAborted()
    return result
  } finally {
    done.abort()
    work.catch(() => undefined) // what becomes of it now is told by the state of the worker or the session
  }
}
