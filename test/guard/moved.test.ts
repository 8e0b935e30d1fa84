// Sessions that were moved between folders: a turn belongs to the folder in which its prompt was given, and only those inside the
// roots are shown, over HTTP and MCP.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { guardApp } from '../../src/guarded-app.ts'
import type { AppEvent } from '../../src/model/event.ts'
import { type Connected, errorOf, structured } from '../mcp/clients.ts'
import { createPlace } from '../mcp/place.ts'
import type { Transcript } from '../search/sandbox.ts'

let place: ReturnType<typeof createPlace>
let other: string
beforeEach(() => {
  place = createPlace()
  other = place.repository('other')
})
afterEach(() => place.end())

const json = async <T>(path: string, init?: { readonly json?: unknown }) => (await (await place.ask(path, init)).json()) as T

/** Begun in the other repository, then two turns inside, one outside, one inside. */
function moved(): Transcript {
  const { repo } = place
  return place.session(
    [
      { prompt: 'secret alpha heron', answer: 'alpha answer', cwd: other },
      { prompt: 'inside bravo heron', answer: 'bravo answer', cwd: repo },
      { prompt: 'inside charlie heron', answer: 'charlie answer', cwd: repo, cd: other },
      { prompt: 'secret delta heron', answer: 'delta answer', cwd: other },
      { prompt: 'inside echo heron', answer: 'echo answer', cwd: repo },
    ],
    { cwd: repo },
  )
}

interface Looks {
  readonly client: Connected
  readonly session: Transcript
}

async function everything({ client, session: { id } }: Looks): Promise<string> {
  const calls = [
    await client.call('list_sessions'),
    await client.call('list_turns', { session: id, dead_branches: true }),
    await client.call('read_session', { session: id, tools: 'full' }),
    await client.call('search_sessions', { query: 'heron' }),
    await client.call('search_sessions', { query: 'secret alpha delta' }),
    await client.call('search_sessions', { query: 'agent:claude' }),
    await client.call('smart_fork', { intent: 'secret alpha delta' }),
    await client.call('session_tree'),
    await client.call('session_tree', { session: id }),
  ]
  const paths = ['', '/turns?dead=true', '/message', '/message?last=3', '/message?cursor=1&limit=2', '/tree']
  const answers = [
    ...paths.map((path) => `/session/${id}${path}`),
    '/session',
    '/tree',
    '/search?q=heron',
    '/search?q=secret+delta',
    '/search?q=agent:claude',
  ].map(async (path) => (await place.ask(path)).text())
  // An answer repeats the question.
  return JSON.stringify([calls, await Promise.all(answers)]).replace(/secret alpha delta|secret delta(?! heron)/g, '')
}

test('turns given outside the roots are shown nowhere; the others keep their numbers', async () => {
  const session = moved()
  const client = await place.http()
  const { turns } = structured<{ turns: { number: number; prompt: string }[] }>(
    await client.call('list_turns', { session: session.id }),
  )
  expect(turns.map(({ number, prompt }) => [number, prompt])).toEqual([
    [5, 'inside echo heron'],
    [3, 'inside charlie heron'],
    [2, 'inside bravo heron'],
  ])
  const listed = await json<{ turns: { number: number }[] }>(`/session/${session.id}/turns`)
  expect(listed.turns.map(({ number }) => number)).toEqual([2, 3, 5])
  const read = await json<{ messages: { text: string }[] }>(`/session/${session.id}/message`)
  const texts = [
    'inside bravo heron',
    'bravo answer',
    'inside charlie heron',
    'charlie answer',
    'inside echo heron',
    'echo answer',
  ]
  expect(read.messages.map(({ text }) => text)).toEqual(texts)
  const last = await json<{ first: number; messages: { text: string }[] }>(`/session/${session.id}/message?last=3`)
  expect([last.first, last.messages.map(({ text }) => text)]).toEqual([3, texts.slice(3)])
  const one = await json<{ session: object }>(`/session/${session.id}`)
  expect(one.session).toMatchObject({ title: 'inside bravo heron', turns: 3, messages: 6, cwd: place.repo })
  const found = await json<{ results: { session_id: string }[] }>('/search?q=heron')
  expect(found.results.map((each) => each.session_id)).toEqual([session.id])
  const all = await everything({ client, session })
  expect(all).toContain('bravo')
  expect(all).not.toMatch(/alpha|delta/)
})

