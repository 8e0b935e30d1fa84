// What the background process does, apart from being a process: keeps the built-in index fresh as sessions change and by schedule,
// and where the settings want it qmd's index too (SF10, SF11). Nothing that fails in one pipeline reaches the other.

import type { App } from '../app.ts'
import { errorMessage } from '../lib/error-message.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { nextRun, type Schedule } from '../lib/schedule.ts'
import { idlePipeline, type PipelineStatus } from '../model/background.ts'
import { AppError } from '../model/error.ts'
import type { IndexProgress } from '../model/search.ts'
import type { GiveWay } from '../search/index/give-way.ts'
import { watchIndex } from '../search/watch-index.ts'

export interface WorkOptions {
  readonly app: Pick<App, 'watch' | 'updateIndex' | 'updateQmd' | 'checkQmdPipeline'>
  readonly schedule: Schedule
  /** Why the schedule is not the one in the settings: it is told with the status. */
  readonly scheduleProblem: string | null
  readonly wantsQmd: boolean
  readonly now: () => number
  readonly giveWay: GiveWay
  readonly onStatus: (status: WorkStatus) => void
  readonly onProgress: (progress: IndexProgress) => void
  readonly onLog: (level: 'info' | 'warn', event: string, fields: Readonly<Record<string, string | number>>) => void
}

export interface WorkStatus {
  readonly index: PipelineStatus
  readonly qmd: PipelineStatus
}

/** A clock that jumps, or a machine that slept, is noticed this soon. */
const tickMs = 15_000
/** Ten minutes without a session done: even the largest takes seconds. */
const quietTicksAllowed = 40

export async function startWork(options: WorkOptions): Promise<{ updateNow(): void; close(): Promise<void> }> {
  const { app, schedule, wantsQmd, now, onStatus, onProgress, onLog } = options
  const closing = new AbortController()
  let index: PipelineStatus = { ...idlePipeline, state: 'waiting', problem: options.scheduleProblem }
  let qmd: PipelineStatus = idlePipeline
  let nextAt = nextRun(schedule, now())

  const setIndex = (change: Partial<PipelineStatus>) => {
    index = { ...index, ...change }
    onStatus({ index, qmd })
  }
  const setQmd = (change: Partial<PipelineStatus>) => {
    qmd = { ...qmd, ...change }
    onStatus({ index, qmd })
  }

  let problem: string | null = null
  let quietTicks = 0
  const watching = await watchIndex(app, {
    giveWay: options.giveWay,
    onIndexed: ({ sessions, removed, chunks }) => onLog('info', 'indexed', { sessions, removed, chunks }),
    onProblem(text) {
      problem = text
      onLog('warn', 'indexing failed', { problem: text })
    },
    onProgress(progress) {
      quietTicks = 0
      setIndex({ progress: { step: 'index', done: progress.filesDone, total: progress.files } })
      onProgress(progress)
    },
    onUpdating(isRunning) {
      quietTicks = 0
      if (isRunning) problem = null
      setIndex(
        isRunning
          ? { state: 'running' }
          : {
              state: problem === null ? 'waiting' : 'failing',
              problem: problem ?? options.scheduleProblem,
              progress: null,
              nextAt,
              ...(problem === null ? { doneAt: now() } : {}),
            },
      )
    },
  })

  let running: Promise<void> | undefined

  async function runQmd(): Promise<void> {
    setQmd({ state: 'running', progress: null })
    try {
      const report = await app.updateQmd({
        signal: closing.signal,
        onProgress: ({ step, done, total }) => setQmd({ progress: { step, done, total } }),
      })
      const [first] = report.problems
      if (first !== undefined) throw new AppError('failed', `${first.path}: ${first.problem}`)
      const { exported, removed, busy } = report
      if (!busy) onLog('info', 'qmd indexed', { exported, removed })
      setQmd({ state: 'waiting', problem: null, fix: null, progress: null, nextAt, ...(busy ? {} : { doneAt: now() }) })
    } catch (error) {
      if (closing.signal.aborted) return
      const [message, fix] = describe(error)
      onLog('warn', 'qmd indexing failed', { problem: message })
      setQmd({ state: 'failing', problem: message, fix, progress: null, nextAt })
    }
  }

  /** A failed check switches the pipeline off until the server is started again. */
  async function beginQmd(): Promise<void> {
    setQmd({ state: 'running', progress: { step: 'checks', done: 0, total: 1 } })
    try {
      const failed = (await app.checkQmdPipeline(closing.signal)).filter(({ state }) => state === 'fail')
      if (closing.signal.aborted) return
      for (const { id, message, fix } of failed)
        onLog('warn', 'qmd indexing is off', { check: id, problem: message, fix: fix ?? '' })
      const [first] = failed
      if (first !== undefined) return setQmd({ state: 'off', problem: first.message, fix: first.fix, progress: null })
    } catch (error) {
      const [message, fix] = describe(error)
      onLog('warn', 'qmd indexing is off', { problem: message })
      return setQmd({ state: 'off', problem: message, fix, progress: null })
    }
    await runQmd()
  }

  const startQmd = (work: () => Promise<void>) => {
    running ??= work().finally(() => {
      running = undefined
    })
  }

  function tick(): void {
    quietTicks += 1
    if (index.state === 'running' && quietTicks > quietTicksAllowed)
      setIndex({ state: 'stalled', problem: 'no progress for ten minutes' })
    if (nextAt === null || now() < nextAt) {
      // A clock set back would have the next run wait for as long.
      const fresh = nextRun(schedule, now())
      if (nextAt !== null && fresh !== null && fresh < nextAt) nextAt = fresh
      return
    }
    nextAt = nextRun(schedule, now())
    watching.updateNow()
    if (qmd.state !== 'off') startQmd(runQmd)
  }

  setIndex({ nextAt })
  if (wantsQmd) startQmd(beginQmd)
  const timer = setInterval(tick, tickMs)
  return {
    updateNow: () => watching.updateNow(),
    async close() {
      clearInterval(timer)
      closing.abort()
      await Promise.all([watching.close(), running])
    },
  }
}

function describe(error: unknown): readonly [message: string, fix: string | null] {
  const fault = toMachineFault(error)
  return fault === null ? [errorMessage(error), null] : [fault.message, fault.hint]
}
