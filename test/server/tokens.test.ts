// Tokens beside the owner's: what each scope and project lets through over HTTP, and how they end.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { includesScope, type Scope, scopes } from '../../src/model/scope.ts'
import { tools } from '../../src/server/mcp/tools.ts'
import { type Need, routeNeeds, toolNeeds } from '../../src/server/tokens/scope-table.ts'
import { createToken, revokeToken } from '../../src/server/tokens/token-file.ts'
import { listenTo } from './listening.ts'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'
import { framesOf, takeEvents } from './sse.ts'

type Init = Parameters<Served['ask']>[1]

let sandbox: Sandbox
let server: Served
let sessionId: string

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
  sessionId = sandbox.session({ cwd: sandbox.repo, turns: 2 }).id
})
afterAll(() => sandbox.close())

interface Wanted {
  readonly projects?: readonly string[]
  readonly expiresAt?: number | null
  readonly on?: Served
}

async function create(scope: Scope, { projects = [], expiresAt = null, on = server }: Wanted = {}) {
  const { token, secret } = await createToken(sandbox.offshootHome, { scope, projects, expiresAt }, Date.now())
  const as = (init: Init = {}) => ({ ...init, headers: { ...init.headers, authorization: `Bearer ${secret}` } })
  return {
    ...token,
    secret,
    ask: (path: string, init?: Init) => on.ask(path, as(init)),
    json: <T = Record<string, unknown>>(path: string, init?: Init) => on.json<T>(path, as(init)),
    revoke: () => revokeToken(sandbox.offshootHome, token.name),
  }
}

