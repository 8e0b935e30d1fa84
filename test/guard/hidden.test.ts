// A session, turn or worker outside the roots is answered like one that does not exist, over HTTP and MCP.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { structured } from '../mcp/clients.ts'
import { createPlace } from '../mcp/place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const hiddenId = 'aaaa1111-0000-4000-8000-000000000001'
const unknownId = 'ffff9999-0000-4000-8000-000000000002'
const neutral = (text: string) =>
  text.replace(/aaaa(1111-0000-4000-8000-000000000001)?|ffff(9999-0000-4000-8000-000000000002)?/g, 'NAME')

test('a hidden session is answered like an unknown one by every route and tool, whatever name it is given', async () => {
  const hidden = place.session(['kingfisher'], { cwd: place.repository('other'), id: hiddenId })
  place.session(['mine'], { cwd: place.repo, id: '12345678-0000-4000-8000-000000000003' })
  const client = await place.http()
  const unknownPath = hidden.path.replace(hiddenId, unknownId)
  const names = [
    [hiddenId, unknownId],
    [`claude:${hiddenId}`, `claude:${unknownId}`],
    [hiddenId.slice(0, 4), unknownId.slice(0, 4)],
    [hidden.path, unknownPath],
    [`${hiddenId}@1`, `${unknownId}@1`],
  ] as const
  const tools: [name: string, args: (session: string) => Record<string, unknown>][] = [
    ['read_session', (session) => ({ session })],
    ['list_turns', (session) => ({ session })],
    ['session_tree', (session) => ({ session })],
    ['fork_session', (session) => ({ session, dry_run: true })],
    ['fork_session', (session) => ({ session })],
    ['spawn_workers', (session) => ({ workers: [{ agent_type: 'claude', resume_session_id: session, terminal: 'headless' }] })],
  ]
  for (const [name, args] of tools) {
    for (const [shut, missing] of names) {
      const [one, other] = [await client.call(name, args(shut)), await client.call(name, args(missing))]
      expect([name, shut, neutral(JSON.stringify(one))]).toEqual([name, shut, neutral(JSON.stringify(other))])
      expect(JSON.stringify(one)).toContain('session_not_found')
      if (!shut.includes(hiddenId)) expect(JSON.stringify(one)).not.toContain(hiddenId)
    }
  }
  const routes: [path: (id: string) => string, json?: unknown][] = [
    [(id) => `/session/${id}`],
    [(id) => `/session/${id}/message`],
    [(id) => `/session/${id}/turns`],
    [(id) => `/session/${id}/tree`],
    [(id) => `/session/${id}/diff`],
    [(id) => `/session/${id}/fork`, { dry_run: true }],
    [(id) => `/session/${id}/message`, { prompt: 'x' }],
  ]
  for (const [path, json] of routes) {
    const init = json === undefined ? {} : { json }
    const [one, other] = [await place.ask(path(hiddenId), init), await place.ask(path(unknownId), init)]
    const [oneText, otherText] = [await one.text(), await other.text()]
    expect([path('x'), one.status, neutral(oneText)]).toEqual([path('x'), other.status, neutral(otherText)])
  }
  expect(place.refused.filter((line) => line.includes(hiddenId)).length).toBeGreaterThan(20)
  expect(place.refused.filter((line) => line.includes(unknownId))).toEqual([])
})

test('the counts of the index are those of the sessions that may be seen', async () => {
  place.session(['kingfisher', 'two'], { cwd: place.repo })
  const other = place.repository('other')
  const turns = [{ prompt: 'kingfisher', cwd: other }, { prompt: 'kingfisher', cwd: place.repo }, 'kingfisher three']
  place.session(turns, { cwd: place.repo })
  for (let count = 0; count < 3; count += 1) place.session(['kingfisher hidden', 'more'], { cwd: other })
  const client = await place.http()
  const found = structured<{ index: object }>(await client.call('search_sessions', { query: 'kingfisher' }))
  const counts = { sessions: 2, indexed_sessions: 2, turns: 4, chunks: 4 }
  expect(found.index).toMatchObject(counts)
  const search = (await (await place.ask('/search?q=kingfisher')).json()) as { index: object }
  expect(search.index).toMatchObject(counts)
  const health = (await (await place.ask('/health')).json()) as { index: object }
  expect(health.index).toMatchObject(counts)
})
