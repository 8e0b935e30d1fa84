// Has the agents summarise the files that changed: here, or for a first full scan in threads beside this one.
import { availableParallelism } from 'node:os'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { builtinAgents } from '../agents/index.ts'
import type { SessionSummary } from '../agents/reading.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isGone, type Reading } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { type OpenSession, openSession } from './open-session.ts'
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
    const hasCopies = context.store().archive.all().length > 0
    for await (const done of summariseInThreads(context, readings.filter(isFirstReading))) {
      // Threads know no archive: what may lack a file is read again here.
      if (hasCopies && done.summary !== null && mayLack(done.reading.file, done.summary)) continue
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
  const { file, previousKey } = reading
  const agent = agentOf(context, file.agent)
  try {
    const previous = previousKey === null ? null : loadPrevious(context.store(), previousKey)
    const opened = await openSession(context, file, previous?.summary.builtOn)
    try {
      const summary = await agent.summarise(opened.file, opened.env, previous?.summary)
      const whole = await completeSummary(context, opened, summary)
      return { reading, summary: whole, previousRevision: previous?.revision ?? null, problem: null }
    } finally {
      opened.close()
    }
  } catch (error) {
    return (await summariseRest(context, reading, error)) ?? failed(reading, error)
  }
}

/** Where a file is gone and its copy cannot be read: the summary of the session's other files, which says what it lacks. */
async function summariseRest(context: CatalogContext, reading: Reading, error: unknown): Promise<Summarised | null> {
  const { file, state } = reading
  const [path, ...olderPaths] = [file.path, ...file.olderPaths].filter((each) => !isGone(each))
  if (state !== 'gone' || path === undefined) return null
  try {
    const rest = await agentOf(context, file.agent).summarise({ ...file, path, olderPaths }, context.env)
    const summary = { ...rest, broken: errorMessage(error), resume: null }
    return { reading, summary, previousRevision: null, problem: null }
  } catch {
    return null
  }
}

/** Where files are missing that the archive has: the summary with them. */
async function completeSummary(context: CatalogContext, opened: OpenSession, summary: SessionSummary): Promise<SessionSummary> {
  const agent = agentOf(context, opened.file.agent)
  if (agent.missingFiles === undefined || !mayLack(opened.file, summary)) return summary
  const copies = context
    .store()
    .archive.all()
    .flatMap((copy) => (copy.agent === agent.id ? copy.path : []))
  if (copies.length === 0) return summary
  const added = new Set<string>()
  // What is brought back may build on more.
  for (;;) {
    const missing = await agent.missingFiles(opened.file, opened.env, copies)
    const more = missing.filter((path) => !added.has(path))
    if (more.length === 0) break
    await opened.add(more)
    for (const path of more) added.add(path)
  }
  return added.size === 0 ? summary : agent.summarise(opened.file, opened.env)
}

/** A file it builds on, or one that an older file of it builds on. */
function mayLack({ olderPaths }: SessionFile, { broken }: SessionSummary): boolean {
  return broken !== null || olderPaths.length > 0
}

/** Deleted since it was found: nothing to report, the next refresh notices. */
export function failed(reading: Reading, error: unknown): Summarised {
  const isDeleted = reading.state !== 'gone' && isGone(reading.file.path)
  const problem = isDeleted ? null : errorMessage(error)
  return { reading, summary: null, previousRevision: null, problem }
}
