// How a worker's session begins (SF8): new, resumed, continued, forked at a turn, taken to another agent only when asked; by the
// agent's own command or one of the person's. And what the events tell of it all.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AppEvent } from '../../../src/model/event.ts'
import { agentsToTry } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, historyAt, waitForState } from './worker-bench.ts'

const agents = [{ agent: 'claude' }, { agent: 'codex' }] as const

test.each([true, false])(
  'a Codex worker is titled by its first prompt (workspace: %s)',
  { timeout: 120_000 },
  async (workspace) => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const common = { agent: 'codex', kind: 'headless', projectPath: bench.claude.sandbox.work, workspace } as const
      const prompted = await app.spawnWorker({ ...common, name: 'prompted', prompt: 'Rename the flag' })
      await waitForState(app, 'prompted', 'idle')
      const later = await app.spawnWorker({ ...common, name: 'later' })
      await app.sendToWorker('later', 'Sort the imports')
      const titleOf = async (id: string | null) => (await app.resolve(`codex:${id}`)).session.title
      expect([await titleOf(prompted.sessionId), await titleOf(later.sessionId)]).toEqual(['Rename the flag', 'Sort the imports'])
    } finally {
      await bench.dispose()
    }
  },
)

describe.each(agentsToTry('how a session of a worker begins', agents, 'codex'))('$agent', ({ agent }) => {
  test('resumes, continues and forks as it is told, and nothing else', { timeout: 240_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const { work } = bench.claude.sandbox
      const other = agent === 'claude' ? 'codex' : 'claude'
      const kind = 'headless' as const
      const first = await app.spawnWorker({ agent, kind, projectPath: work, workspace: false, name: 'first' })
      expect(first).toMatchObject({ cwd: work, workspace: null })
      for (const prompt of ['One', 'Two', 'Three'])
        expect(await app.sendToWorker('first', prompt)).toMatchObject({ outcome: 'complete' })
      const address = `${agent}:${first.sessionId}`

      // The same session twice at once would be two writers of one file.
      await expect(app.spawnWorker({ agent, kind, projectPath: work, resume: address })).rejects.toMatchObject({
        code: expect.stringMatching(/busy/),
      })
      const forked = await app.spawnWorker({
        agent,
        kind,
        projectPath: work,
        resume: address,
        fork: true,
        atTurn: '2',
        workspace: false,
      })
      expect(forked).toMatchObject({
        workspace: null,
        fork: { plan: { keptTurns: 2 }, proof: { sourceUnchanged: true, prefixVerified: true } },
      })
      await app.sendToWorker(forked.id, 'Instead of three')
      const users = (id: string | null, text: string) =>
        historyAt(bench, agent, id ?? '', text).filter((line) => line.startsWith('user: '))
      expect(users(forked.sessionId, 'Instead of three')).toEqual(['user: One', 'user: Two', 'user: Instead of three'])
      await app.stopWorker(forked.id)
      await app.stopWorker('first')

      const resumed = await app.spawnWorker({ agent, kind, projectPath: work, resume: `${address}` })
      expect(resumed.sessionId).toBe(first.sessionId)
      await app.sendToWorker(resumed.id, 'Four')
      expect(users(first.sessionId, 'Four')).toEqual(['user: One', 'user: Two', 'user: Three', 'user: Four'])
      await app.stopWorker(resumed.id)

      const continued = await app.spawnWorker({ agent, kind, projectPath: work, continue: true })
      expect(continued.sessionId).toBe(first.sessionId)
      await app.stopWorker(continued.id)
      const { session } = await app.resolve(address)
      expect(await app.sendToSession(session, 'Five')).toMatchObject({ outcome: 'complete', worker: { kind: 'headless' } })

      const refused = [
        [{ resume: address, continue: true }, 'usage'],
        [{ fork: true }, 'usage'],
        [{ resume: address, atTurn: '1' }, 'usage'],
        [{ resume: `${address}@1` }, 'usage'],
        [{ resume: 'nothing-here' }, 'session_not_found'],
        [{ sessionId: 'no uuid' }, 'usage'],
        [{ settings: { command: 'claude' } }, 'usage'],
        [{ settings: { env: { 'A=B': 'x' } } }, 'usage'],
        [{ name: '-x' }, 'usage'],
        [{ projectPath: join(work, 'nowhere') }, 'usage'],
      ] as const
      for (const [request, code] of refused) {
        await expect(
          app.spawnWorker({ agent, kind, projectPath: work, ...request }),
          JSON.stringify(request),
        ).rejects.toMatchObject({ code })
      }
      await expect(app.spawnWorker({ agent: other, kind, projectPath: work, resume: address })).rejects.toThrow(/not of/)
      const across = await app.spawnWorker({
        agent: other,
        kind,
        projectPath: work,
        resume: address,
        fork: true,
        workspace: false,
      })
      expect(across).toMatchObject({ agent: other, fork: { fork: { strategy: 'seed' } } })
    } finally {
      await bench.dispose()
    }
  })
})

