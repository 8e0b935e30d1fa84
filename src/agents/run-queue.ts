// The events of one turn, between the process that tells them and the one who reads: told at any time, read in order, once.
import type { RunEvent } from '../model/run.ts'

export class RunQueue implements AsyncIterable<RunEvent> {
  private readonly waiting: RunEvent[] = []
  private readonly onLeave: () => void
  private wake: (() => void) | null = null
  private over = false

  /** `onLeave`: the reader goes before the end; nobody is left who could answer a question. */
  constructor(onLeave: () => void) {
    this.onLeave = onLeave
  }

  /** Nothing comes behind an `end`. */
  push(event: RunEvent): void {
    if (this.over) return
    this.over = event.kind === 'end'
    this.waiting.push(event)
    this.wake?.()
  }

  get ended(): boolean {
    return this.over
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent> {
    let last: RunEvent['kind'] | null = null
    try {
      while (last !== 'end') {
        const event = this.waiting.shift()
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
          continue
        }
        last = event.kind
        yield event
      }
    } finally {
      if (!this.over) this.onLeave()
    }
  }
}
