import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createEndpointEmbedder } from './openai.ts'

type Answer = (request: { model: string; input: string[] }, response: ServerResponse, count: number) => void

let server: Server | undefined
const requests: { headers: IncomingMessage['headers']; body: { model: string; input: string[] } }[] = []

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  requests.length = 0
})

async function start(answer: Answer): Promise<string> {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[] }
    requests.push({ headers: request.headers, body })
    answer(body, response, requests.length)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const give: Answer = ({ input }, response) =>
  response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, 4, 0] })).reverse() }))
const refuse =
  (status: number): Answer =>
  (_, response) => {
    response.statusCode = status
    response.end('no')
  }
const embedder = (url: string, more = {}) =>
  createEndpointEmbedder({ url, model: 'm', key: null, backoffMs: 1, timeoutMs: 20_000, ...more })

it('gives unit vectors in the order of the texts, whatever order they come in', async () => {
  const [one, other] = await embedder(await start(give)).embed(['abc', 'abcabc'])
  expect([...(one ?? [])].map((value) => value.toFixed(3))).toEqual(['0.600', '0.800', '0.000'])
  expect(Math.hypot(...(other ?? []))).toBeCloseTo(1, 5)
  expect(other?.[0]).toBeGreaterThan(other?.[1] ?? 0)
})

it('sends many texts in batches, and never an empty one', async () => {
  const vectors = await embedder(await start(give)).embed(['', ...Array.from({ length: 149 }, (_, at) => 'x'.repeat(at + 1))])
  expect(vectors).toHaveLength(150)
  expect(requests.map(({ body }) => body.input.length)).toEqual([64, 64, 22])
  expect(requests.flatMap(({ body }) => body.input).every((text) => text.length > 0 && text.length <= 8000)).toBe(true)
})

it('sends the key as the endpoint wants it, and none where there is none', async () => {
  const url = await start(give)
  await embedder(url).embed(['a'])
  await embedder(url, { key: 'k1' }).embed(['a'])
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer k1'])
})

it('tries again where the fault may pass', async () => {
  const url = await start((body, response, count) =>
    count < 3 ? refuse(503)(body, response, count) : give(body, response, count),
  )
  expect(await embedder(url).embed(['a'])).toHaveLength(1)
  expect(requests).toHaveLength(3)
})

it('tries once where someone waits', async () => {
  await expect(embedder(await start(refuse(503))).embed(['a'], { urgent: true })).rejects.toThrow('answered 503')
  expect(requests).toHaveLength(1)
})

it('gives up after a few attempts', async () => {
  await expect(embedder(await start(refuse(500))).embed(['a'])).rejects.toMatchObject({ code: 'embedder_failed' })
  expect(requests).toHaveLength(4)
})

it('does not try again what cannot go well', async () => {
  await expect(embedder(await start(refuse(401))).embed(['a'])).rejects.toThrow('answered 401: no')
  expect(requests).toHaveLength(1)
})

it('does not wait for ever', async () => {
  const url = await start(() => undefined)
  await expect(embedder(url, { timeoutMs: 50 }).embed(['a'], { urgent: true })).rejects.toThrow('did not answer within 0.05 s')
})

it.each([
  ['too few', (_: unknown, response: ServerResponse) => response.end('{"data":[]}')],
  ['no vector', (_: unknown, response: ServerResponse) => response.end('{"data":[{"embedding":"x"}]}')],
  ['no numbers', (_: unknown, response: ServerResponse) => response.end('{"data":[{"embedding":[null]}]}')],
  ['nothing of the kind', (_: unknown, response: ServerResponse) => response.end('[]')],
])('says what is wrong with an answer: %s', async (_, answer) => {
  await expect(embedder(await start(answer)).embed(['a'])).rejects.toMatchObject({ code: 'embedder_failed' })
})

it('says that nobody is there', async () => {
  await expect(embedder('http://127.0.0.1:1/v1').embed(['a'], { urgent: true })).rejects.toThrow('cannot be reached')
})
