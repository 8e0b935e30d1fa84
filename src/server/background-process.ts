// The process that indexes for the server: a process and not a thread, so that it can run at a lower priority and a crash of a native
// module takes only itself along. It ends with the server, however that ends.
import { homedir, setPriority } from 'node:os'
import { createApp } from '../app.ts'
import { resolvePaths } from '../config/paths.ts'
import { readSetting } from '../config/read.ts'
import { findSetting } from '../config/settings.ts'
import { parseSchedule, type Schedule } from '../lib/schedule.ts'
import { AppError } from '../model/error.ts'
import { createGiveWay, type GiveWay } from '../search/index/give-way.ts'
import { aliveMs, type FromProcess, type ToProcess } from './background-messages.ts'
import { startWork, type WorkOptions } from './background-work.ts'

/** Enough for a meter; a session of one line must not become a message each. */
const progressMs = 250
/** Not the lowest: with 19 the server's slowest answers took seconds, perhaps behind a transaction that got no time. */
const lowPriority = 10
/** A process without its server is nobody's: whatever it is at, it ends after this long. A kill loses nothing but work. */
const endMs = 10_000

function main(): void {
  const giveWay = createGiveWay()
  const working = start(giveWay)
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), endMs).unref()
    working.then((work) => work.stop()).catch(fail)
  }
  const alive = setInterval(() => (process.connected ? tell({ kind: 'alive' }) : stop()), aliveMs)
  working.then(({ ended }) => ended).then(() => clearInterval(alive), fail)
  process.on('message', (message: ToProcess) => {
    if (message === 'stop') stop()
    else if (message === 'searching') giveWay.asked()
    else working.then((work) => work.updateNow()).catch(fail)
  })
  process.on('disconnect', stop) // the server is gone
  process.on('SIGTERM', stop)
  // A Ctrl-C reaches the whole group: the server decides what is ended, and how.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  // A server that was killed while all this was being loaded: nobody had listened yet.
  if (!process.connected) stop()
}

async function start(giveWay: GiveWay) {
  const vars = process.env
  const home = vars.HOME || homedir()
  const paths = resolvePaths({ home, vars, cwd: home })
  const sources = { file: paths.config, vars }
  try {
    setPriority(lowPriority)
  } catch {
    // not allowed here: then it runs like any other
  }
  const { schedule, problem } = await readSchedule(() => readSetting<string>(sources, 'index.interval'))
  const app = createApp({ home, vars, cwd: home, now: Date.now })
  let toldAt = Number.NEGATIVE_INFINITY
  const onLog: WorkOptions['onLog'] = (level, event, fields) => tell({ kind: 'log', level, event, fields })
  if (problem !== null) onLog('warn', 'index.interval is not used', { problem })
  const work = await startWork({
    app,
    schedule,
    scheduleProblem: problem,
    wantsQmd: await readSetting<boolean>(sources, 'search.qmd_indexing').catch(() => false),
    now: Date.now,
    giveWay,
    onStatus: (status) => tell({ kind: 'status', status }),
    onProgress(progress) {
      const at = performance.now()
      if (at - toldAt < progressMs && progress.filesDone < progress.files) return
      toldAt = at
      tell({ kind: 'progress', progress })
    },
    onLog,
  })
  let tellEnd = (): void => undefined
  return {
    ended: new Promise<void>((resolve) => {
      tellEnd = resolve
    }),
    updateNow: work.updateNow,
    async stop(): Promise<void> {
      await work.close()
      app.close()
      tellEnd()
      if (process.connected) process.disconnect()
    },
  }
}

function tell(message: FromProcess): void {
  // The server may go at any moment; then there is nobody to tell.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** A bad interval is refused in words, and the index stays fresh all the same. */
async function readSchedule(
  read: () => Promise<string>,
): Promise<{ readonly schedule: Schedule; readonly problem: string | null }> {
  const standard = parseSchedule(String(findSetting('index.interval')?.default ?? '1h')) ?? {
    kind: 'every',
    intervalMs: 3_600_000,
  }
  try {
    return { schedule: parseSchedule(await read()) ?? standard, problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { schedule: standard, problem: error.message }
  }
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exit(1)
}

main()
