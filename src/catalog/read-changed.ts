// Reads the sessions that changed and stores them batch by batch: each batch is one transaction, so a kill in the middle
// loses nothing but time, and git works on repositories meanwhile.
import { setImmediate as nextTick } from 'node:timers/promises'
import type { SessionSummary } from '../agents/agent.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import { readArchivedCopy } from './archive-index.ts'
import { isGone, type Reading, type Work } from './compare.ts'
import { agentOf, type CatalogContext } from './context.ts'
import { loadPrevious, type Read, storeSession } from './record.ts'
import type { Problem } from './refresh.ts'
import { rehomeSessions } from './rehome.ts'
import { createRepositories, type Repositories } from './repositories.ts'

const batchSessions = 200
const batchBytes = 64 << 20
/** Files are read synchronously: without a pause no signal and no git result would get through for seconds. */
const breatheMs = 50

export async function readChanged(
  context: CatalogContext,
  { readings }: Work,
  problems: Problem[],
  onProgress?: (progress: RefreshProgress) => void,
): Promise<void> {
  const repositories = createRepositories(context)
  const bytes = readings.reduce((sum, { file }) => sum + file.bytes, 0)
  const done = { filesDone: 0, bytesDone: 0 }
  let batch: Read[] = []
  let waitingBytes = 0
  let breathedAt = performance.now()
  for (const reading of readings) {
    const summary = await summarise(context, reading, problems)
    if (summary !== null) batch.push({ reading, ...summary, repoId: identify(repositories, summary.summary, problems) })
    waitingBytes += reading.file.bytes
    if (batch.length >= batchSessions || waitingBytes >= batchBytes) {
      await storeBatch(context, batch)
      batch = []
      waitingBytes = 0
    }
    if (performance.now() - breathedAt > breatheMs) {
      await nextTick()
      breathedAt = performance.now()
    }
    done.filesDone += 1
    done.bytesDone += reading.file.bytes
    onProgress?.({ files: readings.length, bytes, ...done })
  }
  await storeBatch(context, batch)
  if (repositories.grew) await rehomeSessions(context)
}

type Summarised = Pick<Read, 'summary' | 'previousRevision'>

async function summarise(context: CatalogContext, reading: Reading, problems: Problem[]): Promise<Summarised | null> {
  const { file, state, previousKey } = reading
  const agent = agentOf(context, file.agent)
  try {
    if (state === 'gone') {
      const summary = await readArchivedCopy(context, file, (copy) => agent.summarise(copy, context.env))
      return { summary, previousRevision: null }
    }
    const previous = previousKey === null ? null : loadPrevious(context.store(), previousKey)
    const summary = await agent.summarise(file, context.env, previous?.summary)
    return { summary, previousRevision: previous?.revision ?? null }
  } catch (error) {
    // Deleted since it was found: nothing to report, the next refresh notices.
    if (!(isMissing(error) && state !== 'gone' && isGone(file.path))) {
      problems.push({ path: file.path, problem: error instanceof Error ? error.message : String(error) })
    }
    return null
  }
}

async function identify(repositories: Repositories, { cwd }: SessionSummary, problems: Problem[]): Promise<string | null> {
  if (cwd === null) return null
  try {
    return await repositories.identify(cwd)
  } catch (error) {
    problems.push({ path: cwd, problem: `its repository cannot be told: ${error instanceof Error ? error.message : error}` })
    return null
  }
}

async function storeBatch(context: CatalogContext, batch: readonly Read[]): Promise<void> {
  if (batch.length === 0) return
  const repoIds = await Promise.all(batch.map(({ repoId }) => repoId))
  const store = context.store()
  store.write(() => {
    for (const [index, read] of batch.entries()) storeSession(store, read, repoIds[index] ?? null)
  })
}
