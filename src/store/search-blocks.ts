// Chunks by key in blocks of 1,024: which session each belongs to and how long it is. A quarter of a million chunks are read in
// 250 rows; a session of 0 is a chunk that is gone.
import type { Database } from './open.ts'

export const blockSize = 1024

export interface Block {
  readonly block: number
  readonly sessions: Buffer
  readonly terms: Buffer
  readonly generation: number
}

export function createBlockTable(db: Database) {
  const get = db.prepare<[number], Block>('SELECT block, sessions, terms, generation FROM search_blocks WHERE block = ?')
  const put = db.prepare<[number, Buffer, Buffer, number]>(
    'INSERT OR REPLACE INTO search_blocks (block, sessions, terms, generation) VALUES (?, ?, ?, ?)',
  )
  const open = new Map<number, { sessions: Int32Array; terms: Uint16Array }>()

  function load(block: number) {
    const known = open.get(block)
    if (known !== undefined) return known
    const row = get.get(block)
    const made = { sessions: new Int32Array(blockSize), terms: new Uint16Array(blockSize) }
    if (row !== undefined) {
      made.sessions.set(asInts(row.sessions))
      made.terms.set(asShorts(row.terms))
    }
    open.set(block, made)
    return made
  }

  return {
    put(chunkKey: number, sessionKey: number, terms: number): void {
      const block = load(Math.floor(chunkKey / blockSize))
      block.sessions[chunkKey % blockSize] = sessionKey
      block.terms[chunkKey % blockSize] = Math.min(terms, 0xffff)
    },
    drop(chunkKey: number): void {
      load(Math.floor(chunkKey / blockSize)).sessions[chunkKey % blockSize] = 0
    },
    flush(generation: number): void {
      for (const [block, { sessions, terms }] of open) put.run(block, bytesOf(sessions), bytesOf(terms), generation)
      open.clear()
    },
    forget(): void {
      open.clear()
    },
  }
}

function bytesOf(array: Int32Array | Uint16Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}

/** Copied: what SQLite gives need not begin where a number may. */
export function asInts(bytes: Buffer): Int32Array {
  return new Int32Array(new Uint8Array(bytes).buffer)
}

export function asShorts(bytes: Buffer): Uint16Array {
  return new Uint16Array(new Uint8Array(bytes).buffer)
}
