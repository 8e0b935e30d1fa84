// Puts a purged session back where the agent kept it: exact bytes, old modification time, never over an existing file.
import { existsSync, linkSync, mkdirSync, rmSync, utimesSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { archiveFolder, type Generation, readGeneration, readManifest, syncFolder } from './archive-files.ts'
import type { CatalogContext } from './context.ts'

/** Gives the paths it wrote. */
export async function putBack(
  context: CatalogContext,
  session: Pick<CatalogSession, 'agent' | 'id' | 'path'>,
): Promise<string[]> {
  const folder = archiveFolder(context.folder, session.agent, session.id)
  const files = readManifest(folder)?.files ?? []
  if (!files.some(({ path }) => path === session.path)) {
    throw new AppError('unreadable', `There is no archived copy of ${session.path}.`, {
      hint: 'Only sessions the archive holds can be put back.',
    })
  }
  if (existsSync(session.path)) throw taken(session.path)
  const written: string[] = []
  // The session's own file last: once it is there, the session is.
  for (const { path, role, generations } of [...files].sort((a, b) => Number(a.role === 'live') - Number(b.role === 'live'))) {
    const generation = generations.at(-1)
    if (generation === undefined || (role === 'live' && path !== session.path)) continue
    if (role !== 'live' && existsSync(path)) continue
    await writeBack(folder, path, generation)
    written.push(path)
  }
  return written
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
