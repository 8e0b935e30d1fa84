// Remembers how far a file was read and tells later whether it only grew. Size and time cannot tell a rewritten file from a
// grown one, so the bytes at both edges of what was read are compared too.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import type { ReadMark } from '../model/read-mark.ts'
import { openRegular } from './regular-file.ts'

const edgeBytes = 256

/** `readInode` is that of the file that was read: if another has taken its name since, the mark will not hold. */
export function markFile(path: string, offset: number, readInode?: number): ReadMark {
  const fd = openRegular(path)
  try {
    const inode = readInode ?? fstatSync(fd).ino
    return { inode, offset, head: hashEdge(fd, 0, offset), tail: hashEdge(fd, Math.max(0, offset - edgeBytes), offset) }
  } finally {
    closeSync(fd)
  }
}

/** True when everything before the mark is still what it was, so that reading may go on at `mark.offset`. */
export function stillHolds(path: string, mark: ReadMark): boolean {
  const fd = openRegular(path)
  try {
    const { ino, size } = fstatSync(fd)
    if (ino !== mark.inode || size < mark.offset) return false
    const now = { head: hashEdge(fd, 0, mark.offset), tail: hashEdge(fd, Math.max(0, mark.offset - edgeBytes), mark.offset) }
    return now.head === mark.head && now.tail === mark.tail
  } finally {
    closeSync(fd)
  }
}

function hashEdge(fd: number, start: number, limit: number): string {
  const buffer = Buffer.alloc(Math.min(edgeBytes, limit - start))
  const got = readSync(fd, buffer, 0, buffer.length, start)
  return createHash('sha1').update(buffer.subarray(0, got)).digest('base64url')
}
