import { tmpdir } from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import type { SessionChange } from '../../model/catalog.ts'
import type { IndexReport } from '../../model/search.ts'
import { watchIndex } from '../../search/watch-index.ts'
import { makeAnswer } from '../searching/result.testkit.ts'
import { recordContext } from '../test-output.testkit.ts'
import { describeGaps, describeIndex } from './describe-index.ts'
import { createIndexMeter } from './meter.ts'

const progress = { files: 900, filesDone: 120, bytes: 300e6, bytesDone: 45e6, bytesPerSecond: 22e6, leftMs: 11_600 }

describe('meter', () => {
  test('quiet at first, then files, bytes, rate and time left, and a clean line in the end', () => {
    const clock = { now: 0 }
    const { context, stderr } = recordContext({ home: tmpdir(), isTerminal: true, now: () => clock.now })
    const meter = createIndexMeter(context)
    for (const now of [100, 500, 520, 700]) {
      clock.now = now
      meter.show({ ...progress, filesDone: now })
    }
    meter.clear()
    meter.clear()
    const line = (done: number) => `Indexing, newest first: ${done} of 900 sessions, 45.0 of 300 MB (15 %), 22.0 MB/s, 12 s left`
    expect(stderr().split('\r\u001b[K')).toEqual(['', line(500), line(700), ''])
  })

  test('nobody watches: nothing is drawn', () => {
    const { context, stderr } = recordContext({ home: tmpdir(), now: () => 9000 })
    createIndexMeter(context).show(progress)
    expect(stderr()).toBe('')
  })
})

describe('how complete it is', () => {
  const { index } = makeAnswer('x', [])
  test('for the index command', () => {
    expect(describeIndex(index)).toEqual([
      '4 of 4 sessions searchable, complete',
      '9 turns in 12 pieces, 100 % with a vector (static)',
    ])
  })

  test('below an answer, only where something is missing', () => {
    expect(describeGaps(index)).toBeNull()
    expect(describeGaps({ ...index, complete: false, indexedSessions: 1 })).toBe(
      'Searched 1 of 4 sessions, the newest; `offshoot index` brings in the rest.',
    )
    expect(describeGaps({ ...index, complete: false, running: true })).toBe(
      'The newest changes are not searched yet; the rest is being indexed in the background.',
    )
  })
})

describe('watching', () => {
  /** Bounds only what hangs. */
  const soon = { timeout: 30_000 }
  const done: IndexReport = { busy: false, stopped: false, sessions: 1, removed: 0, chunks: 2, problems: [] }
  const change: SessionChange = { agent: 'claude', sessionId: 'x', change: 'updated' }

  async function start(reports: readonly (IndexReport | Error)[]) {
    const told: string[] = []
    let updates = 0
    let onChange = (_: SessionChange): void => undefined
    let closed = false
    const app = {
      async watch(listener: (change: SessionChange) => void) {
        onChange = listener
        return {
          async close() {
            closed = true
          },
        }
      },
      async updateIndex() {
        const report = reports[updates] ?? done
        updates += 1
        if (report instanceof Error) throw report
        return report
      },
    }
    const watching = await watchIndex(app, {
      onIndexed: ({ sessions }) => told.push(`indexed ${sessions}`),
      onProblem: (problem) => told.push(problem),
    })
    return { watching, told, updates: () => updates, change: () => onChange(change), isClosed: () => closed }
  }

  test('what was there before is indexed at once; many changes are one update', async () => {
    const { watching, told, updates, change } = await start([])
    await vi.waitFor(() => expect(told).toEqual(['indexed 1']), soon)
    for (let count = 0; count < 20; count += 1) change()
    await vi.waitFor(() => expect(told).toEqual(['indexed 1', 'indexed 1']), soon)
    expect(updates()).toBe(2)
    await watching.close()
  })

  test('a failure ends nothing; while another process is at it we come back', async () => {
    const { watching, told, change } = await start([new Error('disk full'), { ...done, busy: true, sessions: 0 }])
    await vi.waitFor(() => expect(told).toEqual(['disk full']), soon)
    change()
    await vi.waitFor(() => expect(told).toEqual(['disk full', 'indexed 1']), soon)
    await watching.close()
  })

  test('closing ends it', async () => {
    const { watching, told, change, isClosed } = await start([])
    await vi.waitFor(() => expect(told).toHaveLength(1), soon)
    await watching.close()
    change()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect({ told: told.length, closed: isClosed() }).toEqual({ told: 1, closed: true })
  })
})
