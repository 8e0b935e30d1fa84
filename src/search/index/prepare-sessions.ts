// Has sessions read and their turns prepared: here, or where there is much to do in threads beside this one, which then only
// writes. A thread that fails leaves its sessions to be done here: threads can make an update faster, never incomplete.
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { builtinAgents } from '../../agents/index.ts'
import { AppError } from '../../model/error.ts'
import type { SearchContext } from '../context.ts'
import { type PreparedTurn, type Preparer, prepareTurn } from './prepare.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './prepare-thread.ts'
import { readTurns } from './read-turns.ts'
import type { SessionWork, TurnWork } from './wanted.ts'

/** Looks up what is to be done for a session: asked when its turn comes, since for all at once it would fill the memory. */
export type FindTurns = (work: SessionWork) => TurnWork

export interface Prepared {
  readonly work: SessionWork
  readonly turns: readonly PreparedTurn[]
  /** The session's last: with what went wrong, if something did. */
  readonly end: { readonly problem: string | null } | null
}

/** Below this a thread's start costs more than it brings. */
const bytesForThreads = 16 << 20
const maxThreads = 4

export async function* prepareSessions(
  context: SearchContext,
  preparer: Preparer,
  works: readonly SessionWork[],
  findTurns: FindTurns,
  signal: AbortSignal | undefined,
): AsyncGenerator<Prepared> {
  const left = new Set(works)
  if (isWorthThreads(context, works)) {
    const present = works.filter(({ session }) => session.state !== 'gone')
    for await (const prepared of prepareInThreads(context, present, findTurns, signal)) {
      if (prepared.end !== null) left.delete(prepared.work)
      yield prepared
    }
  }
  for (const work of left) {
    if (signal?.aborted) return
    yield* prepareHere(context, preparer, work, findTurns(work), signal)
  }
}

/** A thread can only load the agents offshoot comes with, and knows no archive. */
function isWorthThreads({ agents }: SearchContext, works: readonly SessionWork[]): boolean {
  const bytes = works.reduce((sum, { session }) => sum + session.bytes, 0)
  return bytes >= bytesForThreads && availableParallelism() > 1 && agents.every((agent) => builtinAgents.includes(agent))
}

async function* prepareHere(
  context: SearchContext,
  preparer: Preparer,
  work: SessionWork,
  { add: turns }: TurnWork,
  signal: AbortSignal | undefined,
): AsyncGenerator<Prepared> {
  const { session } = work
  try {
    const wanted = { title: session.title, cwd: session.cwd, turns }
    if (turns.size > 0) {
      for await (const collected of readTurns(context.catalog.readSession(session), wanted)) {
        if (signal?.aborted) return
        yield { work, turns: [await prepareTurn(preparer, collected)], end: null }
      }
    }
    yield { work, turns: [], end: { problem: null } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    yield { work, turns: [], end: { problem: error.message } }
  }
}

async function* prepareInThreads(
  context: SearchContext,
  works: readonly SessionWork[],
  findTurns: FindTurns,
  signal: AbortSignal | undefined,
): AsyncGenerator<Prepared> {
  let next = 0
  let open = 0
  let wake: () => void = () => undefined
  const answers: { answer: ThreadAnswer; taken: () => void }[] = []

  function start(): Worker {
    const workerData: ThreadData = { env: { home: context.env.home, vars: { ...context.env.vars } } }
    const worker = new Worker(new URL(`./prepare-thread${extname(import.meta.url)}`, import.meta.url), { workerData })
    let waiting = 0
    /** Two sessions at hand, so that it never waits for us. */
    const feed = () => {
      for (; waiting < 2 && next < works.length && !signal?.aborted; waiting += 1, next += 1) {
        const work = works[next] as SessionWork
        worker.postMessage(toThreadTask(context, work, findTurns(work), next))
      }
      if (waiting === 0) void worker.terminate()
    }
    worker.on('message', (answer: ThreadAnswer) => {
      if ('problem' in answer) {
        waiting -= 1
        feed()
      }
      answers.push({ answer, taken: () => worker.postMessage('taken') })
      wake()
    })
    worker.on('error', () => undefined) // `exit` follows; what it had not done is done by the caller
    worker.on('exit', () => {
      open -= 1
      wake()
    })
    open += 1
    feed()
    return worker
  }

  const workers = Array.from({ length: Math.min(maxThreads, availableParallelism(), works.length) }, start)
  const wakeUp = () => wake()
  signal?.addEventListener('abort', wakeUp)
  try {
    while ((open > 0 || answers.length > 0) && !signal?.aborted) {
      const arrived = answers.shift()
      if (arrived === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const { answer, taken } = arrived
      const work = works[answer.index]
      if (work === undefined) continue
      if ('problem' in answer) yield { work, turns: [], end: answer }
      else {
        yield { work, turns: answer.turns, end: null }
        taken()
      }
    }
  } finally {
    signal?.removeEventListener('abort', wakeUp)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function toThreadTask({ catalog }: SearchContext, { session }: SessionWork, { add }: TurnWork, index: number): ThreadTask {
  const { title, cwd } = session
  return { index, file: catalog.sessionFile(session), title, cwd, turns: [...add.values()] }
}
