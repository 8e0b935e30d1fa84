// Runs in a thread of its own: reads the sessions it is sent and makes portions of them, a bounded way ahead of who writes them.
import { parentPort, workerData } from 'node:worker_threads'
import type { SessionFile } from '../../agents/agent.ts'
import type { AgentEnv } from '../../agents/agent-env.ts'
import { builtinAgents } from '../../agents/index.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { createRedactor } from '../../redact/redact.ts'
import type { IndexedTurn } from '../../store/search-index.ts'
import { loadStaticModel } from '../embed/static-model.ts'
import { restInThread } from './give-way.ts'
import { createPortionMaker, type Portion } from './portion.ts'
import { readTurns } from './read-turns.ts'

export interface ThreadData {
  readonly env: AgentEnv
  /** Of a `GiveWay`. */
  readonly resting: Int32Array | null
}

export type ThreadTask =
  | {
      readonly session: number
      readonly file: SessionFile
      readonly title: string
      readonly cwd: string | null
      readonly turns: readonly IndexedTurn[]
    }
  /** A portion was taken over for writing. */
  | 'taken'
  /** There are no more sessions. */
  | 'end'

/** `next` asks for one more session. */
export type ThreadAnswer = Portion | 'next'

/** Sessions asked for before they are needed, so that it never waits for the next; and portions nobody has taken yet. */
const sessionsAhead = 4
const portionsAhead = 2

const { env, resting } = workerData as ThreadData
const tasks: Exclude<ThreadTask, 'taken'>[] = []
let ahead = 0
let wake: () => void = () => undefined

parentPort?.on('message', (message: ThreadTask) => {
  if (message === 'taken') ahead -= 1
  else tasks.push(message)
  wake()
})
for (let asked = 0; asked < sessionsAhead; asked += 1) parentPort?.postMessage('next' satisfies ThreadAnswer)
await work()
parentPort?.close()

async function work(): Promise<void> {
  const maker = createPortionMaker({ redactor: createRedactor(), model: await loadStaticModel() })
  for (;;) {
    const task = tasks.shift()
    if (task === undefined) {
      await woken()
      continue
    }
    if (task === 'end') break
    const { session, file, title, cwd, turns } = task
    let problem: string | null = null
    try {
      const agent = builtinAgents.find(({ id }) => id === file.agent)
      if (agent === undefined) throw new Error(`no agent ${file.agent}`)
      const wanted = { title, cwd, turns: new Map(turns.map((turn) => [turn.id, turn])) }
      for await (const collected of readTurns(agent.read(file, env), wanted)) {
        restInThread(resting)
        await maker.add(session, collected)
        if (maker.isDue) await handOver(maker.take())
      }
    } catch (error) {
      problem = errorMessage(error)
    }
    maker.end(session, problem)
    parentPort?.postMessage('next' satisfies ThreadAnswer)
    if (maker.isDue) await handOver(maker.take())
  }
  if (!maker.isEmpty) await handOver(maker.take())
}

async function handOver(portion: Portion): Promise<void> {
  while (ahead >= portionsAhead) await woken()
  ahead += 1
  const { vectors, codes, postings } = portion.segment
  const buffers = [vectors, codes, ...postings.map(({ bytes }) => bytes)].map(({ buffer }) => buffer as ArrayBuffer)
  parentPort?.postMessage(portion satisfies ThreadAnswer, buffers)
}

function woken(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve
  })
}
