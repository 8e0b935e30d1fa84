// A copy of the user's index that we may read and write as we like. The copy must look exactly as old as the original:
// git compares files with the index by whole seconds, and a copy with a newer time hid 80 of 80 edits made in the same second.
import type { FileHandle } from 'node:fs/promises'
import { utimes, writeFile } from 'node:fs/promises'
import { isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegular, openRegularHandle } from '../lib/regular-file.ts'
import type { Git } from './git.ts'
import { namingIndex, refuseOtherHash } from './index-damage.ts'
import { type IndexEntry, parseIndex } from './index-file.ts'
import { scanIndex } from './index-scan.ts'
import type { WorkTree } from './repository.ts'

/** `at` is absolute. Without an index (before the first `git add`) the copy is an empty one. */
export async function copyIndex(git: Git, source: WorkTree, at: string): Promise<readonly IndexEntry[]> {
  return parseIndex(await copyIndexFile(git, source, at), source.hashBytes).entries
}

/** The same; answers with the bytes of the copy. */
export async function copyIndexFile(git: Git, source: WorkTree, at: string): Promise<Buffer> {
  const { indexPath, root: cwd, hashBytes } = source
  const original = await readWithTime(indexPath)
  if (original === null) {
    await git(['read-tree', '--empty'], { cwd, index: at })
    return loadRegular(at, anySize)
  }
  const { partial } = namingIndex(indexPath, cwd, () => {
    refuseOtherHash(original.bytes, hashBytes)
    return scanIndex(original.bytes, hashBytes) ?? parseIndex(original.bytes, hashBytes)
  })
  await writeFile(at, original.bytes)
  await setWholeSecond(at, original.mtimeMs)
  if (!partial) return original.bytes
  // The other half of a split index is a file that expires. The rewrite compares nothing: the old time must come back.
  await git(['update-index', '--no-split-index', '--force-write-index'], { cwd, index: at })
  await setWholeSecond(at, original.mtimeMs)
  return loadRegular(at, anySize)
}

/** One open file, so that a commit in between cannot give the bytes of one index and the time of another. */
async function readWithTime(path: string): Promise<{ bytes: Buffer; mtimeMs: number } | null> {
  let file: FileHandle
  try {
    file = await openRegularHandle(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  try {
    const { mtimeMs } = await file.stat()
    return { bytes: await file.readFile(), mtimeMs }
  } finally {
    await file.close()
  }
}

async function setWholeSecond(path: string, mtimeMs: number): Promise<void> {
  // Never 0: git takes that as "no time known" and compares nothing (80 of 80 edits missed).
  const second = Math.max(1, Math.floor(mtimeMs / 1000))
  await utimes(path, second, second)
}
