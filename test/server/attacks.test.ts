// What a stranger may try: a web page, another user of the machine, a program with bad manners.
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenTo, statusOf, talk } from './listening.ts'
import { createServerSandbox, type Sandbox, type Served, token } from './sandbox.ts'

let sandbox: Sandbox
let server: Served
let listening: Awaited<ReturnType<typeof listenTo>>
let sessionId: string

beforeAll(async () => {
  sandbox = createServerSandbox()
  server = sandbox.serve({ maxBodyBytes: 10_000, limits: { failures: { perSecond: 1000, burst: 1000 } } })
  listening = await listenTo(server)
  sessionId = sandbox.session({ cwd: sandbox.repo, turns: 2 }).id
})
afterAll(async () => {
  await listening.close(0)
  sandbox.close()
})

const everyRoute: [method: string, path: string][] = [
  ['GET', '/session'],
  ['GET', '/session/x'],
  ['GET', '/session/x/message'],
  ['POST', '/session/x/message'],
  ['GET', '/session/x/turns'],
  ['GET', '/session/x/tree'],
  ['GET', '/session/x/diff'],
  ['POST', '/session/x/fork'],
  ['GET', '/tree'],
  ['GET', '/search?q=x'],
  ['GET', '/workers'],
  ['POST', '/workers'],
  ['GET', '/workers/x'],
  ['DELETE', '/workers/x'],
  ['POST', '/workers/x/fork'],
  ['POST', '/workers/x/send'],
  ['POST', '/workers/x/interrupt'],
  ['POST', '/workers/x/permission'],
  ['GET', '/events'],
  ['GET', '/openapi.json'],
  ['GET', '/no-such-route'],
  ['POST', '/mcp'],
]

test('without the token nothing but /health answers, and nothing tells what is there', async () => {
  for (const [method, path] of everyRoute) {
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${'x'.repeat(43)}`,
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} y`,
    ]) {
      const answer = await server.ask(path, { method, headers: { authorization } })
      expect([method, path, authorization, answer.status]).toEqual([method, path, authorization, 401])
      expect(await answer.json()).toMatchObject({ code: 'unauthorized' })
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    }
  }
  const health = await server.ask('/health', { headers: { authorization: '' } })
  expect(health.status).toBe(200)
  const text = await health.text()
  expect(text).not.toContain(token)
  expect(text).not.toContain(sandbox.root)
  expect(JSON.parse(text)).toMatchObject({
    status: 'ok',
    version: '1.2.3',
    workers: expect.any(Number),
    index: { complete: expect.any(Boolean) },
  })
})

test('guessing is slowed down; who knows the token is not held up by it', async () => {
  const strict = sandbox.serve({ limits: { failures: { perSecond: 0.001, burst: 3 } } })
  const guess = () => strict.ask('/session', { headers: { authorization: 'Bearer guess' } })
  expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([401, 401, 401])
  const fourth = await guess()
  expect(fourth.status).toBe(429)
  expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await strict.ask('/session')).status).toBe(200)
})

test('too many requests and too many deeds are refused, each for itself', async () => {
  const few = sandbox.serve({ limits: { all: { perSecond: 0.001, burst: 2 } } })
  expect([(await few.ask('/session')).status, (await few.ask('/tree')).status, (await few.ask('/session')).status]).toEqual([
    200, 200, 429,
  ])
  const idle = sandbox.serve({ limits: { deeds: { perSecond: 0.001, burst: 1 } } })
  const fork = () => idle.ask(`/session/${sessionId}/fork`, { json: { message_index: 1, workspace: false } })
  expect([(await fork()).status, (await fork()).status, (await idle.ask('/session')).status]).toEqual([201, 429, 200])
})

test('a token in the address does not count, and is refused even beside a good one', async () => {
  for (const name of ['token', 'access_token']) {
    expect((await server.ask(`/session?${name}=${token}`, { headers: { authorization: '' } })).status).toBe(401)
    expect((await server.ask(`/session?${name}=${token}`)).status).toBe(400)
  }
})

