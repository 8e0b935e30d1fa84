// How the last turn of a worker in a pane ended, as somebody sees who looks at it later: nobody follows these turns to their end.
import { describe, expect, test } from 'vitest'
import type { App } from '../../../src/app.ts'
import type { AppEvent } from '../../../src/model/event.ts'
import type { Worker } from '../../../src/model/worker.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, letClaudeAsk, type WorkerBench, waitForState } from './worker-bench.ts'

const agents = [
  { agent: 'claude', fail: '[[error:400]]', says: 'asked to fail' },
  { agent: 'codex', fail: '[[fail: 400]]', says: 'refused by the stand-in' },
] as const

describe.each(agents)('$agent', ({ agent, fail, says }) => {
  test('whoever looks at a worker in a pane sees why its last turn failed, however the turn began', {
    timeout: 240_000,
  }, async () => {
    const bench = await createWorkerBench()
    try {
      if (agent === 'claude') letClaudeAsk(bench)
      const { app } = bench
      const projectPath = bench.claude.sandbox.work
      const failed = { error: expect.stringContaining(says) as unknown }

      // The prompt of `start`.
      const { terminalId } = await byOther(bench, (other) =>
        other.spawnWorker({ agent, terminal: 'tmux', projectPath, name: 'bad', prompt: `First ${fail}` }),
      )
      expect(await afterTurn(bench, 'bad', `First ${fail}`, 'failed')).toMatchObject(failed)
      expect((await app.listWorkers()).find(({ name }) => name === 'bad')).toMatchObject(failed)

      // Typed in the pane by hand.
      await typeIn(bench, terminalId ?? '', 'By hand')
      expect(await afterTurn(bench, 'bad', 'By hand', 'complete')).toMatchObject({ error: null })
      await typeIn(bench, terminalId ?? '', `Again ${fail}`)
      expect(await afterTurn(bench, 'bad', `Again ${fail}`, 'failed')).toMatchObject(failed)

      // The prompt of `fork --send`. What the fork inherits is not its own.
      const waitingFork = { name: 'quiet', terminal: 'tmux', workspace: false } as const
      await byOther(bench, (other) => other.forkWorker('bad', waitingFork))
      expect(await waitForState(app, 'quiet', 'idle')).toMatchObject({ error: null })
      const fork = { ...waitingFork, name: 'bad2', atTurn: '2', prompt: `Forked ${fail}`, send: true }
      await byOther(bench, (other) => other.forkWorker('bad', fork))
      expect(await afterTurn(bench, 'bad2', `Forked ${fail}`, 'failed')).toMatchObject(failed)

      // Sent and left alone; the first to look is who stops it.
      await byOther(bench, (other) => other.sendToWorker('bad', 'Goes well', { wait: false }))
      await turnOf(bench, 'bad', 'Goes well', 'complete')
      expect(await app.stopWorker('bad')).toMatchObject({ state: 'stopped', error: null })
      expect(await app.stopWorker('bad2')).toMatchObject({ state: 'stopped', ...failed })
    } finally {
      await bench.dispose()
    }
  })

  test('who watches panes hears that the first turn failed, and why', { timeout: 120_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      if (agent === 'claude') letClaudeAsk(bench)
      const { app } = bench
      const ends: AppEvent['data'][] = []
      app.onEvent(({ type, data }) => type === 'turn.completed' && ends.push(data))
      const watching = await app.keepWatch()
      const prompt = `First ${fail}`
      const projectPath = bench.claude.sandbox.work
      await byOther(bench, (other) => other.spawnWorker({ agent, terminal: 'tmux', projectPath, name: 'bad', prompt }))
      await waitUntil('the end of the turn to be told', () => ends.length > 0)
      expect(ends).toEqual([expect.objectContaining({ prompt, outcome: 'failed', error: expect.stringContaining(says) })])
      await watching.close()
    } finally {
      await bench.dispose()
    }
  })
})

/** As a command does: another process begins something and ends. */
async function byOther<T>({ openApp }: WorkerBench, work: (other: App) => Promise<T>): Promise<T> {
  const other = openApp()
  try {
    return await work(other)
  } finally {
    await other.shutDown()
  }
}

async function typeIn({ tmux, screen }: WorkerBench, pane: string, text: string): Promise<void> {
  tmux('send-keys', '-t', pane, '-l', '--', text)
  await waitUntil('the text', () => screen(pane).includes(text))
  tmux('send-keys', '-t', pane, 'Enter')
}

/** Waits without looking at the worker. */
async function turnOf({ app }: WorkerBench, name: string, prompt: string, state: string): Promise<void> {
  await waitUntil(`"${prompt}" to be ${state}`, async () => {
    const found = await app.resolve(`worker:${name}`).catch(() => null) // it is written with the first prompt
    const turn = found === null ? undefined : (await app.listTurns(found.session)).at(-1)
    return turn?.prompt === prompt && turn.state === state
  })
}

async function afterTurn(bench: WorkerBench, name: string, prompt: string, state: string): Promise<Worker> {
  await turnOf(bench, name, prompt, state)
  const worker = await waitForState(bench.app, name, 'idle', 'waiting')
  // Claude Code 2.1.325 asks once whether it should not decide by itself.
  if (worker.state === 'waiting') bench.tmux('send-keys', '-t', worker.terminalId ?? '', 'Escape')
  return waitForState(bench.app, name, 'idle')
}
