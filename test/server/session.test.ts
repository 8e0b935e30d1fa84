import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playCapturedSession, sampleTurns } from '../../src/cli/demo/captured-session.ts'
import { followUpsEnded } from '../capture/follow-ups.ts'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'

let sandbox: Sandbox
let server: Served

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
})
afterAll(() => sandbox.close())

interface DiffJson {
  readonly files: readonly { readonly path: string; readonly status: string }[]
  readonly patch: string
}

interface SessionJson {
  readonly id: string
  readonly title: string
  readonly agent: string
}

test('lists sessions of the project only, page by page, and says 304 when nothing changed', async () => {
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) {
    ids.unshift(sandbox.session({ cwd: sandbox.repo, turns: 1, at: Date.UTC(2026, 1, 1 + count) }).id)
  }
  sandbox.session({ cwd: sandbox.repository('elsewhere'), turns: 1 })
  const whole = await server.json<{ sessions: SessionJson[]; next?: string }>('/session')
  expect(whole.sessions.map(({ id }) => id)).toEqual(ids)
  expect(whole.next).toBeUndefined()

  const seen: string[] = []
  let path = '/session?limit=2'
  for (;;) {
    const page = await server.json<{ sessions: SessionJson[]; next?: string }>(path)
    expect(page.sessions.length).toBeLessThanOrEqual(2)
    seen.push(...page.sessions.map(({ id }) => id))
    if (page.next === undefined) break
    path = `/session?limit=2&cursor=${page.next}`
  }
  expect(seen).toEqual(ids)

  const first = await server.ask('/session')
  const again = await server.ask('/session', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
})

test('a list that changes between pages leaves nothing out', async () => {
  const { sessions, next } = await server.json<{ sessions: SessionJson[]; next: string }>('/session?limit=2')
  const all = await server.json<{ sessions: SessionJson[] }>('/session')
  // The one the page ended with is used again and moves to the top.
  const moved = sessions.at(-1)?.id
  const file = (await server.json<{ session: { path: string } }>(`/session/${moved}`)).session.path
  const { appendFileSync } = await import('node:fs')
  const line = {
    type: 'user',
    uuid: 'u',
    parentUuid: null,
    sessionId: moved,
    cwd: sandbox.repo,
    timestamp: new Date().toISOString(),
  }
  appendFileSync(file, `${JSON.stringify({ ...line, message: { role: 'user', content: 'on' } })}\n`)
  await expect.poll(async () => (await server.json<{ sessions: SessionJson[] }>('/session?limit=1')).sessions[0]?.id).toBe(moved)
  const rest = await server.json<{ sessions: SessionJson[] }>(`/session?cursor=${next}`)
  expect(rest.sessions.map(({ id }) => id)).toEqual(all.sessions.slice(2).map(({ id }) => id))
})

test('one session, its turns and its lineage', async () => {
  const session = sandbox.session({ cwd: sandbox.repo, turns: 3 })
  const child = session.fork({ upToTurn: 2 })
  const one = await server.json<{ session: SessionJson }>(`/session/${session.id}`)
  expect(one.session).toMatchObject({ id: session.id, agent: 'claude', title: 'prompt 1', turns: 3 })
  expect((await server.json<{ session: SessionJson }>(`/session/claude:${session.id}`)).session).toEqual(one.session)
  const { turns } = await server.json<{ turns: { number: number; prompt: string; address: string }[] }>(
    `/session/${session.id}/turns`,
  )
  expect(turns.map(({ number, prompt }) => [number, prompt])).toEqual([1, 2, 3].map((number) => [number, `prompt ${number}`]))
  expect(turns[0]?.address).toBe(`claude:${session.id}@1`)
  const { nodes } = await server.json<{ nodes: { session: SessionJson; children: { session: SessionJson }[] }[] }>(
    `/session/${child.id}/tree`,
  )
  expect(nodes[0]?.session.id).toBe(session.id)
  expect(nodes[0]?.children[0]?.session.id).toBe(child.id)
  const forest = await server.json<{ nodes: { session: SessionJson }[] }>('/tree')
  expect(forest.nodes.map((node) => node.session.id)).toContain(session.id)
})