test('DNS rebinding: a Host that is not ours is refused, whatever else the request has', async () => {
  const bad = [
    'evil.example',
    'evil.example:4777',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    '127.0.0.1, evil.example',
    '0.0.0.0',
    '10.0.0.1',
  ]
  for (const host of bad) {
    const answer = await server.ask('/session', { headers: { host } })
    expect([host, answer.status]).toEqual([host, 403])
    expect((await server.ask('/health', { headers: { host, authorization: '' } })).status).toBe(403)
  }
  for (const host of ['localhost', 'LOCALHOST:4777', '[::1]:4777', '127.0.0.1']) {
    expect([host, (await server.ask('/session', { headers: { host } })).status]).toEqual([host, 200])
  }
})

test('a Host that is not an address at all is refused like any other that is not ours, without a bug in the log', async () => {
  const hosts = [
    'xn--a',
    'xn--',
    '256.1.1.1',
    '1.2.3.4.5',
    '0x7f.1.1.1.1',
    '[::1',
    '[1::2::3]',
    '127.0.0.1:99999',
    '127.0.0.1:x',
    'a b',
    '',
  ]
  const before = sandbox.lines.length
  for (const host of hosts) {
    for (const target of ['/health', '/session', 'http://xn--a/health']) {
      const answer = await talk(listening.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect([host, target, [400, 403].includes(statusOf(answer))]).toEqual([host, target, true])
      expect(answer).toContain('application/problem+json')
    }
  }
  expect(sandbox.lines.slice(before)).toEqual([])
})

test('pages of other origins are refused, and no answer ever allows them', async () => {
  const foreign = [
    'http://evil.example',
    'http://localhost:3000',
    'https://127.0.0.1:4777',
    'null',
    'http://127.0.0.1:4777.evil.example',
    'file://',
  ]
  for (const origin of foreign) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await server.ask('/session', { method, headers: { origin, 'access-control-request-method': 'GET' } })
      expect([origin, method, answer.status]).toEqual([origin, method, 403])
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  }
  expect((await server.ask('/session', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  expect((await server.ask('/health', { headers: { 'sec-fetch-site': 'same-site', authorization: '' } })).status).toBe(403)
  const own = await server.ask('/session', { headers: { origin: 'http://127.0.0.1:4777' } })
  expect(own.status).toBe(200)
  expect(own.headers.get('access-control-allow-origin')).toBeNull()
})

test('ids that are no ids never get anywhere', async () => {
  const bad = [
    '..%2f..%2fetc%2fpasswd',
    '%00',
    'a%00b',
    'a%0ab',
    'a%1b[31m',
    'a%2fb',
    'a%5cb',
    'claude:..%2fx',
    'cursor:abcd',
    'a'.repeat(129),
    '-rf',
    '%25%32%65',
    'caf%C3%A9',
    '%ff%fe',
  ]
  const before = sandbox.workers.asked.length
  for (const id of bad) {
    for (const [method, path] of everyRoute.filter(([, each]) => each.startsWith('/session/x'))) {
      const answer = await server.ask(path.replace('/x', `/${id}`), {
        method,
        ...(method === 'POST' ? { json: { prompt: 'x' } } : {}),
      })
      expect([id, path, [400, 404].includes(answer.status)]).toEqual([id, path, true])
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
    for (const [method, path] of everyRoute.filter(([, each]) => each.startsWith('/workers/x'))) {
      const answer = await server.ask(path.replace('/x', `/${id}`), {
        method,
        ...(method === 'POST' ? { json: { prompt: 'x' } } : {}),
      })
      expect([id, path, [400, 404, 405].includes(answer.status)]).toEqual([id, path, true])
    }
  }
  expect(sandbox.workers.asked).toHaveLength(before)
})

test('queries are checked: unknown names, doubles, wrong kinds, paths that are no paths', async () => {
  const bad = [
    'limit=0',
    'limit=-1',
    'limit=9999',
    'limit=1e3',
    'limit=1&limit=2',
    'lmit=1',
    'agent=cursor',
    'cursor=!!!',
    'cursor=eyJhIjoxfQ',
    'project_path=relative',
    'project_path=%2fa%00b',
  ]
  for (const query of bad) {
    const answer = await server.ask(`/session?${query}`)
    expect([query, answer.status]).toEqual([query, 400])
    expect(await answer.json()).toMatchObject({ code: 'usage' })
  }
  for (const query of ['', 'q=', 'q=x&min_score=2', 'q=x&min_score=NaN', 'q=x&engine=grep', 'q=x&limit=101']) {
    expect([query, (await server.ask(`/search?${query}`)).status]).toEqual([query, 400])
  }
  for (const query of ['cursor=-1', 'limit=0', 'tools=maybe']) {
    expect([query, (await server.ask(`/session/${sessionId}/message?${query}`)).status]).toEqual([query, 400])
  }
})

test('a wrong method and an unknown route are said as such', async () => {
  const wrong = await server.ask('/session', { method: 'DELETE' })
  expect([wrong.status, await wrong.json()]).toEqual([405, expect.objectContaining({ code: 'wrong_method' })])
  expect(wrong.headers.get('allow')).toContain('GET')
  expect((await server.ask(`/session/${sessionId}`, { method: 'DELETE' })).status).toBe(405)
  const unknown = await server.ask('/nowhere')
  expect([unknown.status, await unknown.json()]).toEqual([404, expect.objectContaining({ code: 'no_route' })])
})

test('a bug is an internal error without its words, and is logged', async () => {
  const broken = sandbox.serve()
  broken.api.get('/bug', () => {
    throw new Error(`something at ${sandbox.root}`)
  })
  const answer = await broken.ask('/bug')
  expect(answer.status).toBe(500)
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({ code: 'internal', detail: 'internal error' })
  expect(text).not.toContain(sandbox.root)
  expect(sandbox.lines.at(-1)).toMatchObject({ level: 'error', event: 'internal error' })
})

test('bodies that are too large are refused, announced or not', async () => {
  const prompt = 'x'.repeat(20_000)
  const announced = await server.ask(`/session/${sessionId}/message`, { json: { prompt } })
  expect([announced.status, await announced.json()]).toEqual([413, expect.objectContaining({ code: 'too_large' })])
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${listening.url}/session/${sessionId}/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })
    sent.on('response', (answer) => resolve(answer.resume().statusCode))
    sent.on('error', reject)
    for (let piece = 0; piece < 4; piece += 1) sent.write('x'.repeat(10_000))
    sent.end()
  })
  expect(status).toBe(413)
})

