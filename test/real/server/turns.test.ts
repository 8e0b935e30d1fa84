// The HTTP API with the real agents behind it: a turn as a stream, a question answered over HTTP, a fork that goes on, and a stop of
// the server in the middle of a turn.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp } from '../../../src/app.ts'
import type { ProcessOwner } from '../../../src/lib/process-owner.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { reachHolder } from '../../../src/server/reach-holder.ts'
import { type FrameRead, framesOf, readFrames } from '../../server/sse.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, historyAt, letClaudeAsk, type WorkerBench, waitForState } from '../workers/worker-bench.ts'
import { serve } from './serving.ts'

interface WorkerJson {
  readonly id: string
  readonly name: string
  readonly session_id: string
  readonly cwd: string
}

interface EventJson {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const agents = [
  { agent: 'claude', asks: (file: string) => `[[bash:touch ${file}]]` },
  { agent: 'codex', asks: (file: string) => `[[ask: touch ${file}]]` },
] as const

function textOf(frames: readonly FrameRead[]): string {
  return frames.map(({ event, data }) => (event === 'text' ? (data as { delta: string }).delta : '')).join('')
}

test.each(agents)(
  '$agent: turns, questions and forks over HTTP; stopping ends what runs',
  { timeout: 240_000 },
  async ({ agent, asks }) => {
    const bench = await createWorkerBench()
    try {
      letClaudeAsk(bench)
      const { work, root } = bench.claude.sandbox
      const { serving, ask, json } = await serve(bench)
      const events = await ask('/events')
      if (events.body === null) throw new Error('no body')
      const heard: FrameRead[] = []
      const hearing = (async () => {
        for await (const frame of framesOf(events.body as ReadableStream<Uint8Array>))
          if (frame.event !== undefined) heard.push(frame)
      })()

      const made = await json<{ worker: WorkerJson }>('/workers', {
        agent,
        kind: 'headless',
        project_path: work,
        name: 'one',
        workspace: false,
      })
      const { session_id } = made.worker
      const first = await ask('/workers/one/send', { prompt: 'First' }, { accept: 'text/event-stream' })
      const frames = await readFrames(first)
      expect(frames.at(-1)).toMatchObject({
        event: 'result',
        data: { outcome: 'complete', answer: expect.stringContaining('First') },
      })
      expect(textOf(frames)).toContain('First')

      // A turn in the session itself goes to its worker; what it asks is answered over HTTP while the stream waits.
      const file = join(root, `${agent}-asked-for`)
      const second = readFrames(await ask(`/session/${agent}:${session_id}/message`, { prompt: `Do it ${asks(file)}` }))
      await expect.poll(() => heard.some(({ event }) => event === 'permission.requested'), { timeout: 60_000 }).toBe(true)
      expect(existsSync(file)).toBe(false)
      expect((await ask('/workers/one/send', { prompt: 'yes' })).status).toBe(409)
      const { worker } = await json<{ worker: { permission: { id: string } } }>('/workers/one')
      expect((await ask('/workers/one/permission', { request_id: worker.permission.id, decision: 'allow' })).status).toBe(200)
      expect((await second).at(-1)).toMatchObject({ event: 'result', data: { outcome: 'complete' } })
      expect(existsSync(file)).toBe(true)
      const ids = heard.map(({ id }) => Number(id))
      expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) + at))

      const forked = await json<{ worker_id: string; forked_from: string; worker: WorkerJson }>('/workers/one/fork', {
        new_id: 'two',
      })
      // One id everywhere: in the answer, of the worker, in events.
      expect(forked).toMatchObject({ worker_id: forked.worker.id, forked_from: made.worker.id })
      const created = () => heard.map(({ data }) => data as EventJson).filter(({ type }) => type === 'worker.created')
      await waitUntil('the fork to be told', () => created().some(({ data }) => data.worker_id === forked.worker_id))
      expect(created().at(-1)?.data).toMatchObject({ forked_from: made.worker.id, persistent: false })
      expect(forked.worker.cwd).not.toBe(made.worker.cwd)
      const early = { at_turn: '1', dry_run: true }
      const { plan } = await json<{ plan: object }>('/workers/one/fork', early)
      expect(plan).toMatchObject({ kept_turns: 1, workspace: { path: expect.any(String) } })
      const inPlace = await json<{ plan: object }>('/workers/one/fork', { ...early, workspace: false })
      expect(inPlace.plan).toMatchObject({ code: { mode: 'none' }, workspace: null, cwd: made.worker.cwd })
      const third = await json<{ outcome: string }>('/workers/two/send', { prompt: 'In the fork', wait: true })
      expect(third.outcome).toBe('complete')
      const users = historyAt(bench, agent, forked.worker.session_id, 'In the fork').filter((line) => line.startsWith('user: '))
      expect(users).toEqual(['user: First', expect.stringContaining('user: Do it'), 'user: In the fork'])

      await useFromBeside(bench, agent)

      const hanging = await ask(`/session/${agent}:${session_id}/message`, { prompt: 'This one hangs [[hang]]' })
      expect(hanging.status).toBe(200)
      await serving.stop()
      const last = await readFrames(hanging)
      expect(last.map(({ event }) => event)).toContain('end')
      expect(last.find(({ event }) => event === 'end')?.data).toMatchObject({ outcome: 'interrupted' })
      await hearing
      expect(existsSync(join(bench.vars.OFFSHOOT_HOME ?? '', 'server.json'))).toBe(false)
    } finally {
      await bench.dispose()
    }
  },
)

/** The command line on the same home: what the server holds is reached through it, and a fork of it runs here. */
async function useFromBeside(bench: WorkerBench, agent: AgentId): Promise<void> {
  const { home, work } = bench.claude.sandbox
  const folder = bench.vars.OFFSHOOT_HOME ?? ''
  const reach = (owner: ProcessOwner) => reachHolder(folder, owner)
  const app = createApp({ home, vars: bench.vars, cwd: work, now: Date.now, reachHolder: reach })
  try {
    const kinds: string[] = []
    const sent = await app.sendToWorker('one', 'From beside', { onEvent: ({ kind }) => kinds.push(kind) })
    expect(sent).toMatchObject({ outcome: 'complete', answer: expect.stringContaining('From beside') })
    expect([kinds[0], kinds.at(-1)]).toEqual(['started', 'end'])
    const hanging = app.sendToWorker('one', 'Beside it hangs [[hang]]')
    await waitForState(app, 'one', 'running')
    const fork = await app.forkWorker('one', { name: 'beside' })
    await app.interruptWorker('one')
    expect(await hanging).toMatchObject({ outcome: 'interrupted' })
    expect(await app.sendToWorker('beside', 'In a fork beside')).toMatchObject({ outcome: 'complete' })
    const users = historyAt(bench, agent, fork.sessionId ?? '', 'In a fork beside').filter((line) => line.startsWith('user: '))
    expect(users.slice(-2)).toEqual(['user: From beside', 'user: In a fork beside'])
    expect(await app.stopWorker('two')).toMatchObject({ state: 'stopped' })
  } finally {
    await app.shutDown()
    app.close()
  }
}
