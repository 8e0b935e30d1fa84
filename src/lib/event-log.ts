// What happened in this process, in order, for whoever listens: ids are contiguous from 1, and the newest are kept so that a
// listener who was away for a moment can be told what it missed.
import type { AppEvent, EventBody } from '../model/event.ts'

export interface EventLog {
  emit(body: EventBody): AppEvent
  /** Gives what stops it. A listener that throws harms no other. */
  onEvent(listener: (event: AppEvent) => void): () => void
  /** Everything after event `id` (0: all), or `null` where some of it is no longer kept or `id` is not of this log. */
  since(id: number): readonly AppEvent[] | null
  lastId(): number
}

export interface EventLogOptions {
  readonly now: () => number
  /** How many are kept. */
  readonly keep?: number
  readonly onProblem?: (error: unknown) => void
}

export function createEventLog({ now, keep = 10_000, onProblem }: EventLogOptions): EventLog {
  const listeners = new Set<(event: AppEvent) => void>()
  /** Event `id` stands at `(id - 1) % keep`. */
  const ring: AppEvent[] = []
  let last = 0
  return {
    emit(body) {
      last += 1
      const event: AppEvent = { ...body, id: last, at: now() }
      ring[(last - 1) % keep] = event
      for (const listener of [...listeners]) {
        try {
          listener(event)
        } catch (error) {
          onProblem?.(error)
        }
      }
      return event
    },
    onEvent(listener) {
      const own = (event: AppEvent) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    since(id) {
      if (!Number.isSafeInteger(id) || id < 0 || id > last || last - id > keep) return null
      const events: AppEvent[] = []
      for (let next = id + 1; next <= last; next += 1) {
        const event = ring[(next - 1) % keep]
        if (event !== undefined) events.push(event)
      }
      return events
    },
    lastId: () => last,
  }
}
