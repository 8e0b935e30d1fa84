// Puts files that lie ready beside the work tree into their places, each at once (a rename): nobody sees half a file, and what is
// in a place is lost only when the new one is there.
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { eachAtOnce } from '../lib/at-once.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { asBytePath, type BytePath, folderOf, placeOf } from './byte-path.ts'
import { look } from './look.ts'
import type { NotRemoved } from './remove-files.ts'
import { whyNotWritten } from './restore-safety.ts'
import { makeShortId } from './short-id.ts'

export interface ReadyFile {
  readonly path: BytePath
  /** The present state holds this path. */
  readonly known: boolean
}

/** `onMoved` is told after each. Throws where the disk fails; what stays for a reason of its own is in the answer. */
export async function moveFiles(
  from: string,
  root: string,
  files: Iterable<ReadyFile>,
  onMoved: () => void,
): Promise<{ moved: BytePath[]; blocked: NotRemoved[] }> {
  const moved: BytePath[] = []
  const blocked: NotRemoved[] = []
  await eachAtOnce(files, async (file) => {
    const reason = await moveFile(from, root, file)
    if (reason === null) moved.push(file.path)
    else blocked.push({ path: file.path, reason })
    onMoved()
  })
  return { moved, blocked }
}

/** Looked at again right before: something may have come in the way since the plan. */
async function moveFile(from: string, root: string, { path, known }: ReadyFile): Promise<string | null> {
  try {
    const reason = await whyNotWritten(root, path, known, new Set())
    if (reason !== null) return reason
    await removeEmptyFolders(root, path)
    await makeFolder(root, folderOf(path))
    await moveOver(placeOf(from, path), placeOf(root, path))
    return null
  } catch (error) {
    const code = fileErrorCode(error)
    if (code === undefined || ['ENOSPC', 'EDQUOT', 'EIO'].includes(code)) throw error
    return `it cannot be written (${code})`
  }
}

/** No link is on the way: that was looked at just now. */
async function makeFolder(root: string, folder: BytePath | null): Promise<void> {
  if (folder === null || (await look(placeOf(root, folder))) !== null) return
  await makeFolder(root, folderOf(folder))
  try {
    await mkdir(placeOf(root, folder))
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
  }
}

async function moveOver(source: Buffer, target: Buffer): Promise<void> {
  try {
    await rename(source, target)
  } catch (error) {
    if (fileErrorCode(error) !== 'EXDEV') throw error
    // Another file system lies there: the work tree's, or a part of it. Beside its place first, so that a full disk loses nothing.
    const beside = Buffer.concat([target, Buffer.from(`.offshoot-${makeShortId()}`)])
    try {
      if ((await look(source))?.isSymbolicLink()) await symlink(await readlink(source, 'buffer'), beside)
      else await copyFile(source, beside, constants.COPYFILE_EXCL)
      await rename(beside, target)
    } finally {
      await rm(beside, { force: true })
    }
  }
}

/** Empty ones only, the inner ones first. */
async function removeEmptyFolders(root: string, path: BytePath): Promise<void> {
  const place = placeOf(root, path)
  if (!(await look(place))?.isDirectory()) return
  for (const name of await readdir(place, { encoding: 'latin1' })) await removeEmptyFolders(root, asBytePath(`${path}/${name}`))
  await rmdir(place)
}