test('tricks with headers on the wire', async () => {
  const auth = `Authorization: Bearer ${token}\r\nConnection: close\r\n`
  const { port } = listening
  const good = await talk(port, `GET /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${auth}\r\n`)
  expect(statusOf(good)).toBe(200)
  expect(good).not.toMatch(/x-powered-by/i)
  const cases: [what: string, text: string, statuses: number[]][] = [
    ['two hosts', `GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n${auth}\r\n`, [400, 403]],
    ['two hosts, the other way', `GET /session HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\n${auth}\r\n`, [400, 403]],
    ['no host', `GET /session HTTP/1.1\r\n${auth}\r\n`, [400]],
    ['empty host', `GET /session HTTP/1.1\r\nHost: \r\n${auth}\r\n`, [400, 403]],
    ['a target with another host', `GET http://evil.example/session HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth}\r\n`, [400, 403]],
    ['old HTTP without a host', `GET /session HTTP/1.0\r\n${auth}\r\n`, [400, 403]],
    ['two tokens', `GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n${auth}\r\n`, [400, 401]],
    ['huge headers', `GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(40_000)}\r\n${auth}\r\n`, [431]],
    [
      'two lengths',
      `POST /workers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n${auth}\r\n0\r\n\r\n`,
      [400],
    ],
    ['no HTTP at all', '\u0016\u0003\u0001 hello\r\n\r\n', [400]],
    ['a path that climbs', `GET /session/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth}\r\n`, [400, 404]],
    ['a backslash', `GET /session\\..\\x HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth}\r\n`, [400, 404]],
  ]
  for (const [what, text, statuses] of cases) {
    const answer = await talk(port, text)
    expect([what, statuses.includes(statusOf(answer))]).toEqual([what, true])
  }
  const forwarded =
    'X-Forwarded-Host: evil.example\r\nX-Forwarded-For: 10.0.0.1\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example\r\n'
  expect(statusOf(await talk(port, `GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\n${forwarded}${auth}\r\n`))).toBe(200)
  const posing = 'X-Forwarded-Host: 127.0.0.1\r\n'
  expect(statusOf(await talk(port, `GET /session HTTP/1.1\r\nHost: evil.example\r\n${posing}${auth}\r\n`))).toBe(403)
  expect((await fetch(`${listening.url}/health`)).status).toBe(200)
})

