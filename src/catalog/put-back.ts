// Puts files of sessions back where the agent kept them: exact bytes, old modification time, never over an existing file.
import { existsSync, linkSync, mkdirSync, rmSync, utimesSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { ArchivedFile } from '../store/archive.ts'
import { archiveFolder, type Generation, type ManifestFile, readGeneration, readManifest, syncFolder } from './archive-files.ts'
import { findCopy } from './archive-index.ts'
import { isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { findStored, type Place } from './list.ts'

/** Gives the paths it wrote. */
export async function putBack(context: CatalogContext, session: Place): Promise<string[]> {
  const folder = archiveFolder(context.folder, session.agent, session.id)
  const files = readManifest(folder)?.files ?? []
  if (!files.some(({ path }) => path === session.path)) {
    throw new AppError('unreadable', `There is no archived copy of ${session.path}.`, {
      hint: 'Only sessions the archive holds can be put back.',
    })
  }
  if (existsSync(session.path)) throw taken(session.path)
  const older = findStored(context, session)?.olderPaths
  const isWanted = (role: ManifestFile['role'], path: string) =>
    path === session.path || role === 'side' || (older === undefined ? role === 'older' : older.includes(path))
  const written: string[] = []
  // The session's own file last: once it is there, the session is.
  for (const { path, role, generations } of [...files].sort(
    (a, b) => Number(a.path === session.path) - Number(b.path === session.path),
  )) {
    const generation = generations.at(-1)
    if (generation === undefined || !isWanted(role, path)) continue
    if (path !== session.path && existsSync(path)) continue
    await writeBack(folder, path, generation)
    written.push(path)
  }
  return written
}

/** Puts back every file the agent needs to open the session: those it builds on, then its own. Gives the paths it wrote. */
export async function putBackMissing(context: CatalogContext, session: Place): Promise<string[]> {
  const written: string[] = []
  for (const copy of findMissing(context, session)) {
    const { folder, generation } = findCopy(context, { ...copy, id: copy.sessionId })
    await writeBack(folder, copy.path, generation)
    written.push(copy.path)
  }
  return isGone(session.path) ? [...written, ...(await putBack(context, session))] : written
}

/** Files of other sessions that this one builds on, that are gone and that the archive has. */
export function findMissing(context: CatalogContext, session: Place): ArchivedFile[] {
  const { builtOn = [], olderPaths = [] } = findStored(context, session) ?? {}
  const own = isGone(session.path) ? olderPaths : []
  return builtOn.flatMap(({ path }) => {
    const isThere = own.includes(path) || !isGone(path)
    return isThere ? [] : (context.store().archive.at(session.agent, path) ?? [])
  })
}

async function writeBack(folder: string, path: string, generation: Generation): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = join(dirname(path), `.${basename(path)}.${process.pid}.offshoot`)
  try {
    // Opened before anything is read: a stream that opens it itself may do so after a damaged copy was given up and cleared away.
    const file = await open(beside, 'wx', 0o600)
    await pipeline(readGeneration(folder, generation), file.createWriteStream({ flush: true }))
    const seconds = generation.modifiedAt / 1000
    utimesSync(beside, seconds, seconds)
    linkSync(beside, path)
    syncFolder(dirname(path))
  } catch (error) {
    throw fileErrorCode(error) === 'EEXIST' ? taken(path) : error
  } finally {
    rmSync(beside, { force: true })
  }
}

function taken(path: string): AppError {
  return new AppError('file_exists', `${path} is there already; it is not overwritten.`)
}
