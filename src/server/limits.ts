// How often something may be asked: a bucket that fills at a steady rate. Its clock is monotonic: setting the system's clock
// neither locks anyone out nor lets anyone in.
import { performance } from 'node:perf_hooks'
import { AppError } from '../model/error.ts'

export interface Limit {
  /** Throws `too_many` when there is none left. */
  take(): void
}

export interface LimitOptions {
  readonly perSecond: number
  readonly burst: number
  /** Milliseconds of a clock that is never set. */
  readonly elapsed?: () => number
}

export function createLimit({ perSecond, burst, elapsed = () => performance.now() }: LimitOptions): Limit {
  let left = burst
  let lookedAt = elapsed()
  return {
    take() {
      const now = elapsed()
      left = Math.min(burst, left + ((now - lookedAt) / 1000) * perSecond)
      lookedAt = now
      if (left < 1) {
        const seconds = Math.max(1, Math.ceil((1 - left) / perSecond))
        throw new AppError('too_many', 'Too many requests.', {
          hint: `Wait ${seconds} s.`,
          details: { retry_after: seconds },
        })
      }
      left -= 1
    },
  }
}
