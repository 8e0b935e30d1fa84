// Spreads a first scan over threads: parsing is all processor time, and the store is written here meanwhile. A thread that
// fails leaves its files to the caller, so threads can only make a scan faster, never incomplete.
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Reading } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { failed, type Summarised } from './summarise.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './summarise-thread.ts'

const maxThreads = 4
/** Files a thread has waiting, so that it never waits for us. */
const maxAhead = 4

export async function* summariseInThreads(context: CatalogContext, readings: readonly Reading[]): AsyncGenerator<Summarised> {
  // The largest first: the last to end must be a small one.
  const queue = [...readings.keys()].sort((a, b) => sizeOf(readings[a]) - sizeOf(readings[b]))
  const threads = Math.min(maxThreads, availableParallelism(), readings.length)
  // Every thread gets a file: one that gets none would never answer, and so never end.
  const ahead = Math.max(1, Math.min(maxAhead, Math.floor(readings.length / threads)))
  const answers: ThreadAnswer[] = []
  let wake: () => void = () => undefined
  let open = 0

  function start(): Worker {
    const workerData: ThreadData = { env: { home: context.env.home, vars: { ...context.env.vars } }, now: context.now() }
    const worker = new Worker(new URL(`./summarise-thread${extname(import.meta.url)}`, import.meta.url), { workerData })
    let waiting = 0
    const feed = () => {
      for (; waiting < ahead; waiting += 1) {
        const index = queue.pop()
        const reading = index === undefined ? undefined : readings[index]
        if (index === undefined || reading === undefined) break
        worker.postMessage({ index, file: reading.file } satisfies ThreadTask)
      }
    }
    worker.on('message', (answer: ThreadAnswer) => {
      answers.push(answer)
      waiting -= 1
      feed()
      if (waiting === 0) void worker.terminate()
      wake()
    })
    worker.on('error', () => undefined) // `exit` follows; what it had not answered is read by the caller
    worker.on('exit', () => {
      open -= 1
      wake()
    })
    open += 1
    feed()
    return worker
  }

  const workers = Array.from({ length: threads }, start)
  try {
    while (open > 0 || answers.length > 0) {
      const answer = answers.shift()
      if (answer === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const reading = readings[answer.index]
      if (reading !== undefined) yield toSummarised(reading, answer)
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function toSummarised(reading: Reading, { summary, error }: ThreadAnswer): Summarised {
  if (summary === null) return failed(reading, error)
  return { reading, summary, previousRevision: null, problem: null }
}

function sizeOf(reading: Reading | undefined): number {
  return reading?.file.bytes ?? 0
}
