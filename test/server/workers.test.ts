import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../src/model/error.ts'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'
import { readFrames } from './sse.ts'

let sandbox: Sandbox
let server: Served

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
})
afterAll(() => sandbox.close())

const lastAsked = () => sandbox.workers.asked.at(-1)

test('starts a worker with everything it was asked for, and nothing else', async () => {
  const answer = await server.ask('/workers', {
    json: {
      agent: 'claude',
      name: 'quiet-otter',
      project_path: sandbox.repo,
      prompt: '--resume x; $(rm -rf /)\nsecond line',
      kind: 'terminal',
      terminal: 'tmux',
      settings: { model: 'opus', env: { HTTPS_PROXY: 'http://p' }, policy: 'allow_list', allow: ['Read'], ready_timeout_ms: 5 },
    },
  })
  expect(answer.status).toBe(201)
  const { worker } = (await answer.json()) as { worker: { id: string; settings: { env: string[] } } }
  expect(answer.headers.get('location')).toBe(`/workers/${worker.id}`)
  expect(worker.settings.env).toEqual(['ANTHROPIC_BASE_URL'])
  expect(lastAsked()).toEqual({
    verb: 'spawnWorker',
    args: [
      {
        agent: 'claude',
        name: 'quiet-otter',
        projectPath: sandbox.repo,
        prompt: '--resume x; $(rm -rf /)\nsecond line',
        kind: 'terminal',
        terminal: 'tmux',
        settings: { model: 'opus', env: { HTTPS_PROXY: 'http://p' }, policy: 'allow_list', allow: ['Read'], readyTimeoutMs: 5 },
      },
    ],
  })
})

test('lists, finds, interrupts, answers and stops workers', async () => {
  const { id } = sandbox.workers.add({ name: 'busy-bee' })
  const { workers } = await server.json<{ workers: { id: string }[] }>('/workers')
  expect(workers.map((worker) => worker.id)).toContain(id)
  const text = await (await server.ask('/workers/busy-bee')).text()
  expect(text).toContain(id)
  expect(text).not.toContain('in the environment')
  expect(text).not.toContain('proxy.invalid')
  expect((await server.ask(`/workers/${id}/interrupt`, { method: 'POST' })).status).toBe(200)
  expect(lastAsked()).toEqual({ verb: 'interruptWorker', args: [id] })
  const json = { request_id: 'r1', decision: 'deny', reason: 'not now' }
  expect((await server.ask(`/workers/${id}/permission`, { json })).status).toBe(200)
  expect(lastAsked()).toEqual({ verb: 'answerPermission', args: [id, 'r1', { verdict: 'deny', reason: 'not now' }] })
  expect((await server.ask(`/workers/${id}/permission`, { json: { request_id: 'r1', decision: 'yes' } })).status).toBe(400)
  const stopped = await server.json<{ worker: { state: string } }>(`/workers/${id}`, { method: 'DELETE' })
  expect(stopped.worker.state).toBe('stopped')
})

