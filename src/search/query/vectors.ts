// The chunks nearest to the query's vector: a coarse pass over one bit per dimension for all of them, then the exact cosine of
// the best. The query keeps its full precision in both passes, which halves what the bits lose.
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { Codes, View } from './view.ts'

/** Keys of the `count` chunks whose bits fit best, in no order. */
export function findNear(view: View, { words, codes }: Codes, vector: Float32Array, count: number, allowed: Uint8Array | null) {
  const table = makeTable(vector, words * 4)
  const heap = createHeap(count)
  const { sessions, size } = view
  const half = words >> 1
  for (let key = 0; key < size; key += 1) {
    const session = sessions[key] as number
    if (session === 0 || (allowed !== null && allowed[session] === 0)) continue
    const from = key * words
    const first = addUp(table, codes, from, 0, half)
    // What ends among the best has hardly ever less than a quarter of its score by then; nine of ten others do.
    if (heap.least > 0 && first < heap.least / 4) continue
    const score = first + addUp(table, codes, from, half, words)
    if (score > heap.least && hasBits(codes, from, words)) heap.push(key, score)
  }
  return heap.keys()
}

function addUp(table: Int16Array, codes: Uint32Array, from: number, begin: number, end: number): number {
  let score = 0
  for (let at = begin; at < end; at += 1) {
    const word = codes[from + at] as number
    const row = at << 10
    score +=
      (table[row | (word & 255)] as number) +
      (table[row | 256 | ((word >>> 8) & 255)] as number) +
      (table[row | 512 | ((word >>> 16) & 255)] as number) +
      (table[row | 768 | (word >>> 24)] as number)
  }
  return score
}

/** A chunk without a vector has none. */
function hasBits(codes: Uint32Array, from: number, words: number): boolean {
  for (let at = 0; at < words; at += 1) if (codes[from + at] !== 0) return true
  return false
}

/**
 * For every byte of a code and every value it can have, what it adds to the dot product of query and signs. As 16-bit numbers
 * the table of 256 dimensions stays within the processor's first cache. Bytes are taken from words as this processor keeps them:
 * the lowest first, on every one Node runs on.
 */
function makeTable(vector: Float32Array, bytes: number): Int16Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = largest === 0 ? 0 : 32_767 / (8 * largest)
  const table = new Int16Array(bytes * 256)
  const signs = new Float32Array(256)
  for (let at = 0; at < bytes; at += 1) {
    signs[0] = 0
    for (let bit = 0; bit < 8; bit += 1) (signs[0] as number) -= vector[at * 8 + bit] ?? 0
    for (let value = 1; value < 256; value += 1) {
      // As the value without its lowest bit, that bit turned.
      const lowest = 31 - Math.clz32(value & -value)
      signs[value] = (signs[value & (value - 1)] as number) + 2 * (vector[at * 8 + lowest] ?? 0)
    }
    for (let value = 0; value < 256; value += 1) table[(at << 8) | value] = Math.round((signs[value] as number) * scale)
  }
  return table
}

/** Keeps the highest; the least of them stands on top. */
function createHeap(room: number) {
  const keys = new Int32Array(room)
  const scores = new Float32Array(room)
  let size = 0

  function swap(a: number, b: number): void {
    const key = keys[a] as number
    const score = scores[a] as number
    keys[a] = keys[b] as number
    scores[a] = scores[b] as number
    keys[b] = key
    scores[b] = score
  }

  function sink(from: number): void {
    for (let at = from; ; ) {
      const left = at * 2 + 1
      let least = at
      if (left < size && (scores[left] as number) < (scores[least] as number)) least = left
      if (left + 1 < size && (scores[left + 1] as number) < (scores[least] as number)) least = left + 1
      if (least === at) return
      swap(at, least)
      at = least
    }
  }

  return {
    least: Number.NEGATIVE_INFINITY,
    push(key: number, score: number): void {
      if (size < room) {
        keys[size] = key
        scores[size] = score
        size += 1
        if (size < room) return
        for (let at = room >> 1; at >= 0; at -= 1) sink(at)
      } else {
        keys[0] = key
        scores[0] = score
        sink(0)
      }
      this.least = scores[0] as number
    },
    keys: (): number[] => [...keys.subarray(0, size)],
  }
}

/** 0 where the chunk has no vector of this model. */
export function cosineOf({ search }: Store, model: VectorModel, vector: Float32Array, key: number): number {
  const bytes = search.vectors.get(model, key)
  if (bytes === null || bytes.length !== 4 + vector.length) return 0
  const scale = bytes.readFloatLE(0)
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + 4, vector.length)
  let sum = 0
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] as number) * (values[at] as number)
  return sum * scale
}
