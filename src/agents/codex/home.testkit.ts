// A temporary CODEX_HOME for tests: filled with recorded samples, or with rollouts written line by line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'
import type { Message, Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Entry, ReadOptions } from '../reading.ts'
import { codex } from './index.ts'

export function readSample(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'samples', name))
}

export function codexEnv(home: string): AgentEnv {
  return { home, vars: { CODEX_HOME: join(home, 'codex') } }
}

/** A home of its own for every test of the file, removed behind it. */
export function useHomes(): () => AgentEnv {
  const homes: string[] = []
  afterEach(() => {
    for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
  })
  return () => {
    const home = mkdtempSync(join(tmpdir(), 'offshoot-codex-'))
    homes.push(home)
    return codexEnv(home)
  }
}

interface Meta {
  readonly id: string
  readonly timestamp: string
}

/** Where Codex would keep a rollout with this first line. */
export function rolloutPath(home: string, content: Buffer | string, segmentId?: string): string {
  const first = content.toString().split('\n', 1)[0] ?? ''
  const { id, timestamp } = (JSON.parse(first) as { payload: Meta }).payload
  const name = `rollout-${timestamp.slice(0, 19).replaceAll(':', '-')}-${id}${segmentId === undefined ? '' : `_${segmentId}`}.jsonl`
  return join(home, 'codex', 'sessions', ...timestamp.slice(0, 10).split('-'), name)
}

export function placeRollout(path: string, content: Buffer | string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

export function placeSample(home: string, name: string, segmentId?: string): string {
  const content = readSample(name)
  return placeRollout(rolloutPath(home, content, segmentId), content)
}

/** A session as Codex 0.20 to 0.29 wrote it: bare lines without a time, which no newer Codex loads. */
export function placeBare(env: AgentEnv): SessionFile {
  const timestamp = '2025-07-01T00:00:00.000Z'
  const environment = '<environment_context>\n  <cwd>/repo</cwd>\n  <shell>bash</shell>\n</environment_context>'
  const lines = [
    { id: threadId, timestamp, instructions: null, git: { branch: 'main' } },
    { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: environment }] },
    { record_type: 'state' },
    { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: 'one' }] },
    { type: 'custom_tool_call', id: 'c1', call_id: 'call1', name: 'apply_patch', input: 'a patch' },
    { type: 'custom_tool_call_output', call_id: 'call1', output: 'patched' },
    { record_type: 'state' },
    { type: 'message', id: 'm1', role: 'assistant', content: [{ type: 'output_text', text: 'first' }] },
  ]
  const path = rolloutPath(env.home, JSON.stringify({ payload: lines[0] }))
  return findSession(env, placeRollout(path, lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
}

export const threadId = '01a1ddf6-2d69-74a3-b25b-0797c78b57a2'

/** Ids of other threads: UUIDv7 of the same day. */
export function otherId(number: number): string {
  return `01a1ddf6-5000-7000-8000-${String(number).padStart(12, '0')}`
}

type Fields = Record<string, unknown>

/** Writes lines as Codex does, ordinals counted up; `legacy` leaves them out. */
export class Rollout {
  private readonly lines: string[] = []
  private ordinal: number
  private readonly legacy: boolean

  constructor(meta: Fields = {}, { legacy = false, from = 0 } = {}) {
    this.ordinal = from
    this.legacy = legacy
    const mode = legacy ? {} : { history_mode: 'paginated' }
    this.line('session_meta', { id: threadId, timestamp: '2026-11-15T06:47:40.655Z', cwd: '/repo', ...mode, ...meta })
  }

  line(type: string, payload: Fields, extra: Fields = {}): this {
    const timestamp = `2026-11-15T06:47:41.${String(this.ordinal % 1000).padStart(3, '0')}Z`
    const head = this.legacy ? { timestamp } : { timestamp, ordinal: this.ordinal }
    this.ordinal += 1
    this.lines.push(JSON.stringify({ ...head, type, payload, ...extra }))
    return this
  }

  raw(line: string): this {
    this.lines.push(line)
    return this
  }

  event(type: string, fields: Fields = {}): this {
    return this.line('event_msg', { type, ...fields })
  }

  item(type: string, fields: Fields = {}): this {
    return this.line('response_item', { type, ...fields })
  }

  start(turnId: string): this {
    return this.event('task_started', { turn_id: turnId })
  }

  end(turnId: string, fields: Fields = {}): this {
    return this.event('task_complete', { turn_id: turnId, ...fields })
  }

  /** A message as old files have it: nothing but role and text. */
  says(role: 'user' | 'assistant' | 'developer', text: string, fields: Fields = {}): this {
    const type = role === 'assistant' ? 'output_text' : 'input_text'
    return this.item('message', { role, content: [{ type, text }], ...fields })
  }

  prompt(text: string): this {
    return this.says('user', text, { internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } })
  }

  /** A whole turn with one prompt and one answer. */
  turn(turnId: string): this {
    return this.start(turnId).prompt(`prompt of ${turnId}`).says('assistant', `answer of ${turnId}`).end(turnId)
  }

  get next(): number {
    return this.ordinal
  }

  toString(): string {
    return this.lines.map((line) => `${line}\n`).join('')
  }

  place(env: AgentEnv, segmentId?: string): SessionFile {
    const content = this.toString()
    return findSession(env, placeRollout(rolloutPath(env.home, content, segmentId), content))
  }
}

export function findSession(env: AgentEnv, path: string): SessionFile {
  const file = [...codex.discover(env)].find((each) => each.path === path)
  if (file === undefined) throw new Error(`${path} is not discovered`)
  return file
}

export async function readAll(file: SessionFile, env: AgentEnv, options?: ReadOptions): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of codex.read(file, env, options)) entries.push(entry)
  return entries
}

export async function readMessages(file: SessionFile, env: AgentEnv, options?: ReadOptions): Promise<Message[]> {
  return (await readAll(file, env, options)).flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
}

/** `role: text`, or `tool name(arguments) -> output`. */
export function show(messages: readonly Message[]): string[] {
  return messages.map(({ role, text, tool }) =>
    tool === undefined ? `${role}: ${text}` : `${role} ${tool.name}(${JSON.stringify(tool.arguments)}) -> ${tool.output}`,
  )
}

export function showTurns(turns: readonly Turn[]): string[] {
  return turns.map(({ number, id, prompt, state, messages }) => `${number} ${id} ${state} ${messages} "${prompt}"`)
}