test('forks a worker: {worker_id, forked_from}; a taken id is refused', async () => {
  const isOpen = expect.any(Function)
  const { id } = sandbox.workers.add({ name: 'source' })
  const answer = await server.ask('/workers/source/fork', { json: { new_id: 'branch' } })
  expect(answer.status).toBe(201)
  const forked = (await answer.json()) as { worker_id: string; worker: { id: string } }
  expect(forked).toMatchObject({
    forked_from: id,
    worker: { name: 'branch', forked_from: id, persistent: false, last_input: null },
  })
  expect(forked.worker_id).toBe(forked.worker.id)
  const taken = await server.ask('/workers/source/fork', { json: { new_id: 'branch' } })
  expect([taken.status, await taken.json()]).toEqual([409, expect.objectContaining({ code: 'name_taken' })])
  const chosen = { at_turn: '2', code: 'turn', workspace: true, accept: ['dirty'], terminal: 'headless' }
  await server.ask('/workers/source/fork', { json: chosen })
  expect(lastAsked()).toEqual({
    verb: 'forkWorker',
    args: [id, { atTurn: '2', code: 'turn', workspace: true, accept: ['dirty'], terminal: 'headless', isOpen }],
  })
  const planned = await server.ask('/workers/source/fork', { json: { at_turn: '2', dry_run: true } })
  expect([planned.status, await planned.json()]).toEqual([
    200,
    { plan: expect.objectContaining({ terminal: 'headless', kept_turns: 2 }) },
  ])
  expect(lastAsked()).toEqual({ verb: 'planForkWorker', args: [id, { atTurn: '2', isOpen }] })
  for (const terminal of ['none', 'here']) {
    expect((await server.ask('/workers/source/fork', { json: { terminal } })).status).toBe(400)
    const spawn = { agent: 'claude', project_path: sandbox.repo, terminal }
    expect((await server.ask('/workers', { json: spawn })).status).toBe(400)
  }
  const free = await server.json<{ worker_id: string; worker: { id: string } }>('/workers/source/fork', { json: {} })
  expect(free.worker_id).toBe(free.worker.id)
  const waits = await server.json('/workers/source/fork', { json: { prompt: 'Try this' } })
  expect(lastAsked()).toEqual({ verb: 'forkWorker', args: [id, { prompt: 'Try this', isOpen }] })
  expect(waits).toMatchObject({ pending_prompt: 'Try this' })
  const sent = await server.json('/workers/source/fork', { json: { prompt: 'Try this', send: true } })
  expect(lastAsked()).toEqual({ verb: 'forkWorker', args: [id, { prompt: 'Try this', send: true, isOpen }] })
  expect(sent).not.toHaveProperty('pending_prompt')
})

test('sends without waiting, waiting, and as a stream', async () => {
  const { id } = sandbox.workers.add()
  const taken = await server.ask(`/workers/${id}/send`, { json: { prompt: 'go' } })
  expect([taken.status, await taken.json()]).toEqual([202, expect.objectContaining({ outcome: 'running', answer: null })])
  const ended = await server.ask(`/workers/${id}/send`, { json: { prompt: 'go', wait: true } })
  expect([ended.status, await ended.json()]).toEqual([
    200,
    expect.objectContaining({ outcome: 'complete', answer: 'Hello there.' }),
  ])
  const stream = await server.ask(`/workers/${id}/send`, { json: { prompt: 'go' }, headers: { accept: 'text/event-stream' } })
  const frames = await readFrames(stream)
  expect(frames.map(({ event }) => event)).toEqual(['started', 'text', 'text', 'end', 'result'])
})

test('a prompt to a session is streamed: events, then the result', async () => {
  const session = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const answer = await server.ask(`/session/${session.id}/message`, { json: { prompt: 'and now?' } })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const frames = await readFrames(answer)
  expect(frames.map(({ event }) => event)).toEqual(['started', 'text', 'text', 'end', 'result'])
  expect(
    frames
      .filter(({ event }) => event === 'text')
      .map(({ data }) => (data as { delta: string }).delta)
      .join(''),
  ).toBe('Hello there.')
  expect(frames.at(-1)?.data).toMatchObject({ outcome: 'complete', answer: 'Hello there.' })
  expect(lastAsked()).toEqual({ verb: 'sendToSession', args: [session.id, 'and now?'] })
})

test('a turn that cannot begin is a problem document; one that fails half-way says so as its last event', async () => {
  const session = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const { turn } = sandbox.workers
  sandbox.workers.turn = async () => {
    throw new AppError('worker_waiting', 'It waits for a permission.')
  }
  const refused = await server.ask(`/session/${session.id}/message`, { json: { prompt: 'x' } })
  expect([refused.status, await refused.json()]).toEqual([409, expect.objectContaining({ code: 'worker_waiting' })])
  sandbox.workers.turn = async (onEvent) => {
    onEvent({ kind: 'text', delta: 'half a wo' })
    throw new Error('the agent fell over at /home/secret/place')
  }
  const frames = await readFrames(await server.ask(`/session/${session.id}/message`, { json: { prompt: 'x' } }))
  expect(frames.map(({ event }) => event)).toEqual(['text', 'text', 'error'])
  expect(frames.at(-1)?.data).toMatchObject({ code: 'internal', status: 500 })
  expect(JSON.stringify(frames)).not.toContain('/home/secret')
  sandbox.workers.turn = turn
})