test('a turn outside the roots is answered like one that does not exist', async () => {
  const { id } = moved()
  const client = await place.http()
  for (const name of ['read_session', 'fork_session'] as const) {
    const [hidden, missing] = [await client.call(name, { session: `${id}@4` }), await client.call(name, { session: `${id}@9` })]
    expect(JSON.stringify(hidden)).toBe(JSON.stringify(missing))
    expect(errorOf(hidden).code).toBe('turn_not_found')
  }
  for (const path of [`/session/${id}/diff?from=`, `/session/${id}/diff?from=5&to=`]) {
    const [hidden, missing] = [await place.ask(`${path}4`), await place.ask(`${path}9`)]
    expect([hidden.status, await hidden.text()]).toEqual([404, await missing.text()])
  }
  expect(structured<object>(await client.call('read_session', { session: `${id}@3` }))).toMatchObject({
    untrusted: { messages: [{ text: 'inside charlie heron' }, { text: 'charlie answer' }] },
  })
  expect(JSON.stringify(await client.call('read_session', { session: `${id}@last` }))).toContain('inside echo heron')
  expect(place.refused.some((line) => line.includes(`${id}@4`))).toBe(true)
})

describe('a fork', () => {
  test('is made where every turn it keeps is inside, with the folder of the last of them', async () => {
    const session = place.session(
      [
        { prompt: 'one', cwd: place.repo },
        { prompt: 'two', cwd: place.repo },
        { prompt: 'secret three', cwd: other },
      ],
      { cwd: place.repo },
    )
    const client = await place.http()
    const fork = (body: object) => place.ask(`/session/${session.id}/fork`, { json: body })
    const planned = await fork({ at_turn: '2', dry_run: true, workspace: false })
    expect([planned.status, await planned.json()]).toMatchObject([
      200,
      { plan: { kept_turns: 2, dropped_turns: 0, cwd: place.repo, parent: { turn_number: 2 } } },
    ])
    for (const body of [{}, { at_turn: '3' }, { before_turn: '3' }, { at_turn: 'last' }].slice(0, 3)) {
      const [shut, missing] = [await fork({ ...body, dry_run: true }), await fork({ at_turn: '9', dry_run: true })]
      expect([body, shut.status, await shut.text()]).toEqual([body, 404, await missing.text()])
    }
    const made = await fork({ at_turn: 'last', workspace: false })
    expect(made.status).toBe(201)
    const { session: child } = (await made.json()) as { session: { id: string; cwd: string; title: string } }
    expect([child.cwd, child.title]).toEqual([place.repo, expect.not.stringContaining('secret')])
    const texts = JSON.stringify(await client.call('read_session', { session: child.id }))
    expect(texts).toContain('two')
    expect(texts).not.toContain('secret')
    const tool = structured<{ plan: object }>(await client.call('fork_session', { session: `${session.id}@1`, dry_run: true }))
    expect(tool.plan).toMatchObject({ kept_turns: 1 })
  })

  test('is not made where a turn before it is outside', async () => {
    const { id } = moved()
    const client = await place.http()
    for (const at of ['2', '3', '5', '-1']) {
      expect((await place.ask(`/session/${id}/fork`, { json: { at_turn: at, dry_run: true } })).status).toBe(404)
      const shut = await client.call('fork_session', { session: id, at_turn: at, dry_run: true })
      expect(errorOf(shut).code).toBe('turn_not_found')
    }
    expect((await place.ask(`/session/${id}/message`, { json: { prompt: 'what was alpha?' } })).status).toBe(404)
    const spawned = await client.call('spawn_workers', {
      workers: [{ agent_type: 'claude', resume_session_id: id, terminal: 'headless' }],
    })
    expect(JSON.stringify(spawned)).toContain('turn_not_found')
  })
})

