// The event feeds of a server: one for each app that events are listened to through, since tokens may see different projects.
import type { GuardedApp } from '../guarded-app.ts'
import type { AppEvent } from '../model/event.ts'
import type { Redactor } from '../redact/redact.ts'
import { createEventFeed, type EventFeed, type FeedOptions } from './events.ts'
import { createEventRedactor } from './redact-events.ts'

export interface FeedsOptions {
  readonly redactor: Redactor
  readonly feed: FeedOptions
  readonly onProblem: (thrown: unknown) => void
}

interface Opened {
  readonly feed: EventFeed
  readonly take: (event: AppEvent) => void
  close(): Promise<void>
}

export function createFeeds({ redactor, feed: options, onProblem }: FeedsOptions) {
  const opened = new Map<GuardedApp, Opened>()

  function create(guarded: GuardedApp): Opened {
    const feed = createEventFeed(options)
    const events = createEventRedactor({ redactor, publish: feed.publish, onProblem })
    const stop = guarded.onEvent(events.take)
    return {
      feed,
      take: events.take,
      async close() {
        stop()
        await events.settled()
        feed.close()
      },
    }
  }

  return {
    /** Opened when first asked for; from then on it keeps events for listeners that come back, until the token it is for has ended. */
    open(guarded: GuardedApp, ended?: AbortSignal): Opened {
      const known = opened.get(guarded)
      if (known !== undefined) return known
      const made = create(guarded)
      opened.set(guarded, made)
      const drop = () => {
        opened.delete(guarded)
        made.close().catch(onProblem)
      }
      ended?.addEventListener('abort', drop, { once: true })
      return made
    },
    /** To every listener, whatever they may see. */
    tell(event: AppEvent): void {
      for (const { take } of opened.values()) take(event)
    },
    listeners: () => [...opened.values()].reduce((sum, { feed }) => sum + feed.listeners(), 0),
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((one) => one.close()))
    },
  }
}
