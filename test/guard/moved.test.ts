// Sessions that were moved between folders: a turn belongs to the folder in which its prompt was given, and only those inside the
// roots are shown, over HTTP and MCP.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { placeRollout, Rollout, rolloutPath, threadId } from '../../src/agents/codex/home.testkit.ts'
import type { App } from '../../src/app.ts'
import { makePlan } from '../../src/cli/forking/plan.testkit.ts'
import { type GuardedApp, guardApp, type Refusal } from '../../src/guarded-app.ts'
import { AppError } from '../../src/model/error.ts'
import type { AppEvent } from '../../src/model/event.ts'
import { makeWorker } from '../../src/model/worker.testkit.ts'
import type { WorkerRequest } from '../../src/model/worker.ts'
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

/** The real app with some of its verbs replaced, behind the guard. */
function guardedWith(verbs: Partial<App>): GuardedApp {
  const onRefusal = ({ verb, subject }: Refusal) => void place.refused.push(`${verb} ${subject}`)
  return guardApp(
    { ...place.app(), ...verbs },
    { roots: [place.repo], surface: 'http', onRefusal, now: Date.now, home: place.home },
  )
}

interface Looks {
  readonly client: Connected
  readonly session: Pick<Transcript, 'id'>
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
    // The model is the one of the last turn.
    expect(await json(`/session/${session.id}`)).toMatchObject({ session: { model: null, branch: null, turns: 2 } })
    const tool = structured<{ plan: object }>(await client.call('fork_session', { session: `${session.id}@1`, dry_run: true }))
    expect(tool.plan).toMatchObject({ kept_turns: 1, model: null })
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

describe('smart_fork', () => {
  interface SmartFork {
    readonly results: {
      readonly session_id: string
      readonly turn: string
      readonly can_fork: boolean
      readonly warning?: string
    }[]
    readonly plan?: { readonly kept_turns: number; readonly cwd: string; readonly parent: { readonly session_id: string } }
  }
  const intent = { intent: 'heron', dry_run: true, terminal: 'headless', code: 'none' }

  test('forks a session that went outside after the turn that fits, in the folder of that turn', async () => {
    const { id } = place.session(
      [
        { prompt: 'inside heron', cwd: place.repo },
        { prompt: 'secret', cwd: other },
      ],
      { cwd: place.repo },
    )
    const client = await place.http()
    const { results, plan } = structured<SmartFork>(await client.call('smart_fork', { ...intent, fork_index: 1 }))
    expect(results).toMatchObject([{ session_id: id, turn: `claude:${id}@1`, can_fork: true }])
    expect(plan).toMatchObject({ kept_turns: 1, dropped_turns: 0, cwd: place.repo, parent: { session_id: id, turn_number: 1 } })
  })

  test('marks a result that cannot be forked, says why, and takes the next one unasked', async () => {
    const { id } = moved()
    const open = place.session(['a grey heron, and much else that has little to do with birds'], { cwd: place.repo })
    const client = await place.http()
    const { results, plan } = structured<SmartFork>(await client.call('smart_fork', { ...intent, auto_fork: true }))
    expect(results.map(({ session_id, can_fork }) => [session_id, can_fork])).toEqual([
      [id, false],
      [open.id, true],
    ])
    expect(plan).toMatchObject({ parent: { session_id: open.id } })
    const named = errorOf(await client.call('smart_fork', { ...intent, fork_index: 1 }))
    expect(named).toMatchObject({ code: 'parent_missing', message: results[0]?.warning })
    const found = await json<SmartFork>('/search?q=heron')
    expect(found.results.map(({ can_fork }) => can_fork)).toEqual([false, true])
  })
})

test('a worker is not forked at a turn of a dead branch that was given outside', async () => {
  const session = place.session(['inside'], { cwd: place.repo })
  const dead = session.add({ prompt: 'secret alpha', cwd: other })
  const [first] = session.lines
  // Rewound: the next prompt hangs off the first answer, not off the turn outside.
  const root = session.lines[1]?.uuid
  session.write({
    ...first,
    parentUuid: root,
    uuid: 'aaaaaaaa-0000-4000-8000-000000000009',
    timestamp: '2026-11-02T00:00:00.000Z',
  })
  const asked: unknown[] = []
  const worker = makeWorker({ id: 'w1', name: 'mine', cwd: place.repo, sessionId: session.id })
  const guarded = guardedWith({
    listWorkers: async () => [worker],
    findWorker: async () => worker,
    async planForkWorker(_, request) {
      asked.push(request)
      return makePlan({ terminal: 'headless' })
    },
  })
  expect((await guarded.listWorkers()).map(({ id }) => id)).toEqual(['w1'])
  for (const at of [{ atTurn: dead }, { before: dead }, { codeAt: dead }]) {
    await expect(guarded.planForkWorker('mine', at)).rejects.toMatchObject({ code: 'turn_not_found' })
    await expect(guarded.forkWorker('mine', at)).rejects.toMatchObject({ code: 'turn_not_found' })
  }
  expect(asked).toEqual([])
  await guarded.planForkWorker('mine', { atTurn: '1' })
  expect(asked).toEqual([{ atTurn: '1', isOpen: expect.any(Function) }])
})

describe('continuing the newest session of a folder', () => {
  const claude = { agent_type: 'claude', terminal: 'headless' }

  test('is answered like resuming it where a turn of it was given outside', async () => {
    const { id } = moved()
    const client = await place.http()
    const resumed = await client.call('spawn_workers', { workers: [{ ...claude, resume_session_id: id }] })
    const continued = await client.call('spawn_workers', { workers: [{ ...claude, continue_session: true }] })
    expect(JSON.stringify(continued)).toContain('turn_not_found')
    expect(JSON.stringify(continued)).toBe(JSON.stringify(resumed))
    const body = { agent: 'claude', project_path: place.repo, terminal: 'headless', prompt: 'what was alpha?' }
    const answers = [{ resume: id }, { continue: true }].map(async (way) => {
      const response = await place.ask('/workers', { json: { ...body, ...way } })
      return [response.status, await response.text()]
    })
    const [one, other] = await Promise.all(answers)
    expect(one).toEqual([404, expect.stringContaining('turn_not_found')])
    expect(other).toEqual(one)
    expect(place.refused.filter((line) => line.startsWith('spawn_worker') && line.includes(id))).toHaveLength(4)
  })

  test('never takes a session none of whose turns may be seen', async () => {
    place.session([{ prompt: 'secret alpha heron', cwd: other, cd: place.repo }], { cwd: other })
    await place.http()
    const body = { agent: 'claude', project_path: place.repo, terminal: 'headless', continue: true }
    const answer = await place.ask('/workers', { json: body })
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'session_not_found' }])
  })

  test('resumes exactly the session that was judged', async () => {
    place.session(['older'], { cwd: place.repo })
    const newest = place.session(['newest'], { cwd: place.repo, at: Date.UTC(2026, 10, 2) })
    place.session(['newer, elsewhere'], { cwd: other, at: Date.UTC(2026, 10, 3) })
    const asked: WorkerRequest[] = []
    const guarded = guardedWith({
      async spawnWorker(request) {
        asked.push(request)
        throw new AppError('failed', 'not started here')
      },
    })
    const request = { agent: 'claude', projectPath: place.repo } as const
    await expect(guarded.spawnWorker({ ...request, continue: true })).rejects.toMatchObject({ code: 'failed' })
    expect(asked).toEqual([{ ...request, resume: newest.path }])
    const contradictions = [{ fork: true }, { resume: newest.id }].map((also) => ({ ...request, continue: true, ...also }))
    for (const each of contradictions) {
      await expect(guardedWith({}).spawnWorker(each)).rejects.toMatchObject({ code: 'usage' })
    }
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

describe('what a session has from a folder outside is left out though all of its turns were given inside', () => {
  test('a Codex thread that was begun outside', async () => {
    const rollout = new Rollout({ cwd: other, git: { branch: 'secret-branch' } })
      .says('user', '<user_instructions>secret instructions</user_instructions>')
      .start('t1')
      .line('turn_context', { turn_id: 't1', cwd: place.repo, model: 'gpt-5' })
      .prompt('inside bravo heron')
      .says('assistant', 'bravo answer')
      .end('t1')
    const content = rollout.toString()
    placeRollout(rolloutPath(place.home, content).replace('/codex/', '/.codex/'), content)
    const client = await place.http()
    const { session } = await json<{ session: object }>(`/session/${threadId}`)
    const startedAt = expect.stringMatching(/^2026-11-15T06:47:41/)
    expect(session).toMatchObject({ branch: null, cwd: place.repo, turns: 1, created_at: startedAt })
    const all = await everything({ client, session: { id: threadId } })
    expect(all).toContain('bravo answer')
    expect(all).not.toMatch(/secret/)
    const found = async (q: string) => (await json<{ results: unknown[] }>(`/search?q=${q}`)).results.length
    expect([await found('heron+branch:secret'), await found(`heron+repo:${other}`), await found('heron+agent:codex')]).toEqual([
      0, 0, 1,
    ])
    // Its beginning goes along with every fork.
    for (const at_turn of ['0', '1']) {
      const fork = await place.ask(`/session/${threadId}/fork`, { json: { at_turn, dry_run: true } })
      expect([at_turn, fork.status]).toEqual([at_turn, 404])
    }
  })

  const agentsText = (folder: string, cwd: string) =>
    `# AGENTS.md instructions for ${folder}\n\n<INSTRUCTIONS>\nsecret instructions\n</INSTRUCTIONS>\n<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`
  const placeThread = (rollout: Rollout) => {
    const content = rollout.toString()
    placeRollout(rolloutPath(place.home, content).replace('/codex/', '/.codex/'), content)
  }
  const readThread = async () => {
    const client = await place.http()
    const all = await everything({ client, session: { id: threadId } })
    const turn = await client.call('read_session', { session: `${threadId}@1` })
    return all + JSON.stringify([turn, await client.call('read_session', { session: `${threadId}@2` })])
  }

  test('a Codex thread whose first turn was told the instructions of the folder it was begun in', async () => {
    // The order of Codex 0.142: the instructions are those of thread/start, the folder that of turn/start.
    const rollout = new Rollout({ cwd: other }, { legacy: true })
      .start('t1')
      .says('developer', '<permissions instructions>secret permissions</permissions instructions>')
      .says('user', agentsText(other, place.repo))
      .line('turn_context', { turn_id: 't1', cwd: place.repo, model: 'gpt-5' })
      .prompt('inside bravo heron')
      .says('assistant', 'bravo answer')
      .end('t1')
      // After a compaction they are told again, behind the prompt.
      .start('t2')
      .line('turn_context', { turn_id: 't2', cwd: place.repo, model: 'gpt-5' })
      .prompt('inside charlie heron')
      .says('user', '<user_instructions>secret again</user_instructions>')
      .says('assistant', 'charlie answer')
      .end('t2')
    placeThread(rollout)
    const all = await readThread()
    expect(all).toContain('bravo answer')
    expect(all).toContain('charlie answer')
    expect(all).not.toMatch(/secret/)
  })

  test('a Codex thread that was resumed outside, and told the instructions of that folder in a turn inside', async () => {
    const rollout = new Rollout({ cwd: place.repo }, { legacy: true })
      .start('t1')
      .says('user', `# AGENTS.md instructions for ${place.repo}\n\n<INSTRUCTIONS>\nopen instructions\n</INSTRUCTIONS>`)
      .line('turn_context', { turn_id: 't1', cwd: place.repo, model: 'gpt-5' })
      .prompt('inside bravo heron')
      .says('assistant', 'bravo answer')
      .end('t1')
      .start('t2')
      .says('user', agentsText(other, place.repo))
      .line('turn_context', { turn_id: 't2', cwd: place.repo, model: 'gpt-5' })
      .prompt('inside charlie heron')
      .says('assistant', 'charlie answer')
      .end('t2')
    placeThread(rollout)
    const all = await readThread()
    expect(all).toContain('open instructions')
    expect(all).toContain('charlie answer')
    expect(all).not.toMatch(/secret/)
    const page = async (query: string) =>
      (await json<{ messages: { text: string }[] }>(`/session/${threadId}/message?${query}`)).messages.map(({ text }) => text)
    const texts = ['inside bravo heron', 'bravo answer', '', 'inside charlie heron', 'charlie answer']
    expect([await page('cursor=1&limit=9'), await page('last=5')]).toEqual([texts, texts])
  })

  test('the output of hooks that ran outside in a Claude session, before its first prompt and between two turns', async () => {
    const hook = (session: Transcript, cwd: string, text: string) => {
      const uuid = `cccccccc-0000-4000-8000-00000000000${session.lines.length}`
      const at = new Date(Date.UTC(2026, 10, 1, 9, session.lines.length)).toISOString()
      const parentUuid = session.lines.at(-1)?.uuid ?? null
      const attachment = { type: 'hook_additional_context', hookName: 'SessionStart', content: [text] }
      const base = { sessionId: session.id, isSidechain: false, version: '2.1.325', timestamp: at }
      session.write({ ...base, type: 'attachment', uuid, parentUuid, cwd, attachment })
    }
    const begun = place.session([], { cwd: place.repo })
    hook(begun, other, 'secret of the start')
    begun.add({ prompt: 'inside bravo heron', answer: 'bravo answer', cwd: place.repo })
    hook(begun, place.repo, 'open hook')
    const gone = place.session([{ prompt: 'inside delta', answer: 'delta answer', cwd: place.repo }], { cwd: place.repo })
    hook(gone, other, 'secret of resuming')
    gone.add({ prompt: 'secret prompt', cwd: other })
    const client = await place.http()
    const first = await everything({ client, session: begun })
    expect(first).toContain('open hook')
    expect(first).not.toMatch(/secret of/)
    const second = await everything({ client, session: gone })
    expect(second).toContain('delta answer')
    expect(second).not.toMatch(/secret/)
  })

  test('what the user ran outside with `!` and slash commands in a Claude session that is inside', async () => {
    const session = place.session([{ prompt: 'inside bravo', answer: 'bravo answer', cwd: place.repo }], { cwd: place.repo })
    for (const [at, [text, cwd]] of (
      [
        ['<bash-input>cat secret</bash-input>', other],
        ['<bash-stdout>secret words</bash-stdout><bash-stderr></bash-stderr>', other],
        ['<command-name>/cost</command-name><command-args>secret argument</command-args>', other],
        ['<local-command-stdout>secret cost</local-command-stdout>', other],
        ['<bash-stdout>open words</bash-stdout><bash-stderr></bash-stderr>', place.repo],
      ] as const
    ).entries()) {
      const last = session.lines.at(-1)
      const uuid = `dddddddd-0000-4000-8000-00000000000${at}`
      const message = { role: 'user', content: text }
      session.write({
        ...session.lines[0],
        promptId: undefined,
        cwd,
        uuid,
        parentUuid: last?.uuid,
        timestamp: last?.timestamp,
        message,
      })
    }
    session.add({ prompt: 'inside delta', answer: 'delta answer', cwd: place.repo })
    const client = await place.http()
    const shown = await everything({ client, session })
    expect(shown).toContain('open words')
    expect(shown).toContain('delta answer')
    expect(shown).not.toMatch(/secret/)
  })

  test('a Claude session whose agent went outside in its last turn', async () => {
    const session = place.session([{ prompt: 'inside bravo heron', answer: 'bravo answer' }], { cwd: place.repo })
    const last = session.lines.at(-1)
    const uuid = 'bbbbbbbb-0000-4000-8000-000000000001'
    const away = { cwd: other, gitBranch: 'secret-branch', timestamp: '2026-11-02T00:00:00.000Z' }
    session.write({ ...last, ...away, uuid, parentUuid: last?.uuid, message: { ...(last?.message as object), id: 'msg_away' } })
    const client = await place.http()
    const one = await json<{ session: object }>(`/session/${session.id}`)
    expect(one.session).toMatchObject({ branch: null, cwd: place.repo, repo_root: place.repo, title: 'inside bravo heron' })
    const all = await everything({ client, session })
    expect(all).toContain('bravo answer')
    expect(all).not.toMatch(new RegExp(`secret|${other}"`))
    // Its agent would go on outside.
    expect((await place.ask(`/session/${session.id}/message`, { json: { prompt: 'go on' } })).status).toBe(404)
    const fork = await place.ask(`/session/${session.id}/fork`, { json: { dry_run: true, workspace: false } })
    expect([fork.status, await fork.json()]).toMatchObject([200, { plan: { cwd: place.repo, kept_turns: 1 } }])
  })
})

test('a summary of what was said outside is left out, one of what was said inside is shown', async () => {
  const compacted = (cwd: string) => {
    const between = { prompt: 'between inside', answer: 'done', cwd: place.repo }
    const session = place.session([{ prompt: 'first', answer: 'done', cwd }, between], { cwd })
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
  const query = 'retold first continued second inside'
  const answer = await client.call('search_sessions', { query, snippet_length: 1000 })
  const { results } = structured<{ results: readonly object[] }>(answer)
  const texts = (id: string) => JSON.stringify(results.filter((result) => JSON.stringify(result).includes(id)))
  expect(texts(open.id)).toContain('retold')
  expect(texts(hidden.id)).toContain('second inside')
  expect(texts(hidden.id)).not.toContain('retold')
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

test('an error names no folder that may not be seen', async () => {
  const { id } = moved()
  const [below, beside] = [join(place.repo, 'src'), `${place.repo}-2`]
  place.session(['hidden'], { cwd: beside })
  place.session(['hidden, but no secret'], { cwd: place.home })
  const details = { roots: [place.repo, join(other, 'src', 'secret.ts')] }
  const error = new AppError('refused', `1 is in ${below}, 2 in ${other}, 3 in ${join(beside, 'lib')}, 4 in ${place.home}/.x.`, {
    hint: `Go to "${other}".`,
    details,
  })
  const guarded = guardedWith({ diff: () => Promise.reject(error) })
  await expect(guarded.diff({ from: `${id}@5`, to: null })).rejects.toMatchObject({
    code: 'refused',
    message: `1 is in ${below}, 2 in another folder, 3 in another folder, 4 in ${place.home}/.x.`,
    hint: 'Go to "another folder".',
    details: { roots: [place.repo, 'another folder'] },
  })
})

test('events of a session at work in a folder outside are not passed on', async () => {
  const session = moved()
  let hear: (event: AppEvent) => void = () => undefined
  const guarded = guardedWith({
    onEvent(listener: (event: AppEvent) => void) {
      hear = listener
      return () => undefined
    },
  })
  const heard: number[] = []
  guarded.onEvent(({ id }) => heard.push(id))
  const of = (cwd: string) => ({ agent: 'claude' as const, sessionId: session.id, cwd, workerId: null })
  hear({ id: 1, at: 0, type: 'turn.started', data: { ...of(other), turnId: null, prompt: 'secret' } })
  hear({ id: 2, at: 0, type: 'turn.started', data: { ...of(place.repo), turnId: null, prompt: 'inside' } })
  await expect.poll(() => heard).toEqual([2])
})
