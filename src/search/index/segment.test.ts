import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChunkTexts } from '../../store/search-index.ts'
import { readBlock, readPostings } from '../../store/search-postings.ts'
import { encodeVectors } from '../../store/search-vectors.ts'
import { loadStaticModel } from '../embed/static-model.ts'
import { namesOf, toTerms } from '../text/terms.ts'
import { splitWords } from '../text/words.ts'
import { fewWords, type MadeSegment, SegmentBuilder } from './segment.ts'

const piece = fc.oneof(
  fc.constantFrom(
    'parseSession ',
    'parse_session',
    'HTTPServer',
    ' ',
    '\n',
    'naïve Café',
    '日本語',
    'a→b',
    'tests, ',
    '-',
    '0a1b2c3d',
  ),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
  fc.string({ maxLength: 80, unit: fc.constantFrom(...'abAB01_-') }),
)
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
const chunk: fc.Arbitrary<ChunkTexts> = fc.record({ prompt: text, body: text, tools: text })

/** The plain way: split, stem, count. */
function expectedTerms({ prompt, body, tools }: ChunkTexts): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (terms: readonly string[], field: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + (1 << field))
  }
  for (const [at, each] of [prompt, body, tools].entries()) add(toTerms(splitWords(each)), at * 8)
  add(namesOf(`${prompt}\n${body}\n${tools}`), 24)
  return counts
}

function termsOf({ postings }: MadeSegment): Map<string, number>[] {
  const chunks: Map<string, number>[] = []
  for (const found of postings.flatMap(({ bytes }) => [...readBlock(bytes)])) {
    const room = { keys: new Int32Array(found.chunks), counts: new Int32Array(found.chunks) }
    readPostings(found, room, 0)
    for (const [at, key] of room.keys.entries()) {
      chunks[key] ??= new Map()
      chunks[key].set(found.term, room.counts[at] ?? 0)
    }
  }
  return chunks
}

it('holds what splitting, stemming and embedding every chunk by itself gives', async () => {
  const model = await loadStaticModel()
  const builder = new SegmentBuilder(model)
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { minLength: 1, maxLength: 6 }), async (chunks) => {
      const counts = chunks.map((texts) => builder.add(texts))
      const made = builder.finish()
      const found = termsOf(made)
      const vectors: Float32Array[] = []
      for (const [at, texts] of chunks.entries()) {
        expect([...(found[at] ?? [])].sort()).toEqual([...expectedTerms(texts)].sort())
        const words = { prompt: splitWords(texts.prompt), body: splitWords(texts.body), tools: splitWords(texts.tools) }
        const lengths = Object.entries(words).map(([field, each]) => [field, toTerms(each).length])
        expect(counts[at]).toEqual(Object.fromEntries(lengths))
        const said = [...words.prompt, ...words.body]
        const embedded = await model.embed([(said.length >= fewWords ? said : [...said, ...words.tools]).join(' ')])
        vectors.push(embedded[0] ?? new Float32Array(0))
      }
      const expected = encodeVectors(
        chunks.map((_, at) => at),
        vectors,
        model.dims,
      )
      expect(Buffer.from(made.vectors).equals(expected.bytes)).toBe(true)
      expect(Buffer.from(made.codes).equals(expected.codes)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
