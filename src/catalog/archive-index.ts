// Reading from the archive: the index rebuilt from its folders, and a purged session's bytes brought back for one reading.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SessionFile } from '../agents/agent.ts'
import { AppError } from '../model/error.ts'
import {
  archiveFolder,
  type Generation,
  listArchiveFolders,
  readGeneration,
  readManifest,
  readSoundManifest,
  toIndex,
} from './archive-files.ts'
import type { CatalogContext } from './context.ts'

/** Once per database: one that was lost takes its index with it, but not the archive. */
export function recoverArchiveIndex(context: CatalogContext): void {
  const store = context.store()
  const copies = listArchiveFolders(context.folder).flatMap((folder) => {
    // One that is damaged must not keep all the others, and every command with them, from being found.
    const manifest = readSoundManifest(folder)
    return manifest === null ? [] : toIndex(manifest)
  })
  store.write(() => {
    for (const copy of copies) store.archive.put(copy)
    store.meta.set('archive_indexed', 'yes')
  })
}

export interface ArchivedCopy {
  readonly folder: string
  readonly generation: Generation
}

export function findCopy(context: CatalogContext, { agent, id, path }: Pick<SessionFile, 'agent' | 'id' | 'path'>): ArchivedCopy {
  const folder = archiveFolder(context.folder, agent, id)
  const generation = readManifest(folder)
    ?.files.find((each) => each.path === path)
    ?.generations.at(-1)
  if (generation === undefined) throw new AppError('unreadable', `There is no archived copy of ${path}.`)
  return { folder, generation }
}

export async function* withArchivedCopy<T>(
  context: CatalogContext,
  file: SessionFile,
  use: (copy: SessionFile) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const copy = await bringBack(context, file)
  try {
    yield* use(copy.file)
  } finally {
    rmSync(copy.folder, { recursive: true, force: true })
  }
}

export async function readArchivedCopy<T>(
  context: CatalogContext,
  file: SessionFile,
  use: (copy: SessionFile) => Promise<T>,
): Promise<T> {
  const copy = await bringBack(context, file)
  try {
    return await use(copy.file)
  } finally {
    rmSync(copy.folder, { recursive: true, force: true })
  }
}

/** Under its own name, which agents read the id from, in a private folder of ours. */
async function bringBack(context: CatalogContext, file: SessionFile): Promise<{ folder: string; file: SessionFile }> {
  const { folder: archived, generation } = findCopy(context, file)
  const parent = join(context.folder, 'tmp')
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(parent, 'reading-'))
  const path = join(folder, basename(file.path))
  await pipeline(readGeneration(archived, generation), createWriteStream(path, { mode: 0o600 }))
  const { size, mtimeMs, ino } = statSync(path)
  return { folder, file: { ...file, path, bytes: size, modifiedAt: mtimeMs, inode: ino, olderPaths: [] } }
}