/** Every route of the server, as its documents name them. */
const routesOf = ({ api }: Served) =>
  new Set(
    api.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/*')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  )

test('every route and every tool has a scope, and nothing else has', () => {
  const routes = routesOf(server)
  routes.delete('GET /health') // needs no token
  expect(Object.keys(routeNeeds).sort()).toEqual([...routes, 'POST /mcp'].sort())
  expect(Object.keys(toolNeeds).sort()).toEqual(tools.map(({ name }) => name).sort())
})

test('docs/tokens.md has the table of the code', () => {
  const text = readFileSync(new URL('../../docs/tokens.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (\w+) \| (.*?) ?\|$/gm)].map(([, name, scope, more]) => [name, scope, more])
  const table = (needs: Readonly<Record<string, Need>>) =>
    Object.entries(needs).map(([name, { scope, more = '' }]) => [name, scope, more])
  expect(rows).toEqual([...table(routeNeeds), ...table(toolNeeds)])
})

test('each scope opens exactly the routes of the table, and what is refused does nothing', async () => {
  const called = sandbox.workers.asked.length
  for (const scope of scopes) {
    const token = await create(scope)
    for (const [route, need] of Object.entries(routeNeeds)) {
      const [method = '', path = ''] = route.split(' ')
      // A parameter nobody knows: who gets through to the route is told so, and nothing is done.
      const url = `${path.replace('{id}', sessionId)}?zzz=1`
      if (path === '/mcp') continue
      const answer = await token.ask(url, method === 'POST' ? { json: { zzz: 1 } } : { method })
      const isOpen = includesScope(scope, need.scope)
      expect([scope, route, answer.status]).toEqual([scope, route, isOpen ? 400 : 403])
      const code = isOpen ? { code: 'usage' } : { code: 'scope_needed', details: { scope, needed: need.scope } }
      expect(await answer.json()).toMatchObject(code)
    }
    expect((await token.ask('/no-such-route')).status).toBe(404)
    expect((await token.ask('/session', { method: 'DELETE' })).status).toBe(405)
  }
  expect(sandbox.workers.asked).toHaveLength(called)
})

test('a refusal names the missing scope, and is written down with the name of the token but without it', async () => {
  const token = await create('read')
  expect((await token.json<{ sessions: object[] }>('/session')).sessions).toHaveLength(1)
  expect((await token.ask(`/session/${sessionId}/message`)).status).toBe(200)
  expect(await token.json(`/session/${sessionId}/fork`, { json: { at_turn: '1' } })).toMatchObject({
    status: 403,
    code: 'scope_needed',
    detail: 'This needs a token with the scope "fork"; this one has "read".',
    hint: expect.stringContaining('offshoot token create --scope fork'),
    details: { scope: 'read', needed: 'fork' },
  })
  expect(sandbox.refusals.at(-1)).toMatchObject({
    verb: 'POST /session/{id}/fork http',
    subject: `token ${token.name}`,
    reason: 'needs the scope fork, has read',
  })
  expect(JSON.stringify([sandbox.refusals, sandbox.lines])).not.toContain(token.secret.slice(9))
})

test('a fork token forks and makes dry runs, and starts nothing', async () => {
  const token = await create('fork')
  const worker = sandbox.workers.add()
  const called = () => sandbox.workers.asked.map(({ verb }) => verb).filter((verb) => !/^(find|list|on)/.test(verb))
  const before = called()
  const state = () => [sandbox.git(sandbox.repo, 'worktree', 'list'), sandbox.git(sandbox.repo, 'for-each-ref')]
  const untouched = state()
  expect(await token.json(`/session/${sessionId}/fork`, { json: { at_turn: '1', dry_run: true } })).toHaveProperty('plan')
  expect(await token.json(`/workers/${worker.id}/fork`, { json: { dry_run: true } })).toHaveProperty('plan')
  expect(state()).toEqual(untouched)
  expect(called()).toEqual([...before, 'planForkWorker'])
  expect(await token.json(`/workers/${worker.id}/fork`, { json: {} })).toMatchObject({
    code: 'scope_needed',
    details: { needed: 'run' },
  })
  expect(sandbox.refusals.at(-1)).toMatchObject({ verb: 'fork_worker http' })
  expect(called()).toEqual([...before, 'planForkWorker'])
  const made = await token.ask(`/session/${sessionId}/fork`, { json: { at_turn: '1', code: 'head', prompt: 'go', send: true } })
  expect([made.status, await made.json()]).toMatchObject([201, { fork: { strategy: 'prefix' } }])
  expect(called()).toEqual([...before, 'planForkWorker'])
})

test('a run token does what the owner does', async () => {
  const token = await create('run')
  const spawned = await token.ask('/workers', { json: { agent: 'claude', project_path: sandbox.repo } })
  expect(spawned.status).toBe(201)
  const { worker } = (await spawned.json()) as { worker: { id: string } }
  expect((await token.ask(`/workers/${worker.id}/send`, { json: { prompt: 'x', wait: true } })).status).toBe(200)
  expect((await token.ask(`/workers/${worker.id}`, { method: 'DELETE' })).status).toBe(200)
})

test('unknown, expired and revoked tokens get the same answer', async () => {
  const expired = await create('run', { expiresAt: Date.now() - 1 })
  const revoked = await create('run')
  expect((await revoked.ask('/session')).status).toBe(200)
  await revoked.revoke()
  const unknown = { headers: { authorization: `Bearer offshoot_${'x'.repeat(43)}` } }
  const answers = await Promise.all([server.ask('/session', unknown), expired.ask('/session'), revoked.ask('/session')])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
  const headers = answers.map((answer) => JSON.stringify([...answer.headers]))
  expect(new Set(headers).size).toBe(1)
  expect(sandbox.refusals).toContainEqual(expect.objectContaining({ subject: `token ${expired.name}`, reason: 'expired' }))
  expect(JSON.stringify(sandbox.refusals)).not.toContain(revoked.secret.slice(9))
})

test('/openapi.json shows what the token may call, each with its scope', async () => {
  for (const scope of scopes) {
    const { paths } = await (await create(scope)).json<{ paths: Record<string, Record<string, Record<string, unknown>>> }>(
      '/openapi.json',
    )
    const shown = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation['x-offshoot-scope']]),
    )
    const wanted = Object.entries(routeNeeds).filter(([route, need]) => includesScope(scope, need.scope) && route !== 'POST /mcp')
    expect(new Map(shown as [string, unknown][])).toEqual(
      new Map<string, unknown>([...wanted.map(([route, need]) => [route, need.scope] as const), ['GET /health', undefined]]),
    )
  }
})

test('a token of one project sees that project alone, also in events, and never more than the server opens', async () => {
  const other = sandbox.repository('other')
  const closed = sandbox.repository('closed')
  const wide = sandbox.serve({ roots: [sandbox.repo, other] })
  const otherId = sandbox.session({ cwd: other, turns: 1 }).id
  const closedId = sandbox.session({ cwd: closed, turns: 1 }).id
  const token = await create('run', { projects: [other], on: wide })
  const listed = async (one: typeof token) =>
    (await one.json<{ sessions: { id: string }[] }>('/session')).sessions.map(({ id }) => id)
  expect(await listed(token)).toEqual([otherId])
  expect((await token.ask(`/session/${otherId}/turns`)).status).toBe(200)
  const answerTo = async (id: string) => {
    const { status, ...problem } = await token.json<{ status: number }>(`/session/${id}`)
    return JSON.stringify([status, problem]).replaceAll(id, 'ID')
  }
  expect(await answerTo(sessionId)).toBe(await answerTo(closedId)) // known to the owner or to nobody: the same
  const spawn = { agent: 'claude', project_path: sandbox.repo }
  expect((await token.ask('/workers', { json: spawn })).status).toBe(403)

  const { body } = await token.ask('/events')
  if (body === null) throw new Error('no body')
  const frames = framesOf(body)
  await frames.next()
  for (const [cwd, id] of [
    [sandbox.repo, sessionId],
    [closed, closedId],
    [other, otherId],
  ] as const)
    sandbox.workers.emit({ type: 'session.updated', data: { agent: 'claude', sessionId: id, cwd, change: 'updated' } })
  const [first] = await takeEvents(frames, 1)
  expect(first).toMatchObject({ data: { data: { session_id: otherId } } })
  await frames.return(undefined)

  // Wider than the server, or elsewhere: only what both open.
  expect(await listed(await create('read', { projects: [sandbox.root], on: wide }))).not.toContain(closedId)
  expect(await listed(await create('read', { projects: [closed], on: wide }))).toEqual([])
})

const readToEnd = async (answer: Response) => {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const piece of answer.body ?? []) text += decoder.decode(piece as Uint8Array, { stream: true })
    return { text, isWhole: true }
  } catch {
    return { text, isWhole: false }
  }
}

test.each(['revoking', 'expiring'])('%s a token ends its event stream and its turn, and no other', async (how) => {
  const listening = await listenTo(server)
  const token = await create('run', { expiresAt: how === 'expiring' ? Date.now() + 1500 : null })
  const other = await create('read')
  const get = (path: string, secret: string, prompt?: string) =>
    fetch(`${listening.url}${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(prompt === undefined ? {} : { method: 'POST', body: JSON.stringify({ prompt }) }),
    })
  sandbox.workers.turn = async (onEvent) => {
    onEvent({ kind: 'text', delta: 'I begin. ' })
    return new Promise<string>(() => undefined)
  }
  const events = await get('/events', token.secret)
  const others = await get('/events', other.secret)
  const turn = await get(`/session/${sessionId}/message`, token.secret, 'work')
  const waiting = sandbox.workers.add()
  const answer = fetch(`${listening.url}/workers/${waiting.id}/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'x', wait: true }),
  })
  expect([events.status, others.status, turn.status]).toEqual([200, 200, 200])
  if (how === 'revoking') await token.revoke()
  expect(await readToEnd(events)).toMatchObject({ isWhole: true })
  expect((await readToEnd(turn)).isWhole).toBe(true)
  expect((await answer).status).toBe(401)
  expect((await get('/session', token.secret)).status).toBe(401)
  // The other's goes on: it hears of what happens next.
  if (others.body === null) throw new Error('no body')
  const frames = framesOf(others.body)
  await frames.next()
  sandbox.workers.emit({ type: 'index.progress', data: { files: 1, filesDone: 1, bytes: 0, bytesDone: 0 } })
  expect(await takeEvents(frames, 1)).toMatchObject([{ event: 'index.progress' }])
  await frames.return(undefined)
  await listening.close(0)
})

test('revoking a token cuts off a transcript it is reading, so that half of it does not look complete', async () => {
  const listening = await listenTo(server)
  const long = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  for (let turn = 0; turn < 300; turn += 1) long.addTurn(`${turn} ${'long '.repeat(20_000)}`)
  const token = await create('read')
  const answer = await fetch(`${listening.url}/session/${long.id}/message`, {
    headers: { authorization: `Bearer ${token.secret}` },
  })
  expect(answer.status).toBe(200)
  const reader = answer.body?.getReader()
  await reader?.read()
  await token.revoke()
  await expect(
    (async () => {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        if ((await reader?.read())?.done === true) return
      }
    })(),
  ).rejects.toThrow()
  await listening.close(0)
})
