// The events of this server for any number of listeners (SSE): numbered without gaps, the newest kept for who was away for a
// moment. A listener is only a place in that one log: a slow one costs no memory, and who falls behind its end is let go.
import type { AppEvent } from '../model/event.ts'
import { renderEvent } from '../model/render-worker.ts'
import { comment, encodeFrame, joinFrames } from './frames.ts'

const batchBytes = 64 * 1024

export interface EventFeed {
  /** From behind the event `lastEventId` names, or from now on. */
  open(lastEventId?: string): ReadableStream<Uint8Array>
  publish(event: AppEvent): void
  listeners(): number
  lastId(): number
  /** Says goodbye to every listener. */
  close(): void
}

export interface FeedOptions {
  readonly now: () => number
  /** How many events are kept, and how many bytes of them. */
  readonly keep?: number
  readonly keepBytes?: number
  readonly heartbeatMs?: number
}

interface Listener {
  next: number
  /** Set while it waits for something to happen. */
  wake: ((why: 'event' | 'heartbeat') => void) | null
}

export function createEventFeed({ now, keep = 10_000, keepBytes = 16 << 20, heartbeatMs = 15_000 }: FeedOptions): EventFeed {
  // Numbers go on growing over restarts, so that one of an earlier run is never taken for one of this.
  let last = now() * 1000
  let first = last + 1
  let bytes = 0
  let isClosed = false
  /** Event `id` stands at `id % keep`. */
  const ring: (Uint8Array | undefined)[] = []
  const listeners = new Set<Listener>()
  const wakeAll = (why: 'event' | 'heartbeat') => {
    for (const listener of listeners) listener.wake?.(why)
  }
  const heart = setInterval(() => wakeAll('heartbeat'), heartbeatMs)
  heart.unref()

  const forgetOldest = () => {
    bytes -= ring[first % keep]?.length ?? 0
    ring[first % keep] = undefined
    first += 1
  }

  /** What a listener has not been told yet, up to a size. */
  const framesFor = (listener: Listener): Uint8Array | null => {
    const frames: Uint8Array[] = []
    let size = 0
    for (; listener.next <= last && size < batchBytes; listener.next += 1) {
      const frame = ring[listener.next % keep]
      if (frame === undefined) break
      frames.push(frame)
      size += frame.length
    }
    return frames.length === 0 ? null : joinFrames(frames, size)
  }

  const greet = (asked: string | undefined): { readonly from: number; readonly greeting: Uint8Array } => {
    const known = /^\d{1,16}$/.test(asked ?? '') ? Number(asked) : Number.NaN
    if (known >= first - 1 && known <= last) return { from: known + 1, greeting: encodeFrame({ retry: 2000, id: known }) }
    const here = encodeFrame({ retry: 2000, id: last })
    if (asked === undefined || asked === '') return { from: last + 1, greeting: here }
    // Some of what was missed is not here any more: the listener has to look at everything anew.
    const data = {
      id: last,
      type: 'reset',
      at: new Date(now()).toISOString(),
      data: { reason: 'too_old', asked: asked.slice(0, 32) },
    }
    return { from: last + 1, greeting: joinFrames([here, encodeFrame({ id: last, event: 'reset', data })]) }
  }

  return {
    publish(event) {
      if (isClosed) return
      last += 1
      const frame = encodeFrame({ id: last, event: event.type, data: renderEvent({ ...event, id: last }) })
      if (last - first >= keep) forgetOldest()
      ring[last % keep] = frame
      bytes += frame.length
      while (bytes > keepBytes && first < last) forgetOldest()
      wakeAll('event')
    },
    open(lastEventId) {
      const { from, greeting } = greet(lastEventId)
      const listener: Listener = { next: from, wake: null }
      const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        listeners.delete(listener)
        controller.close()
      }
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            listeners.add(listener)
            controller.enqueue(greeting)
          },
          // Only asked when the client has taken what it got before.
          async pull(controller) {
            let why = 'event'
            for (;;) {
              if (listener.next < first) return end(controller) // too slow: it comes back and is told to begin anew
              const frames = framesFor(listener)
              if (frames !== null) return controller.enqueue(frames)
              if (isClosed) {
                controller.enqueue(comment('the server is stopping'))
                return end(controller)
              }
              if (why === 'heartbeat') return controller.enqueue(comment(''))
              why = await new Promise<string>((resolve) => {
                listener.wake = resolve
              })
              listener.wake = null
            }
          },
          cancel() {
            listeners.delete(listener)
            listener.wake?.('event')
          },
        },
        { highWaterMark: 0 },
      )
    },
    listeners: () => listeners.size,
    lastId: () => last,
    close() {
      isClosed = true
      clearInterval(heart)
      wakeAll('event')
    },
  }
}
