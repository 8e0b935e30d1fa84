// Has the agents summarise the files that changed: here, or for a first full scan in threads beside this one.
import { availableParallelism } from 'node:os'
import { setImmediate as nextTick } from 'node:timers/promises'
import { agentOf } from '../agents/agent-of.ts'
import { builtinAgents } from '../agents/index.ts'
import type { SessionSummary } from '../agents/reading.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { readArchivedCopy } from './archive-index.ts'
import { isGone, type Reading } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { loadPrevious } from './record.ts'

export interface Summarised {
  readonly reading: Reading
  /** `null` when the file could not be read; `problem` says why, unless it was deleted meanwhile. */
  readonly summary: SessionSummary | null
  /** Revision of the stored session the agent read on from; `null` when it read from the start. */
  readonly previousRevision: number | null
  readonly problem: string | null
}

/** Below this a thread's start costs more than it brings. */
const bytesForThreads = 48 << 20
/** Files are read synchronously: without a pause no signal and no git result would get through for seconds. */
const breatheMs = 50

/** In whatever order they are done. */
export async function* summariseAll(context: CatalogContext, readings: readonly Reading[]): AsyncGenerator<Summarised> {
  const left = new Set(readings)
  if (isWorthThreads(context, readings)) {
    const { summariseInThreads } = await import('./threads.ts')
    for await (const done of summariseInThreads(context, readings.filter(isFirstReading))) {
      left.delete(done.reading)
      yield done
    }
  }
  let breathedAt = performance.now()
  for (const reading of left) {
    yield await summariseHere(context, reading)
    if (performance.now() - breathedAt < breatheMs) continue
    await nextTick()
    breathedAt = performance.now()
  }
}

/** A thread can only load the agents offshoot comes with, and knows no store to read on from. */
function isWorthThreads({ agents }: CatalogContext, readings: readonly Reading[]): boolean {
  const bytes = readings.reduce((sum, reading) => sum + (isFirstReading(reading) ? reading.file.bytes : 0), 0)
  return bytes >= bytesForThreads && availableParallelism() > 1 && agents.every((agent) => builtinAgents.includes(agent))
}

function isFirstReading({ previousKey, state }: Reading): boolean {
  return previousKey === null && state !== 'gone'
}

async function summariseHere(context: CatalogContext, reading: Reading): Promise<Summarised> {
  const { file, state, previousKey } = reading
  const agent = agentOf(context, file.agent)
  try {
    if (state === 'gone') {
      const summary = await readArchivedCopy(context, file, (copy) => agent.summarise(copy, context.env))
      return { reading, summary, previousRevision: null, problem: null }
    }
    const previous = previousKey === null ? null : loadPrevious(context.store(), previousKey)
    const summary = await agent.summarise(file, context.env, previous?.summary)
    return { reading, summary, previousRevision: previous?.revision ?? null, problem: null }
  } catch (error) {
    return failed(reading, error)
  }
}

/** Deleted since it was found: nothing to report, the next refresh notices. */
export function failed(reading: Reading, error: unknown): Summarised {
  const isDeleted = isMissing(error) && reading.state !== 'gone' && isGone(reading.file.path)
  const problem = isDeleted ? null : errorMessage(error)
  return { reading, summary: null, previousRevision: null, problem }
}
