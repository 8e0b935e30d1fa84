import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { partPathOf } from '../../lib/exclusive-file.ts'
import type { Cut } from '../../model/fork.ts'
import type { Message } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { makeThreadId } from './child-thread.ts'
import {
  otherId,
  placeBare,
  placeRollout,
  placeSample,
  Rollout,
  readAll,
  readMessages,
  rolloutPath,
  show,
  threadId,
  useHomes,
} from './home.testkit.ts'
import { codex } from './index.ts'
import { writePrefix } from './prefix.ts'
import { sessionsFolder, timeOfId } from './rollout-files.ts'

const newHome = useHomes()
const forkedAt = Date.parse('2026-11-16T12:00:00.000Z')
const [a, b, c] = [otherId(1), otherId(2), otherId(3)]

function target(env: AgentEnv, sessionId = 'any') {
  return { sessionId, cwd: env.home, title: 'Fork of it', forkedAt }
}

async function fork(file: SessionFile, env: AgentEnv, cut: Cut): Promise<SessionFile> {
  const { sessionId, path } = await writePrefix(file, env, cut, target(env))
  const child = [...codex.discover(env)].find(({ id }) => id === sessionId)
  if (child === undefined) throw new Error('the fork is not discovered')
  expect(child.path).toBe(path)
  return child
}

function linesOf({
  path,
}: SessionFile): { timestamp?: string; ordinal?: number; type: string; payload: Record<string, unknown> }[] {
  const text = readFileSync(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ReturnType<typeof linesOf>[number])
}

function plain(messages: readonly Message[]): unknown[] {
  return messages.map(({ id, turnId, role, text, tool, thinking }) => ({ id, turnId, role, text, tool, thinking }))
}

const samples = readdirSync(join(import.meta.dirname, 'samples')).filter((name) => name.endsWith('.jsonl'))
const segments: Record<string, string> = {
  '07-tui-escesc-revert-segment.jsonl': '01a1ddfa-9ebd-7000-8000-000000000001',
}

