// Waiting for a fact instead of sleeping: polls until the probe answers, and says what it saw when it gives up.
import { setTimeout as pause } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  readonly everyMs?: number
  /** Added to the error: what was there instead. */
  readonly describe?: () => string
}

export async function waitUntil<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions = {},
): Promise<T> {
  const endAt = Date.now() + (options.timeoutMs ?? 30_000)
  let everyMs = options.everyMs ?? 40
  const longestMs = Math.max(everyMs, 150)
  for (;;) {
    const found = await probe()
    if (found !== undefined && found !== false) return found
    if (Date.now() > endAt) throw new Error(`gave up waiting for ${what}${options.describe ? `\n${options.describe()}` : ''}`)
    await pause(everyMs)
    // Most probes start a process: what takes long is asked for less often.
    everyMs = Math.min(longestMs, everyMs * 1.2)
  }
}
