import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Conversation, ConversationRequest } from '../runs.ts'
import { withFakeCodex } from './fake-codex.testkit.ts'
import { converse } from './headless.ts'
import { createServers } from './headless-servers.ts'
import { useHomes } from './home.testkit.ts'

const newHome = useHomes()

/** An app-server that answers by a table of functions; `say` tells anything, and what it is answered is written down. */
function fake(handlers: string): AgentEnv {
  return withFakeCodex(
    newHome(),
    `const { appendFileSync } = require('node:fs')
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
const note = (method, params) => say({ method, params: { threadId: 'T', turnId: 'R', ...params } })
const end = (status = 'completed', error = null) => note('turn/completed', { turn: { id: 'R', status, error } })
let [threads, answers] = [0, 0]
let answered = () => undefined
const handlers = {
  initialize: () => ({ userAgent: 'offshoot/0.166.0 (x)' }),
  'thread/start': () => ({ thread: { id: threads++ === 0 ? 'T' : 'T' + threads }, model: 'm' }),
  'thread/resume': ({ threadId }) => ({ thread: { id: threadId }, model: 'm' }),
  'turn/start': () => { setTimeout(end, 1); return { turn: { id: 'R' } } },
  ${handlers}
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, ...rest } = JSON.parse(line)
  if (method === undefined) {
    appendFileSync(process.env.HEARD, JSON.stringify({ id, ...rest }) + '\\n')
    return answered(++answers)
  }
  if (id === undefined) return
  const result = handlers[method] ? handlers[method](params) : {}
  say(result instanceof Error ? { id, error: { code: -32600, message: result.message } } : { id, result })
}).on('close', () => process.exit(0))`,
  )
}

const base = { cwd: '/', model: null, mcpConfig: null, flags: [], policy: 'own' } as const

function open(env: AgentEnv, request: Partial<ConversationRequest> = {}, servers = createServers()): Promise<Conversation> {
  const additions = { HEARD: join(env.home, 'heard') }
  return converse(servers, env, { ...base, begin: { kind: 'start', sessionId: 'x' }, env: additions, ...request })
}

async function all(events: AsyncIterable<RunEvent>, on: (event: RunEvent) => unknown = () => undefined): Promise<RunEvent[]> {
  const read: RunEvent[] = []
  for await (const event of events) {
    read.push(event)
    await on(event)
  }
  return read
}

