// The benchmark's sessions as Claude Code transcripts in a home, so that they are discovered, read and indexed like anyone's.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeFolder, type Json } from '../generate/claude.ts'
import { createRandom } from '../generate/random.ts'
import { makeCall } from './agent.ts'
import type { BenchSession } from './data.ts'

const firstDay = Date.parse('2026-01-05T08:00:00Z')

/** Gives the bytes written. */
export function writeTranscripts(home: string, sessions: readonly BenchSession[]): number {
  const cwd = join(home, 'work')
  const folder = join(home, '.claude', 'projects', claudeFolder(cwd))
  mkdirSync(folder, { recursive: true })
  mkdirSync(cwd)
  let bytes = 0
  for (const [at, session] of sessions.entries()) {
    const path = join(folder, `${createRandom(at + 1).uuid()}.jsonl`)
    const startedAt = firstDay + at * 3_600_000
    const text = [...linesOf(session, path.slice(-42, -6), cwd, startedAt, at)]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
    writeFileSync(path, text, { mode: 0o600 })
    utimesSync(path, startedAt / 1000, startedAt / 1000)
    bytes += Buffer.byteLength(text)
  }
  return bytes
}

function* linesOf({ messages }: BenchSession, id: string, cwd: string, startedAt: number, seed: number): Generator<Json> {
  const random = createRandom(seed + 10_000)
  let at = startedAt
  let parent: string | null = null
  const chain = (line: Json): Json => {
    const uuid = random.uuid()
    at += 1000
    const base = { isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.325', gitBranch: 'main' }
    const whole = { parentUuid: parent, ...base, ...line, uuid, timestamp: new Date(at).toISOString() }
    parent = uuid
    return whole
  }
  const say = (block: Json): Json => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: `msg_${random.hex(24)}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', usage }
    return chain({ type: 'assistant', message: { ...message, content: [block], stop_reason: 'end_turn' } })
  }
  for (const { role, text } of messages) {
    if (role === 'user') yield chain({ type: 'user', promptId: random.uuid(), message: { role, content: text } })
    else if (role === 'assistant') yield say({ type: 'text', text })
    else {
      const callId = `toolu_${random.hex(24)}`
      const { name, arguments: input } = makeCall(callId, text)
      yield say({ type: 'tool_use', id: callId, name, input })
      const result = { type: 'tool_result', tool_use_id: callId, content: 'ok' }
      yield chain({ type: 'user', message: { role: 'user', content: [result] } })
    }
  }
}