test('a session whose last line alone is inside shows nothing of what came before', async () => {
  const session = place.session(
    [
      { prompt: 'secret alpha heron', answer: 'alpha answer', cwd: other },
      { prompt: 'secret delta heron', answer: 'delta answer', cwd: other, cd: place.repo },
    ],
    { cwd: other },
  )
  const client = await place.http()
  expect(await everything({ client, session })).not.toMatch(/alpha answer|delta answer|secret/)
  expect((await place.ask(`/session/${session.id}`)).status).toBe(404)
})

test('a summary of what was said outside is left out, one of what was said inside is shown', async () => {
  const compacted = (cwd: string) => {
    const session = place.session([{ prompt: 'first', answer: 'done', cwd }], { cwd })
    const parent = session.lines.at(-1)
    const base = { ...parent, message: undefined, cwd, timestamp: new Date(Date.UTC(2026, 10, 1, 10)).toISOString() }
    const boundary = { ...base, type: 'system', subtype: 'compact_boundary', uuid: `b-${session.id}`, parentUuid: null }
    session.write({
      ...boundary,
      logicalParentUuid: parent?.uuid,
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual' },
    })
    const summary = { role: 'user', content: 'This session is being continued: retold first' }
    session.write({
      ...base,
      type: 'user',
      uuid: `s-${session.id}`,
      parentUuid: `b-${session.id}`,
      isCompactSummary: true,
      message: summary,
    })
    session.add({ prompt: 'second inside', cwd: place.repo })
    return session
  }
  const [hidden, open] = [compacted(other), compacted(place.repo)]
  const client = await place.http()
  const read = async ({ id }: Transcript) => JSON.stringify(await client.call('read_session', { session: id }))
  expect(await read(open)).toContain('retold first')
  expect(await read(hidden)).toContain('second inside')
  expect(await read(hidden)).not.toContain('retold')
})

test('a fork of a session outside, gone on inside, shows only what was said inside', async () => {
  const parent = place.session(['secret alpha heron'], { cwd: other })
  const child = place.session(['inside bravo heron'], { cwd: place.repo, copied: parent.lines, at: Date.UTC(2026, 10, 2) })
  const client = await place.http()
  const all = await everything({ client, session: child })
  expect(all).toContain('bravo')
  expect(all).not.toMatch(/alpha/)
})

test('turns in folders of the same repository are all shown, forks included', async () => {
  mkdirSync(join(place.repo, 'packages'))
  const session = place.session(
    [
      { prompt: 'one', cwd: place.repo },
      { prompt: 'two', cwd: join(place.repo, 'packages') },
    ],
    { cwd: place.repo },
  )
  await place.http()
  expect((await json<{ turns: object[] }>(`/session/${session.id}/turns`)).turns).toHaveLength(2)
  expect((await json<{ session: object }>(`/session/${session.id}`)).session).toMatchObject({ title: 'one', turns: 2 })
  const made = await place.ask(`/session/${session.id}/fork`, { json: { at_turn: '2' } })
  const { session: child } = (await made.json()) as { session: { id: string } }
  expect((await json<{ turns: object[] }>(`/session/${child.id}/turns`)).turns).toHaveLength(2)
})

test('events of a session at work in a folder outside are not passed on', async () => {
  const session = moved()
  let hear: (event: AppEvent) => void = () => undefined
  const app = {
    ...place.app(),
    onEvent(listener: (event: AppEvent) => void) {
      hear = listener
      return () => undefined
    },
  }
  const guarded = guardApp(app, {
    roots: [place.repo],
    surface: 'http',
    onRefusal: () => undefined,
    now: Date.now,
    home: place.home,
  })
  const heard: number[] = []
  guarded.onEvent(({ id }) => heard.push(id))
  const of = (cwd: string) => ({ agent: 'claude' as const, sessionId: session.id, cwd, workerId: null })
  hear({ id: 1, at: 0, type: 'turn.started', data: { ...of(other), turnId: null, prompt: 'secret' } })
  hear({ id: 2, at: 0, type: 'turn.started', data: { ...of(place.repo), turnId: null, prompt: 'inside' } })
  await expect.poll(() => heard).toEqual([2])
})
