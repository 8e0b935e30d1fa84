// What becomes of turns and starts of headless workers that go wrong, and in whose words it is told; secrets in them are not.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { Conversation } from '../../src/agents/runs.ts'
import type { App } from '../../src/app.ts'
import { AppError } from '../../src/model/error.ts'
import type { AppEvent } from '../../src/model/event.ts'
import type { RunEvent } from '../../src/model/run.ts'
import type { WorkerSettings } from '../../src/model/worker.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { talkingAgent } from '../server/talking-agent.ts'

const secret = `ghp_${'a1B2'.repeat(9)}`

let sandbox: Sandbox
let repo: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('project')
})
afterEach(() => sandbox.close())

/** The talking agent, but for what a test makes of its conversation. */
async function agentThat(change: (talk: Conversation) => Partial<Conversation> | Promise<never>): Promise<Agent> {
  const runs = await talkingAgent.runs()
  const converse: typeof runs.converse = async (env, request) => {
    const talk = await runs.converse(env, request)
    return { ...talk, ...(await change(talk)) }
  }
  return { ...talkingAgent, runs: async () => ({ ...runs, converse }) }
}

const start = (app: App, name: string, more: { prompt?: string; settings?: Partial<WorkerSettings> } = {}) =>
  app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: repo, name, ...more })

const worktrees = () => {
  const folder = join(sandbox.offshootHome, 'worktrees', 'project')
  return existsSync(folder) ? readdirSync(folder) : []
}
const branches = () => execFileSync('git', ['branch', '--format=%(refname:short)'], { cwd: repo, encoding: 'utf8' }).trim()

test('a failed turn is told with its reason and without secrets: in the answer, the events and the list', async () => {
  const failing = await agentThat(() => ({
    async *send(): AsyncGenerator<RunEvent> {
      yield { kind: 'started', sessionId: 's', turnId: 't-1', model: null }
      yield { kind: 'end', outcome: 'failed', error: `API Error: 401 the key ${secret} is not valid` }
    },
  }))
  const app = sandbox.app({ agents: [failing] })
  const events: AppEvent[] = []
  app.onEvent((event) => void events.push(event))
  const { id } = await start(app, 'poor')
  const heard: RunEvent[] = []
  const sent = await app.sendToWorker(id, `Use ${secret} now`, { onEvent: (event) => heard.push(event) })
  const error = 'API Error: 401 the key [redacted:github-token] is not valid'
  expect(sent).toMatchObject({ outcome: 'failed', error, worker: { error, lastInput: 'Use [redacted:github-token] now' } })
  expect(heard.at(-1)).toEqual({ kind: 'end', outcome: 'failed', error })
  expect(events.findLast(({ type }) => type === 'turn.completed')?.data).toMatchObject({
    turnId: 't-1',
    outcome: 'failed',
    error,
  })
  expect((await app.listWorkers())[0]).toMatchObject({ error })
  expect(readFileSync(join(sandbox.offshootHome, 'workers', id, 'last.json'), 'utf8')).not.toContain(secret)
  await app.shutDown()
})

test('an agent that cannot be opened is a failed start: no workspace, no branch, no worker, no file of its environment', async () => {
  const broken = await agentThat(() => Promise.reject(new AppError('failed', `Claude Code ended with status 1: bad ${secret}`)))
  const app = sandbox.app({ agents: [broken] })
  const before = branches()
  const failed = start(app, 'never', { settings: { env: { TOKEN: 'hush' } } })
  await expect(failed).rejects.toMatchObject({ code: 'failed' })
  const { message } = (await failed.catch((error: unknown) => error)) as AppError
  expect(message).toBe(
    'Claude Code ended with status 1: bad [redacted:github-token]\nNothing was left behind: its workspace was removed.',
  )
  expect([worktrees(), branches(), await app.listWorkers({ ended: true })]).toEqual([[], before, []])
  expect(readdirSync(join(sandbox.offshootHome, 'workers'))).toEqual([])
})

