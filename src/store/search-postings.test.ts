import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findInBlock, hashTerm, PostingWriter, readBlock, readKeys, readPostings, type TermPostings } from './search-postings.ts'

const count = fc.integer({ min: 0, max: 255 })
const counts = fc
  .tuple(count, count, count, count)
  .map(([prompt, body, tools, names]) => prompt | (body << 8) | (tools << 16) | (names << 24))
  .filter((packed) => packed !== 0)
const postings = fc
  .uniqueArray(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 60 })
  .map((chunks) => chunks.sort((a, b) => a - b))
  .chain((chunks) =>
    fc
      .array(fc.oneof(counts, fc.constant(256)), { minLength: chunks.length, maxLength: chunks.length })
      .map((all) => chunks.map((chunk, at) => [chunk, all[at] ?? 1] as const)),
  )
const terms = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((term) => term.slice(0, 40)),
  postings,
  { maxKeys: 300, minKeys: 1 },
)

function unpack(found: TermPostings, base = 0): (readonly [number, number])[] {
  const room = { keys: new Int32Array(found.chunks), counts: new Int32Array(found.chunks) }
  readPostings(found, room, base)
  const keys = new Int32Array(found.chunks)
  readKeys(found, keys, base)
  expect(keys).toEqual(room.keys)
  return [...room.keys].map((key, at) => [key, room.counts[at] ?? 0] as const)
}

it('postings come back as they were put', () => {
  fc.assert(
    fc.property(terms, (all) => {
      const writer = new PostingWriter()
      const sorted = Object.keys(all).sort((a, b) => hashTerm(a) - hashTerm(b))
      for (const term of sorted) {
        for (const [chunk, packed] of all[term] ?? []) writer.add(chunk, packed)
        writer.endTerm(hashTerm(term), term)
      }
      const blocks = writer.finish()
      expect(blocks.flatMap(({ bytes }) => [...readBlock(bytes)].map(({ term }) => term)).sort()).toEqual(sorted.sort())
      for (const [term, wanted] of Object.entries(all)) {
        const block = blocks.findLast(({ first }) => first <= hashTerm(term))
        const found = block === undefined ? null : findInBlock(block.bytes, term, hashTerm(term))
        expect(found === null ? null : unpack(found)).toEqual(wanted)
        expect(found === null ? [] : unpack(found, 7).map(([key]) => key)).toEqual(wanted.map(([key]) => key + 7))
      }
    }),
    { numRuns: 200 },
  )
})

it('a term that is not there is not found', () => {
  const writer = new PostingWriter()
  writer.add(3, 256)
  writer.endTerm(hashTerm('there'), 'there')
  const [block] = writer.finish()
  expect(block === undefined ? null : findInBlock(block.bytes, 'absent', hashTerm('absent'))).toBe(null)
  // Another term of the same hash.
  expect(block === undefined ? null : findInBlock(block.bytes, 'other', hashTerm('there'))).toBe(null)
})
