// The document against the server: every route is in it, and what the server really answers is what it says.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { wordsFor } from '../../src/model/program-words.ts'
import { tools } from '../../src/server/mcp/tools.ts'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'
import { framesOf, readFrames, takeEvents } from './sse.ts'

type Json = Record<string, unknown>
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Json }> }>
  readonly security?: unknown[]
  readonly requestBody?: object
}
interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Json> }
}

let sandbox: Sandbox
let server: Served
let document: Document
let sessionId: string

beforeAll(async () => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
  document = await server.json<Document>('/openapi.json')
  const session = sandbox.session({ cwd: sandbox.repo, turns: 3 })
  session.fork({ upToTurn: 1 })
  sessionId = session.id
})
afterAll(() => sandbox.close())

test('it is OpenAPI 3.1 and names every route there is, and no other', () => {
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routed = server.api.routes
    .filter(({ method, path }) => method !== 'ALL' && path !== '/*')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect([...new Set(described)].sort()).toEqual([...new Set(routed)].sort())
  expect(described).toEqual(
    expect.arrayContaining([
      'GET /session',
      'POST /session/{id}/fork',
      'POST /session/{id}/message',
      'GET /search',
      'GET /events',
      'POST /workers/{id}/permission',
      'GET /health',
      'GET /openapi.json',
    ]),
  )
})

test('every operation has parameters for its path, a problem document, and the token unless it is /health', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const given = (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name)
      expect([method, path, given]).toEqual([method, path, named])
      expect(operation.responses.default?.content).toHaveProperty(['application/problem+json'])
      expect(operation.security).toEqual(path === '/health' ? [] : undefined)
    }
  }
})

test('every operation refuses a parameter it does not know, by its name', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const url = path.replace('{id}', path.startsWith('/session') ? sessionId : 'owl')
      const ask = (query: string, json?: object) =>
        server.json(`${url}${query}`, { method: method.toUpperCase(), ...(json === undefined ? {} : { json }) })
      const refused = { code: 'usage', detail: expect.stringContaining('There is no parameter `zzzzzz`.') }
      expect([method, path, await ask('?zzzzzz=1', requestBody && {})]).toEqual([method, path, expect.objectContaining(refused)])
      if (requestBody !== undefined)
        expect([method, path, await ask('', { zzzzzz: 1 })]).toEqual([method, path, expect.objectContaining(refused)])
    }
  }
  expect(await server.json(`/session/${sessionId}/fork`, { json: { dryrun: true } })).toMatchObject({
    detail: 'json: There is no parameter `dryrun`. Did you mean `dry_run`?',
  })
})

test('the routes and tools that hints name are there', () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}\``),
  )
  const names = tools.map(({ name }) => `\`${name}\``)
  const commands = ['sessions', 'search', 'turns', 'show', 'tree', 'diff', 'fork', 'start', 'workers', 'send', 'answer']
  for (const command of [...commands, 'fork worker:', 'interrupt', 'stop']) {
    expect(routes).toContain(wordsFor('http', `\`offshoot ${command}\``))
    const said = wordsFor('mcp', `\`offshoot ${command}\``)
    if (!said.startsWith('The user can')) expect(names).toContain(said)
  }
})

/** The schema the document gives for an answer, as something that checks. */
function schemaOf(method: string, path: string, status: string, type: string): z.ZodType {
  const schema = document.paths[path]?.[method]?.responses[status]?.content?.[type]?.schema
  if (schema === undefined) throw new Error(`the document has no ${type} for ${status} of ${method} ${path}`)
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas })
  return z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')))
}

async function check(method: string, path: string, url: string, json?: unknown): Promise<unknown> {
  const answer = await server.ask(url, { method: method.toUpperCase(), ...(json === undefined ? {} : { json }) })
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const status = type === 'application/problem+json' ? 'default' : String(answer.status)
  const body: unknown = await answer.json()
  const { success, error } = schemaOf(method, path, status, type).safeParse(body)
  expect([method, url, success ? null : error?.message]).toEqual([method, url, null])
  return body
}

test('real answers are what the document says', async () => {
  await check('get', '/health', '/health')
  await check('get', '/session', '/session')
  await check('get', '/session', '/session?limit=1')
  await check('get', '/session', '/session?limit=nope')
  await check('get', '/session/{id}', `/session/${sessionId}`)
  await check('get', '/session/{id}', '/session/nobody')
  await check('get', '/session/{id}/message', `/session/${sessionId}/message?limit=2`)
  await check('get', '/session/{id}/turns', `/session/${sessionId}/turns?dead=true`)
  await check('get', '/session/{id}/tree', `/session/${sessionId}/tree`)
  await check('get', '/tree', '/tree')
  await check('get', '/session/{id}/diff', `/session/${sessionId}/diff`)
  await check('post', '/session/{id}/fork', `/session/${sessionId}/fork`, { message_index: 1, dry_run: true })
  await check('post', '/session/{id}/fork', `/session/${sessionId}/fork`, { message_index: 3 })
  await check('post', '/session/{id}/fork', `/session/${sessionId}/fork`, { message_index: 99 })
  await check('get', '/search', '/search?q=prompt&explain=true')
  const made = (await check('post', '/workers', '/workers', { agent: 'claude', project_path: sandbox.repo })) as {
    worker: { id: string }
  }
  const { id } = made.worker
  await check('get', '/workers', '/workers?ended=true')
  await check('get', '/workers/{id}', `/workers/${id}`)
  await check('post', '/workers/{id}/fork', `/workers/${id}/fork`, { new_id: 'copy' })
  await check('post', '/workers/{id}/send', `/workers/${id}/send`, { prompt: 'x' })
  await check('post', '/workers/{id}/send', `/workers/${id}/send`, { prompt: 'x', wait: true })
  await check('post', '/workers/{id}/interrupt', `/workers/${id}/interrupt`)
  await check('post', '/workers/{id}/permission', `/workers/${id}/permission`, { request_id: 'r', decision: 'allow' })
  await check('delete', '/workers/{id}', `/workers/${id}`)
})

test('lines, turns and events are what the document says', async () => {
  const lines = await server.ask(`/session/${sessionId}/message`, { headers: { accept: 'application/x-ndjson' } })
  const message = schemaOf('get', '/session/{id}/message', '200', 'application/x-ndjson')
  for (const line of (await lines.text()).trimEnd().split('\n')) expect(message.safeParse(JSON.parse(line)).success).toBe(true)

  const run = schemaOf('post', '/session/{id}/message', '200', 'text/event-stream')
  const frames = await readFrames(await server.ask(`/session/${sessionId}/message`, { json: { prompt: 'x' } }))
  for (const { event, data } of frames)
    if (event !== 'result') expect([event, run.safeParse(data).success]).toEqual([event, true])

  const event = schemaOf('get', '/events', '200', 'text/event-stream')
  const { body } = await server.ask('/events')
  if (body === null) throw new Error('no body')
  const events = framesOf(body)
  await events.next()
  sandbox.workers.emit({ type: 'index.progress', data: { files: 1, filesDone: 1, bytes: 1, bytesDone: 1 } })
  const [first] = await takeEvents(events, 1)
  expect(event.safeParse(first?.data).success).toBe(true)
  expect(event.safeParse({ ...(first?.data as object), id: 'x' }).success).toBe(false)
  await events.return(undefined)
})