test('a failed start whose workspace cannot be removed names what was kept', async () => {
  const kept = () => join(sandbox.offshootHome, 'worktrees', 'project', worktrees()[0] ?? '')
  const broken = await agentThat(() => {
    writeFileSync(join(kept(), '.git'), 'gitdir: /nowhere/.git\n')
    return Promise.reject(new AppError('failed', 'It fell over.'))
  })
  const failed = start(sandbox.app({ agents: [broken] }), 'never')
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('Not all of it could be removed. Kept: ') })
  const { message } = (await failed.catch((error: unknown) => error)) as AppError
  expect(message).toContain(kept())
  expect(message).not.toContain('Nothing was left behind')
})

test('so is one whose agent ends before it takes the first prompt', async () => {
  const dying = await agentThat(() => ({
    async *send(): AsyncGenerator<RunEvent> {
      yield { kind: 'end', outcome: 'failed', error: 'It fell over.' }
    },
  }))
  const app = sandbox.app({ agents: [dying] })
  const events: string[] = []
  app.onEvent(({ type, data }) => {
    if (type.startsWith('worker.')) events.push('error' in data ? `${type} ${data.error}` : type)
  })
  await expect(start(app, 'weak', { prompt: 'Hello' })).rejects.toThrow('"weak" did not take its first prompt: It fell over.')
  expect([worktrees(), await app.listWorkers({ ended: true })]).toEqual([[], []])
  expect(events).toEqual(['worker.created', 'worker.ready', 'worker.exited It fell over.'])
})

test('what was worked in is kept, and that is said', async () => {
  const worked = await agentThat(() => ({
    async *send(): AsyncGenerator<RunEvent> {
      const [name = ''] = worktrees()
      execFileSync('touch', [join(sandbox.offshootHome, 'worktrees', 'project', name, 'precious')])
      yield { kind: 'end', outcome: 'failed', error: 'It fell over.' }
    },
  }))
  const app = sandbox.app({ agents: [worked] })
  await expect(start(app, 'weak', { prompt: 'Hello' })).rejects.toThrow(/Its workspace .* was kept: /)
  expect(worktrees()).toHaveLength(1)
})

test('who gives up waiting leaves the turn to go on, unless it is to end with them', async () => {
  const app = sandbox.app({ agents: [talkingAgent] })
  const { id } = await start(app, 'slow')
  await expect(app.sendToWorker(id, 'hang', { timeoutMs: 30 })).rejects.toMatchObject({
    code: 'timed_out',
    message: '"slow" has not answered within 0.03 s: it goes on.',
  })
  expect(await app.findWorker(id)).toMatchObject({ state: 'running' })
  await app.interruptWorker(id)
  await expect.poll(async () => (await app.findWorker(id)).state).toBe('idle')
  await expect(app.sendToWorker(id, 'hang', { timeoutMs: 30, atTimeout: 'interrupt' })).rejects.toMatchObject({
    code: 'timed_out',
    message: '"slow" has not answered within 0.03 s: its turn was interrupted.',
  })
  expect(await app.findWorker(id)).toMatchObject({ state: 'idle' })
  await app.shutDown()
})

test('nobody is asked, or told that they were, what the policy answers', async () => {
  const app = sandbox.app({ agents: [talkingAgent] })
  const events: string[] = []
  app.onEvent(({ type }) => void events.push(type))
  const listen = async (name: string, settings: Partial<WorkerSettings>) => {
    const { id } = await start(app, name, { settings })
    const heard: RunEvent[] = []
    const { answer } = await app.sendToWorker(id, 'ask', { onEvent: (event) => heard.push(event) })
    const notices = heard.flatMap((event) => (event.kind === 'notice' ? [event.text] : []))
    return { answer, notices, asked: heard.some(({ kind }) => kind.startsWith('permission')) }
  }
  expect(await listen('may', { policy: 'allow_list', allow: ['Bash(touch x)'] })).toEqual({
    answer: 'allow',
    notices: [],
    asked: false,
  })
  const denied = await listen('may-not', { policy: 'deny' })
  expect(denied).toMatchObject({ notices: ['Refused by its policy deny: touch x'], asked: false })
  expect(denied.answer).toMatch(/^deny/)
  expect(events.filter((type) => type.startsWith('permission'))).toEqual([])
  await app.shutDown()
})
