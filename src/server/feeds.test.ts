import { expect, test } from 'vitest'
import type { GuardedApp } from '../guarded-app.ts'
import { createRedactor } from '../redact/redact.ts'
import { createFeeds } from './feeds.ts'

/** Only listening is asked of it. */
function listenedTo() {
  let listeners = 0
  const onEvent: GuardedApp['onEvent'] = () => {
    listeners += 1
    return () => {
      listeners -= 1
    }
  }
  return { guarded: { onEvent } as GuardedApp, listeners: () => listeners }
}

test('the feed of a token is dropped when the token ends, and the others stay', async () => {
  const feeds = createFeeds({ redactor: createRedactor(), feed: { now: Date.now }, onProblem: () => undefined })
  const [own, narrowed] = [listenedTo(), listenedTo()]
  const token = new AbortController()
  feeds.open(own.guarded)
  const first = feeds.open(narrowed.guarded, token.signal)
  expect(feeds.open(narrowed.guarded, token.signal)).toBe(first)
  expect([own.listeners(), narrowed.listeners()]).toEqual([1, 1])
  token.abort()
  expect([own.listeners(), narrowed.listeners()]).toEqual([1, 0])
  expect(feeds.open(narrowed.guarded, new AbortController().signal)).not.toBe(first)
  await feeds.close()
  expect([own.listeners(), narrowed.listeners()]).toEqual([0, 0])
})
