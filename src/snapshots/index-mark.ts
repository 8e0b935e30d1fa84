// Tells whether an index file is still the one that was looked at: git replaces it as a whole, so inode, size, time and the
// hash at its end say it. Any `git status` of the person's may have rewritten it.
import type { FileHandle } from 'node:fs/promises'
import { isMissing } from '../lib/file-errors.ts'
import { openRegularHandle } from '../lib/regular-file.ts'

/** `null` where there is no index yet. */
export type IndexMark = string | null

export async function markIndex(indexPath: string, hashBytes: number): Promise<IndexMark> {
  let file: FileHandle
  try {
    file = await openRegularHandle(indexPath)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  try {
    const { ino, size, mtimeNs } = await file.stat({ bigint: true })
    const hash = Buffer.alloc(hashBytes)
    await file.read(hash, 0, hashBytes, Math.max(0, Number(size) - hashBytes))
    return `${ino} ${size} ${mtimeNs} ${hash.toString('hex')}`
  } finally {
    await file.close()
  }
}