describe('a fork by prefix', () => {
  it('of every sample at every turn reads as the parent up to there', async () => {
    const env = newHome()
    for (const name of samples) placeSample(env.home, name, segments[name])
    let forks = 0
    for (const file of [...codex.discover(env)]) {
      const { turns, deadTurns, broken } = await codex.summarise(file, env)
      if (broken !== null) continue
      for (const { id } of [...turns, ...deadTurns]) {
        const child = await fork(file, env, { kind: 'turn', turnId: id })
        for (const view of ['all', 'context'] as const) {
          const expected = await readMessages(file, env, { view, upTo: { turnId: id } })
          expect(plain(await readMessages(child, env, { view })), `${file.path} at ${id}`).toEqual(plain(expected))
        }
        const summary = await codex.summarise(child, env)
        expect(summary).toMatchObject({ broken: null, cwd: env.home, title: 'Fork of it', branch: null })
        expect(summary.skipped, `${file.path} at ${id}`).toEqual({})
        expect(summary.parent).toMatchObject({ sessionId: file.id, turnId: id })
        expect(summary.inheritedTurns).toBe(summary.turns.length)
        forks += 1
      }
    }
    expect(forks).toBeGreaterThan(30)
  })

  it('is a thread of its own, of the same generation', async () => {
    const env = newHome()
    for (const legacy of [false, true]) {
      const file = new Rollout({ id: otherId(legacy ? 11 : 12), git: { branch: 'main' } }, { legacy }).turn(a).turn(b).place(env)
      const child = await fork(file, env, { kind: 'turn', turnId: a })
      const lines = linesOf(child)
      const { payload } = lines[0] ?? {}
      expect(payload).toMatchObject({ id: child.id, session_id: child.id, forked_from_id: file.id, cwd: env.home, source: 'cli' })
      expect(payload?.history_mode).toBe(legacy ? undefined : 'paginated')
      expect(payload).not.toHaveProperty('git')
      expect(timeOfId(child.id)).toBe(forkedAt)
      expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, at) => (legacy ? undefined : at)))
      expect(basename(child.path)).toMatch(/^rollout-2026-11-1\dT\d\d-\d\d-\d\d-/)
      expect(dirname(child.path)).toBe(join(sessionsFolder(env), ...basename(child.path).slice(8, 18).split('-')))
    }
  })

  it('wraps the bare lines of the first versions, which no newer Codex loads', async () => {
    const env = newHome()
    const child = await fork(placeBare(env), env, { kind: 'tip' })
    const [first, ...lines] = linesOf(child)
    expect(first?.type).toBe('session_meta')
    expect(lines.map(({ type, payload }) => [type, payload.type])).toEqual([
      ['response_item', 'message'],
      ['response_item', 'message'],
      ['response_item', 'custom_tool_call'],
      ['response_item', 'custom_tool_call_output'],
      ['response_item', 'message'],
    ])
    for (const { timestamp } of lines) expect(timestamp).toBe('2025-07-01T00:00:00.000Z')
    const { inheritedTurns, skipped } = await codex.summarise(child, env)
    expect({ inheritedTurns, skipped }).toEqual({ inheritedTurns: 1, skipped: {} })
  })

  it('depends on no other file', async () => {
    const env = newHome()
    const parent = new Rollout().turn(a)
    const history_base = { thread_id: threadId, end_ordinal_exclusive: parent.next, end_byte_offset: 1 }
    const middle = new Rollout({ id: otherId(10), forked_from_id: threadId, history_base }, { from: parent.next }).turn(b)
    parent.turn('never').place(env)
    const child = await fork(middle.place(env), env, { kind: 'tip' })
    const lines = linesOf(child)
    expect(lines[0]?.payload).not.toHaveProperty('history_base')
    expect(lines.filter(({ type }) => type === 'session_meta')).toHaveLength(1)
    expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, at) => at))
    expect((await codex.summarise(child, env)).turns.map(({ id }) => id)).toEqual([a, b])
  })

  it('holds one branch only of a thread that was rolled back', async () => {
    const env = newHome()
    const rollout = new Rollout({}, { legacy: true }).start(a).says('developer', 'rules').prompt('first').end(a).turn(b)
    const file = rollout.event('thread_rolled_back', { num_turns: 2 }).turn(c).place(env)
    expect(show(await readMessages(await fork(file, env, { kind: 'tip' }), env))).toEqual([
      'system: rules',
      `user: prompt of ${c}`,
      `assistant: answer of ${c}`,
    ])
    const dead = await fork(file, env, { kind: 'turn', turnId: b })
    expect((await codex.summarise(dead, env)).turns.map(({ id }) => id)).toEqual([a, b])
    expect(readFileSync(dead.path, 'utf8')).not.toContain('thread_rolled_back')
  })

  it('leaves out the note of an interruption that was rolled back with the turn behind it', async () => {
    const env = newHome()
    const rollout = new Rollout({}, { legacy: true }).start(a).prompt('first').event('turn_aborted', { turn_id: a })
    rollout.says('user', '<turn_aborted>by the user</turn_aborted>').turn(b).event('thread_rolled_back', { num_turns: 1 })
    const file = rollout.turn(c).place(env)
    const live = await fork(file, env, { kind: 'turn', turnId: a })
    expect(readFileSync(live.path, 'utf8')).not.toContain('<turn_aborted>')
    const dead = await fork(file, env, { kind: 'turn', turnId: b })
    expect(readFileSync(dead.path, 'utf8')).toContain('<turn_aborted>')
  })

  it('may end before the first turn', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).place(env)
    const child = await fork(file, env, { kind: 'start' })
    expect(linesOf(child)).toHaveLength(1)
    expect(await codex.summarise(child, env)).toMatchObject({ turns: [], parent: { sessionId: threadId, turnNumber: 0 } })
  })

  it('keeps calls that were made together, with their outputs', async () => {
    const env = newHome()
    const call = (id: string) => ({ call_id: id, name: 'shell', arguments: '{}' })
    const output = (id: string) => ({ call_id: id, output: `of ${id}` })
    const rollout = new Rollout().start(a).prompt('go').item('function_call', call('x')).item('function_call', call('y'))
    rollout.item('function_call_output', output('x')).event('token_count', {}).item('function_call_output', output('y'))
    rollout
      .item('reasoning', { summary: [{ text: 'hm' }] })
      .item('function_call', call('z'))
      .item('function_call_output', output('z'))
    const file = rollout.says('assistant', 'done').end(a).turn(b).place(env)
    for (const [messageId, last] of [
      ['x', 'y'],
      ['y', 'y'],
      ['z', 'z'],
    ] as const) {
      const child = await fork(file, env, { kind: 'message', messageId })
      const expected = await readMessages(file, env, { upTo: { messageId } })
      expect(expected.at(-1)?.id).toBe(last)
      expect(plain(await readMessages(child, env))).toEqual(plain(expected))
      expect(linesOf(child).at(-1)?.payload).toMatchObject({ type: 'turn_aborted', turn_id: a })
      expect((await codex.summarise(child, env)).turns).toMatchObject([{ id: a, state: 'interrupted' }])
    }
    const prompt = await fork(file, env, { kind: 'message', messageId: `${a}.1` })
    expect(show(await readMessages(prompt, env))).toEqual(['user: go'])
  })

  it('closes a turn whose process was killed', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).start(b).prompt('never answered').place(env)
    const child = await fork(file, env, { kind: 'tip' })
    expect((await codex.summarise(child, env)).turns.map(({ state }) => state)).toEqual(['complete', 'interrupted'])
  })

  it('leaves out lines that are no records, and a torn end', async () => {
    const env = newHome()
    const content = new Rollout().turn(a).raw('garbage').raw('{"type":"new_kind","payload":{"a":1}}').turn(b).toString()
    const path = placeRollout(rolloutPath(env.home, content), `${content}{"timestamp":"2026-11-15T0`)
    const file = [...codex.discover(env)].find((each) => each.path === path)
    if (file === undefined) throw new Error('not discovered')
    const lines = linesOf(await fork(file, env, { kind: 'tip' }))
    expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, at) => at))
    expect(lines.map(({ type }) => type)).toContain('new_kind')
  })

  it('gives lines from before there were records the form they have today', async () => {
    const env = newHome()
    const message = (role: string, text: string) =>
      JSON.stringify({ type: 'message', role, content: [{ type: 'input_text', text }] })
    const meta = JSON.stringify({ id: threadId, timestamp: '2025-06-01T10:00:00.000Z', instructions: null })
    const name = `rollout-2025-06-01T10-00-00-${threadId}.jsonl`
    const path = placeRollout(
      join(sessionsFolder(env), '2025', '06', '01', name),
      `${meta}\n${message('user', 'one')}\n${message('assistant', 'two')}\n`,
    )
    const file = [...codex.discover(env)].find((each) => each.path === path)
    if (file === undefined) throw new Error('not discovered')
    const child = await fork(file, env, { kind: 'tip' })
    expect(linesOf(child).map(({ type }) => type)).toEqual(['session_meta', 'response_item', 'response_item'])
    expect(show(await readMessages(child, env))).toEqual(['user: one', 'assistant: two'])
  })

  it('of a packed file is plain', async () => {
    const env = newHome()
    const content = readFileSync(join(import.meta.dirname, 'samples', '02-exec-4turns-shell-patch.jsonl'))
    const packed = readFileSync(join(import.meta.dirname, 'samples', '02-exec-4turns-shell-patch.jsonl.zst'))
    const path = placeRollout(`${rolloutPath(env.home, content)}.zst`, packed)
    const file = [...codex.discover(env)].find((each) => each.path === path)
    if (file === undefined) throw new Error('not discovered')
    const child = await fork(file, env, { kind: 'tip' })
    expect(plain(await readMessages(child, env))).toEqual(plain(await readMessages(file, env)))
    expect(readFileSync(path)).toEqual(packed)
  })

  it('never carries on where it was cut, whatever the parent says later', async () => {
    const env = newHome()
    const rollout = new Rollout().turn(a)
    const child = await fork(rollout.place(env), env, { kind: 'tip' })
    const before = await readAll(child, env)
    rollout.turn(b).place(env)
    expect(await readAll(child, env)).toEqual(before)
  })
})