test('a command of the person is run by their shell, with the session put in, and carried into forks', {
  timeout: 120_000,
}, async () => {
  const bench = await createWorkerBench()
  try {
    const { app } = bench
    const { sandbox } = bench.claude
    const told = join(sandbox.root, 'told')
    const command = `echo begun >> '${told}' && claude --append-system-prompt "be brief; really" --continue`
    const worker = await app.spawnWorker({
      agent: 'claude',
      terminal: 'tmux',
      projectPath: sandbox.work,
      name: 'own',
      prompt: 'Hello',
      settings: { command },
    })
    expect(worker.command.argv.slice(0, 2)).toEqual(['/bin/bash', '-c'])
    expect(worker.command.argv[2]).toContain(worker.sessionId)
    expect(worker.command.argv[2]).not.toContain('--continue')
    await waitForState(app, 'own', 'idle')
    await waitUntil(
      'the answer',
      async () => (await app.listTurns((await app.resolve('worker:own')).session)).at(-1)?.state === 'complete',
    )
    const fork = await app.forkWorker('own', { name: 'fork' })
    expect(fork.command.argv[2]).toContain('--append-system-prompt "be brief; really"')
    expect(fork.command.argv[2]).toContain('--fork-session')
    expect(await app.sendToWorker('fork', 'And you?')).toMatchObject({ outcome: 'complete', delivery: 'confirmed' })
    expect(historyAt(bench, 'claude', fork.sessionId ?? '', 'And you?').filter((line) => line.startsWith('user: '))).toEqual([
      'user: Hello',
      'user: And you?',
    ])
    const named = '7f2d1c1e-0b1f-4c55-9d39-1f1f5c0f7a11'
    const kept = await app.spawnWorker({
      agent: 'claude',
      terminal: 'tmux',
      projectPath: sandbox.work,
      settings: { command: `claude --session-id ${named}` },
    })
    expect(kept.sessionId).toBe(named)
  } finally {
    await bench.dispose()
  }
})

test('who keeps watch hears of sessions, turns and captures, in order and without a gap', { timeout: 120_000 }, async () => {
  const bench = await createWorkerBench()
  try {
    const { app } = bench
    const { work } = bench.claude.sandbox
    const events: AppEvent[] = []
    app.onEvent((event) => void events.push(event))
    const watching = await app.keepWatch()
    const worker = await app.spawnWorker({
      agent: 'claude',
      kind: 'headless',
      projectPath: work,
      name: 'seen',
      settings: { policy: 'accept_edits' },
    })
    await app.sendToWorker('seen', `Write it [[write:${join(worker.cwd, 'made.txt')}:hello]]`)
    const has = (type: string) =>
      events.some((event) => event.type === type && JSON.stringify(event.data).includes(worker.sessionId ?? ''))
    await waitUntil('the capture to be told', () => has('capture.done'), {
      describe: () => events.map(({ type }) => type).join(' '),
    })
    for (const type of ['worker.created', 'worker.ready', 'turn.started', 'message.delta', 'turn.completed', 'session.updated']) {
      expect(has(type), type).toBe(true)
    }
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
    expect(app.eventsSince(2)).toEqual(events.slice(2))
    // A person types in a pane by themselves: that is seen too.
    const pane = await app.spawnWorker({ agent: 'claude', terminal: 'tmux', projectPath: work, name: 'typed' })
    events.length = 0
    bench.tmux('send-keys', '-t', pane.terminalId ?? '', '-l', '--', 'By hand [[slow:2500]]')
    await waitUntil('the text', () => bench.screen(pane.terminalId ?? '').includes('By hand'))
    bench.tmux('send-keys', '-t', pane.terminalId ?? '', 'Enter')
    const ofPane = () => events.filter(({ data }) => JSON.stringify(data).includes(pane.id)).map(({ type }) => type)
    await waitUntil('the turn to be told', () => ofPane().includes('turn.completed'), { describe: () => ofPane().join(' ') })
    expect(ofPane()).toEqual(expect.arrayContaining(['turn.started', 'turn.completed']))
    await watching.close()
  } finally {
    await bench.dispose()
  }
})
