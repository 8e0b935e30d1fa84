import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createQueryModel } from './query-model.ts'
import { loadStaticModel } from './static-model.ts'

interface Sample {
  readonly text: string
  readonly vector: string
}

/** Made by the reader that came with the model. */
const samples = JSON.parse(readFileSync(new URL('./samples/vectors.json', import.meta.url), 'utf8')) as Sample[]

function expected({ vector }: Sample): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer)
}

it.each(samples.map((sample) => [sample.text.slice(0, 40), sample] as const))(
  'gives the vector of the model itself: %j',
  async (_, sample) => {
    const model = await loadStaticModel()
    const [vector = new Float32Array(0)] = await model.embed([sample.text])
    const wanted = expected(sample)
    expect(vector).toHaveLength(model.dims)
    const off = Math.max(...wanted.map((value, at) => Math.abs(value - (vector[at] ?? Number.NaN))))
    expect(off).toBeLessThan(1e-6)
  },
)

it('gives a query the very same vector, though only some of its rows are read', async () => {
  const texts = samples.map(({ text }) => text)
  expect(await createQueryModel().embed(texts)).toEqual(await (await loadStaticModel()).embed(texts))
  expect(createQueryModel().id).toBe((await loadStaticModel()).id)
})

it('is read once', async () => {
  expect(await loadStaticModel()).toBe(await loadStaticModel())
})

it('names itself by model and version', async () => {
  expect((await loadStaticModel()).id).toBe('devstatic-256-int8-v1')
})

it('gives the same vector for a name however it is written', async () => {
  const [camel, snake, plain] = await (await loadStaticModel()).embed(['parseSession', 'parse_session', 'Parse session'])
  expect(camel).toEqual(snake)
  expect(camel).toEqual(plain)
})
