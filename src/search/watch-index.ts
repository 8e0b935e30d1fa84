// New turns of live sessions become searchable as they are written: a change in the agents' files is indexed a moment later.
import { errorMessage } from '../lib/error-message.ts'
import type { SessionChange } from '../model/catalog.ts'
import type { IndexReport } from '../model/search.ts'
import type { UpdateOptions } from './search.ts'

/** An answer is written line by line: a moment of quiet saves indexing its half. */
const quietMs = 300
/** Agents that write without a pause must not put it off for ever. */
const maxPutOff = 6
/** Another process is at it: what it has passed already is left for us. */
const busyMs = 1000

/** Of the app. */
export interface Watchable {
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
  updateIndex(options?: UpdateOptions): Promise<IndexReport>
}

export interface IndexWatching {
  /** Brings it up to date now, or as soon as the update that runs is done. */
  updateNow(): void
  close(): Promise<void>
}

export interface WatchIndexOptions {
  readonly onIndexed: (report: IndexReport) => void
  /** A failed update (a full disk, a busy database) does not end the watching: the next change tries again. */
  readonly onProblem: (problem: string) => void
  readonly onProgress?: UpdateOptions['onProgress']
  readonly giveWay?: UpdateOptions['giveWay']
  /** Before and after each update, whatever comes of it. */
  readonly onUpdating?: (isRunning: boolean) => void
}

export async function watchIndex(
  app: Watchable,
  { onIndexed, onProblem, onProgress, onUpdating, giveWay }: WatchIndexOptions,
): Promise<IndexWatching> {
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let changed = false
  let putOff = 0

  const schedule = (afterMs: number) => {
    clearTimeout(timer)
    if (closing.signal.aborted) return
    timer = setTimeout(() => {
      running ??= update().finally(() => {
        running = undefined
      })
    }, afterMs)
  }

  async function update(): Promise<void> {
    changed = false
    putOff = 0
    onUpdating?.(true)
    try {
      const report = await app.updateIndex({
        signal: closing.signal,
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(giveWay === undefined ? {} : { giveWay }),
      })
      if (report.busy) schedule(busyMs)
      else if (report.sessions + report.removed > 0) onIndexed(report)
      for (const { path, problem } of report.problems) onProblem(`${path}: ${problem}`)
    } catch (error) {
      onProblem(errorMessage(error))
    }
    onUpdating?.(false)
    if (changed) schedule(quietMs)
  }

  const soon = (afterMs: number) => {
    changed = true
    if (running !== undefined || putOff >= maxPutOff) return
    putOff += 1
    schedule(afterMs)
  }
  const watching = await app.watch(() => soon(quietMs))
  schedule(0) // what was written before the watching began
  return {
    updateNow: () => soon(0),
    async close() {
      closing.abort()
      clearTimeout(timer)
      await watching.close()
      await running
    },
  }
}
