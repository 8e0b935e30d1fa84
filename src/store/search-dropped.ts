// Erasing what was dropped: its rows are overwritten by SQLite itself, its words still stand in the postings of a segment. They
// are taken out block by block; a segment is not written anew for a few chunks.
import type { Database } from './open.ts'
import { PostingWriter, readBlock, readKeys, readPostings } from './search-postings.ts'
import { hashes, type Segment } from './search-segments.ts'

/** Blocks of 8 KB that are written at once: nobody else has to wait for long. */
const batchBlocks = 64

export function createDroppedTable(db: Database) {
  const first = db.prepare<[], number>('SELECT chunk_key FROM search_dropped LIMIT 1').pluck()
  const clear = db.prepare('DELETE FROM search_dropped')
  const segments = db.prepare<[], Segment>(
    `SELECT key, base, chunks FROM search_segments WHERE EXISTS
       (SELECT 1 FROM search_dropped WHERE chunk_key >= base AND chunk_key < base + chunks)`,
  )
  const keysIn = db
    .prepare<[number, number], number>('SELECT chunk_key FROM search_dropped WHERE chunk_key >= ? AND chunk_key < ?')
    .pluck()
  const nextBlock = db.prepare<[number, number], { key: number; postings: Buffer }>(
    'SELECT key, postings FROM search_postings WHERE key > ? AND key < ? ORDER BY key LIMIT 1',
  )
  const setBlock = db.prepare<[Uint8Array, number]>('UPDATE search_postings SET postings = ? WHERE key = ?')
  const removeBlock = db.prepare<[number]>('DELETE FROM search_postings WHERE key = ?')

  function* blocksOf(segment: number): Generator<{ key: number; postings: Buffer }> {
    const end = (segment + 1) * hashes
    for (let key = segment * hashes - 1; ; ) {
      const block = nextBlock.get(key, end)
      if (block === undefined) return
      key = block.key
      yield block
    }
  }

  return {
    isEmpty: (): boolean => first.get() === undefined,
    /** Takes the words out. Reads, which takes the longest, and gives what to call inside a transaction, step by step. */
    *erase(): Generator<() => void> {
      for (const { key: segment, base, chunks } of segments.all()) {
        const gone = new Uint8Array(chunks)
        for (const key of keysIn.all(base, base + chunks)) gone[key - base] = 1
        const room = { keys: new Int32Array(chunks), counts: new Int32Array(chunks) }
        let changed: { key: number; postings: Uint8Array }[] = []
        const write = () => {
          for (const { key, postings } of changed) postings.length === 0 ? removeBlock.run(key) : setBlock.run(postings, key)
          changed = []
        }
        for (const { key, postings } of blocksOf(segment)) {
          const rest = withoutChunks(postings, gone, room)
          if (rest !== null) changed.push({ key, postings: rest })
          if (changed.length === batchBlocks) yield write
        }
        if (changed.length > 0) yield write
      }
    },
    /** Called when the words are in no file any more. */
    clear(): void {
      clear.run()
    },
  }
}

type Room = { readonly keys: Int32Array; readonly counts: Int32Array }

/** The block without these chunks, which are counted from the segment's first; `null` when it has none of them. */
function withoutChunks(block: Uint8Array, gone: Uint8Array, room: Room): Uint8Array | null {
  const terms = [...readBlock(block)]
  const hasGone = terms.some((postings) => {
    readKeys(postings, room.keys, 0)
    for (let at = 0; at < postings.chunks; at += 1) if (gone[room.keys[at] as number] === 1) return true
    return false
  })
  if (!hasGone) return null
  const writer = new PostingWriter()
  for (const postings of terms) {
    readPostings(postings, room, 0)
    for (let at = 0; at < postings.chunks; at += 1) {
      const key = room.keys[at] as number
      if (gone[key] !== 1) writer.add(key, room.counts[at] as number)
    }
    writer.endTerm(postings.hash, postings.term)
  }
  return Buffer.concat(writer.finish().map(({ bytes }) => bytes))
}
