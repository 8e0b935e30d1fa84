// Pass 2 fetches single JSON values by their place. Chains run through a file mostly forwards, so a window of the file is kept and
// moved along; a line larger than the window is read by itself and not kept.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegular } from '../../lib/regular-file.ts'

const windowBytes = 1 << 18

export class ValueFetcher {
  readonly inode: number
  fetchedBytes = 0
  readonly #fd: number
  readonly #window = Buffer.allocUnsafe(windowBytes)
  #start = 0
  #filled = 0

  constructor(path: string) {
    this.#fd = openRegular(path)
    this.inode = fstatSync(this.#fd).ino
  }

  /** The parsed value, or `undefined` when there is none at that place (any more). */
  fetch(offset: number, bytes: number): unknown {
    try {
      return JSON.parse(this.bytesAt(offset, bytes).toString())
    } catch {
      return undefined // told by the caller as skipped
    }
  }

  /** The bytes themselves, fewer where the file ends; they hold until the next call. */
  bytesAt(offset: number, bytes: number): Buffer {
    this.fetchedBytes += bytes
    if (bytes > windowBytes) {
      const own = Buffer.allocUnsafeSlow(bytes)
      return own.subarray(0, readSync(this.#fd, own, 0, bytes, offset))
    }
    if (offset < this.#start || offset + bytes > this.#start + this.#filled) {
      this.#start = offset
      this.#filled = readSync(this.#fd, this.#window, 0, windowBytes, offset)
    }
    const from = offset - this.#start
    return this.#window.subarray(from, Math.min(from + bytes, this.#filled))
  }

  close(): void {
    closeSync(this.#fd)
  }
}
