// Chunks become a segment of the index here: their words as postings, their vectors as they are stored. Plain bytes, so that
// threads can make segments and hand them over; the keys of the chunks are given when it is written.
import type { ChunkTexts, StoredChunk } from '../../store/search-index.ts'
import { type PostingBlock, PostingWriter } from '../../store/search-postings.ts'
import { codeBytesOf, encodeVector, vectorBytesOf } from '../../store/search-vectors.ts'
import type { StaticModel } from '../embed/static-model.ts'
import { Lexicon, twice } from './lexicon.ts'

export interface MadeSegment {
  readonly chunks: number
  readonly postings: readonly PostingBlock[]
  readonly vectors: Uint8Array
  readonly codes: Uint8Array
}

/** With less than this said, what was done has to speak. */
export const fewWords = 20

/** Where the count of each field stands: a byte each. */
const fields = { prompt: 0, body: 8, tools: 16, names: 24 } as const
/** Numbers of terms stand below their hashes, both in one number. */
const numbers = 2 ** 21

export class SegmentBuilder {
  readonly #model: StaticModel
  readonly #lexicon: Lexicon
  #chunks = 0
  /** Of the chunk at hand, by number of the term. */
  #counts = new Int32Array(1 << 12)
  #touched = new Int32Array(4096)
  #touchedCount = 0
  #tokens: Int32Array
  #tokenCount = 0
  /** Every chunk's terms with their counts, in the order of the chunks. */
  #postings = { terms: new Int32Array(1 << 16), chunks: new Int32Array(1 << 16), counts: new Int32Array(1 << 16), count: 0 }
  #vectors: { bytes: Uint8Array<ArrayBuffer>; codes: Uint8Array<ArrayBuffer> } = {
    bytes: new Uint8Array(0),
    codes: new Uint8Array(0),
  }

  constructor(model: StaticModel) {
    this.#model = model
    this.#lexicon = new Lexicon(model.tokensOf)
    this.#tokens = new Int32Array(model.maxTokens)
  }

  get chunks(): number {
    return this.#chunks
  }

  /** Gives how many terms each field has. */
  add(texts: ChunkTexts): StoredChunk['counts'] {
    this.#touchedCount = 0
    this.#tokenCount = 0
    const prompt = this.#read(texts.prompt, fields.prompt, true)
    const body = this.#read(texts.body, fields.body, true)
    const tools = this.#read(texts.tools, fields.tools, prompt.words + body.words < fewWords)
    this.#closeChunk()
    return { prompt: prompt.terms, body: body.terms, tools: tools.terms }
  }

  finish(): MadeSegment {
    const vectorBytes = vectorBytesOf(this.#model.dims)
    const codeBytes = codeBytesOf(this.#model.dims)
    const made = {
      chunks: this.#chunks,
      postings: this.#writePostings(),
      vectors: this.#vectors.bytes.slice(0, this.#chunks * vectorBytes),
      codes: this.#vectors.codes.slice(0, this.#chunks * codeBytes),
    }
    this.#vectors.bytes.fill(0)
    this.#vectors.codes.fill(0)
    this.#chunks = 0
    this.#postings.count = 0
    if (this.#lexicon.isFull) this.#lexicon.forget()
    return made
  }

  #read(text: string, field: number, isEmbedded: boolean): { words: number; terms: number } {
    if (text === '') return { words: 0, terms: 0 }
    const count = this.#lexicon.read(text)
    const { data, found, terms: known } = this.#lexicon
    if (known.length > this.#counts.length) this.#roomForCounts(known.length)
    const tokens = this.#tokens
    let words = 0
    let terms = 0
    for (let run = 0; run < count; run += 1) {
      let at = found[run] as number
      words += data[at] as number
      terms += data[at + 1] as number
      at += 2
      for (let end = at + (data[at - 1] as number); at < end; at += 1) this.#count(data[at] as number, field)
      at += 1
      for (let end = at + (data[at - 1] as number); at < end; at += 1) this.#count(data[at] as number, fields.names)
      if (!isEmbedded) continue
      at += 1
      for (let end = at + (data[at - 1] as number); at < end && this.#tokenCount < tokens.length; at += 1) {
        tokens[this.#tokenCount] = data[at] as number
        this.#tokenCount += 1
      }
    }
    return { words, terms }
  }

  #count(term: number, field: number): void {
    const counts = this.#counts[term] as number
    if (counts === 0) {
      if (this.#touchedCount === this.#touched.length) this.#touched = twice(this.#touched)
      this.#touched[this.#touchedCount] = term
      this.#touchedCount += 1
    }
    if (((counts >>> field) & 255) < 255) this.#counts[term] = counts + (1 << field)
  }

  #roomForCounts(terms: number): void {
    while (this.#counts.length < terms) this.#counts = twice(this.#counts)
  }

  #closeChunk(): void {
    const { terms, chunks, counts, count } = this.#roomForPostings(this.#touchedCount)
    for (let at = 0; at < this.#touchedCount; at += 1) {
      const term = this.#touched[at] as number
      terms[count + at] = term
      chunks[count + at] = this.#chunks
      counts[count + at] = this.#counts[term] as number
      this.#counts[term] = 0
    }
    this.#postings.count = count + this.#touchedCount
    const vectorBytes = vectorBytesOf(this.#model.dims)
    if ((this.#chunks + 1) * vectorBytes > this.#vectors.bytes.length) this.#growVectors()
    encodeVector(this.#model.embedTokens(this.#tokens, this.#tokenCount), this.#vectors, this.#chunks)
    this.#chunks += 1
  }

  #roomForPostings(more: number) {
    if (this.#postings.count + more > this.#postings.terms.length) {
      const { terms, chunks, counts, count } = this.#postings
      this.#postings = { terms: twice(terms), chunks: twice(chunks), counts: twice(counts), count }
    }
    return this.#postings
  }

  #growVectors(): void {
    const room = Math.max(64, this.#chunks * 2)
    const bytes = new Uint8Array(room * vectorBytesOf(this.#model.dims))
    const codes = new Uint8Array(room * codeBytesOf(this.#model.dims))
    bytes.set(this.#vectors.bytes)
    codes.set(this.#vectors.codes)
    this.#vectors = { bytes, codes }
  }

  /** Sorted by counting: each term's postings are in order already. */
  #writePostings(): PostingBlock[] {
    const { terms, chunks, counts, count } = this.#postings
    const { hashes, terms: names } = this.#lexicon
    const ends = new Int32Array(names.length)
    for (let at = 0; at < count; at += 1) (ends[terms[at] as number] as number) += 1
    const order = new Float64Array(names.length)
    let used = 0
    for (const [term, times] of ends.entries()) {
      if (times === 0) continue
      order[used] = (hashes[term] as number) * numbers + term
      used += 1
    }
    const sorted = order.subarray(0, used).sort()
    let end = 0
    for (const each of sorted) {
      const term = each % numbers
      const times = ends[term] as number
      ends[term] = end
      end += times
    }
    const places = new Int32Array(count)
    for (let at = 0; at < count; at += 1) {
      const term = terms[at] as number
      places[ends[term] as number] = at
      ends[term] = (ends[term] as number) + 1
    }
    const writer = new PostingWriter()
    let from = 0
    for (const each of sorted) {
      const term = each % numbers
      const to = ends[term] as number
      for (; from < to; from += 1) {
        const at = places[from] as number
        writer.add(chunks[at] as number, counts[at] as number)
      }
      writer.endTerm(hashes[term] as number, names[term] as string)
    }
    return writer.finish()
  }
}
