// Copies sessions into our archive before the agent purges them (Claude does after 30 days), so that they can be read, put
// back and forked afterwards. Never on a hot path: only within a budget, or when a person asks.
import { join } from 'node:path'
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { ArchiveOptions, ArchiveReport } from '../model/catalog.ts'
import type { ArchivedFile } from '../store/archive.ts'
import { takeLock } from '../store/lock.ts'
import type { StoredSession } from '../store/sessions.ts'
import {
  archiveFolder,
  copyFile,
  type Manifest,
  type ManifestFile,
  readManifest,
  setDamagedAside,
  toIndex,
  writeManifest,
} from './archive-files.ts'
import { isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { toSessionFile } from './list.ts'

const dayMs = 86_400_000
/** Half of the agents' thirty days: a machine that is switched on every other week still gets there in time. */
export const archiveAfterMs = 14 * dayMs

export async function archiveSessions(context: CatalogContext, options: ArchiveOptions = {}): Promise<ArchiveReport> {
  const due = findDue(
    context,
    options.untouchedMs ?? (options.sessions === undefined ? archiveAfterMs : Number.NEGATIVE_INFINITY),
    options.sessions,
  )
  const problems: { path: string; problem: string }[] = []
  const startedAt = context.now()
  let archived = 0
  if (due.length > 0) {
    // Someone else is at it already: then there is nothing left to do here.
    const lock = takeLock(join(context.folder, 'archive.lock'), 0)
    if (lock === null) return { archived, left: due.length, problems }
    try {
      for (const session of due) {
        if (context.now() - startedAt >= (options.budgetMs ?? Number.POSITIVE_INFINITY)) break
        try {
          await archiveSession(context, toSessionFile(session))
          archived += 1
        } catch (error) {
          problems.push({ path: session.path, problem: errorMessage(error) })
        }
      }
    } finally {
      lock.release()
    }
  }
  return { archived, left: due.length - archived, problems }
}

/** Sessions untouched for so long whose copy is missing or older than the file; those nearest to being purged first. */
export function findDue(context: CatalogContext, untouchedMs: number, only?: ArchiveOptions['sessions']): StoredSession[] {
  const copies = new Map(
    context
      .store()
      .archive.all()
      .map((copy) => [`${copy.agent}\0${copy.path}`, copy]),
  )
  const { sessions } = context.store()
  const candidates = only?.flatMap(({ agent, sessionId }) => sessions.withId(agent, sessionId)) ?? sessions.list()
  return (
    candidates
      .filter((session) => session.modifiedAt <= context.now() - untouchedMs)
      .filter((session) => !isSameState(copies.get(`${session.agent}\0${session.path}`), session))
      // One that lacks only an older file goes on, and is copied as it does.
      .filter((session) => session.state !== 'gone' || !isGone(session.path))
      .sort((a, b) => a.modifiedAt - b.modifiedAt)
  )
}

function isSameState(copy: ArchivedFile | undefined, { bytes, modifiedAt, inode }: StoredSession): boolean {
  return copy?.bytes === bytes && copy.modifiedAt === modifiedAt && copy.inode === inode
}

/** Everything that makes up the session; the caller holds the lock. */
async function archiveSession(context: CatalogContext, file: SessionFile): Promise<void> {
  const folder = archiveFolder(context.folder, file.agent, file.id)
  const side = agentOf(context, file.agent).sideFiles?.(file) ?? []
  const wanted: [string, ManifestFile['role']][] = [
    [file.path, 'live'],
    ...file.olderPaths.map((path): [string, 'older'] => [path, 'older']),
    ...side.map((path): [string, 'side'] => [path, 'side']),
  ]
  setDamagedAside(folder)
  let manifest: Manifest = readManifest(folder) ?? { version: 1, agent: file.agent, sessionId: file.id, files: [] }
  for (const [path, role] of wanted) manifest = await archiveFile(context, folder, manifest, path, role)
  await writeManifest(folder, manifest)
  const store = context.store()
  store.write(() => {
    for (const copy of toIndex(manifest)) store.archive.put(copy)
  })
}

async function archiveFile(
  context: CatalogContext,
  folder: string,
  manifest: Manifest,
  path: string,
  role: ManifestFile['role'],
) {
  const before = manifest.files.find((each) => each.path === path)
  const last = before?.generations.at(-1)
  const copied = await copyFile(folder, path, last, context.now()).catch((error: unknown) => {
    // What lies beside the session may go at any time; the session itself must be there.
    if (role !== 'live' && isMissing(error)) return null
    throw error
  })
  const kept = before?.generations.slice(0, copied?.grew ? -1 : undefined) ?? []
  const generations = copied === null ? (before?.generations ?? []) : [...kept, copied.generation]
  if (generations.length === 0) return manifest
  return { ...manifest, files: [...manifest.files.filter((each) => each.path !== path), { path, role, generations }] }
}
