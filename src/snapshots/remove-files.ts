// Takes single files out of a work tree, and the folders that become empty by it. Never through a link on the way: what lies
// beyond it is not in the work tree. Never a folder with something in it.
import { rmdir, unlink } from 'node:fs/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { type BytePath, folderOf, placeOf } from './byte-path.ts'
import { look } from './look.ts'

export interface NotRemoved {
  readonly path: BytePath
  readonly reason: string
}

export async function removeFiles(
  root: string,
  paths: Iterable<BytePath>,
  onEach: () => void = () => undefined,
): Promise<{ removed: BytePath[]; failed: NotRemoved[] }> {
  const removed: BytePath[] = []
  const failed: NotRemoved[] = []
  const folders = new Set<BytePath>()
  for (const path of paths) {
    const reason = await removeFile(root, path)
    if (reason !== null) failed.push({ path, reason })
    else {
      removed.push(path)
      const folder = folderOf(path)
      if (folder !== null) folders.add(folder)
    }
    onEach()
  }
  for (const folder of folders) await removeEmpty(root, folder)
  return { removed, failed }
}

async function removeFile(root: string, path: BytePath): Promise<string | null> {
  const gap = await findGap(root, folderOf(path))
  if (gap?.absent) return null
  if (gap !== null) return 'it is reached through a link, or a file lies where its folder was'
  const place = placeOf(root, path)
  const stats = await look(place)
  if (stats === null) return null
  if (stats.isDirectory()) return 'there is a folder in its place'
  try {
    await unlink(place)
    return null
  } catch (error) {
    return `it cannot be removed (${fileErrorCode(error) ?? String(error)})`
  }
}

export interface Gap {
  readonly at: BytePath
  /** Nothing is there; else it is a file or a link. */
  readonly absent: boolean
}

/** The first step on the way to a folder that is no real folder; `null` when all are. */
export async function findGap(root: string, folder: BytePath | null): Promise<Gap | null> {
  if (folder === null) return null
  const above = await findGap(root, folderOf(folder))
  return above ?? stepGap(root, folder)
}

/** Of this one step; those above are looked at already. */
export async function stepGap(root: string, folder: BytePath): Promise<Gap | null> {
  const stats = await look(placeOf(root, folder))
  return stats?.isDirectory() ? null : { at: folder, absent: stats === null }
}

async function removeEmpty(root: string, folder: BytePath): Promise<void> {
  for (let each: BytePath | null = folder; each !== null; each = folderOf(each)) {
    if ((await findGap(root, each)) !== null) return
    try {
      await rmdir(placeOf(root, each))
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(fileErrorCode(error) ?? '')) return
      throw error
    }
  }
}
