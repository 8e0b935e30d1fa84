// Indexing rests while somebody searches: on a machine with two cores each would make the other wait. Told by a word in shared
// memory, since what prepares sessions are threads, which look at it between two turns. It never rests for good: whoever searches
// without a pause has a third of the time indexed.
import { setTimeout as sleep } from 'node:timers/promises'

export interface GiveWay {
  /** Somebody searches: rests from now on, for a moment. */
  asked(): void
  /** Goes on when nobody rests any more. */
  rest(): Promise<void>
  /** For threads: 1 while it rests. */
  readonly shared: Int32Array
}

const restMs = 1000
const workMs = 500

export function createGiveWay(): GiveWay {
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let restsUntil = Number.NEGATIVE_INFINITY
  const end = () => {
    Atomics.store(shared, 0, 0)
    Atomics.notify(shared, 0)
  }
  return {
    shared,
    asked() {
      const now = performance.now()
      if (now < restsUntil + workMs) return
      restsUntil = now + restMs
      Atomics.store(shared, 0, 1)
      setTimeout(end, restMs).unref() // a process that is to end does not wait for it
    },
    async rest() {
      while (Atomics.load(shared, 0) === 1) await sleep(Math.max(1, restsUntil - performance.now()))
    },
  }
}

/** In a thread, which has nothing else to do meanwhile. The limit is for one whose maker has gone. */
export function restInThread(shared: Int32Array | null): void {
  if (shared !== null) Atomics.wait(shared, 0, 1, restMs)
}
