// Reads `.jsonl.zst`, which Codex makes of old rollouts when told to. The file is unpacked while it is scanned: memory stays
// bounded by zstd's window and no unpacked copy of a conversation is left on disk.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { Decompress } from 'fzstd'
import { errorMessage } from '../../lib/error-message.ts'
import { type Line, type ReadBytes, type ScanEnd, scanSource } from '../../lib/jsonl.ts'
import { openRegular } from '../../lib/regular-file.ts'

const chunkBytes = 1 << 16

/** Scans the lines of a packed file. A damaged file ends where the damage starts; `onDamage` is told. */
export function* scanPackedLines(path: string, onDamage: (problem: string) => void): Generator<Line, ScanEnd> {
  const fd = openRegular(path)
  try {
    return yield* scanSource(unpackFrom(fd, onDamage), 0, Number.POSITIVE_INFINITY, fstatSync(fd).ino)
  } finally {
    closeSync(fd)
  }
}

function unpackFrom(fd: number, onDamage: (problem: string) => void): ReadBytes {
  const ready: Uint8Array[] = []
  const unpacker = new Decompress((data) => ready.push(data))
  const packed = Buffer.allocUnsafe(chunkBytes)
  let position = 0
  let ended = false
  const unpackMore = () => {
    const got = readSync(fd, packed, 0, chunkBytes, position)
    position += got
    ended = got === 0
    try {
      unpacker.push(Uint8Array.prototype.slice.call(packed, 0, got), ended)
    } catch (error) {
      ended = true
      onDamage(errorMessage(error))
    }
  }
  return (into, at, length) => {
    while (!ended && (ready[0] === undefined || ready[0].length === 0)) {
      ready.shift()
      unpackMore()
    }
    while (ready[0]?.length === 0) ready.shift()
    const next = ready[0]
    if (next === undefined) return 0
    const taken = next.subarray(0, length)
    into.set(taken, at)
    if (taken.length === next.length) ready.shift()
    else ready[0] = next.subarray(taken.length)
    return taken.length
  }
}
