// Reads what the agent tells the hook: JSON on stdin. By plain reads, since opening `process.stdin` costs milliseconds, and
// always to the end, so that the agent is never left with a broken pipe.
import { read } from 'node:fs'
import { promisify } from 'node:util'
import { fileErrorCode } from '../lib/file-errors.ts'

const readBytes = promisify(read)
const chunkBytes = 1 << 16
const againMs = 5

/** `null` when it is longer than `maxBytes`. Stdin that never ends is for the caller's time limit. */
export async function readInput(fd: number, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = await readChunk(fd)
    if (chunk.length === 0) break
    total += chunk.length
    if (total <= maxBytes) chunks.push(chunk)
  }
  return total > maxBytes ? null : Buffer.concat(chunks).toString('utf8')
}

async function readChunk(fd: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (;;) {
    try {
      const { bytesRead } = await readBytes(fd, buffer, 0, chunkBytes, null)
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      const code = fileErrorCode(error)
      // No stdin at all, or one that is closed already: nothing was told.
      if (code === 'EOF' || code === 'EBADF') return buffer.subarray(0, 0)
      if (code !== 'EAGAIN') throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}

/** `undefined` for what is not JSON. */
export function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
