import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseSchedule } from '../lib/schedule.ts'
import { AppError } from '../model/error.ts'
import type { QmdReport } from '../model/qmd.ts'
import type { IndexReport } from '../model/search.ts'
import { createGiveWay } from '../search/index/give-way.ts'
import { startWork, type WorkOptions, type WorkStatus } from './background-work.ts'

const indexed: IndexReport = { busy: false, stopped: false, sessions: 1, removed: 0, chunks: 2, problems: [] }
const exported: QmdReport = {
  busy: false,
  stopped: false,
  exported: 3,
  removed: 0,
  added: [],
  updated: true,
  embedded: false,
  problems: [],
}
const hour = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({
    now: Date.UTC(2026, 10, 1, 9, 30),
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'],
  })
})
afterEach(() => vi.useRealTimers())

/** The app's four verbs, told by the test. */
async function begin(given: Partial<WorkOptions['app']> = {}, options: Partial<WorkOptions> = {}) {
  const calls = { index: 0, qmd: 0 }
  const logged: string[] = []
  let status: WorkStatus | undefined
  const app: WorkOptions['app'] = {
    watch: async () => ({ close: async () => undefined }),
    async updateIndex() {
      calls.index += 1
      return indexed
    },
    async updateQmd() {
      calls.qmd += 1
      return exported
    },
    checkQmdPipeline: async () => [{ id: 'qmd', state: 'ok', message: 'qmd answers', fix: null }],
    ...given,
  }
  const schedule = parseSchedule('1h')
  if (schedule === null) throw new Error('a schedule')
  const work = await startWork({
    app,
    schedule,
    scheduleProblem: null,
    wantsQmd: false,
    now: Date.now,
    giveWay: createGiveWay(),
    onStatus: (next) => {
      status = next
    },
    onProgress: () => undefined,
    onLog: (_, event, fields) => void logged.push(`${event} ${Object.values(fields).join(' ')}`),
    ...options,
  })
  return { work, calls, logged, status: () => status }
}

describe('the built-in index', () => {
  test('at once, then by the schedule', async () => {
    const { work, calls, status } = await begin()
    await vi.advanceTimersByTimeAsync(10)
    expect(calls).toEqual({ index: 1, qmd: 0 })
    expect(status()?.index).toMatchObject({ state: 'waiting', problem: null, nextAt: Date.UTC(2026, 10, 1, 10, 30) })
    expect(status()?.qmd.state).toBe('off')
    await vi.advanceTimersByTimeAsync(hour - 60_000)
    expect(calls.index).toBe(1)
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(calls).toEqual({ index: 2, qmd: 0 })
    await work.close()
    await vi.advanceTimersByTimeAsync(3 * hour)
    expect(calls.index).toBe(2)
  })

  test('a cron expression, and clocks that jump', async () => {
    const schedule = parseSchedule('0 * * * *')
    if (schedule === null) throw new Error('a schedule')
    const { work, calls } = await begin({}, { schedule })
    await vi.advanceTimersByTimeAsync(31 * 60_000)
    expect(calls.index).toBe(2)
    vi.setSystemTime(Date.UTC(2027, 0, 1, 12)) // forward: what is due is done once
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls.index).toBe(3)
    vi.setSystemTime(Date.UTC(2026, 10, 1, 9, 50)) // back: the next hour counts, not the one in two months
    await vi.advanceTimersByTimeAsync(11 * 60_000)
    expect(calls.index).toBe(4)
    await work.close()
  })

  test('a failure shows and passes; a bad interval is told as long as it stands', async () => {
    let fails = true
    const { work, status } = await begin(
      {
        async updateIndex() {
          if (fails) throw new AppError('store_failed', 'disk full')
          return indexed
        },
      },
      { scheduleProblem: 'index.interval must look like 15m' },
    )
    await vi.advanceTimersByTimeAsync(10)
    expect(status()?.index).toMatchObject({ state: 'failing', problem: 'disk full', doneAt: null })
    fails = false
    work.updateNow()
    await vi.advanceTimersByTimeAsync(10)
    expect(status()?.index).toMatchObject({ state: 'waiting', problem: 'index.interval must look like 15m' })
    await work.close()
  })

  test('no progress for ten minutes is a stall', async () => {
    const { work, status } = await begin({
      updateIndex: (options) =>
        new Promise((resolve) => {
          options?.signal?.addEventListener('abort', () => resolve(indexed))
        }),
    })
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    expect(status()?.index.state).toBe('running')
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(status()?.index).toMatchObject({ state: 'stalled', problem: 'no progress for ten minutes' })
    await work.close()
  })
})

describe('qmd', () => {
  test('checks first, then at once, then by the schedule', async () => {
    const { work, calls, status } = await begin({}, { wantsQmd: true })
    await vi.advanceTimersByTimeAsync(10)
    expect(calls.qmd).toBe(1)
    expect(status()?.qmd).toMatchObject({ state: 'waiting', problem: null, doneAt: Date.UTC(2026, 10, 1, 9, 30) })
    await vi.advanceTimersByTimeAsync(hour + 60_000)
    expect(calls).toEqual({ index: 2, qmd: 2 })
    await work.close()
  })

  test('a failed check says what to do and switches it off; the index goes on', async () => {
    const { work, calls, logged, status } = await begin(
      { checkQmdPipeline: async () => [{ id: 'qmd', state: 'fail', message: 'qmd is not on PATH', fix: 'npm install it' }] },
      { wantsQmd: true },
    )
    await vi.advanceTimersByTimeAsync(2 * hour + 60_000)
    expect(status()?.qmd).toMatchObject({ state: 'off', problem: 'qmd is not on PATH', fix: 'npm install it' })
    expect(logged).toContain('qmd indexing is off qmd qmd is not on PATH npm install it')
    expect(calls).toEqual({ index: 3, qmd: 0 })
    await work.close()
  })

  test('a run that fails is tried again when the next is due', async () => {
    let runs = 0
    const { work, status } = await begin(
      {
        async updateQmd() {
          runs += 1
          if (runs === 1) throw new AppError('qmd_not_available', 'qmd crashed')
          return runs === 2 ? { ...exported, problems: [{ path: 'qmd update', problem: 'stopped' }] } : exported
        },
      },
      { wantsQmd: true },
    )
    await vi.advanceTimersByTimeAsync(10)
    expect(status()?.qmd).toMatchObject({ state: 'failing', problem: 'qmd crashed' })
    await vi.advanceTimersByTimeAsync(hour + 60_000)
    expect(status()?.qmd).toMatchObject({ state: 'failing', problem: 'qmd update: stopped' })
    await vi.advanceTimersByTimeAsync(hour + 60_000)
    expect(status()?.qmd).toMatchObject({ state: 'waiting', problem: null })
    await work.close()
  })

  test('closing stops a run that hangs', async () => {
    const { work } = await begin(
      {
        updateQmd: (options) =>
          new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('x')))),
      },
      { wantsQmd: true },
    )
    await vi.advanceTimersByTimeAsync(10)
    await work.close()
  })
})
