// Reads a file from its end: where to begin so that whole lines are read, further and further back.
import { closeSync, readSync } from 'node:fs'
import { openRegular } from './regular-file.ts'

const newline = 0x0a
const chunkBytes = 1 << 16

/** Starts of lines before `end`, each about twice as far back as the one before; the last is 0. */
export function* lineStarts(path: string, end: number, firstBytes: number): Generator<number> {
  const fd = openRegular(path)
  try {
    let last = end
    for (let bytes = Math.max(1, firstBytes); bytes < end; bytes *= 2) {
      const start = nextLine(fd, end - bytes, last)
      if (start === null) continue
      last = start
      yield start
    }
    yield 0
  } finally {
    closeSync(fd)
  }
}

/** The first line that starts at `from` or later and before `end`. */
function nextLine(fd: number, from: number, end: number): number | null {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (let at = from - 1; at < end; ) {
    const got = readSync(fd, chunk, 0, Math.min(chunkBytes, end - at), at)
    if (got === 0) return null
    const found = chunk.subarray(0, got).indexOf(newline)
    if (found !== -1) return at + found + 1 < end ? at + found + 1 : null
    at += got
  }
  return null
}