test('a session outside the projects is answered exactly like an unknown one, and logged', async () => {
  const outside = sandbox.session({ cwd: sandbox.repository('other'), turns: 1 })
  const unknown = '00000000-0000-4000-8000-000000000000'
  for (const path of ['', '/turns', '/tree', '/message', '/diff']) {
    const missing = await server.ask(`/session/${unknown}${path}`)
    expect(missing.status).toBe(404)
    expect(missing.headers.get('content-type')).toBe('application/problem+json')
    const body = await missing.text()
    expect(JSON.parse(body)).toMatchObject({
      code: 'session_not_found',
      status: 404,
      type: 'urn:offshoot:error:session_not_found',
    })
    const shut = await server.ask(`/session/${outside.id}${path}`)
    expect(shut.status).toBe(404)
    expect(await shut.text()).toBe(body.replaceAll(unknown, outside.id))
  }
  expect(sandbox.refusals.some(({ subject }) => subject.includes(outside.id))).toBe(true)
  const scope = await server.ask(`/session?project_path=${encodeURIComponent(sandbox.home)}`)
  expect(scope.status).toBe(403)
})

test('messages: all roles in order, pages, lines, without tool texts when not wanted', async () => {
  const session = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const whole = await server.json<{ messages: { role: string; text: string }[]; next?: string }>(`/session/${session.id}/message`)
  expect(whole.messages.map(({ role, text }) => [role, text])).toEqual([
    ['user', 'prompt 1'],
    ['assistant', 'answer to prompt 1'],
    ['user', 'prompt 2'],
    ['assistant', 'answer to prompt 2'],
  ])
  expect(whole.next).toBeUndefined()
  const page = await server.json<{ messages: unknown[]; next: string }>(`/session/${session.id}/message?limit=3`)
  expect(page.messages).toEqual(whole.messages.slice(0, 3))
  const rest = await server.json<{ messages: unknown[]; next?: string }>(
    `/session/${session.id}/message?limit=3&cursor=${page.next}`,
  )
  expect(rest).toEqual({ first: 3, messages: whole.messages.slice(3) })
  const last = await server.json(`/session/${session.id}/message?last=3`)
  expect(last).toEqual({ first: 1, messages: whole.messages.slice(1) })
  expect((await server.ask(`/session/${session.id}/message?last=3&limit=1`)).status).toBe(400)
  const lines = await server.ask(`/session/${session.id}/message`, { headers: { accept: 'application/x-ndjson' } })
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
  const text = await lines.text()
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(whole.messages)
})

test('code: what the last captured turn changed, what one turn did, and between two', async () => {
  const repository = sandbox.repository('captured')
  const shown = sandbox.serve({ roots: [repository] })
  const { home, offshootHome } = sandbox
  const PATH = process.env.PATH ?? ''
  const vars = { PATH, HOME: home, OFFSHOOT_HOME: offshootHome, CLAUDE_CONFIG_DIR: join(home, '.claude') }
  const sessionId = randomUUID()
  await playCapturedSession({ home, repository, vars, hasGit: true }, sampleTurns, { sessionId, now: Date.now })
  await followUpsEnded(offshootHome)
  const diff = (query: string) => shown.json<DiffJson>(`/session/${sessionId}/diff${query}`)
  const paths = ({ files }: DiffJson) => files.map(({ path, status }) => [status, path])
  const last = await diff('')
  expect(paths(last)).toEqual([
    ['M', 'store.mjs'],
    ['D', 'store.test.mjs'],
  ])
  expect(last.patch).toContain("+import Database from 'better-sqlite3'")
  expect(paths(await diff('?from=1'))).toEqual([['A', 'store.mjs']])
  expect(paths(await diff('?from=1&to=2'))).toEqual([['A', 'store.test.mjs']])
  writeFileSync(join(repository, 'note.txt'), 'by hand\n')
  expect(paths(await diff('?from=3&to=now'))).toEqual([['A', 'note.txt']])
  expect((await shown.ask(`/session/${sessionId}/diff?to=2`)).status).toBe(400)
  expect((await shown.ask(`/session/${sessionId}/diff?from=9`)).status).toBe(404)
})

test('secrets do not leave: neither in messages nor in titles nor in turns', async () => {
  const key = `ghp_${'a1B2'.repeat(9)}`
  const session = sandbox.session({ cwd: sandbox.repo })
  session.addTurn(`use ${key} for it`)
  for (const path of [
    `/session/${session.id}`,
    `/session/${session.id}/message`,
    `/session/${session.id}/turns`,
    '/session',
    '/tree',
  ]) {
    const text = await (await server.ask(path)).text()
    expect(text).not.toContain(key)
    expect(text).toContain('[redacted:github-token]')
  }
})

test('escape sequences in titles and texts come out escaped', async () => {
  const session = sandbox.session({ cwd: sandbox.repo })
  session.addTurn('\u001b]0;owned\u0007 and \u009b31m <script>alert(1)</script>')
  for (const path of [`/session/${session.id}`, `/session/${session.id}/message`]) {
    const answer = await server.ask(path)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
    expect(await answer.text()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  }
})
