// Conversations with the real Codex through its app-server: what it tells, what it asks, how it is stopped, and what survives.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createServers } from '../../../src/agents/codex/headless-servers.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { RunEvent } from '../../../src/model/run.ts'
import { fingerprint } from '../codex/rollouts.ts'
import { createRecorder } from '../hooks/recorder.ts'
import { type CodexVersion, codexVersions } from '../lib/agents.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { ask, type Bench, isRunning, of, outcome, promptsIn, withBench } from './codex-bench.ts'

interface Scenario {
  readonly name: string
  readonly versions?: readonly CodexVersion[]
  readonly always: readonly CodexVersion[]
  run(bench: Bench): Promise<void>
}

/** Commands below ask for leave to run outside the sandbox: in it, 0.142 now and then does not tell what they said. */
const allow = () => ({ verdict: 'allow' }) as const

const scenarios: readonly Scenario[] = [
  {
    name: 'starts, goes on, and is resumed with all that was said',
    always: codexVersions,
    async run({ open, env, context, expectHistory, file }) {
      const first = await open({ title: 'A talk' })
      const { sessionId } = first
      expect(existsSync(file(sessionId).path)).toBe(true)
      const events = await ask(first, 'One [[reason]] [[ask: echo out; exit 3]]', { decide: allow })
      const started = of(events, 'started')[0]
      expect(events[0]).toEqual({
        kind: 'started',
        sessionId,
        turnId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        model: 'gpt-5.5',
      })
      expect(of(events, 'thinking')).toEqual([{ kind: 'thinking', delta: 'Thought 1' }])
      const callId = 'call_1_1'
      const command = expect.objectContaining({ command: 'echo out; exit 3' }) as unknown
      expect(of(events, 'tool_call')).toEqual([{ kind: 'tool_call', callId, tool: 'exec_command', arguments: command }])
      expect(of(events, 'tool_result')).toEqual([{ kind: 'tool_result', callId, output: 'out\n', exitCode: 3, failed: true }])
      const [message] = of(events, 'message')
      expect(message?.text).toMatch(/^Answer 2 to: One/)
      const streamed = of(events, 'text').map(({ delta }) => delta)
      expect([streamed.length, streamed.join('')]).toEqual([2, message?.text])
      const usage = { inputTokens: 200, cachedInputTokens: 80, outputTokens: 40 }
      expect(events.slice(-2)).toEqual([
        { kind: 'usage', usage },
        { kind: 'end', outcome: 'complete', error: null },
      ])
      const afterOne = await context(sessionId)
      await ask(first, 'Two')
      expectHistory(sessionId, 'Two', afterOne)
      const afterTwo = await context(sessionId)
      await first.close()

      const again = await open({ begin: { kind: 'resume', sessionId } })
      expect(again.sessionId).toBe(sessionId)
      expect(outcome(await ask(again, 'Three'))).toBe('complete')
      expectHistory(sessionId, 'Three', afterTwo)
      const summary = await codex.summarise(file(sessionId), env)
      expect(summary.turns.map(({ prompt, state }) => [prompt, state])).toEqual([
        ['One [[reason]] [[ask: echo out; exit 3]]', 'complete'],
        ['Two', 'complete'],
        ['Three', 'complete'],
      ])
      expect([summary.turns[0]?.id, summary.title]).toEqual([started?.turnId, 'A talk'])
      await expect(open({ begin: { kind: 'resume', sessionId: '01a1dfc2-a1f2-77c1-9103-7e276dd947ff' } })).rejects.toMatchObject({
        code: 'session_not_found',
      })
    },
  },
  {
    name: 'forks a session that is open, and leaves it as it was',
    always: ['0.166.0'],
    async run({ open, context, expectHistory, home }) {
      const source = await open({ title: 'The source' })
      await ask(source, 'One [[shell: echo out]]')
      await ask(source, 'Two')
      const history = await context(source.sessionId)
      const before = fingerprint(home)
      const begin = { kind: 'fork', sourceId: source.sessionId, sessionId: 'not asked for' } as const
      const fork = await open({ begin, cwd: home.sandbox.folder('elsewhere'), title: 'Fork of it' })
      expect(fork.sessionId).not.toBe(source.sessionId)
      const events = await ask(fork, 'Three [[ask: pwd]]', { decide: allow })
      expect(of(events, 'tool_result')[0]?.output).toBe(`${home.sandbox.root}/elsewhere\n`)
      expectHistory(fork.sessionId, 'Three [[ask: pwd]]', history)
      for (const [path, hash] of before) expect(fingerprint(home).get(path)).toBe(hash)
      await ask(source, 'Three here')
      expectHistory(source.sessionId, 'Three here', history)
    },
  },
  {
    name: 'asks before it runs what leaves the sandbox: allowed, remembered, refused, ended',
    always: codexVersions,
    async run({ open, home }) {
      const talk = await open()
      const made = (name: string) => existsSync(join(home.work, name))
      const yes = await ask(talk, 'A [[ask: touch a]]', { decide: allow })
      const [question] = of(yes, 'permission')
      expect(question?.request).toEqual({
        id: expect.stringContaining('.') as string,
        tool: 'exec_command',
        kind: 'command',
        summary: 'touch a',
        arguments: { command: 'touch a', cwd: home.work, reason: 'It has to be done.' },
        callId: of(yes, 'tool_call')[0]?.callId,
        canRemember: true,
      })
      const requestId = question?.request.id ?? ''
      expect(of(yes, 'permission_resolved')).toEqual([{ kind: 'permission_resolved', requestId, verdict: 'allow' }])
      expect(made('a')).toBe(true)
      await expect(talk.answer(requestId, { verdict: 'allow' })).rejects.toMatchObject({ code: 'permission_not_found' })

      const no = await ask(talk, 'B [[ask: touch b]]', { decide: () => ({ verdict: 'deny', reason: 'Use another name.' }) })
      expect([outcome(no), of(no, 'tool_result')[0]?.failed, made('b')]).toEqual(['complete', true, false])
      const told = home.api.requestsOf(talk.sessionId).flatMap(({ input }) => promptsIn(input))
      expect(told).toContain('Use another name.')

      const remembered = await ask(talk, 'C [[ask: touch c]]', { decide: () => ({ verdict: 'allow_session' }) })
      expect(of(remembered, 'permission')).toHaveLength(1)
      expect(of(await ask(talk, 'C again [[ask: touch c]]'), 'permission')).toEqual([])

      const ended = await ask(talk, 'D [[ask: touch d]]', { decide: () => ({ verdict: 'abort' }) })
      expect([outcome(ended), made('d')]).toEqual(['interrupted', false])
      expect(outcome(await ask(talk, 'E'))).toBe('complete')
    },
  },
  {
    name: 'asks before it changes a file, with the change; not where edits are accepted',
    always: ['0.166.0'],
    async run({ open, home }) {
      const path = join(home.work, 'a.txt')
      const talk = await open()
      const no = await ask(talk, 'A [[patch: a.txt|hello]]', { decide: () => ({ verdict: 'deny' }) })
      expect(of(no, 'permission')[0]?.request).toMatchObject({
        tool: 'apply_patch',
        kind: 'edit',
        summary: `add ${path}`,
        arguments: { changes: [{ path, kind: { type: 'add' }, diff: 'hello\n' }] },
        callId: of(no, 'tool_call')[0]?.callId,
      })
      expect([of(no, 'tool_result')[0]?.failed, existsSync(path)]).toEqual([true, false])
      const yes = await ask(talk, 'B [[patch: a.txt|hello]]', { decide: allow })
      expect([of(yes, 'tool_result')[0]?.failed, readFileSync(path, 'utf8')]).toEqual([false, 'hello\n'])
      const free = await open({ policy: 'accept_edits' })
      const both = await ask(free, 'C [[edit: a.txt|hello|world]] [[shell: touch shell]]')
      expect(of(both, 'permission')).toEqual([])
      expect([readFileSync(path, 'utf8'), existsSync(join(home.work, 'shell'))]).toEqual(['world\n', true])
    },
  },
  {
    name: 'asks for tools of the MCP servers it is given',
    always: ['0.166.0'],
    async run({ open, home }) {
      const mcpConfig = join(home.sandbox.root, 'mcp.json')
      const script = fileURLToPath(new URL('probe-server.mjs', import.meta.url))
      // Codex starts a turn without a server that is not up within a second.
      const server = { command: process.execPath, args: [script], env: { PROBE: '${SECRET} ${NONE:-else}' } }
      writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { probe: server } }))
      const talk = await open({ mcpConfig, env: { SECRET: 'from the worker' } })
      const call = (text: string) => `Call [[mcp: probe/echo|{"text":"${text}"}]]`
      const ready = async () => {
        const events = await ask(talk, call('zero'), { decide: () => ({ verdict: 'deny' }) })
        return of(events, 'permission').length > 0 && events
      }
      const no = await waitUntil('the server to be up', ready)
      expect(of(no, 'permission')[0]?.request).toMatchObject({
        tool: 'mcp__probe__echo',
        kind: 'tool',
        arguments: { text: 'zero' },
        callId: of(no, 'tool_call')[0]?.callId,
        canRemember: true,
      })
      expect(of(no, 'tool_result')[0]?.failed).toBe(true)
      const yes = await ask(talk, call('one'), { decide: () => ({ verdict: 'allow_session' }) })
      expect(of(yes, 'tool_result')[0]).toMatchObject({ output: 'said one from the worker else', failed: false })
      const again = await ask(talk, call('two'))
      expect([of(again, 'permission').length, of(again, 'tool_result')[0]?.failed]).toEqual([0, false])
      const other = await open()
      expect(of(await ask(other, call('three')), 'tool_call')).toEqual([])
    },
  },
  {
    name: 'lets a subagent ask',
    always: ['0.166.0'],
    async run({ open, home, env }) {
      const talk = await open()
      const events = await ask(talk, 'Send one [[agent: Do it ((ask: touch by-agent))]]', { decide: allow })
      expect(of(events, 'permission').map(({ request }) => request.summary)).toEqual(['touch by-agent'])
      expect([outcome(events), existsSync(join(home.work, 'by-agent'))]).toEqual(['complete', true])
      expect(of(events, 'message')).toHaveLength(1)
      const other = await open()
      await talk.close()
      // The subagent's thread is let go a moment after its parent's.
      const held = () => codex.live(env).map(({ sessionId }) => sessionId)
      await expect.poll(held, { timeout: 10_000 }).toEqual(home.version === '0.142.0' ? [] : [other.sessionId])
    },
  },
  {
    name: 'is interrupted in the middle of a text and of a command, and nothing runs on',
    always: codexVersions,
    async run({ open, home }) {
      const talk = await open()
      await talk.interrupt()
      const text = await ask(talk, 'A [[hold]]', { on: ({ kind }) => kind === 'text' && void talk.interrupt() })
      expect(outcome(text)).toBe('interrupted')
      home.api.release()

      const pidFile = join(home.work, 'pid')
      const stop = new AbortController()
      const running = ask(talk, `B [[ask: echo $$ > ${pidFile}; exec sleep 600]]`, { decide: allow, signal: stop.signal })
      const pid = Number(await waitUntil('the command', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim()))
      expect(isRunning(pid)).toBe(true)
      stop.abort()
      const command = await running
      expect([outcome(command), of(command, 'tool_result')[0]?.failed]).toEqual(['interrupted', true])
      await waitUntil('the command to be gone', () => !isRunning(pid))

      const asked = ask(talk, 'C [[ask: touch c]]', { on: ({ kind }) => kind === 'permission' && void talk.interrupt() })
      const [question, dropped] = (await asked).filter(({ kind }) => kind.startsWith('permission'))
      expect(dropped).toEqual({ kind: 'permission_resolved', requestId: requestIdOf(question), verdict: null })
      for await (const event of talk.send('D [[hang]]')) if (event.kind === 'started') break
      await waitUntil('the turn nobody reads to be over', () => !isBusy(talk.send.bind(talk)))
    },
  },
  {
    name: 'says why a turn failed, and goes on',
    always: ['0.166.0'],
    async run({ open }) {
      const talk = await open()
      const events = await ask(talk, 'A [[fail: 400]]')
      expect(events.at(-1)).toEqual({ kind: 'end', outcome: 'failed', error: 'refused by the stand-in' })
      expect(outcome(await ask(talk, 'B'))).toBe('complete')
    },
  },
  {
    name: 'runs two threads at once in one process, and both outlive its end',
    always: codexVersions,
    async run({ open, home, env, context, expectHistory }) {
      const [a, b] = [await open({ title: 'a' }), await open({ title: 'b' })]
      const pid = a.pid ?? 0
      expect([b.pid, isRunning(pid)]).toEqual([pid, true])
      const both = await Promise.all([
        ask(a, 'A [[ask: echo from-a]]', { decide: allow }),
        ask(b, 'B [[ask: echo from-b]]', { decide: allow }),
      ])
      expect(both.map((events) => of(events, 'tool_result')[0]?.output)).toEqual(['from-a\n', 'from-b\n'])
      expect(both.map((events) => of(events, 'started')[0]?.sessionId)).toEqual([a.sessionId, b.sessionId])
      const known = [await context(a.sessionId), await context(b.sessionId)]

      const onText = (event: RunEvent) => event.kind === 'text' && waiting()
      let count = 0
      const waiting = () => {
        count += 1
        if (count === 2) process.kill(pid, 'SIGKILL')
      }
      const killed = await Promise.all([ask(a, 'A2 [[hold]]', { on: onText }), ask(b, 'B2 [[hold]]', { on: onText })])
      const end = { kind: 'end', outcome: 'failed', error: 'codex app-server ended with SIGKILL.' }
      expect(killed.map((events) => events.at(-1))).toEqual([end, end])
      expect(await a.ended).toEqual({ status: null, signal: 'SIGKILL', error: 'codex app-server ended with SIGKILL.' })
      expect(a.pid).toBeNull()

      const cut = [...(await context(a.sessionId))]
      expect(cut.length).toBeGreaterThan(known[0]?.length ?? 0)
      expect(outcome(await ask(a, 'A3'))).toBe('complete')
      expectHistory(a.sessionId, 'A3', cut)
      expect(outcome(await ask(b, 'B3'))).toBe('complete')
      expect([a.pid === pid, a.pid === b.pid]).toEqual([false, true])

      const next = a.pid ?? 0
      await a.close()
      const open2 = codex.live(env).map(({ sessionId }) => sessionId)
      expect(open2).toEqual(home.version === '0.142.0' ? [] : [b.sessionId])
      expect(outcome(await ask(b, 'B4'))).toBe('complete')
      await b.close()
      await waitUntil('the process to be gone', () => !isRunning(next))
      expect(await b.ended).toEqual({ status: null, signal: 'SIGKILL', error: 'codex app-server ended with SIGKILL.' })
      expect(() => b.send('after the end')).toThrow(expect.objectContaining({ code: 'worker_ended' }))
    },
  },
  {
    name: 'takes every prompt as it is',
    always: codexVersions,
    async run({ open, home }) {
      const talk = await open()
      const prompts = [
        '-x',
        '--help',
        '/status',
        '!ls',
        '@notes.txt',
        '#x',
        'tail \\',
        'a\tb\n\n c ',
        'Grüße 🌱 \u202e \u001b[31m',
        `long ${'ä'.repeat(50_000)}`,
      ]
      for (const prompt of prompts) {
        expect(outcome(await ask(talk, prompt))).toBe('complete')
        expect(promptsIn(home.api.requestsOf(talk.sessionId).at(-1)?.input ?? []).at(-1)).toBe(prompt)
      }
    },
  },
  {
    name: 'has its environment, and tells the hooks it is given',
    always: codexVersions,
    async run({ open, home, env }) {
      const recorder = createRecorder(home.sandbox, 'codex')
      const flags = await codex.hooks.forRun(env, recorder.command, home.sandbox.folder('ours'))
      const outer = { CLAUDECODE: '1', OFFSHOOT_WORKER: 'outer', CODEX_THREAD_ID: 'outer', OFFSHOOT_INTERNAL: '1' }
      Object.assign(env.vars, outer)
      const talk = await open({ flags, env: { ADDED: 'yes', OFFSHOOT_WORKER: 'w1' } })
      const second = await open({ flags, env: { ADDED: 'yes', OFFSHOOT_WORKER: 'w2' } })
      expect(second.pid).toBe(talk.pid)
      const show = 'Show [[ask: echo $OFFSHOOT_WORKER-$ADDED-$CLAUDECODE-$OFFSHOOT_INTERNAL-$CODEX_THREAD_ID]]'
      const events = await ask(talk, show, { decide: allow })
      expect(of(events, 'tool_result')[0]?.output).toBe(`w1-yes---${talk.sessionId}\n`)
      const other = await ask(second, 'Show [[ask: echo $OFFSHOOT_WORKER]]', { decide: allow })
      expect(of(other, 'tool_result')[0]?.output).toBe('w2\n')
      await waitUntil('the hooks', () => recorder.kinds(talk.sessionId).length === 2)
      expect(recorder.kinds(talk.sessionId)).toEqual([`prompt ${show}`, 'turn_end'])
      const told = recorder.told().flatMap(({ event }) => event ?? [])
      const turnKeys = told.filter((event) => event.sessionId === talk.sessionId).map(({ turnKey }) => turnKey)
      expect(new Set(turnKeys)).toEqual(new Set([of(events, 'started')[0]?.turnId]))
    },
  },
  {
    name: 'waits for another writer, and names one that stays',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    async run({ open, env }) {
      const talk = await open()
      await ask(talk, 'One')
      const begin = { kind: 'resume', sessionId: talk.sessionId } as const
      await expect(open({ begin })).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('already') as string })
      const elsewhere = open({ begin }, createServers())
      const message = expect.stringContaining(`process ${talk.pid} (`) as string
      await expect(elsewhere).rejects.toMatchObject({ code: 'busy', message })
      const waiting = open({ begin }, createServers())
      await talk.close()
      const other = await waiting
      expect(outcome(await ask(other, 'Two'))).toBe('complete')
      expect(codex.live(env)).toMatchObject([{ sessionId: talk.sessionId, pid: other.pid, busy: false }])
    },
  },
]

function requestIdOf(event: RunEvent | undefined): string | undefined {
  return event?.kind === 'permission' ? event.request.id : undefined
}

/** A turn that was just begun is taken back at once. */
function isBusy(send: (prompt: string, options: { signal: AbortSignal }) => AsyncIterable<RunEvent>): boolean {
  try {
    send('is it over?', { signal: AbortSignal.abort() })
    return false
  } catch {
    return true
  }
}

const selection = selectCells(scenarios, codexVersions)
console.log(describeSelection('codex, headless', selection))

describe.each(selection.run)('a conversation with Codex $version', ({ scenario, version }) => {
  it(scenario.name, { timeout: 120_000 }, () => withBench(version, (bench) => scenario.run(bench)))
})
