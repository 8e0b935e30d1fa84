// The HTTP API over real headless workers, where only the agent's process is a stand-in.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { App } from '../../src/app.ts'
import { guardApp } from '../../src/guarded-app.ts'
import { createServer, type Server } from '../../src/server/http.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { token } from './sandbox.ts'
import { talkingAgent } from './talking-agent.ts'

interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly hint: string
}

let sandbox: Sandbox
let repo: string
let ends: (() => Promise<unknown>)[]

beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('project')
  ends = []
})
afterEach(async () => {
  for (const end of ends) await end()
  sandbox.close()
})

interface Served {
  readonly app: App
  post<T>(path: string, json: unknown): Promise<T>
  get<T>(path: string): Promise<T>
}

function serve(agent: Agent = talkingAgent): Served {
  const app = sandbox.app({ agents: [agent] })
  const guarded = guardApp(app, { roots: [repo], surface: 'http', onRefusal: () => undefined, now: Date.now, home: sandbox.home })
  const server: Server = createServer(guarded, {
    token,
    version: '1',
    log: { file: '', write: () => undefined },
    now: Date.now,
  })
  ends.push(
    () => server.close(),
    () => app.shutDown(),
  )
  const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1:4777', 'content-type': 'application/json' }
  const ask = async <T>(path: string, init: RequestInit): Promise<T> =>
    (await (await server.fetch(new Request(`http://127.0.0.1:4777${path}`, { headers, ...init }))).json()) as T
  return {
    app,
    post: (path, json) => ask(path, { method: 'POST', body: JSON.stringify(json) }),
    get: (path) => ask(path, {}),
  }
}

const resume = (app: App, id: string, name: string) =>
  app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: repo, resume: `claude:${id}`, name })

test('a plan of forking a worker is not executed as a fork of its session, nor the other way round', async () => {
  const { id } = sandbox.session({ cwd: repo, turns: 2 })
  const { app, post } = serve()
  await resume(app, id, 'owl')
  const ofWorker = await post<{ plan: { id: string; confirm: string[] } }>('/workers/owl/fork', { code: 'head', dry_run: true })
  const ofSession = await post<{ plan: { id: string; confirm: string[] } }>(`/session/${id}/fork`, {
    code: 'head',
    dry_run: true,
  })
  const execute = ({ plan }: typeof ofWorker) => ({ plan_id: plan.id, accept: plan.confirm })
  const before = (await app.listForks()).length
  const asSession = await post<Problem>(`/session/${id}/fork`, execute(ofWorker))
  expect(asSession).toMatchObject({
    status: 400,
    code: 'usage',
    detail: expect.stringContaining(`The plan ${ofWorker.plan.id} opens`),
  })
  expect(asSession.hint).toContain('POST /workers/{id}/fork')
  const asWorker = await post<Problem>('/workers/owl/fork', execute(ofSession))
  expect(asWorker).toMatchObject({
    status: 400,
    code: 'usage',
    detail: expect.stringContaining('forks a session, not this worker'),
  })
  expect(await app.listForks()).toHaveLength(before)
  expect(await post('/workers/owl/fork', execute(ofWorker))).toMatchObject({ forked_from: (await app.findWorker('owl')).id })
  expect(await post(`/session/${id}/fork`, execute(ofSession))).toMatchObject({ fork: { id: ofSession.plan.id } })
})

test('a plan of forking one worker is not executed for another one of the same session', async () => {
  const { id } = sandbox.session({ cwd: repo, turns: 1 })
  const { app } = serve()
  const first = await resume(app, id, 'owl')
  const { id: planId, confirm } = await app.planForkWorker('owl', { code: 'head' })
  await app.stopWorker('owl')
  await resume(app, id, 'heron')
  await expect(app.forkWorker('heron', { planId, accept: confirm })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(first.id),
  })
})

test('a worker whose question was answered does not say that it waits', async () => {
  let takeUp: (() => void) | undefined
  const takenUp = new Promise<void>((resolve) => {
    takeUp = resolve
  })
  const runs = await talkingAgent.runs()
  /** Reports that it has taken an answer only when the test lets it. */
  const slow: Agent = {
    ...talkingAgent,
    runs: async () => ({
      ...runs,
      async converse(env, request) {
        const talk = await runs.converse(env, request)
        return {
          ...talk,
          async *send(prompt) {
            for await (const event of talk.send(prompt)) {
              if (event.kind === 'permission_resolved') await takenUp
              yield event
            }
          },
        }
      },
    }),
  }
  const { app, post } = serve(slow)
  const { id } = sandbox.session({ cwd: repo, turns: 1 })
  await resume(app, id, 'owl')
  await post('/workers/owl/send', { prompt: 'ask' })
  await expect.poll(async () => (await app.findWorker('owl')).state).toBe('waiting')
  expect(await post<Problem>('/workers/owl/send', { prompt: 'more' })).toMatchObject({
    code: 'worker_waiting',
    hint: 'Answer it first: `POST /workers/owl/permission`.',
  })
  const answered = await post<object>('/workers/owl/permission', { request_id: 'q-1', decision: 'deny', reason: 'not now' })
  expect(answered).toMatchObject({ worker: { name: 'owl', state: 'running', permission: null } })
  expect(await app.findWorker('owl')).toMatchObject({ state: 'running', permission: null })
  const again = await post<Problem>('/workers/owl/permission', { request_id: 'q-1', decision: 'allow' })
  expect(again).toMatchObject({ status: 404, code: 'permission_not_found' })
  takeUp?.()
  await expect.poll(async () => (await app.findWorker('owl')).state).toBe('idle')
})

