import { rmSync } from 'node:fs'

/**
 * Removes a test's own folder. A process that is just ending may still write there: `rmSync` tries a folder that is not empty
 * again, but not what has come into it since, so the whole removal is tried again here.
 */
export function removeFolder(path: string | Buffer, triesLeft = 100): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch (error) {
    if (triesLeft === 0) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    removeFolder(path, triesLeft - 1)
  }
}
