// Runs in a thread of its own: reads the sessions it is sent and prepares their turns, a bounded way ahead of who writes them.
import { parentPort, workerData } from 'node:worker_threads'
import type { AgentEnv, SessionFile } from '../../agents/agent.ts'
import { builtinAgents } from '../../agents/index.ts'
import { createRedactor } from '../../redact/redact.ts'
import type { IndexedTurn } from '../../store/search-index.ts'
import { loadStaticModel } from '../embed/static-model.ts'
import { type PreparedTurn, prepareTurn } from './prepare.ts'
import { readTurns } from './read-turns.ts'

export interface ThreadData {
  readonly env: AgentEnv
}

export interface ThreadTask {
  readonly index: number
  readonly file: SessionFile
  readonly title: string
  readonly cwd: string | null
  readonly turns: readonly IndexedTurn[]
}

export type ThreadAnswer =
  | { readonly index: number; readonly turns: readonly PreparedTurn[] }
  | { readonly index: number; readonly problem: string | null }

/** Chunks handed over at once, and how many times before the writer has to say that it took them. */
const pieceChunks = 64
const maxAhead = 6

const { env } = workerData as ThreadData
const tasks: ThreadTask[] = []
let ahead = 0
let wake: () => void = () => undefined

parentPort?.on('message', (message: ThreadTask | 'taken') => {
  if (message === 'taken') ahead -= 1
  else tasks.push(message)
  wake()
})
await work()

async function work(): Promise<never> {
  const preparer = { redactor: createRedactor(), model: await loadStaticModel() }
  for (;;) {
    const task = tasks.shift()
    if (task === undefined) {
      await woken()
      continue
    }
    const { index, file, title, cwd, turns } = task
    let problem: string | null = null
    try {
      const agent = builtinAgents.find(({ id }) => id === file.agent)
      if (agent === undefined) throw new Error(`no agent ${file.agent}`)
      let piece: PreparedTurn[] = []
      let chunks = 0
      const wanted = { title, cwd, turns: new Map(turns.map((turn) => [turn.id, turn])) }
      for await (const collected of readTurns(agent.read(file, env), wanted)) {
        const prepared = await prepareTurn(preparer, collected)
        piece.push(prepared)
        chunks += prepared.chunks.length + 1
        if (chunks < pieceChunks) continue
        await handOver({ index, turns: piece })
        piece = []
        chunks = 0
      }
      await handOver({ index, turns: piece })
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
    }
    parentPort?.postMessage({ index, problem } satisfies ThreadAnswer)
  }
}

async function handOver(answer: ThreadAnswer): Promise<void> {
  while (ahead >= maxAhead) await woken()
  ahead += 1
  parentPort?.postMessage(answer)
}

function woken(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve
  })
}
