// Another embedder: set, absent, failing, changed. Search goes on with what there is, and nothing is sent unless it was set.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { App } from '../../src/app.ts'
import { createSandbox, dumpIndex, type Sandbox } from './sandbox.ts'

let box: Sandbox
let server: Server
let url: string
let texts: string[]
let fails = false
let dims = 4

beforeEach(async () => {
  box = createSandbox()
  texts = []
  fails = false
  dims = 4
  server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (fails) {
      response.statusCode = 404
      response.end('no such model')
      return
    }
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
    texts.push(...input)
    // Its own idea of meaning: what swims and what flies.
    const embedding = (text: string) =>
      Array.from({ length: dims }, (_, at) => (at === (/fish|whale|swims/.test(text) ? 0 : 1) ? 1 : 0))
    response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: embedding(text) })) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  box.session(['about a whale and its songs'])
  box.session(['about an eagle and its nest'])
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  box.close()
})

const withEndpoint = (model = 'm1'): App =>
  box.app({ vars: { ...box.vars, OFFSHOOT_EMBED_URL: url, OFFSHOOT_EMBED_MODEL: model } })
const models = (): unknown[] =>
  [...new Set((dumpIndex(box) as { chunks: { model: string }[] }).chunks.map(({ model }) => model))].sort()

it('sends nothing anywhere unless it is set', async () => {
  const app = box.app()
  await app.updateIndex()
  await app.search({ text: 'something that swims' })
  expect(texts).toEqual([])
  expect(models()).toEqual(['devstatic-256-int8-v1'])
})

it('embeds the index and the query by the endpoint', async () => {
  const app = withEndpoint()
  expect(await app.updateIndex()).toMatchObject({ problems: [] })
  expect(models()).toEqual(['devstatic-256-int8-v1', `m1@${url}`])
  const { results, notes } = await app.search({ text: 'something that swims', explain: true })
  expect(notes).toEqual([])
  expect(results[0]?.session.title).toBe('about a whale and its songs')
  expect(results[0]?.explain?.parts.meaning).toBeCloseTo(0.8, 1)
  expect(texts).toContain('something that swims')
})

it('goes on with the built-in model where the endpoint fails, and says so', async () => {
  const app = withEndpoint()
  fails = true
  const { problems, chunks } = await app.updateIndex()
  expect(chunks).toBe(2)
  expect(problems).toEqual([{ path: `m1@${url}`, problem: expect.stringContaining('answered 404: no such model') }])
  const { results, notes, mode } = await app.search({ text: 'eagle' }, { updateMs: 0 })
  expect(mode).toBe('hybrid')
  expect(results[0]?.session.title).toBe('about an eagle and its nest')
  expect(notes).toEqual([expect.stringContaining('has embedded 0 of 2 pieces so far')])
})

it('goes on with the built-in model where the endpoint fails later', async () => {
  const app = withEndpoint()
  await app.updateIndex()
  fails = true
  const { results, notes } = await app.search({ text: 'eagle' }, { updateMs: 0 })
  expect(results[0]?.session.title).toBe('about an eagle and its nest')
  expect(notes).toEqual([expect.stringContaining('The built-in model was used instead.')])
})

it('embeds anew for another model, and forgets the one before', async () => {
  await withEndpoint('m1').updateIndex()
  await withEndpoint('m2').updateIndex()
  expect(models()).toEqual(['devstatic-256-int8-v1', `m2@${url}`])
  await box.app().updateIndex()
  expect(models()).toEqual(['devstatic-256-int8-v1'])
})

it('embeds anew where another model answers under the same name', async () => {
  const app = withEndpoint()
  await app.updateIndex()
  dims = 8
  box.session(['about a fish'])
  expect(await app.updateIndex()).toMatchObject({ problems: [] })
  const { results } = await app.search({ text: 'what swims' })
  expect(results.map(({ session }) => session.title)).toContain('about a fish')
})

it('embeds only what is new', async () => {
  const app = withEndpoint()
  await app.updateIndex()
  const before = texts.length
  await app.updateIndex()
  expect(texts).toHaveLength(before)
  box.session(['about a fish'])
  await app.updateIndex()
  expect(texts.slice(before)).toEqual([expect.stringContaining('about a fish')])
})
