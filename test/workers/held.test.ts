// Who holds a headless worker: one that lives is named, one that is gone is never in the way.
import { spawn } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { Conversation } from '../../src/agents/runs.ts'
import type { App } from '../../src/app.ts'
import { describeProcess } from '../../src/lib/process-owner.ts'
import { openStore } from '../../src/store/store.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { talkingAgent } from '../server/talking-agent.ts'

let sandbox: Sandbox
let repo: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('project')
})
afterEach(() => sandbox.close())

const start = (app: App, name: string) =>
  app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: repo, workspace: false, name })

/** As if that process held the worker. */
function giveTo(id: string, owner: ReturnType<typeof describeProcess>): void {
  const store = openStore({ folder: sandbox.offshootHome, now: Date.now })
  const record = store.workers.get(id)
  if (record === null) throw new Error('no such worker')
  store.workers.put({ ...record, state: 'running', owner: { ...owner, instance: 'another' } })
  store.close()
}

test('an agent that ends as soon as it was opened is opened anew with the next prompt', async () => {
  let opened = 0
  const runs = await talkingAgent.runs()
  const dying: Agent = {
    ...talkingAgent,
    runs: async () => ({
      ...runs,
      async converse(env, options): Promise<Conversation> {
        opened += 1
        const talk = await runs.converse(env, options)
        if (opened > 1) return talk
        return {
          ...talk,
          ended: Promise.resolve({ status: 1, signal: null, error: 'It fell over.' }),
          async *send() {
            yield { kind: 'end', outcome: 'failed', error: 'It fell over.' }
          },
        }
      },
    }),
  }
  const app = sandbox.app({ agents: [dying] })
  const { id } = await start(app, 'weak')
  expect(await app.findWorker(id)).toMatchObject({ state: 'resumable', pid: null })
  expect(await app.sendToWorker(id, 'hello')).toMatchObject({ outcome: 'complete', answer: 'Answer to: hello' })
  expect(opened).toBe(2)
  await app.shutDown()
})

test('a holder that lives is named with its command and what to do; once it is dead the worker is free', async () => {
  const first = sandbox.app({ agents: [talkingAgent] })
  const { id } = await start(first, 'quiet')
  await first.shutDown()
  const app = sandbox.app({ agents: [talkingAgent] })
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const pid = child.pid ?? 0
  giveTo(id, describeProcess(pid))
  await expect(app.sendToWorker(id, 'x')).rejects.toMatchObject({
    code: 'worker_busy',
    message: `"quiet" is held by another offshoot: process ${pid} (sleep), which is at a turn of it.`,
    hint: expect.stringContaining(`kill ${pid}`),
    details: { pid, command: 'sleep', state: 'running' },
  })
  child.kill('SIGKILL')
  await ended
  expect(await app.findWorker(id)).toMatchObject({ state: 'resumable', turnCutOff: true })
  expect(await app.sendToWorker(id, 'x')).toMatchObject({ outcome: 'complete' })
  await app.shutDown()
  giveTo(id, { ...describeProcess(process.pid), startedAt: '1' }) // its number is another's now
  const other = sandbox.app({ agents: [talkingAgent] })
  expect(await other.stopWorker(id)).toMatchObject({ state: 'stopped' })
})

test('of a holder on another machine it is said that nothing can be told, and how to go on', async () => {
  const app = sandbox.app({ agents: [talkingAgent] })
  const { id } = await start(app, 'far')
  giveTo(id, { pid: 5, startedAt: '1', host: 'elsewhere' })
  await expect(app.sendToWorker(id, 'x')).rejects.toMatchObject({
    message: expect.stringContaining('process 5 on elsewhere'),
    hint: expect.stringContaining('offshoot fork worker:far'),
  })
})