test('every refusal is a problem document that says what is wrong, also of what never became a request', async () => {
  const { port } = listening
  const documentOf = (answer: string) =>
    JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { status: number; code: string }
  for (const [text, status, code] of [
    ['FOO /session HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400, 'usage'],
    ['garbage\r\n\r\n', 400, 'usage'],
    [`GET /session HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'too_large'],
    ['GET /session HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'usage'],
    ['GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: tea\r\nConnection: close\r\n\r\n', 417, 'usage'],
  ] as const) {
    const answer = await talk(port, text)
    expect([statusOf(answer), documentOf(answer)]).toMatchObject([status, { status, code }])
    expect(answer).toContain('application/problem+json')
  }
})

test('a body of another kind or compressed, a parameter given twice, one that nothing takes', async () => {
  const fork = `/session/${sessionId}/fork`
  const told = async (path: string, options: Parameters<Served['ask']>[1] = {}) => {
    const answer = await server.ask(path, options)
    return [answer.status, await answer.json()]
  }
  const plain = { method: 'POST', body: '{"dry_run":true}', headers: { 'content-type': 'text/plain' } }
  expect(await told(fork, plain)).toMatchObject([415, { code: 'wrong_type' }])
  expect(await told(fork, { json: { dry_run: true }, headers: { 'content-encoding': 'gzip' } })).toMatchObject([
    415,
    { code: 'wrong_type', detail: 'A body in gzip is not taken.' },
  ])
  expect(await told('/session?limit=1&limit=2')).toMatchObject([400, { detail: 'query.limit: is given more than once' }])
  expect(await told('/events?types=turn.started')).toMatchObject([400, { detail: expect.stringContaining('types') }])
  expect(await told('/search')).toMatchObject([400, { hint: 'See /openapi.json for what this route takes.' }])
})

test.each<[path: string, body: unknown, parameter: string]>([
  ['/session/x/fork', { title: 'a\0' }, 'title'],
  ['/session/x/fork', { branch: 'a\0' }, 'branch'],
  ['/session/x/fork', { prompt: 'a\0' }, 'prompt'],
  ['/session/x/fork', { message_id: 'a\0' }, 'message_id'],
  ['/workers', { agent_type: 'claude', cwd: '/a\0' }, 'cwd'],
  ['/workers', { agent_type: 'claude', settings: { env: { NAME: 'a\0' } } }, 'settings.env.NAME'],
  ['/workers', { agent_type: 'claude', settings: { command: 'claude\0' } }, 'settings.command'],
  ['/workers/x/permission', { request_id: 'a\0', decision: 'allow' }, 'request_id'],
  ['/workers/x/permission', { request_id: 'a', decision: 'allow', reason: '\0' }, 'reason'],
  ['/workers/x/permission', { request_id: 'a', decision: 'allow', answers: { a: '\0' } }, 'answers.a'],
])('a NUL in a body is refused: POST %s %j', async (path, body, parameter) => {
  const answer = await server.ask(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const problem = (await answer.json()) as { code: string; detail: string }
  expect([answer.status, problem.code]).toEqual([400, 'usage'])
  expect(problem.detail).toContain(parameter)
})

test.each(['/search?q=a%00', '/session?project=/a%00', '/tree?project=/a%00', '/session/x/message?cursor=%00'])(
  'a NUL in a query is refused: GET %s',
  async (path) => expect((await server.ask(path)).status).toBe(400),
)
