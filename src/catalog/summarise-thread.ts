// Runs in a thread of its own: summarises the files it is sent, one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import type { SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import { builtinAgents } from '../agents/index.ts'
import type { SessionSummary } from '../agents/reading.ts'
import { errorMessage } from '../lib/error-message.ts'
import { dropOldNotes } from './resting.ts'

export interface ThreadData {
  readonly env: AgentEnv
  readonly now: number
}

export interface ThreadTask {
  readonly index: number
  readonly file: SessionFile
}

export interface ThreadAnswer {
  readonly index: number
  readonly summary: SessionSummary | null
  /** Errors lose their code on the way between threads; this one keeps it. */
  readonly error: { readonly message: string; readonly code: unknown } | null
}

const { env, now } = workerData as ThreadData

parentPort?.on('message', async ({ index, file }: ThreadTask) => {
  parentPort?.postMessage({ index, ...(await summarise(file)) } satisfies ThreadAnswer)
})

async function summarise(file: SessionFile): Promise<Omit<ThreadAnswer, 'index'>> {
  try {
    const agent = builtinAgents.find(({ id }) => id === file.agent)
    if (agent === undefined) throw new Error(`no agent ${file.agent}`)
    return { summary: dropOldNotes(await agent.summarise(file, env), file, now), error: null }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return { summary: null, error: { message: errorMessage(error), code } }
  }
}