describe('writing a fork', () => {
  it('tells of every path before it is there', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).place(env)
    const told: string[] = []
    const onCreate = (path: string) => {
      expect(existsSync(path)).toBe(false)
      told.push(path)
    }
    const { path, created } = await writePrefix(file, env, { kind: 'tip' }, { ...target(env), onCreate })
    if (path === null) throw new Error('a fork has a file')
    expect(told).toEqual([dirname(path), partPathOf(path), path])
    expect([...created].sort()).toEqual([dirname(path), path])
    expect(existsSync(partPathOf(path))).toBe(false)
  })

  it('takes the id asked for if it is one of Codex, and none that is taken', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).place(env)
    const sessionId = makeThreadId(forkedAt)
    await expect(writePrefix(file, env, { kind: 'tip' }, target(env, sessionId))).resolves.toMatchObject({ sessionId })
    const files = [...codex.discover(env)].length
    await expect(writePrefix(file, env, { kind: 'tip' }, target(env, sessionId))).rejects.toMatchObject({ code: 'file_exists' })
    await expect(writePrefix(file, env, { kind: 'tip' }, target(env, threadId))).rejects.toMatchObject({ code: 'file_exists' })
    expect([...codex.discover(env)]).toHaveLength(files)
  })

  it('fails in a word where nothing can be written, and leaves nothing', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).place(env)
    const month = join(sessionsFolder(env), '2026', '12')
    mkdirSync(dirname(month), { recursive: true })
    writeFileSync(month, 'not a folder')
    const later = { ...target(env), forkedAt: Date.parse('2026-12-16T12:00:00.000Z') }
    await expect(writePrefix(file, env, { kind: 'tip' }, later)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('could not be written') as string,
    })
    expect([...codex.discover(env)]).toHaveLength(1)
  })

  it('refuses what is not there, with what comes near', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).place(env)
    const missing = writePrefix(file, env, { kind: 'turn', turnId: otherId(1).slice(0, 30) }, target(env))
    await expect(missing).rejects.toMatchObject({ code: 'turn_not_found', hint: `Nearest: ${a}` })
    const message = writePrefix(file, env, { kind: 'message', messageId: 'x' }, target(env))
    await expect(message).rejects.toMatchObject({ code: 'message_not_found' })
    expect([...codex.discover(env)]).toHaveLength(1)
  })
})
