// The bytes of postings: which chunks of a segment have a term, and how often in which field. A segment's terms stand in the
// order of their hash, in blocks of a few kilobytes: one read finds a term. Written once, never changed.

/** How often in prompt, body, tools and whole names: a byte each, lowest first. More than 255 say nothing more. */
export type Counts = number

/** Once in the body is the commonest, so it has no byte of its own. */
const onceSaid: Counts = 1 << 8

export interface TermPostings {
  readonly term: string
  readonly hash: number
  readonly chunks: number
  readonly places: number
  readonly bytes: Uint8Array
}

export interface PostingBlock {
  /** The hash of its first term. */
  readonly first: number
  readonly bytes: Uint8Array
}

const blockBytes = 8192

/** FNV-1a over UTF-16. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Takes terms in the order of their hash, and of each its chunks in order. */
export class PostingWriter {
  readonly blocks: PostingBlock[] = []
  #bytes = new Uint8Array(4 * blockBytes)
  #size = 0
  #first = 0
  #lastHash = -1
  #postings = new Uint8Array(blockBytes)
  #end = 0
  #last = 0
  #chunks = 0
  #places = 0

  add(chunk: number, counts: Counts): void {
    if (this.#end + 24 > this.#postings.length) this.#postings = grow(this.#postings, this.#end)
    const postings = this.#postings
    const step = (this.#chunks === 0 ? chunk : chunk - this.#last) * 2
    this.#last = chunk
    this.#chunks += 1
    if (counts === onceSaid) {
      this.#places += 1
      this.#end = putNumber(postings, this.#end, step + 1)
      return
    }
    let at = putNumber(postings, this.#end, step)
    const mask = at
    at += 1
    let fields = 0
    let isMany = 0
    for (let field = 0; field < 4; field += 1) {
      const count = (counts >>> (field * 8)) & 255
      if (count === 0) continue
      this.#places += count
      fields |= 1 << field
      if (count > 1) isMany = 16
    }
    postings[mask] = fields | isMany
    if (isMany !== 0) {
      for (let field = 0; field < 4; field += 1) {
        const count = (counts >>> (field * 8)) & 255
        if (count === 0) continue
        postings[at] = count
        at += 1
      }
    }
    this.#end = at
  }

  /** Ends the term whose chunks were added. */
  endTerm(hash: number, term: string): void {
    if (this.#chunks === 0) return
    // Terms of one hash stay together, so that one block has them all.
    if (this.#size >= blockBytes && hash !== this.#lastHash) this.#closeBlock()
    if (this.#size === 0) this.#first = hash
    this.#lastHash = hash
    const most = this.#size + 4 + 1 + term.length * 3 + 15 + this.#end
    if (most > this.#bytes.length) this.#bytes = grow(this.#bytes, most)
    const bytes = this.#bytes
    let at = this.#size
    bytes[at] = hash & 255
    bytes[at + 1] = (hash >>> 8) & 255
    bytes[at + 2] = (hash >>> 16) & 255
    bytes[at + 3] = hash >>> 24
    const written = encoder.encodeInto(term, bytes.subarray(at + 5)).written
    bytes[at + 4] = written
    at = putNumber(bytes, at + 5 + written, this.#chunks)
    at = putNumber(bytes, at, this.#places)
    at = putNumber(bytes, at, this.#end)
    bytes.set(this.#postings.subarray(0, this.#end), at)
    this.#size = at + this.#end
    this.#end = 0
    this.#chunks = 0
    this.#places = 0
  }

  finish(): PostingBlock[] {
    this.#closeBlock()
    return this.blocks
  }

  #closeBlock(): void {
    if (this.#size === 0) return
    this.blocks.push({ first: this.#first, bytes: this.#bytes.slice(0, this.#size) })
    this.#size = 0
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function grow(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, bytes.length) * 2)
  larger.set(bytes)
  return larger
}

function putNumber(bytes: Uint8Array, from: number, value: number): number {
  let at = from
  let left = value
  while (left >= 128) {
    bytes[at] = (left & 127) | 128
    left >>>= 7
    at += 1
  }
  bytes[at] = left
  return at + 1
}

/** All terms of a block, in order. */
export function* readBlock(bytes: Uint8Array): Generator<TermPostings> {
  const reader = { at: 0 }
  while (reader.at < bytes.length) {
    const hash = hashAt(bytes, reader.at)
    const from = reader.at + 5
    reader.at = from + (bytes[reader.at + 4] as number)
    const term = decoder.decode(bytes.subarray(from, reader.at))
    const chunks = takeNumber(bytes, reader)
    const places = takeNumber(bytes, reader)
    const length = takeNumber(bytes, reader)
    yield { term, hash, chunks, places, bytes: bytes.subarray(reader.at, reader.at + length) }
    reader.at += length
  }
}

export function findInBlock(bytes: Uint8Array, term: string, hash: number): TermPostings | null {
  const reader = { at: 0 }
  while (reader.at < bytes.length) {
    const found = hashAt(bytes, reader.at)
    if (found > hash) return null
    const from = reader.at + 5
    reader.at = from + (bytes[reader.at + 4] as number)
    const isTerm = found === hash && decoder.decode(bytes.subarray(from, reader.at)) === term
    const chunks = takeNumber(bytes, reader)
    const places = takeNumber(bytes, reader)
    const length = takeNumber(bytes, reader)
    if (isTerm) return { term, hash, chunks, places, bytes: bytes.subarray(reader.at, reader.at + length) }
    reader.at += length
  }
  return null
}

function hashAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  return (low | ((bytes[at + 3] as number) << 24)) >>> 0
}

function takeNumber(bytes: Uint8Array, reader: { at: number }): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[reader.at] as number
    reader.at += 1
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
}

/** Chunks, counted from the segment's first, and their counts if there is room for them. */
export function readPostings(
  { bytes, chunks }: TermPostings,
  { keys, counts }: { readonly keys: Int32Array; readonly counts: Int32Array | null },
  base: number,
): void {
  let key = base
  let at = 0
  for (let index = 0; index < chunks; index += 1) {
    let byte = bytes[at] as number
    let step = byte & 127
    at += 1
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = bytes[at] as number
      step |= (byte & 127) << shift
      at += 1
    }
    key += step >>> 1
    keys[index] = key
    if ((step & 1) === 1) {
      if (counts !== null) counts[index] = onceSaid
      continue
    }
    const mask = bytes[at] as number
    at += 1
    if (mask < 16) {
      if (counts !== null) counts[index] = (mask & 1) | ((mask & 2) << 7) | ((mask & 4) << 14) | ((mask & 8) << 21)
      continue
    }
    let packed = 0
    for (let field = 0; field < 4; field += 1) {
      if ((mask & (1 << field)) === 0) continue
      packed |= (bytes[at] as number) << (field * 8)
      at += 1
    }
    if (counts !== null) counts[index] = packed
  }
}

/** The keys alone, for who does not ask how often. */
export function readKeys(postings: TermPostings, keys: Int32Array, base: number): void {
  readPostings(postings, { keys, counts: null }, base)
}
