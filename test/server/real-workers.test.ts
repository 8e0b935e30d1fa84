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

function serve(agent: Agent = talkingAgent): { app: App; post: <T>(path: string, json: unknown) => Promise<T> } {
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
  return {
    app,
    async post<T>(path: string, json: unknown): Promise<T> {
      const request = new Request(`http://127.0.0.1:4777${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
      return (await (await server.fetch(request)).json()) as T
    },
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
