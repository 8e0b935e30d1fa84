import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentIds } from '../model/session.ts'
import { findPromptLine } from './claude/prompt-line.ts'
import { findTurnId, parseHookEvent } from './hook-events.ts'

const sessionId = 'b3d0309d-8036-4230-8424-a6c460b35b7e'
const common = { session_id: sessionId, transcript_path: '/home/me/t.jsonl', cwd: '/home/me/work' }
const neutral = { sessionId, transcriptPath: '/home/me/t.jsonl', cwd: '/home/me/work', prompt: null }

describe('parseHookEvent', () => {
  it('understands Claude Code', () => {
    const parse = (fields: object) => parseHookEvent('claude', { ...common, prompt_id: 'p-1', ...fields })
    expect(parse({ hook_event_name: 'UserPromptSubmit', prompt: 'hi' })).toEqual({
      ...neutral,
      kind: 'prompt',
      turnKey: 'p-1',
      prompt: 'hi',
    })
    expect(parse({ hook_event_name: 'Stop', stop_hook_active: false })).toEqual({ ...neutral, kind: 'turn_end', turnKey: 'p-1' })
    expect(parse({ hook_event_name: 'SessionEnd', reason: 'other' })).toEqual({ ...neutral, kind: 'session_end', turnKey: null })
    expect(parse({ hook_event_name: 'UserPromptSubmit', prompt: '<task-notification>\n...' })).toMatchObject({
      kind: 'prompt',
      continues: true,
    })
    for (const other of ['SessionStart', 'PreToolUse', 'SubagentStop', 'Interrupt', 'toString', '__proto__', ['Stop'], null])
      expect(parse({ hook_event_name: other })).toBeNull()
  })

  it('understands Codex', () => {
    const parse = (fields: object) => parseHookEvent('codex', { ...common, turn_id: 't-1', ...fields })
    expect(parse({ hook_event_name: 'UserPromptSubmit', prompt: 'hi' })).toEqual({
      ...neutral,
      kind: 'prompt',
      turnKey: 't-1',
      prompt: 'hi',
    })
    expect(parse({ hook_event_name: 'Stop' })).toEqual({ ...neutral, kind: 'turn_end', turnKey: 't-1' })
    expect(parse({ hook_event_name: 'Interrupt' })).toEqual({ ...neutral, kind: 'interrupt', turnKey: 't-1' })
    expect(parseHookEvent('codex', { ...common, hook_event_name: 'SessionEnd' })).toEqual({
      ...neutral,
      kind: 'session_end',
      turnKey: null,
    })
  })

  it('understands a notification of Codex, but not of its own title thread', () => {
    const notification = {
      type: 'agent-turn-complete',
      'thread-id': sessionId,
      'turn-id': 't-1',
      cwd: '/home/me/work',
      client: 'codex-tui',
    }
    expect(parseHookEvent('codex', { ...notification, 'input-messages': ['first', 'then'] })).toEqual({
      ...neutral,
      kind: 'turn_end',
      turnKey: 't-1',
      transcriptPath: null,
      prompt: 'then',
    })
    const title = ['Generate a concise, single-line task title for ...']
    expect(parseHookEvent('codex', { ...notification, 'input-messages': title })).toBeNull()
    expect(parseHookEvent('claude', notification)).toBeNull()
  })

  it('takes no id that could leave its place, and no path that is none', () => {
    const stop = { ...common, hook_event_name: 'Stop', prompt_id: 'p', turn_id: 'p' }
    for (const agent of agentIds) {
      for (const id of ['', '../x', 'a/b', '-x', 'a b', 'a\n', 'x'.repeat(129), 7, null, undefined, {}]) {
        expect(parseHookEvent(agent, { ...stop, session_id: id })).toBeNull()
        expect(parseHookEvent(agent, { ...stop, prompt_id: id, turn_id: id })).toMatchObject({ turnKey: null })
      }
      for (const cwd of ['', 'relative', '/with\0zero', 7, null]) expect(parseHookEvent(agent, { ...stop, cwd })).toBeNull()
      expect(parseHookEvent(agent, { ...stop, transcript_path: null })).toMatchObject({ transcriptPath: null })
    }
  })

  it('is total', () => {
    const names = fc.constantFrom('Stop', 'UserPromptSubmit', 'SessionEnd', 'Interrupt', '__proto__', 'toString')
    const odd = fc.record({
      ...Object.fromEntries(Object.keys(common).map((key) => [key, fc.anything()])),
      hook_event_name: names,
    })
    fc.assert(
      fc.property(fc.constantFrom(...agentIds), fc.oneof(fc.anything(), odd), (agent, payload) => {
        const event = parseHookEvent(agent, payload)
        expect(event === null || ['prompt', 'turn_end', 'interrupt', 'session_end'].includes(event.kind)).toBe(true)
      }),
    )
  })
})

