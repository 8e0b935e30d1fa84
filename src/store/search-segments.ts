// The words of the index: segments that each hold the postings of a range of chunks. An update adds one per portion; many small
// ones are merged into larger ones, without the chunks that are gone. The order of chunks never changes.
import type { Database } from './open.ts'
import { asInts, blockSize } from './search-blocks.ts'
import {
  findInBlock,
  hashTerm,
  type PostingBlock,
  PostingWriter,
  readBlock,
  readPostings,
  type TermPostings,
} from './search-postings.ts'

export interface Segment {
  readonly key: number
  /** Its chunks' keys are from `base` up to, not including, `base + chunks`. */
  readonly base: number
  readonly chunks: number
}

/** A term's postings in one segment; chunks are counted from `base`. */
export interface SegmentPostings extends TermPostings {
  readonly base: number
}

/** A block's key: the segment's number above the hash of its first term. Two million segments fit into what JavaScript counts. */
export const hashes = 2 ** 32
/** Of these sizes up to, so many side by side are merged. */
const sizes = [32, 512, 8192, 65_536] as const
const fanIn = 16

export function createSegmentTable(db: Database) {
  const all = db.prepare<[], Segment>('SELECT key, base, chunks FROM search_segments ORDER BY base')
  const highest = db.prepare<[], number>('SELECT COALESCE(MAX(key), 0) FROM search_segments').pluck()
  const add = db.prepare<[number, number, number]>('INSERT INTO search_segments (key, base, chunks) VALUES (?, ?, ?)')
  const remove = db.prepare<[number]>('DELETE FROM search_segments WHERE key = ?')
  const addBlock = db.prepare<[number, Uint8Array]>('INSERT INTO search_postings (key, postings) VALUES (?, ?)')
  const removeBlocks = db.prepare<[number, number]>('DELETE FROM search_postings WHERE key >= ? AND key < ?')
  const blockFor = db
    .prepare<[number, number], Buffer>(
      'SELECT postings FROM search_postings WHERE key <= ? AND key >= ? ORDER BY key DESC LIMIT 1',
    )
    .pluck()
  const nextBlock = db.prepare<[number, number], { key: number; postings: Buffer }>(
    'SELECT key, postings FROM search_postings WHERE key > ? AND key < ? ORDER BY key LIMIT 1',
  )
  const liveness = db.prepare<[number, number], { block: number; sessions: Buffer }>(
    'SELECT block, sessions FROM search_blocks WHERE block >= ? AND block <= ?',
  )

  function put(base: number, chunks: number, blocks: readonly PostingBlock[]): void {
    const key = (highest.get() ?? 0) + 1
    add.run(key, base, chunks)
    for (const { first, bytes } of blocks) addBlock.run(key * hashes + first, bytes)
  }

  function* termsOf(segment: number): Generator<TermPostings> {
    let key = segment * hashes - 1
    for (;;) {
      const block = nextBlock.get(key, (segment + 1) * hashes)
      if (block === undefined) return
      key = block.key
      yield* readBlock(block.postings)
    }
  }

  /** 1 for each chunk of the range that is still there. */
  function findLive(from: number, to: number): Uint8Array {
    const live = new Uint8Array(to - from)
    for (const { block, sessions } of liveness.all(Math.floor(from / blockSize), Math.floor((to - 1) / blockSize))) {
      for (const [at, session] of asInts(sessions).entries()) {
        const key = block * blockSize + at
        if (session !== 0 && key >= from && key < to) live[key - from] = 1
      }
    }
    return live
  }

  return {
    all: (): Segment[] => all.all(),
    put,
    terms: termsOf,
    /** The postings of a term, oldest chunks first. */
    find(segments: readonly Segment[], term: string): SegmentPostings[] {
      const hash = hashTerm(term)
      const found: SegmentPostings[] = []
      for (const { key, base } of segments) {
        const block = blockFor.get(key * hashes + hash, key * hashes)
        const postings = block === undefined ? null : findInBlock(block, term, hash)
        if (postings !== null) found.push({ ...postings, base })
      }
      return found
    },
    /** Neighbours to be merged into one, if there are so many of a size. */
    mergeable(): readonly Segment[] | null {
      const segments = all.all()
      for (const size of sizes) {
        let from = 0
        for (const [at, { chunks }] of segments.entries()) {
          if (chunks >= size) from = at + 1
          else if (at + 1 - from === fanIn) return segments.slice(from, at + 1)
        }
      }
      return null
    },
    /** Only reads, which takes the longest; gives what to call inside a transaction. */
    merge(segments: readonly Segment[]): () => void {
      const base = segments[0]?.base ?? 0
      const last = segments.at(-1)
      const end = last === undefined ? base : last.base + last.chunks
      const blocks = mergeTerms(
        segments.map((segment) => ({ base: segment.base - base, terms: termsOf(segment.key) })),
        findLive(base, end),
      )
      return () => {
        for (const { key } of segments) {
          remove.run(key)
          removeBlocks.run(key * hashes, (key + 1) * hashes)
        }
        put(base, end - base, blocks)
      }
    },
  }
}

interface Cursor {
  readonly base: number
  readonly terms: Iterator<TermPostings>
  next: TermPostings | undefined
}

function mergeTerms(
  sources: readonly { readonly base: number; readonly terms: Iterator<TermPostings> }[],
  live: Uint8Array,
): PostingBlock[] {
  const writer = new PostingWriter()
  const cursors = sources.map(({ base, terms }): Cursor => ({ base, terms, next: terms.next().value }))
  const room = { keys: new Int32Array(live.length), counts: new Int32Array(live.length) }
  for (;;) {
    let hash = Number.POSITIVE_INFINITY
    for (const { next } of cursors) if (next !== undefined && next.hash < hash) hash = next.hash
    if (hash === Number.POSITIVE_INFINITY) return writer.finish()
    // Nearly always one term, but a hash may belong to several.
    const parts = new Map<string, { base: number; postings: TermPostings }[]>()
    for (const cursor of cursors) {
      while (cursor.next !== undefined && cursor.next.hash === hash) {
        const { term } = cursor.next
        const known = parts.get(term)
        if (known === undefined) parts.set(term, [{ base: cursor.base, postings: cursor.next }])
        else known.push({ base: cursor.base, postings: cursor.next })
        cursor.next = cursor.terms.next().value
      }
    }
    for (const [term, found] of parts) {
      for (const { base, postings } of found) {
        readPostings(postings, room, base)
        for (let at = 0; at < postings.chunks; at += 1) {
          const chunk = room.keys[at] as number
          if (live[chunk] === 1) writer.add(chunk, room.counts[at] as number)
        }
      }
      writer.endTerm(hash, term)
    }
  }
}
