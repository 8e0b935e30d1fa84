// The hash of a file's first bytes, read in pieces: a source that is live may have grown since, which is no change.
import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { openRegular } from '../lib/regular-file.ts'

/** Small enough to stay in the processor's cache between being read and being hashed. */
const pieceBytes = 256 * 1024
/** After this many bytes the event loop gets its turn. */
const breathBytes = 8 << 20

/** `null` when the file is shorter now than it was. */
export async function hashFile(path: string, bytes: number): Promise<string | null> {
  const hash = createHash('sha256')
  const file = openRegular(path)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, bytes)))
    let breath = breathBytes
    for (let at = 0; at < bytes; ) {
      const got = readSync(file, buffer, 0, Math.min(buffer.length, bytes - at), at)
      if (got === 0) return null
      hash.update(buffer.subarray(0, got))
      at += got
      if (at < breath) continue
      breath = at + breathBytes
      await setImmediate()
    }
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}
