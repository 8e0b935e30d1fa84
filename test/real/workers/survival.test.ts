// What is left of workers in panes when something is killed: the agent, the tmux server, offshoot itself. And how much is carried
// into forks, many of them at once.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src/model/error.ts'
import { startApi } from '../claude/api.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { endTree } from '../lib/processes.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, historyAt, waitForState } from './worker-bench.ts'

const atOnce = wholeMatrix ? 10 : 5
if (!wholeMatrix) console.log('workers: left out here, run by npm run test:matrix: ten at once of claude and of codex')

describe('when something is killed', () => {
  test('offshoot: its panes are found again and go on', { timeout: 120_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { home, work } = bench.claude.sandbox
      const script = fileURLToPath(new URL('./open-pane.ts', import.meta.url))
      const root = fileURLToPath(new URL('../../..', import.meta.url))
      const argv = [process.execPath, '--import', 'tsx', script, home, work, bench.socket]
      const opener = bench.claude.sandbox.processes.start(argv, { cwd: root, env: bench.vars })
      await waitUntil('the pane to be ready', async () =>
        (await bench.app.listWorkers()).some(({ state }) => state === 'running'),
      )
      opener.child.kill('SIGKILL')
      await opener.ended
      const found = await bench.app.findWorker('kept')
      expect(found).toMatchObject({ state: 'running', kind: 'terminal', endedAt: null })
      await bench.app.interruptWorker('kept')
      await waitForState(bench.app, 'kept', 'idle')
      expect(await bench.app.sendToWorker('kept', 'Still there?')).toMatchObject({ outcome: 'complete', delivery: 'confirmed' })
      expect(await bench.app.attachWorker('kept')).toMatchObject({ command: expect.arrayContaining(['tmux']) })
    } finally {
      await bench.dispose()
    }
  })

  test('the agent, then the tmux server: each is told as it was, and nothing can be sent', { timeout: 120_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const { work } = bench.claude.sandbox
      const one = await app.spawnWorker({ agent: 'claude', terminal: 'tmux', projectPath: work, name: 'one' })
      const two = await app.spawnWorker({ agent: 'codex', terminal: 'tmux', projectPath: work, name: 'two' })
      await app.sendToWorker('one', 'It ends')
      await app.sendToWorker('one', 'It does not end [[hang]]', { wait: false })
      await waitForState(app, 'one', 'running')
      // The hook runs before the CLI writes the prompt.
      await waitUntil(
        'the prompt to be written',
        async () => (await app.resolve(`claude:${one.sessionId}@last`)).turn?.number === 2,
      )
      const watching = await app.keepWatch()
      const exits: unknown[] = []
      app.onEvent(({ type, data }) => type === 'worker.exited' && exits.push(data))
      process.kill((await app.findWorker('one')).pid ?? 0, 'SIGKILL')
      await waitUntil('the end to be told', () => exits.length > 0)
      expect(exits[0]).toMatchObject({ workerId: one.id, signal: 'SIGKILL' })
      expect(await app.findWorker('one')).toMatchObject({ state: 'exited', exitSignal: 'SIGKILL', turnCutOff: true, pid: null })
      const { session, turn } = await app.resolve(`claude:${one.sessionId}@last`)
      expect(turn).toMatchObject({ number: 2, state: 'interrupted' })
      expect((await app.planFork({ address: `claude:${session.id}`, code: 'none' })).blockers).toEqual([])
      await expect(app.sendToWorker('one', 'Hello?')).rejects.toMatchObject({ code: 'worker_ended' })
      await watching.close()

      endTree(bench.serverPid())
      const lost = await waitForState(app, 'two', 'exited', 'lost')
      expect(lost.endedAt).not.toBeNull()
      await expect(app.sendToWorker('two', 'Hello?')).rejects.toBeInstanceOf(AppError)
      expect(await app.listWorkers()).toEqual([])
      expect((await app.listWorkers({ ended: true })).map(({ name }) => name).sort()).toEqual(['one', 'two'])
      // Its session can be resumed in another pane, under the name that is free again.
      await app.refresh()
      const again = await app.spawnWorker({
        agent: 'claude',
        terminal: 'tmux',
        projectPath: work,
        name: 'one',
        resume: `claude:${one.sessionId}`,
      })
      expect(again.sessionId).toBe(one.sessionId)
      expect(again.id).not.toBe(one.id)
      expect(two.sessionId).not.toBe(one.sessionId)
    } finally {
      await bench.dispose()
    }
  })
})

