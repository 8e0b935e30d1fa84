import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run.ts'
import type { Conversation } from '../runs.ts'
import { createFakeClaude, type FakeClaude } from './fake-claude.testkit.ts'
import { converse } from './headless.ts'

let fake: FakeClaude
let conversation: Conversation

const request = { model: null, env: {}, mcpConfig: null, flags: [], policy: 'own' as const }

beforeEach(async () => {
  fake = createFakeClaude()
  conversation = await converse(fake.env, { ...request, begin: { kind: 'start', sessionId: 's1' }, cwd: fake.cwd })
})

afterEach(async () => {
  await conversation.close()
  fake.remove()
})

async function listen(prompt: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of conversation.send(prompt)) events.push(event)
  return events
}

/** Without the first, which asks whether it is ready. */
function received(): Record<string, unknown>[] {
  const lines = readFileSync(join(fake.folder, 'received'), 'utf8').trim().split('\n')
  return lines.slice(1).map((line) => JSON.parse(line) as Record<string, unknown>)
}

const complete = { kind: 'end', outcome: 'complete', error: null }

it('reads lines in any pieces, and passes over what it does not know', async () => {
  const events = await listen('junk')
  expect(events.map(({ kind }) => kind)).toEqual(['started', 'message', 'usage', 'end'])
  expect(events[1]).toEqual({ kind: 'message', messageId: 'junk-1', text: 'ünï 🦊' })
  expect(events[2]).toEqual({ kind: 'usage', usage: { inputTokens: 6, cachedInputTokens: 2, outputTokens: 4 } })
})

it('names the turn by the id it gave the prompt', async () => {
  const [started] = await listen('hello')
  const [sent] = received()
  expect(started).toEqual({ kind: 'started', sessionId: 's1', turnId: sent?.uuid, model: 'fake' })
  expect(sent).toMatchObject({ type: 'user', message: { role: 'user', content: 'hello' } })
})

it('is not over before its last line is in the file', async () => {
  await listen('late')
  expect(readFileSync(join(fake.folder, 's1.jsonl'), 'utf8')).toContain('late-1')
})

it('says how the process ended in the middle of a turn', async () => {
  const error = 'Claude Code ended with status 7: a last word'
  expect(await listen('die')).toEqual([{ kind: 'end', outcome: 'failed', error }])
  expect(await conversation.ended).toEqual({ status: 7, signal: null, error })
  expect(() => conversation.send('more')).toThrow(/ended/)
})

it('says how it ended between turns', async () => {
  process.kill(conversation.pid ?? 0, 'SIGKILL')
  expect(await conversation.ended).toMatchObject({ signal: 'SIGKILL', error: 'Claude Code ended by SIGKILL.' })
})

it('takes one turn at a time, and interrupts it', async () => {
  const running = listen('hang')
  expect(() => conversation.send('another')).toThrow(expect.objectContaining({ code: 'busy' }))
  await conversation.interrupt()
  expect((await running).at(-1)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
  expect((await listen('again')).at(-1)).toEqual(complete)
})

it('waits for a process that is slow to heed an interrupt, and goes on with it', async () => {
  const running = listen('sluggish')
  await conversation.interrupt()
  expect((await running).at(-1)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
  expect((await listen('again')).at(-1)).toEqual(complete)
})

it('ends a process that heeds neither interrupts, nor the end of its input, nor SIGTERM', { timeout: 30_000 }, async () => {
  const running = listen('stubborn')
  await conversation.interrupt()
  expect((await running).at(-1)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
  expect(await conversation.ended).toMatchObject({ signal: 'SIGKILL' })
})

it('answers questions it does not know, so that nothing waits for ever', async () => {
  expect((await listen('ask')).at(-1)).toEqual(complete)
  expect(received()).toContainEqual({
    type: 'control_response',
    response: { subtype: 'error', error: 'not supported here', request_id: 'q1' },
  })
})

it('refuses what is asked in a turn nobody began, and waits for its end before it sends', async () => {
  expect((await listen('uninvited')).at(-1)).toEqual(complete)
  while (received().length < 2) await pause(10)
  expect((await listen('next')).at(-1)).toEqual(complete)
  const [, answer, itsResult, next] = received()
  expect(itsResult).toEqual({ type: 'its result' })
  expect(answer).toMatchObject({ type: 'control_response', response: { request_id: 'q2', response: { behavior: 'deny' } } })
  expect(next).toMatchObject({ type: 'user', message: { content: 'next' } })
})

it('knows no answer to what was not asked, and no empty prompt', async () => {
  await expect(conversation.answer('nothing', { verdict: 'allow' })).rejects.toMatchObject({ code: 'permission_not_found' })
  expect(() => conversation.send(' ')).toThrow(expect.objectContaining({ code: 'usage' }))
})

it('says what is missing before anything is started', async () => {
  const begin = { kind: 'start', sessionId: 's2' } as const
  const nowhere = { ...fake.env, vars: { PATH: fake.cwd } }
  await expect(converse(nowhere, { ...request, begin, cwd: fake.cwd })).rejects.toMatchObject({ code: 'tool_missing' })
  await expect(converse(fake.env, { ...request, begin, cwd: join(fake.cwd, 'gone') })).rejects.toMatchObject({ code: 'failed' })
})

it('reports in its own words why a process could not start', async () => {
  const begin = { kind: 'start', sessionId: 's3' } as const
  const broken = { ...fake.env, vars: { ...fake.env.vars, FAKE_FAULT: 'MCP config file not found' } }
  await expect(converse(broken, { ...request, begin, cwd: fake.cwd })).rejects.toThrow(
    'Claude Code ended with status 3: MCP config file not found',
  )
})