const heard = (env: AgentEnv) =>
  readFileSync(join(env.home, 'heard'), 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

describe('a conversation', () => {
  it('tells questions of the server from answers to ours, though their ids meet', async () => {
    const env = fake(`'turn/start': () => {
      for (const id of [0, 1, 2, 3]) say({ id, method: 'item/commandExecution/requestApproval', params: { threadId: 'T', turnId: 'R', itemId: 'c' + id, command: 'ls' } })
      say({ id: 'odd', method: 'currentTime/read', params: { threadId: 'T' } })
      say({ id: 7, method: 'item/commandExecution/requestApproval', params: { threadId: 'stranger', turnId: 'R' } })
      note('serverRequest/resolved', { requestId: 3 })
      answered = (count) => count === 4 && end()
      return { turn: { id: 'R' } }
    },`)
    const talk = await open(env)
    const events = await all(talk.send('go'), async (event) => {
      const wanted = event.kind === 'permission' && ['c0', 'c1'].includes(event.request.callId ?? '')
      if (wanted) await talk.answer(event.request.id, { verdict: 'allow' })
    })
    const resolved = events.flatMap((event) =>
      event.kind === 'permission_resolved' ? [`${event.requestId} ${event.verdict}`] : [],
    )
    expect(resolved.sort()).toEqual(['R.0 allow', 'R.1 allow', 'R.2 null', 'R.3 null'])
    await talk.close()
    const refusal = (id: unknown, message: string) => ({ id, error: { code: -32_601, message } })
    const accepted = (id: number) => ({ id, result: { decision: 'accept' } })
    expect(heard(env)).toEqual(
      expect.arrayContaining([
        accepted(0),
        accepted(1),
        refusal('odd', 'currentTime/read is not supported'),
        refusal(7, 'nobody here answers for this thread'),
      ]),
    )
    expect(heard(env)).toHaveLength(4)
  })

  it('passes over what belongs to another turn or thread', async () => {
    const talk = await open(
      fake(`'turn/start': () => {
      note('item/agentMessage/delta', { turnId: 'before', delta: 'late' })
      note('item/agentMessage/delta', { threadId: 'other', delta: 'theirs' })
      note('turn/completed', { turn: { id: 'before', status: 'completed' } })
      note('turn/started', { turn: { id: 'R' } })
      note('item/agentMessage/delta', { delta: 'ours' })
      setTimeout(end, 1)
      return { turn: { id: 'R' } }
    },`),
    )
    expect(await all(talk.send('go'))).toEqual([
      { kind: 'started', sessionId: 'T', turnId: 'R', model: 'm' },
      { kind: 'text', delta: 'ours' },
      { kind: 'end', outcome: 'complete', error: null },
    ])
    await talk.close()
  })

  it('ends a turn that is refused, and one whose server says nonsense or dies', async () => {
    const refused = await open(fake(`'turn/start': () => new Error('input is too long'),`))
    const [end] = await all(refused.send('go'))
    expect(end).toEqual({ kind: 'end', outcome: 'failed', error: 'Codex refused turn/start: input is too long' })
    await refused.close()
    for (const [body, words] of [
      ["console.log('Segmentation fault')", 'said what is no message: Segmentation fault'],
      [
        "console.error('out of memory'); process.exitCode = 9; setTimeout(() => process.exit(9), 50)",
        'ended with 9: out of memory',
      ],
    ]) {
      const env = fake(`'turn/start': () => { ${body}; return { turn: { id: 'R' } } },`)
      const talk = await open(env)
      const { pid } = talk
      const events = await all(talk.send('go'))
      expect(events.at(-1)).toEqual({ kind: 'end', outcome: 'failed', error: expect.stringContaining(words ?? '') as string })
      expect((await talk.ended).error).toContain(words)
      expect(() => process.kill(pid ?? 0, 0)).toThrow()
      await talk.close()
    }
  })

  it('shares a server with others of the same environment only, and ends it with the last', async () => {
    const env = fake('')
    const servers = createServers()
    const one = await open(env, {}, servers)
    const two = await open(env, {}, servers)
    const other = await open(env, { flags: ['--config=a=1'] }, servers)
    expect([one.pid === two.pid, one.pid === other.pid]).toEqual([true, false])
    expect(() => one.send('a') && one.send('b')).toThrow(expect.objectContaining({ code: 'busy' }))
    await one.close()
    expect(() => process.kill(two.pid ?? 0, 0)).not.toThrow()
    const pid = two.pid ?? 0
    await Promise.all([two.close(), other.close()])
    expect(() => process.kill(pid, 0)).toThrow()
    expect(await two.ended).toEqual({ status: null, signal: null, error: null })
    expect(() => two.send('x')).toThrow(expect.objectContaining({ code: 'worker_ended' }))
  })

  it('says that there is no Codex, no folder, or that it cannot start', async () => {
    const env = newHome()
    const none = { ...env, vars: { ...env.vars, PATH: env.home } }
    await expect(open(none)).rejects.toMatchObject({ code: 'tool_missing' })
    await expect(open(fake(''), { cwd: '/nowhere/at/all' })).rejects.toThrow('is no folder')
    await expect(open(fake(`initialize: () => new Error('bad config'),`))).rejects.toThrow('bad config')
    const begin = { kind: 'resume', sessionId: 'S' } as const
    await expect(open(fake(`'thread/resume': () => ({ thread: { id: 'another' } }),`), { begin })).rejects.toThrow(
      'opened another',
    )
  })

  it('is interrupted before Codex has taken the prompt', async () => {
    const env = fake(`'turn/interrupt': () => { setTimeout(() => end('interrupted'), 1); return {} },
      'turn/start': () => ({ turn: { id: 'R' } }),`)
    const talk = await open(env)
    const events = await all(talk.send('go', { signal: AbortSignal.abort() }))
    expect(events.at(-1)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
    await talk.close()
  })
})
