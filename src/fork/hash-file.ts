// The hash of a file's first bytes, read in pieces: a source that is live may have grown since, which is no change.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

const pieceBytes = 4 << 20

/** `null` when the file is shorter now than it was. */
export async function hashFile(path: string, bytes: number): Promise<string | null> {
  const hash = createHash('sha256')
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, bytes)))
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, bytes - at), at)
      if (bytesRead === 0) return null
      hash.update(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}
