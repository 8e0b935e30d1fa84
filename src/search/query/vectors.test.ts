import { describe, expect, it } from 'vitest'
import { findNear } from './vectors.ts'
import type { View } from './view.ts'

const dims = 64
const count = 500

/** The same on every machine. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

const next = numbers(7)
const vectors = Array.from({ length: count }, () => Float32Array.from({ length: dims }, next))
const words = dims / 32
const codes = new Uint32Array(count * words)
for (const [key, vector] of vectors.entries()) {
  for (const [at, value] of vector.entries()) if (value > 0) (codes[key * words + (at >> 5)] as number) |= 1 << (at & 31)
}
const view = { size: count, sessions: Int32Array.from({ length: count }, (_, key) => (key === 0 ? 0 : 1 + (key % 2))) } as View

/** The dot product of the query with the signs alone, in the plainest way. */
function bySigns(query: Float32Array): number[] {
  const score = (vector: Float32Array) => query.reduce((sum, weight, at) => sum + ((vector[at] ?? 0) > 0 ? weight : -weight), 0)
  return [...vectors.keys()].filter((key) => key > 0).sort((a, b) => score(vectors[b] ?? query) - score(vectors[a] ?? query))
}

describe('the coarse pass', () => {
  const query = Float32Array.from({ length: dims }, next)

  it('finds those whose signs fit best', () => {
    const found = findNear(view, { words, codes }, query, 20, null)
    // Rounding to 16 bits may swap neighbours at the edge.
    const best = bySigns(query)
    expect(found.filter((key) => best.slice(0, 20).includes(key)).length).toBeGreaterThanOrEqual(19)
    expect(found.every((key) => best.slice(0, 25).includes(key))).toBe(true)
  })

  it('looks only where it may', () => {
    const found = findNear(view, { words, codes }, query, 20, Uint8Array.from([0, 1, 0]))
    expect(found).toHaveLength(20)
    expect(found.every((key) => key % 2 === 0)).toBe(true)
  })

  it('passes over what has no vector', () => {
    expect(findNear(view, { words, codes: new Uint32Array(count * words) }, query, 20, null)).toEqual([])
  })

  it('gives all there are where that is few', () => {
    expect(findNear(view, { words, codes }, query, 1000, null)).toHaveLength(count - 1)
  })
})
