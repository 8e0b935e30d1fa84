// `/mcp` of the real `offshoot serve` process: behind its token, for clients of both generations; what holds over HTTP alone.
import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { statusOf, talk } from '../server/listening.ts'
import { clientKinds, connect, errorOf, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
let server: ChildProcess
let hello: { readonly mcp: string; readonly token: string }
let id: string

beforeAll(async () => {
  place = createPlace()
  id = place.session(['Feed the kingfisher', 'Paint it blue'], { cwd: place.repo }).id
  server = spawn(process.execPath, [bin, 'serve', '--port', '0', '--json'], {
    cwd: place.repo,
    env: place.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  hello = await new Promise((resolve, reject) => {
    let text = ''
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.trimEnd().endsWith('}')) resolve(JSON.parse(text) as typeof hello)
    })
    server.once('exit', (status) => reject(new Error(`it ended with ${status}: ${text}`)))
  })
})
/** A server indexes on the side. */
beforeAll(async () => {
  const client = await open('sdk 1')
  const isComplete = async () =>
    structured<{ index: { complete: boolean } }>(await client.call('search_sessions', { query: 'kingfisher' })).index.complete
  await waitUntil('the index to be complete', isComplete, { timeoutMs: 60_000 })
  await client.close()
})
afterAll(async () => {
  server.kill('SIGTERM')
  await new Promise((resolve) => server.once('exit', resolve))
  await place.end()
})

const open = (kind: (typeof clientKinds)[number]) => connect(kind, { url: new URL(hello.mcp), token: hello.token })

describe.each(clientKinds)('%s', (kind) => {
  it('finds, reads and forks', async () => {
    const client = await open(kind)
    expect(await client.tools()).toHaveLength(11)
    const search = async () => {
      const heard: string[] = []
      const onProgress = ({ message }: { readonly message?: string | undefined }) => heard.push(message ?? '')
      const found = await client.call('smart_fork', { intent: 'kingfisher' }, { onProgress })
      // A client that reads word of it and the answer at once passes over the former.
      return heard.length > 0 && { heard, ...structured<{ results: { session_id: string; turn: string }[] }>(found) }
    }
    const { heard, results } = await waitUntil('word of the search', search)
    expect(heard).toEqual(['searching'])
    expect(results).toContainEqual(expect.objectContaining({ session_id: id, turn: `claude:${id}@1` }))
    // A fork that has not gone on ends with the turn it was forked at.
    for (const { session_id, turn } of results) if (session_id !== id) expect(turn).toBe(`claude:${session_id}@1`)
    expect(structured(await client.call('read_session', { session: `${id}@2` }))).toMatchObject({
      untrusted: { messages: [{ text: 'Paint it blue' }, { text: 'Done.' }] },
    })
    const forked = structured<{ forked_session: object }>(await client.call('fork_session', { session: `${id}@1`, code: 'head' }))
    expect(forked.forked_session).toMatchObject({
      resume_session_id: id,
      proof: { source_unchanged: true, prefix_verified: true },
    })
    expect(errorOf(await client.call('list_turns', { session: 'claude:ffffffff' }))).toMatchObject({ code: 'session_not_found' })
    await client.close()
  })
})

it('several clients at once each get their own answer', async () => {
  const clients = await Promise.all(clientKinds.map(open))
  const asked = Array.from({ length: 30 }, (_, at) => ({ client: clients[at % clients.length], query: `kingfisher ${at}` }))
  const answers = await Promise.all(asked.map(({ client, query }) => client?.call('search_sessions', { query })))
  expect(answers.map((answer) => answer?.structuredContent?.query)).toEqual(asked.map(({ query }) => query))
  await Promise.all(clients.map((client) => client.close()))
})

it('closes the connection behind its answer when the client asks for that', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  const headers = [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(hello.mcp).host}`,
    `Authorization: Bearer ${hello.token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  const answer = await talk(Number(new URL(hello.mcp).port), `${headers.join('\r\n')}\r\n\r\n${body}`)
  expect(statusOf(answer)).toBe(200)
  expect(answer).toMatch(/^connection: close\r$/im)
  expect(answer).not.toMatch(/^connection: keep-alive\r$/im)
})

describe('refused', () => {
  const post = (headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}') =>
    fetch(hello.mcp, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    })

  it('without a token, with a wrong one, from another origin', async () => {
    const right = { authorization: `Bearer ${hello.token}` }
    expect((await post({})).status).toBe(401)
    expect((await post({ authorization: `Bearer ${'b'.repeat(64)}` })).status).toBe(401)
    expect((await post({ ...right, origin: 'http://evil.example' })).status).toBe(403)
    expect((await post(right)).status).toBe(200)
  })

  it('a body too large, or none that is JSON, without harm', async () => {
    const right = { authorization: `Bearer ${hello.token}` }
    expect((await post(right, `{"x":"${'a'.repeat(5 << 20)}"}`)).status).toBe(413)
    expect((await post(right, '{broken')).status).toBe(400)
    expect((await post(right)).status).toBe(200)
  })
})
