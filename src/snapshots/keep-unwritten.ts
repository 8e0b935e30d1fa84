// git takes a file away before it asks the filter for the new one. Where that fails, the file would be gone, and what was in it
// may be nowhere else: LFS drops what no commit names. So each file has a second name until it is written.
import { copyFile, link, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileErrorCode } from '../lib/file-errors.ts'
import { type BytePath, placeOf } from './byte-path.ts'
import { look } from './look.ts'

/** Whatever of `paths` is not there after `write` is put back as it was. `folder` is there for that time only. */
export async function keepingUnwritten<T>(
  root: string,
  folder: string,
  paths: readonly BytePath[],
  write: () => Promise<T>,
): Promise<T> {
  const kept = new Map<Buffer, string>()
  await mkdir(folder)
  try {
    await Promise.all(
      paths.map(async (path, number) => {
        const place = placeOf(root, path)
        const name = join(folder, String(number))
        if ((await look(place))?.isFile() && (await keep(place, name))) kept.set(place, name)
      }),
    )
    return await write()
  } finally {
    for (const [place, name] of kept) if ((await look(place)) === null) await putBack(name, place)
    await rm(folder, { recursive: true, force: true })
  }
}

/** One that cannot be kept is no reason to write none: there is a snapshot of it. */
async function keep(place: Buffer, name: string): Promise<boolean> {
  try {
    await link(place, name)
    return true
  } catch {
    return copyFile(place, name).then(
      () => true,
      () => false,
    )
  }
}

async function putBack(name: string, place: Buffer): Promise<void> {
  try {
    await rename(name, place)
  } catch (error) {
    if (fileErrorCode(error) !== 'EXDEV') throw error
    await copyFile(name, place)
  }
}
