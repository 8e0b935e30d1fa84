// What the archive holds: the index rebuilt from its folders, and the copy of one file.
import type { SessionFile } from '../agents/agent.ts'
import { AppError } from '../model/error.ts'
import { archiveFolder, type Generation, listArchiveFolders, readManifest, readSoundManifest, toIndex } from './archive-files.ts'
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
