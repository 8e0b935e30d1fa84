// A prompt that is not to be sent yet: it waits in the composer of the real agent, and arrives as it is when a person presses Enter.
import { describe, expect, test } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, type WorkerBench, waitForState } from './worker-bench.ts'

const agents = [
  ['claude', '2.1.325'],
  ['codex', '0.166.0'],
  ['claude', '2.1.197'],
  ['codex', '0.142.0'],
] as const
const tried = wholeMatrix ? agents : agents.slice(0, 2)
if (!wholeMatrix)
  console.log('prompts that wait in panes: left out here, run by npm run test:matrix: claude 2.1.197, codex 0.142.0')

const odd = 'It says $(touch smuggled), `ticks` and #{pid};\nand a second line'

describe.each(tried)('%s %s in tmux', { timeout: 180_000 }, (agent, version) => {
  const withBench = async (work: (bench: WorkerBench) => Promise<void>) => {
    const bench = await (agent === 'claude'
      ? createWorkerBench(version as '2.1.325')
      : createWorkerBench('2.1.325', version as '0.166.0'))
    try {
      await work(bench)
    } finally {
      await bench.dispose()
    }
  }

  test('a fork at a prompt has it in its composer, and sends it when a person does', () =>
    withBench(async (bench) => {
      const source = await talk(bench, agent, ['The first', odd])
      const made = await bench.app.fork({ address: source, before: '2', code: 'none', terminal: 'tmux' })
      expect(made.fork.pendingPrompt).toBe(odd)
      const worker = await bench.app.workOn(made, { terminal: 'tmux', name: 'waits', prompt: odd, send: false })
      expect(worker).toMatchObject({ pendingPrompt: null, state: 'idle' })
      const pane = worker.terminalId ?? ''
      expect(bench.screen(pane)).toContain('and a second line')
      expect(asked(bench, agent, made.fork.sessionId)).toEqual([])
      // What waits there is the person's: nothing is sent along with it.
      await expect(bench.app.sendToWorker('waits', 'Something else')).rejects.toMatchObject({ code: 'worker_busy' })
      bench.tmux('send-keys', '-t', pane, 'Enter')
      await waitUntil('the prompt', () => asked(bench, agent, made.fork.sessionId).length > 0, {
        describe: () => bench.screen(pane),
      })
      expect(asked(bench, agent, made.fork.sessionId)).toEqual([odd])
      await waitForState(bench.app, 'waits', 'idle')
    }))

  test('a prompt for a fork of a worker waits too, unless it is to be sent', () =>
    withBench(async (bench) => {
      const { app } = bench
      const { work } = bench.claude.sandbox
      await app.spawnWorker({ agent, terminal: 'tmux', projectPath: work, workspace: false, name: 'source' })
      await app.sendToWorker('source', 'The first')
      const waits = await app.forkWorker('source', { name: 'waits', prompt: 'Not yet' })
      expect(waits.pendingPrompt).toBeNull()
      expect(bench.screen(waits.terminalId ?? '')).toContain('Not yet')
      expect(asked(bench, agent, waits.sessionId ?? '')).toEqual([])
      const sent = await app.forkWorker('source', { name: 'sent', prompt: 'At once', send: true })
      await waitUntil('the prompt', () => asked(bench, agent, sent.sessionId ?? '').at(-1) === 'At once')
    }))
})

test('a headless worker has no composer: the prompt comes back', { timeout: 120_000 }, async () => {
  const bench = await createWorkerBench()
  try {
    const source = await bench.claude.talk(['The first'])
    const { work } = bench.claude.sandbox
    const request = {
      agent: 'claude',
      kind: 'headless',
      projectPath: work,
      resume: source,
      fork: true,
      workspace: false,
    } as const
    const worker = await bench.app.spawnWorker({ ...request, prompt: 'Not yet', send: false })
    expect(worker.pendingPrompt).toBe('Not yet')
    expect(asked(bench, 'claude', worker.sessionId ?? '')).toEqual([])
  } finally {
    await bench.dispose()
  }
})

async function talk({ claude, codex }: WorkerBench, agent: AgentId, prompts: readonly string[]): Promise<string> {
  if (agent === 'claude') return claude.talk(prompts)
  const [first = '', ...rest] = prompts
  const id = await execNew(codex, first)
  for (const prompt of rest) await execResume(codex, id, prompt)
  return id
}

/** The last prompt of each request of this session. */
function asked({ claude, codex }: WorkerBench, agent: AgentId, sessionId: string): string[] {
  if (agent === 'claude')
    return claude.api.requests.filter((each) => each.sessionId === sessionId && each.kind === 'turn').map(({ prompt }) => prompt)
  return codex.api.requestsOf(sessionId).map(({ input }) => {
    const content = input.findLast(({ role }) => role === 'user')?.content as { text: string }[] | undefined
    return content?.[0]?.text ?? ''
  })
}
