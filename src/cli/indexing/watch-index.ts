// New turns of live sessions become searchable as they are written: a change in the agents' files is indexed a moment later.
import type { App } from '../../app.ts'
import type { IndexReport } from '../../model/search.ts'

/** An answer is written line by line: a moment of quiet saves indexing its half. */
const quietMs = 300
/** Another process is at it: what it has passed already is left for us. */
const busyMs = 1000

export interface WatchIndexOptions {
  readonly onIndexed: (report: IndexReport) => void
  /** A failed update (a full disk, a busy database) does not end the watching: the next change tries again. */
  readonly onProblem: (problem: string) => void
}

export async function watchIndex(
  app: Pick<App, 'watch' | 'updateIndex'>,
  { onIndexed, onProblem }: WatchIndexOptions,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let changed = false

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
    try {
      const report = await app.updateIndex({ signal: closing.signal })
      if (report.busy) schedule(busyMs)
      else if (report.sessions + report.removed > 0) onIndexed(report)
      for (const { path, problem } of report.problems) onProblem(`${path}: ${problem}`)
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error))
    }
    if (changed) schedule(quietMs)
  }

  const watching = await app.watch(() => {
    changed = true
    if (running === undefined) schedule(quietMs)
  })
  schedule(0) // what was written before the watching began
  return {
    async close() {
      closing.abort()
      clearTimeout(timer)
      await watching.close()
      await running
    },
  }
}