test('secrets that arrive in pieces do not get through, whole text does', async () => {
  const { id } = sandbox.workers.add()
  const key = `ghp_${'a1B2'.repeat(9)}`
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA\n'.repeat(4)}-----END RSA PRIVATE KEY-----`
  const spoken = `Use ${key} here,\nAPI_TOKEN=abcdefgh12345678 and\n${pem}\nthen go on. Fine`
  const { turn } = sandbox.workers
  sandbox.workers.turn = async (onEvent) => {
    for (const piece of spoken.match(/[\s\S]{1,3}/g) ?? []) onEvent({ kind: 'text', delta: piece })
    onEvent({ kind: 'tool_output', callId: 'c', delta: `tok ${key.slice(0, 20)}` })
    onEvent({ kind: 'tool_output', callId: 'c', delta: key.slice(20) })
    onEvent({ kind: 'tool_result', callId: 'c', output: `tok ${key}`, exitCode: 0, failed: false })
    onEvent({ kind: 'end', outcome: 'complete', error: null })
    return spoken
  }
  const frames = await readFrames(
    await server.ask(`/workers/${id}/send`, { json: { prompt: 'go' }, headers: { accept: 'text/event-stream' } }),
  )
  const text = (kind: string) =>
    frames
      .filter(({ event }) => event === kind)
      .map(({ data }) => (data as { delta: string }).delta)
      .join('')
  expect(text('text')).toBe(
    'Use [redacted:github-token] here,\nAPI_TOKEN=[redacted:secret] and\n[redacted:private-key]\nthen go on. Fine',
  )
  expect(text('tool_output')).toBe('tok [redacted:github-token]')
  expect(JSON.stringify(frames)).not.toMatch(/a1B2a1B2|MIIEp|abcdefgh1234/)
  sandbox.workers.turn = turn
})

test('workers outside the project, unknown ones and bad requests', async () => {
  const outside = sandbox.workers.add({ cwd: sandbox.home })
  const cases: [method: string, path: string, json: unknown, status: number][] = [
    ['GET', `/workers/${outside.id}`, undefined, 404],
    ['DELETE', `/workers/${outside.id}`, undefined, 404],
    ['POST', `/workers/${outside.id}/fork`, {}, 404],
    ['POST', `/workers/${outside.id}/send`, { prompt: 'x' }, 404],
    ['POST', `/workers/${outside.id}/interrupt`, undefined, 404],
    ['POST', `/workers/${outside.id}/permission`, { request_id: 'r', decision: 'allow' }, 404],
    ['GET', '/workers/nobody', undefined, 404],
    ['POST', '/workers', { agent: 'claude', project_path: sandbox.home }, 403],
    ['POST', '/workers', { agent: 'claude', project_path: 'relative' }, 400],
    ['POST', '/workers', { agent: 'claude', project_path: sandbox.repo, settings: { env: { 'A=B': 'x' } } }, 400],
    ['POST', '/workers', { agent: 'claude', project_path: sandbox.repo, resume: '../../etc/passwd' }, 400],
    ['POST', '/workers', { agent: 'claude', project_path: sandbox.repo, name: 'a\nb' }, 400],
    ['POST', '/workers', { agent: 'claude', project_path: sandbox.repo, shell: true }, 400],
    ['POST', '/workers', {}, 400],
    ['POST', `/workers/${outside.id}/send`, { prompt: '' }, 400],
    ['POST', `/workers/${outside.id}/send`, { prompt: 'a\u0000b' }, 400],
  ]
  const before = sandbox.workers.asked.length
  for (const [method, path, json, status] of cases) {
    const answer = await server.ask(path, { method, ...(json === undefined ? {} : { json }) })
    expect([method, path, json, answer.status]).toEqual([method, path, json, status])
  }
  expect(sandbox.workers.asked).toHaveLength(before)
  const [shut, missing] = [await server.ask(`/workers/${outside.id}`), await server.ask('/workers/nobody')]
  expect(await shut.text()).toBe((await missing.text()).replaceAll('nobody', outside.id))
  expect(sandbox.refusals.some(({ subject }) => subject === `worker:${outside.name}`)).toBe(true)
})
