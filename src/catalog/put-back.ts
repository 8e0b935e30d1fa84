// Puts files of sessions back where the agent kept them: exact bytes, old modification time, never over an existing file. A session
// is put back with all of its files or not at all: an agent may refuse one that lacks a file, or take an older state of it as live.
import { linkSync, mkdirSync, rmSync, utimesSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { agentOf } from '../agents/agent-of.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { archiveFolder, type Generation, type ManifestFile, readGeneration, readManifest, syncFolder } from './archive-files.ts'
import { idOf, isGone } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { findStored, type Place } from './list.ts'

/** The copy of a file that is gone. */
interface LostFile {
  readonly path: string
  readonly sessionId: string
  readonly role: ManifestFile['role']
  /** Of the archive, where the copy is. */
  readonly folder: string
  readonly generation: Generation
}

/** Puts back the session's own files. Returns the paths it wrote. */
export async function putBack(context: CatalogContext, session: Place): Promise<string[]> {
  const lost = findLost(context, session)
  requireCopy(session, lost)
  if (lost.length === 0) throw new AppError('file_exists', `${session.path} is there already; it is not overwritten.`)
  return writeBack(lost)
}

/** Puts back every file the agent needs to open the session. Returns the paths it wrote. */
export async function putBackMissing(context: CatalogContext, session: Place): Promise<string[]> {
  const missing = findMissing(context, session)
  requireCopy(session, missing)
  return writeBack(missing)
}

/** Returns the gone files of the sessions that this one builds on, then its own, of which its live file comes last. */
export function findMissing(context: CatalogContext, session: Place): LostFile[] {
  const missing = new Map<string, LostFile>()
  const seen = new Set<string>()
  const collect = (place: Place) => {
    if (seen.has(idOf(place))) return
    seen.add(idOf(place))
    for (const { path } of findStored(context, place)?.builtOn ?? []) {
      const copy = isGone(path) ? context.store().archive.at(place.agent, path) : null
      if (copy !== null) collect({ agent: copy.agent, id: copy.sessionId, path })
    }
    for (const file of findLost(context, place)) missing.set(file.path, file)
  }
  collect(session)
  return [...missing.values()]
}

/** Returns the session's own files that are gone and have a copy: its live file last, because the session is there once that is. */
function findLost(context: CatalogContext, session: Place): LostFile[] {
  const row = findStored(context, session)
  if (row !== null && ![row.path, ...row.olderPaths].some(isGone)) return []
  const folder = archiveFolder(context.folder, session.agent, session.id)
  const files = readManifest(folder)?.files ?? []
  const { path: live, olderPaths } = row ?? arrange(context, session, files)
  const lost = files.flatMap(({ path, role, generations }) => {
    const generation = generations.at(-1)
    const isWanted = path === live || olderPaths.includes(path) || (role === 'side' && isGone(live))
    return generation !== undefined && isWanted && isGone(path) ? { path, sessionId: session.id, role, folder, generation } : []
  })
  return lost.sort((a, b) => Number(a.path === live) - Number(b.path === live))
}

/** For a session that the catalogue could not read. */
function arrange(context: CatalogContext, { agent, path }: Place, files: readonly ManifestFile[]) {
  const paths = files.flatMap((file) => (file.role === 'side' ? [] : file.path))
  return agentOf(context, agent).arrangeFiles?.(paths) ?? { path, olderPaths: [] }
}

function requireCopy({ path }: Place, lost: readonly LostFile[]): void {
  if (!isGone(path) || lost.some((file) => file.path === path)) return
  throw new AppError('unreadable', `There is no archived copy of ${path}.`, {
    hint: 'Only sessions the archive holds can be put back.',
  })
}

/** Writes all files beside their places first, so that a damaged copy or a full disk leaves none of them behind. */
async function writeBack(files: readonly LostFile[]): Promise<string[]> {
  const besides = new Map(files.map(({ path }) => [path, join(dirname(path), `.${basename(path)}.${process.pid}.offshoot`)]))
  const written: string[] = []
  try {
    for (const file of files) await writeBeside(besides.get(file.path) ?? '', file)
    for (const [path, beside] of besides) if (linkNew(beside, path)) written.push(path)
    for (const folder of new Set(written.map((path) => dirname(path)))) syncFolder(folder)
    return written
  } catch (error) {
    for (const path of written) rmSync(path, { force: true })
    throw error
  } finally {
    for (const beside of besides.values()) rmSync(beside, { force: true })
  }
}

async function writeBeside(beside: string, { folder, generation }: LostFile): Promise<void> {
  mkdirSync(dirname(beside), { recursive: true, mode: 0o700 })
  // Opened before anything is read: a stream that opens it itself may do so after a damaged copy was given up and cleared away.
  const file = await open(beside, 'wx', 0o600)
  await pipeline(readGeneration(folder, generation), file.createWriteStream({ flush: true }))
  const seconds = generation.modifiedAt / 1000
  utimesSync(beside, seconds, seconds)
}

/** Returns false when another process has put the file there meanwhile: that one stays. */
function linkNew(beside: string, path: string): boolean {
  try {
    linkSync(beside, path)
    return true
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') return false
    throw error
  }
}