test('names and ids of what is outside the projects are answered like free ones', async () => {
  const other = sandbox.repository('other')
  const [own, hidden] = [sandbox.session({ cwd: repo, turns: 1 }), sandbox.session({ cwd: other, turns: 1 })]
  const { app, post, get } = serve()
  const { id: hiddenWorker } = await app.spawnWorker({
    agent: 'claude',
    kind: 'headless',
    projectPath: other,
    resume: `claude:${hidden.id}`,
    name: 'heron-of-others',
  })
  await resume(app, own.id, 'owl')
  const neutral = (answer: unknown) => JSON.stringify(answer).replaceAll(/heron-of-others|wren-of-nobody|[0-9a-f-]{36}/g, 'NAME')
  for (const more of [{ dry_run: true }, { dry_run: true, code: 'head' }]) {
    const plans = ['heron-of-others', 'wren-of-nobody'].map((new_id) => post<Problem>('/workers/owl/fork', { new_id, ...more }))
    expect((await Promise.all(plans)).map((plan) => Object.keys(plan))).toEqual([['plan'], ['plan']])
  }
  const ids = [hidden.id, 'ffffffff-0000-4000-8000-000000000001'].map((session_id) =>
    post<Problem>('/workers/owl/fork', { session_id, dry_run: true }),
  )
  const [taken, free] = (await Promise.all(ids)).map(neutral)
  expect(taken).toBe(free)
  // A worker of one's own keeps its name for oneself, whatever others have.
  const made = await post<{ worker: { id: string; name: string } }>('/workers/owl/fork', { new_id: 'heron-of-others' })
  expect(made.worker.name).toBe('heron-of-others')
  expect(await get('/workers/heron-of-others')).toMatchObject({ worker: { id: made.worker.id } })
  expect(await get('/workers/worker:heron-of')).toMatchObject({ worker: { id: made.worker.id } })
  expect(await post('/workers/owl/fork', { new_id: 'heron-of-others' })).toMatchObject({ status: 409, code: 'name_taken' })
  const started = { agent: 'claude', project_path: repo, kind: 'headless', workspace: false }
  expect(await post('/workers', { ...started, name: 'heron-of-others' })).toMatchObject({ status: 409, code: 'name_taken' })
  expect(await post('/workers', { ...started, name: hiddenWorker })).toMatchObject({ worker: { name: hiddenWorker } })
  expect(await get(`/workers/${hiddenWorker}`)).toMatchObject({ worker: { name: hiddenWorker, cwd: repo } })
  // The user sees both, and is told how to name each.
  await expect(app.findWorker('heron-of-others')).rejects.toMatchObject({
    code: 'ambiguous',
    message: expect.stringContaining(made.worker.id),
  })
  expect((await app.findWorker(hiddenWorker)).cwd).toBe(other)
  await expect(app.spawnWorker({ agent: 'claude', projectPath: other, name: 'heron-of-others' })).rejects.toMatchObject({
    code: 'name_taken',
  })
})

test('a name is completed from the workers that may be seen', async () => {
  const other = sandbox.repository('other')
  const { app, get } = serve()
  const start = (projectPath: string, name: string) =>
    app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath, name, workspace: false })
  await start(repo, 'heron-mine')
  expect(await get('/workers/heron')).toMatchObject({ worker: { name: 'heron-mine' } })
  await start(other, 'heron-of-others')
  expect(await get('/workers/heron')).toMatchObject({ worker: { name: 'heron-mine' } })
})

test('a worker is refused in a project that names another folder as its work tree', async () => {
  const victim = sandbox.repository('victim')
  sandbox.git(repo, 'config', 'core.worktree', victim)
  const { post } = serve()
  const started = { agent: 'claude', project_path: repo, kind: 'headless', workspace: true, code: 'now' }
  const answer = await post<Problem>('/workers', started)
  expect(answer).toMatchObject({ status: 403, code: 'refused', detail: expect.stringContaining(`names ${victim}`) })
  expect(sandbox.git(victim, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
})
