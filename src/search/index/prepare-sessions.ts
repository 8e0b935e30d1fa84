// Has sessions read and made into portions: here, or where there is much to do in threads beside this one, which then only
// writes. A thread that fails leaves its sessions to be done here: threads can make an update faster, never incomplete.
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { builtinAgents } from '../../agents/index.ts'
import { AppError } from '../../model/error.ts'
import type { SearchContext } from '../context.ts'
import type { GiveWay } from './give-way.ts'
import { createPortionMaker, type Portion, type Preparer } from './portion.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './prepare-thread.ts'
import { readTurns } from './read-turns.ts'
import type { SessionWork, TurnWork } from './wanted.ts'

/** Looks up what is to be done for a session: asked when its turn comes, since for all at once it would fill the memory. */
export type FindTurns = (work: SessionWork) => TurnWork

/** Below this a thread's start costs more than it brings. */
const bytesForThreads = 16 << 20
const maxThreads = 4
/** A third of what Node lets a thread have for what lives shortly: no slower, and some 50 MB less in all. */
const youngMb = 16

export interface Asked {
  readonly findTurns: FindTurns
  /** A session is read, and will be written with its portion. */
  readonly onRead: (work: SessionWork) => void
  readonly signal: AbortSignal | undefined
  readonly giveWay: GiveWay | undefined
}

/** Sessions are known by their place in `works`. */
export async function* prepareSessions(
  context: SearchContext,
  preparer: Preparer,
  works: readonly SessionWork[],
  asked: Asked,
): AsyncGenerator<Portion> {
  const left = new Set(works.keys())
  if (isWorthThreads(context, works)) {
    const present = [...works.keys()].filter((at) => !context.catalog.isFromArchive((works[at] as SessionWork).session))
    for await (const portion of prepareInThreads(context, works, present, asked)) {
      for (const { session } of portion.ends) {
        left.delete(session)
        asked.onRead(works[session] as SessionWork)
      }
      yield portion
    }
  }
  yield* prepareHere(context, preparer, works, left, asked)
}

/** A thread can only load the agents offshoot comes with, and knows no archive. */
function isWorthThreads({ agents }: SearchContext, works: readonly SessionWork[]): boolean {
  const bytes = works.reduce((sum, { session }) => sum + session.bytes, 0)
  return bytes >= bytesForThreads && availableParallelism() > 1 && agents.every((agent) => builtinAgents.includes(agent))
}

async function* prepareHere(
  context: SearchContext,
  preparer: Preparer,
  works: readonly SessionWork[],
  left: Iterable<number>,
  { findTurns, onRead, signal, giveWay }: Asked,
): AsyncGenerator<Portion> {
  const maker = createPortionMaker(preparer)
  for (const at of left) {
    if (signal?.aborted) break
    const work = works[at] as SessionWork
    const { title, cwd } = work.session
    const { add: turns } = findTurns(work)
    let problem: string | null = null
    try {
      if (turns.size > 0) {
        for await (const collected of readTurns(context.catalog.readSession(work.session), { title, cwd, turns })) {
          if (signal?.aborted) break
          await giveWay?.rest()
          await maker.add(at, collected)
          if (maker.isDue) yield maker.take()
        }
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problem = error.message
    }
    if (signal?.aborted) break
    maker.end(at, problem)
    onRead(work)
    if (maker.isDue) yield maker.take()
  }
  if (!maker.isEmpty) yield maker.take()
}

async function* prepareInThreads(
  context: SearchContext,
  works: readonly SessionWork[],
  present: readonly number[],
  { findTurns, signal, giveWay }: Asked,
): AsyncGenerator<Portion> {
  let next = 0
  let open = 0
  let wake: () => void = () => undefined
  const arrived: { portion: Portion; taken: () => void }[] = []

  function start(): Worker {
    const env = { home: context.env.home, vars: { ...context.env.vars } }
    const workerData: ThreadData = { env, resting: giveWay?.shared ?? null }
    const program = new URL(`./prepare-thread${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
    const send = (task: ThreadTask) => worker.postMessage(task)
    const feed = () => {
      if (next >= present.length || signal?.aborted) return send('end')
      const at = present[next] as number
      next += 1
      send(toThreadTask(context, works[at] as SessionWork, findTurns(works[at] as SessionWork), at))
    }
    worker.on('message', (answer: ThreadAnswer) => {
      if (answer === 'next') return feed()
      arrived.push({ portion: answer, taken: () => send('taken') })
      wake()
    })
    worker.on('error', () => undefined) // `exit` follows; what it had not done is done by the caller
    worker.on('exit', () => {
      open -= 1
      wake()
    })
    open += 1
    return worker
  }

  const workers = Array.from({ length: Math.min(maxThreads, availableParallelism(), present.length) }, start)
  const wakeUp = () => wake()
  signal?.addEventListener('abort', wakeUp)
  try {
    while ((open > 0 || arrived.length > 0) && !signal?.aborted) {
      const first = arrived.shift()
      if (first === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      first.taken()
      await giveWay?.rest()
      yield first.portion
    }
  } finally {
    signal?.removeEventListener('abort', wakeUp)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function toThreadTask({ catalog }: SearchContext, { session }: SessionWork, { add }: TurnWork, at: number): ThreadTask {
  const { title, cwd } = session
  return { session: at, file: catalog.sessionFile(session), title, cwd, turns: [...add.values()] }
}
