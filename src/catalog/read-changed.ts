// Reads the sessions that changed and stores them batch by batch: each batch is one transaction, so a kill in the middle
// loses nothing but time, and git works on repositories meanwhile.
import type { SessionSummary } from '../agents/reading.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import { createRedactor } from '../redact/redact.ts'
import { cleanSummary } from './clean.ts'
import type { Work } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { foldersOf, type Read, storeSession } from './record.ts'
import type { Problem } from './refresh.ts'
import { rehomeSessions } from './rehome.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { dropOldNotes } from './resting.ts'
import { summariseAll } from './summarise.ts'

const batchSessions = 200
const batchBytes = 64 << 20
const redactor = createRedactor()

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
  for await (const { reading, summary, previousRevision, problem } of summariseAll(context, readings)) {
    const { path, bytes: fileBytes } = reading.file
    if (problem !== null) problems.push({ path, problem })
    if (summary !== null) batch.push({ reading, summary, previousRevision, ...identifyAll(repositories, summary, problems) })
    waitingBytes += fileBytes
    if (batch.length >= batchSessions || waitingBytes >= batchBytes) {
      await storeBatch(context, batch)
      batch = []
      waitingBytes = 0
    }
    done.filesDone += 1
    done.bytesDone += fileBytes
    onProgress?.({ files: readings.length, bytes, ...done })
  }
  await storeBatch(context, batch)
  if (repositories.grew) await rehomeSessions(context)
}

function identifyAll(repositories: Repositories, summary: SessionSummary, problems: Problem[]) {
  const unseen: string[] = []
  const find = (cwd: string | null) => identify(repositories, cwd, problems, unseen)
  const repoId = find(summary.cwd)
  const folders = Promise.all(foldersOf(summary).map(async (folder) => ({ ...folder, repoId: await find(folder.cwd) })))
  return { repoId, folders, unseen }
}

/** Folders that cannot be looked at are added to `unseen`. */
async function identify(
  repositories: Repositories,
  cwd: string | null,
  problems: Problem[],
  unseen: string[],
): Promise<string | null> {
  if (cwd === null) return null
  try {
    return await repositories.identify(cwd)
  } catch (error) {
    problems.push({ path: cwd, problem: `its repository cannot be told: ${errorMessage(error)}` })
    unseen.push(cwd)
    return null
  }
}

async function storeBatch(context: CatalogContext, batch: readonly Read[]): Promise<void> {
  if (batch.length === 0) return
  const places = await Promise.all(batch.map(async ({ repoId, folders }) => ({ repoId: await repoId, folders: await folders })))
  const clean: Read[] = []
  for (const read of batch) {
    const summary = await cleanSummary(redactor, dropOldNotes(read.summary, read.reading.file, context.now()))
    clean.push({ ...read, summary: read.unseen.length === 0 ? summary : { ...summary, isUnsure: true } })
  }
  const store = context.store()
  store.write(() => {
    for (const [index, read] of clean.entries()) storeSession(store, read, places[index] ?? { repoId: null, folders: [] })
  })
}
