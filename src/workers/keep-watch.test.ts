import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEventLog } from '../lib/event-log.ts'
import type { SessionChange } from '../model/catalog.ts'
import { keepWatch, type WatchContext } from './keep-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const capture = { moment: 'end', turnId: 't1', number: 1, endedAt: 5, root: '/w' }
const change: SessionChange = { agent: 'claude', sessionId: 's', change: 'updated' } as SessionChange

/** A watch over a table that a test fills. */
async function watchTable() {
  const table: (typeof capture)[] = []
  const told: unknown[] = []
  const events = createEventLog({ now: () => 1 })
  events.onEvent(({ type, data }) => void (type === 'capture.done' && told.push(data.workerId)))
  let tell: (change: SessionChange) => void = () => undefined
  const nothing = { close: async () => undefined }
  const store = {
    forks: { ofSession: () => null },
    sessions: { withId: () => [] },
    captures: { ofSession: () => table },
    workers: {
      all: () => [
        { id: 'w1', agent: 'codex', sessionId: 's' },
        { id: 'w2', agent: 'claude', sessionId: 's' },
      ],
    },
  } as unknown as ReturnType<WatchContext['store']>
  const watching = await keepWatch({
    events,
    now: () => 1,
    store: () => store,
    catalog: {
      async watch(onChange) {
        tell = onChange
        return nothing
      },
      listSessions: async () => [],
    },
    watchCaptures: async () => nothing,
    watchPanes: async () => nothing,
  })
  return { table, told, tell: () => tell(change), watching }
}

test('a capture that comes into the table late is told all the same, and once', async () => {
  const { table, told, tell, watching } = await watchTable()
  tell()
  await vi.advanceTimersByTimeAsync(3000)
  expect(told).toEqual([])
  table.push(capture)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['w2'])
  tell()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['w2'])
  await watching.close()
})

test('nothing is looked for once it is closed', async () => {
  const { table, told, tell, watching } = await watchTable()
  tell()
  await watching.close()
  table.push(capture)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual([])
})
