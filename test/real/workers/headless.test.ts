// Headless workers with the real agents: one interface with those in panes, questions answered by a person or the policy, come back
// by resuming, held by one process at a time.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../../../src/lib/is-alive.ts'
import type { AppEvent } from '../../../src/model/event.ts'
import { agentsToTry } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { codeOf, createWorkerBench, historyAt, waitForState } from './worker-bench.ts'

const agents = [
  { agent: 'claude', asks: (file: string) => `[[bash:touch ${file}]]` },
  { agent: 'codex', asks: (file: string) => `[[ask: touch ${file}]]` },
] as const

describe.each(agentsToTry('headless workers', agents, 'claude'))('$agent', ({ agent, asks }) => {
  test('answers, asks, is interrupted, is forked, comes back', { timeout: 240_000 }, async () => {
    const bench = await createWorkerBench()
    try {
      const { app } = bench
      const { work, root } = bench.claude.sandbox
      const events: AppEvent[] = []
      app.onEvent((event) => void events.push(event))
      const settings = { history: true, env: { SECRET_OF_MINE: 'do-not-tell' } }
      const worker = await app.spawnWorker({ agent, kind: 'headless', projectPath: work, name: 'quiet', settings })
      expect(worker).toMatchObject({ kind: 'headless', terminal: null, state: 'idle' })
      expect(JSON.stringify(worker)).not.toContain('do-not-tell')
      const sessionId = worker.sessionId ?? ''
      const heard: string[] = []
      const first = await app.sendToWorker('quiet', 'First; /not a command', { onEvent: (event) => heard.push(event.kind) })
      expect(first).toMatchObject({
        delivery: 'confirmed',
        outcome: 'complete',
        answer: expect.stringContaining('First; /not a command'),
      })
      expect(heard[0]).toBe('started')
      expect(heard.at(-1)).toBe('end')

      const file = join(root, 'asked-for')
      const asked = app.sendToWorker('quiet', `Do it ${asks(file)}`)
      const waiting = await waitForState(app, 'quiet', 'waiting')
      expect(existsSync(file)).toBe(false)
      expect(await codeOf(app.sendToWorker('quiet', 'yes'))).toBe('worker_waiting')
      const requestId = waiting.permission?.id ?? ''
      expect(waiting.permission).toMatchObject({ kind: 'command', summary: expect.stringContaining('touch') })
      expect(await codeOf(app.answerPermission('quiet', 'no-such-id', { verdict: 'allow' }))).toBe('permission_not_found')
      await app.answerPermission('quiet', requestId, { verdict: 'allow' })
      expect(await asked).toMatchObject({ outcome: 'complete' })
      expect(existsSync(file)).toBe(true)
      expect(await codeOf(app.answerPermission('quiet', requestId, { verdict: 'allow' }))).toBe('permission_not_found')

      const hanging = app.sendToWorker('quiet', 'This one hangs [[hang]]')
      await waitForState(app, 'quiet', 'running')
      expect(await codeOf(app.sendToWorker('quiet', 'Into it'))).toBe('worker_busy')
      const fork = await app.forkWorker('quiet', { name: 'twin', workspace: false })
      expect(fork).toMatchObject({ kind: 'headless', forkedFrom: worker.id, cwd: worker.cwd })
      await waitUntil('the prompt to be there', () =>
        events.some(({ type, data }) => type === 'turn.started' && JSON.stringify(data).includes('hangs')),
      )
      await app.interruptWorker('quiet')
      expect(await hanging).toMatchObject({ outcome: 'interrupted' })
      expect(await app.sendToWorker('twin', 'Twin speaks')).toMatchObject({ outcome: 'complete' })
      const users = historyAt(bench, agent, fork.sessionId ?? '', 'Twin speaks').filter((line) => line.startsWith('user: '))
      expect(users).toEqual(['user: First; /not a command', expect.stringContaining('user: Do it'), 'user: Twin speaks'])

      // Another offshoot: who holds it is told, and after a shutdown it is taken over by resuming.
      const other = bench.openApp()
      expect(await other.findWorker('quiet')).toMatchObject({ state: 'idle' })
      expect(await codeOf(other.sendToWorker('quiet', 'Mine?'))).toBe('worker_busy')
      await app.shutDown()
      expect(await other.findWorker('quiet')).toMatchObject({ state: 'resumable', turnCutOff: false, pid: null })
      expect(await other.sendToWorker('quiet', 'Resumed')).toMatchObject({ outcome: 'complete' })
      const resumed = historyAt(bench, agent, sessionId, 'Resumed').filter((line) => line.startsWith('user: '))
      expect(resumed[0]).toBe('user: First; /not a command')
      if (agent === 'claude') {
        const choosing = other.sendToWorker('quiet', 'Choose [[ask:Which one?:This|That]]')
        const { permission } = await waitForState(other, 'quiet', 'waiting')
        expect(permission?.questions).toMatchObject([{ text: 'Which one?', options: [{ label: 'This' }, { label: 'That' }] }])
        const answer = (answers: Record<string, string>) =>
          other.answerPermission('quiet', permission?.id ?? '', { verdict: 'allow', answers })
        expect(await codeOf(answer({}))).toBe('usage')
        expect(await codeOf(answer({ 'Which one?': 'That', 'Which colour?': 'Red' }))).toBe('usage')
        await answer({ 'Which one?': 'that' })
        expect(await choosing).toMatchObject({ outcome: 'complete' })
        const sent = JSON.stringify(bench.claude.api.requests).replaceAll('\\', '')
        expect(sent).toContain('"Which one?"="That"')
      }
      const log = join(bench.vars.OFFSHOOT_HOME ?? '', 'workers', worker.id, 'history.jsonl')
      expect(statSync(log).mode & 0o777).toBe(0o600)
      expect(readFileSync(log, 'utf8').split('\n')[0]).toContain('First; /not a command')
      const database = readFileSync(join(bench.vars.OFFSHOOT_HOME ?? '', 'offshoot.db'), 'latin1')
      expect(database).not.toContain('do-not-tell')
    } finally {
      await bench.dispose()
    }
  })

  test('a killed reader leaves no agent behind; the worker is taken over, its turn shown as cut off', {
    timeout: 120_000,
  }, async () => {
    const bench = await createWorkerBench()
    try {
      const { home, work } = bench.claude.sandbox
      const script = fileURLToPath(new URL('./hold-worker.ts', import.meta.url))
      const root = fileURLToPath(new URL('../../..', import.meta.url))
      const argv = [process.execPath, '--import', 'tsx', script, home, work, agent]
      const holder = bench.claude.sandbox.processes.start(argv, { cwd: root, env: bench.vars })
      holder.ended.catch(() => undefined)
      const sent = () => JSON.stringify(agent === 'claude' ? bench.claude.api.requests : bench.codex.api.requests)
      await waitUntil('the turn without an end', () => sent().includes('The end is never'))
      const running = await bench.app.findWorker('held')
      expect(running.state).toBe('running')
      const code = codeOf(bench.app.sendToWorker('held', 'Into the hands of another'))
      expect(await code).toBe('worker_busy')
      expect(await codeOf(bench.app.stopWorker('held'))).toBe('worker_busy')
      holder.child.kill('SIGKILL')
      await waitUntil('its agent to end', () => !isAlive(running.pid ?? 0))
      expect(await bench.app.findWorker('held')).toMatchObject({
        state: 'resumable',
        turnCutOff: true,
        sessionId: running.sessionId,
      })
      const taken = await bench.app.sendToWorker('held', 'Taken over')
      expect(taken).toMatchObject({ outcome: 'complete', worker: { turnCutOff: false } })
      const users = historyAt(bench, agent, running.sessionId ?? '', 'Taken over').filter((line) => line.startsWith('user: '))
      expect(users[0]).toBe('user: Before the end')
      expect(await bench.app.stopWorker('held')).toMatchObject({ state: 'stopped' })
    } finally {
      await bench.dispose()
    }
  })

  test.each([
    ['deny', 'complete', false],
    ['allow_list', 'complete', true],
  ] as const)('policy %s asks nobody', { timeout: 120_000 }, async (policy, outcome, isDone) => {
    const bench = await createWorkerBench()
    try {
      const { work, root } = bench.claude.sandbox
      const file = join(root, 'asked-for')
      const tool = agent === 'claude' ? 'Bash' : 'exec_command'
      const settings = policy === 'allow_list' ? { policy, allow: [`${tool}(touch:*)`] } : { policy }
      await bench.app.spawnWorker({ agent, kind: 'headless', projectPath: work, name: 'alone', settings })
      expect(await bench.app.sendToWorker('alone', `Do it ${asks(file)}`)).toMatchObject({ outcome })
      expect(existsSync(file)).toBe(isDone)
    } finally {
      await bench.dispose()
    }
  })
})