describe('forks of a worker', () => {
  test('have its model, environment, proxy URL and MCP servers', { timeout: 180_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const { sandbox } = bench.claude
      const proxy = await startApi(sandbox)
      const told = join(sandbox.root, 'mcp-told')
      const server = join(sandbox.root, 'mcp-server.mjs')
      writeFileSync(server, mcpServer)
      const mcpConfig = join(sandbox.root, 'mcp.json')
      const probe = { command: process.execPath, args: [server, told] }
      writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { probe } }))
      const settings = {
        model: 'claude-haiku-4-5',
        env: { ANTHROPIC_BASE_URL: proxy.url, OWN_VARIABLE: 'carried' },
        mcpConfig,
        responseTimeoutMs: 77_000,
        history: true,
      }
      const source = await app.spawnWorker({
        agent: 'claude',
        terminal: 'tmux',
        projectPath: sandbox.work,
        name: 'source',
        settings,
        prompt: 'First',
      })
      await waitForState(app, 'source', 'idle')
      const fork = await app.forkWorker('source', { name: 'fork', prompt: 'Of the fork', send: true })
      await waitForState(app, 'fork', 'idle')
      expect(fork.settings).toEqual(source.settings)
      expect(JSON.stringify(fork)).not.toContain('carried')
      const request = await proxy.waitForPrompt('Of the fork')
      expect(request.sessionId).toBe(fork.sessionId)
      expect(bench.claude.api.requests).toEqual([])
      const environment = readFileSync(`/proc/${(await app.findWorker('fork')).pid}/environ`, 'utf8').split('\0')
      expect(environment).toEqual(expect.arrayContaining(['OWN_VARIABLE=carried', `OFFSHOOT_WORKER=${fork.id}`]))
      expect(fork.command.argv).toEqual(expect.arrayContaining(['--model=claude-haiku-4-5', `--mcp-config=${mcpConfig}`]))
      await waitUntil('both to start the MCP server', () => existsSync(told) && readFileSync(told, 'utf8').split('\n').length > 2)
    } finally {
      await bench.dispose()
    }
  })

  test.each(wholeMatrix ? (['claude', 'codex'] as const) : (['claude'] as const))(
    `${atOnce} at once of %s, each with a pane, a session and a name of its own`,
    { timeout: 300_000 },
    async (agent) => {
      const bench = await createWorkerBench()
      try {
        const { app } = bench
        const source = await app.spawnWorker({
          agent,
          terminal: 'tmux',
          projectPath: bench.claude.sandbox.work,
          name: 'source',
          prompt: 'The root',
        })
        await waitForState(app, 'source', 'idle')
        const forks = await Promise.all(
          Array.from({ length: atOnce }, (_, at) => app.forkWorker('source', { name: `fork-${at}` })),
        )
        for (const key of ['sessionId', 'terminalId', 'id', 'name', 'pid'] as const) {
          expect(new Set([...forks, source].map((each) => each[key])).size).toBe(atOnce + 1)
        }
        const answers = await Promise.all(forks.map(({ name }) => app.sendToWorker(name, `I am ${name}`)))
        expect(answers.map(({ outcome, delivery }) => `${outcome} ${delivery}`)).toEqual(forks.map(() => 'complete confirmed'))
        for (const { name, sessionId } of forks) {
          const users = historyAt(bench, agent, sessionId ?? '', `I am ${name}`).filter((line) => line.startsWith('user: '))
          expect(users).toEqual(['user: The root', `user: I am ${name}`])
        }
        expect(await app.sendToWorker('source', 'And I go on')).toMatchObject({ outcome: 'complete' })
      } finally {
        await bench.dispose()
      }
    },
  )
})

/** The smallest server: says that it was started, and answers what is asked with nothing. */
const mcpServer = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
appendFileSync(process.argv[2], process.pid + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'probe', version: '1' } }
    : { tools: [] }
  const known = method === 'initialize' || method === 'tools/list'
  const answer = known ? { result } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
