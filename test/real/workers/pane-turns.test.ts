// Turns of workers in panes as those who watch hear of them, with the real agents: each with its id and its prompt, however short it
// was and whoever began it; what they answered is in the history, and what they ask for is named.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AppEvent } from '../../../src/model/event.ts'
import { agentsToTry } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, letClaudeAsk, waitForState } from './worker-bench.ts'

const agents = [
  {
    agent: 'claude',
    fail: '[[error:400]]',
    says: 'asked to fail',
    asks: (file: string) => `[[bash:touch ${file}]]`,
    tool: 'Bash',
  },
  {
    agent: 'codex',
    fail: '[[fail: 400]]',
    says: 'refused by the stand-in',
    asks: (file: string) => `[[ask: touch ${file}]]`,
    tool: 'exec_command',
  },
] as const

describe.each(agentsToTry('turns of workers in panes', agents, 'codex'))('$agent', ({ agent, fail, says, asks, tool }) => {
  test('every turn in a pane is told with its id and prompt, and its answer is in the history', {
    timeout: 240_000,
  }, async () => {
    const bench = await createWorkerBench()
    try {
      if (agent === 'claude') letClaudeAsk(bench)
      const { work, root } = bench.claude.sandbox
      // As `offshoot start` does: another process opens it and ends.
      const starter = bench.openApp()
      const watcher = bench.app
      const events: AppEvent[] = []
      watcher.onEvent((event) => void events.push(event))
      const watching = await watcher.keepWatch()
      const settings = { history: true }
      const { id, terminalId } = await starter.spawnWorker({
        agent,
        terminal: 'tmux',
        projectPath: work,
        name: 'pane',
        prompt: 'First',
        settings,
      })
      await starter.shutDown()
      const told = () =>
        events.flatMap(({ type, data }) => {
          if (type !== 'turn.started' && type !== 'turn.completed') return []
          return data.workerId === id ? [{ type, ...data }] : []
        })
      const ended = (prompt: string) =>
        waitUntil(
          `"${prompt}" to be told`,
          () => told().find((each) => each.type === 'turn.completed' && each.prompt === prompt),
          {
            describe: () => JSON.stringify(told()),
          },
        )
      await ended('First')
      const { state } = await waitForState(watcher, 'pane', 'idle', 'waiting')
      // 2.1.325 asks once whether it should not decide by itself.
      if (state === 'waiting') bench.tmux('send-keys', '-t', terminalId ?? '', 'Escape')
      await waitForState(watcher, 'pane', 'idle')
      // Somebody types in the pane.
      bench.tmux('send-keys', '-t', terminalId ?? '', '-l', '--', 'By hand')
      await waitUntil('the text', () => bench.screen(terminalId ?? '').includes('By hand'))
      bench.tmux('send-keys', '-t', terminalId ?? '', 'Enter')
      await ended('By hand')
      await waitForState(watcher, 'pane', 'idle')
      expect(await watcher.sendToWorker('pane', 'Sent')).toMatchObject({ outcome: 'complete', error: null })
      await ended('Sent')
      const failed = `Fails ${fail}`
      const sent = await watcher.sendToWorker('pane', failed)
      expect(sent).toMatchObject({ outcome: 'failed', error: expect.stringContaining(says), worker: { lastInput: failed } })
      expect(await ended(failed)).toMatchObject({ outcome: 'failed', error: expect.stringContaining(says) })
      expect((await watcher.findWorker('pane')).error).toContain(says)

      const { session } = await watcher.resolve('worker:pane')
      const turns = await watcher.listTurns(session)
      expect(turns.map(({ prompt }) => prompt)).toEqual(['First', 'By hand', 'Sent', failed])
      const each = (type: string) => told().flatMap((event) => (event.type === type ? [`${event.turnId} ${event.prompt}`] : []))
      const expected = turns.map((turn) => `${turn.id} ${turn.prompt}`)
      expect(each('turn.started')).toEqual(expected)
      expect(each('turn.completed')).toEqual(expected)

      const log = join(bench.vars.OFFSHOOT_HOME ?? '', 'workers', id, 'history.jsonl')
      const lines = readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(lines.map(({ type }) => type)).toEqual(turns.flatMap(() => ['sent', 'answered']))
      const texts = lines.map(({ text }) => text)
      expect(texts.filter((_, at) => at % 2 === 0)).toEqual(turns.map(({ prompt }) => prompt))
      expect(texts[1]).toContain('to: First')
      expect(texts[3]).toContain('to: By hand')
      expect(lines.filter(({ type }) => type === 'answered').map(({ turn_id }) => turn_id)).toEqual(turns.map((turn) => turn.id))

      const file = join(root, 'asked-for')
      await watcher.sendToWorker('pane', `Do it ${asks(file)}`, { wait: false })
      const { permission } = await waitForState(watcher, 'pane', 'waiting')
      expect(permission).toMatchObject({ tool, kind: 'command', summary: `touch ${file}` })
      const asked = () => events.flatMap(({ type, data }) => (type === 'permission.requested' ? [data] : []))
      await waitUntil('the question to be told', () => asked().some(({ request }) => request.tool === tool))
      expect(asked().at(-1)).toMatchObject({ workerId: id, request: { tool, summary: `touch ${file}` } })
      expect(existsSync(file)).toBe(false)

      // Another process stops it: whoever watches hears of that, once.
      expect(await starter.stopWorker('pane')).toMatchObject({ state: 'stopped', turnCutOff: true })
      const exits = () => events.filter(({ type }) => type === 'worker.exited').map(({ data }) => data)
      await waitUntil('the end to be told', () => exits().length > 0)
      expect(exits()).toEqual([expect.objectContaining({ workerId: id, stopped: true })])
      expect(await watcher.findWorker('pane')).toMatchObject({ state: 'stopped' })
      await watching.close()
    } finally {
      await bench.dispose()
    }
  })

  test('a pane whose agent dies says so with its last words', { timeout: 120_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const { pid } = await app.spawnWorker({
        agent,
        terminal: 'tmux',
        projectPath: bench.claude.sandbox.work,
        name: 'doomed',
        prompt: 'First',
      })
      await waitForState(app, 'doomed', 'idle')
      const running = app.sendToWorker('doomed', 'It never ends [[hang]]')
      await waitForState(app, 'doomed', 'running')
      process.kill(pid ?? 0, 'SIGKILL')
      expect(await running).toMatchObject({ outcome: 'failed', error: expect.stringContaining('It ended by SIGKILL') })
    } finally {
      await bench.dispose()
    }
  })
})
