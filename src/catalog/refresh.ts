// Brings the catalogue up to date: discover, compare, read what changed, store in batches, work out lineage. Safe to run in
// many processes at once and to be killed anywhere: what was stored stays right, the rest is done by the next refresh.
import type { SessionFile, SessionSummary } from '../agents/agent.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { RefreshProgress, RefreshReport } from '../model/catalog.ts'
import { readArchivedCopy, recoverArchiveIndex } from './archive-index.ts'
import { compare, isGone, type Reading, type Work } from './compare.ts'
import { agentOf, type CatalogContext } from './context.ts'
import { linkSessions } from './link.ts'
import { loadPrevious, type Read, storeSession } from './record.ts'
import { rehomeSessions } from './rehome.ts'
import { createRepositories, type Repositories } from './repositories.ts'

const batchSessions = 200
const batchBytes = 64 << 20

export type Problem = RefreshReport['problems'][number]

export interface RefreshOutcome extends RefreshReport {
  /** Every session file there is now. */
  readonly files: readonly SessionFile[]
}

export async function refresh(
  context: CatalogContext,
  onProgress?: (progress: RefreshProgress) => void,
): Promise<RefreshOutcome> {
  const store = context.store()
  recoverArchiveIndex(context)
  // Stored before found: a session that another process adds in between is then never mistaken for a deleted one.
  const stored = store.sessions.files()
  const problems: Problem[] = []
  const files = discoverAll(context, problems)
  const work = compare(stored, files, store.archive.all())
  await readAll(context, work, problems, onProgress)
  const removed = applyRemovals(context, work)
  if (removed > 0 || work.readings.length > 0 || stored.some(({ linked }) => linked === 0)) linkSessions(context)
  const changed = work.readings.length + work.moves.length + work.states.length
  return { sessions: store.sessions.count(), changed, removed, problems, files }
}

function discoverAll(context: CatalogContext, problems: Problem[]): SessionFile[] {
  const onProblem = (path: string, problem: string) => problems.push({ path, problem })
  return context.agents.flatMap((agent) => [...agent.discover(context.env, onProblem)].map(inWholeMs))
}

/** Copying a file or putting it back keeps no more than milliseconds of its time. */
function inWholeMs(file: SessionFile): SessionFile {
  return Number.isInteger(file.modifiedAt) ? file : { ...file, modifiedAt: Math.floor(file.modifiedAt) }
}

async function readAll(
  context: CatalogContext,
  { readings }: Work,
  problems: Problem[],
  onProgress?: (progress: RefreshProgress) => void,
): Promise<void> {
  if (readings.length === 0) return
  const repositories = createRepositories(context)
  const bytes = readings.reduce((sum, { file }) => sum + file.bytes, 0)
  const done = { filesDone: 0, bytesDone: 0 }
  let batch: Read[] = []
  let waitingBytes = 0
  for (const reading of readings) {
    const summary = await summarise(context, reading, problems)
    if (summary !== null) batch.push({ reading, ...summary, repoId: identify(repositories, summary.summary, problems) })
    waitingBytes += reading.file.bytes
    if (batch.length >= batchSessions || waitingBytes >= batchBytes) {
      await storeBatch(context, batch)
      batch = []
      waitingBytes = 0
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

function applyRemovals(context: CatalogContext, { moves, states, removals }: Work): number {
  if (moves.length + states.length + removals.length === 0) return 0
  const store = context.store()
  store.write(() => {
    for (const { key, path, state } of moves) store.sessions.move(key, path, state)
    for (const { key, state } of states) store.sessions.setState(key, state)
    for (const { key } of removals) store.sessions.remove(key)
  })
  return removals.length
}
