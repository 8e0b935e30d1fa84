// What the server answers over HTTP and MCP on the demo's home, compared with what was recorded.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlace, type Place, type ServedPlace } from './place.ts'

const plain = '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7'
const captured = '4be17d5c-2f0a-4c63-9a1e-70d2c9b8e5f1'

let place: Place
let server: ServedPlace
beforeAll(async () => {
  place = await createPlace()
  await place.run(['index'])
  server = await place.serve()
}, 60_000)
afterAll(() => place.end())

async function matches(name: string, answers: unknown): Promise<void> {
  await expect(`${JSON.stringify(answers, null, 1)}\n`).toMatchFileSnapshot(`answers/${name}.json`)
}

const requests: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/session'],
  ['GET', '/session?limit=1'],
  ['GET', '/session?limit=many'],
  ['GET', `/session/${plain}`],
  ['GET', '/session/nobody'],
  ['GET', `/session/${plain}/message?limit=3`],
  ['GET', `/session/${plain}/turns`],
  ['GET', `/session/${plain}/tree`],
  ['GET', `/session/${captured}/diff`],
  ['GET', '/tree'],
  ['GET', '/search?q=tomorrow'],
  ['GET', '/search?q=due%20date&explain=true'],
  ['GET', '/workers'],
  ['GET', '/workers/nobody'],
  ['POST', `/session/${captured}/fork`, { message_index: 2, dry_run: true }],
  ['POST', `/session/${captured}/fork`, { message_index: 2 }],
  ['POST', `/session/${plain}/fork`, { message_index: 99 }],
  ['POST', `/session/${plain}/fork`, { dryrun: true }],
  ['POST', '/workers/nobody/send', { prompt: 'x' }],
  ['DELETE', '/workers/nobody'],
  ['GET', '/nowhere'],
]

test('HTTP', async () => {
  const answers: Record<string, unknown> = {}
  for (const [at, [method, path, body]] of requests.entries())
    answers[`${at + 1}. ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`] = await server.ask(
      method,
      path,
      body,
    )
  await matches('http', answers)
})

test('OpenAPI', async () => {
  await matches('openapi', (await server.ask('GET', '/openapi.json')).body)
})

test('MCP: tools', async () => {
  await matches('mcp-tools', place.normalise(await server.mcp.tools()))
})

const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['list_sessions', {}],
  ['list_turns', { session_id: plain }],
  ['read_session', { session_id: plain }],
  ['read_session', { session_id: plain, at_turn: 1 }],
  ['session_tree', { session_id: plain }],
  ['search_sessions', { intent: 'let people type tomorrow' }],
  ['smart_fork', { intent: 'let people type tomorrow' }],
  ['fork_session', { session_id: captured, at_turn: 2, dry_run: true }],
  ['fork_session', { session_id: 'nobody' }],
  ['list_workers', {}],
  ['send_to_worker', { worker_id: 'nobody', prompt: 'x' }],
]

test('MCP: calls', async () => {
  const answers: Record<string, unknown> = {}
  for (const [at, [name, args]] of calls.entries()) {
    const { content: _, ...answer } = await server.mcp.call(name, args)
    answers[`${at + 1}. ${name} ${JSON.stringify(args)}`] = place.normalise(answer)
  }
  await matches('mcp', answers)
})