describe('findTurnId', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'offshoot-prompt-line-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const samples = [
    'print-5turns-tools-parallel-subagent-2.1.325',
    'print-5turns-tools-parallel-subagent-2.1.197',
    'interactive-2.1.197',
  ]
  const sample = (name: string) => new URL(`./claude/samples/${name}.jsonl`, import.meta.url).pathname

  it.each(samples)('finds every prompt of %s, whatever the blocks', (name) => {
    const lines = readFileSync(sample(name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const prompts = lines
      .map(
        (line) =>
          JSON.parse(line) as {
            type: string
            uuid: string
            promptId?: string
            promptSource?: string
            message?: { content: unknown }
            isMeta?: true
          },
      )
      .filter(({ type, message, isMeta }) => type === 'user' && typeof message?.content === 'string' && isMeta !== true)
    let turn: string | null = null
    let count = 0
    for (const { uuid, promptId, message } of prompts) {
      if (/^<(local-command|command-name)/.test(String(message?.content))) continue
      // What a background task reports belongs to the turn before.
      if (!String(message?.content).startsWith('<task-notification>')) turn = uuid
      for (const bytes of [7, 1000, 1 << 20]) expect(findPromptLine(sample(name), promptId ?? '', bytes)?.uuid).toBe(turn)
      count += 1
    }
    expect(count).toBeGreaterThan(0)
  })

  it('takes the last of a fork, in which all prompts have one id', () => {
    const text = readFileSync(sample('print-fork-session-2.1.325'), 'utf8')
    const ids = new Set([...text.matchAll(/"promptId":"([^"]+)"/g)].map(([, id]) => id))
    expect(ids.size).toBe(1)
    const [promptId = ''] = [...ids] as string[]
    const prompts = text.split('\n').filter((line) => line.includes('"promptSource":"sdk"'))
    expect(prompts.length).toBeGreaterThan(1)
    const { uuid } = JSON.parse(prompts.at(-1) ?? '') as { uuid: string }
    expect(findTurnId('claude', { turnKey: promptId, transcriptPath: sample('print-fork-session-2.1.325') })).toBe(uuid)
  })

  it('says nothing of what is not written yet', () => {
    const path = join(folder, 't.jsonl')
    const find = () => findTurnId('claude', { turnKey: 'p', transcriptPath: path })
    expect(find()).toBeNull()
    for (const text of [
      '',
      '\n\n',
      '{"promptId":"p"',
      '{"type":"user","promptId":"p","uuid":7}\n',
      '[1,"\\"promptId\\":\\"p\\""]\n',
      '\xff"promptId":"p"',
    ]) {
      writeFileSync(path, text)
      expect(find()).toBeNull()
    }
    writeFileSync(path, `{"type":"user","promptId":"p","uuid":"u","message":{"content":"hi"}}\n{"type":"user","promp`)
    expect(find()).toBe('u')
    expect(findTurnId('claude', { turnKey: 'p', transcriptPath: null })).toBeNull()
    expect(findTurnId('claude', { turnKey: null, transcriptPath: path })).toBeNull()
    expect(findTurnId('codex', { turnKey: 't', transcriptPath: null })).toBe('t')
  })
})
