// For the tests beside it: builds transcripts line by line and reads them back from a temporary folder.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message, Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { Entry, ReadOptions, SessionSummary } from '../reading.ts'
import { claude } from './index.ts'

export const testId = '11111111-2222-4333-8444-555555555555'
const noHome = { home: '/nonexistent', vars: {} }

export type TestLine = Record<string, unknown>

/** A chain line with the fields every version writes; later fields win. */
export function chainLine(uuid: string, parentUuid: string | null, fields: TestLine, second = 0): TestLine {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  return {
    parentUuid,
    isSidechain: false,
    uuid,
    timestamp,
    cwd: '/repo',
    sessionId: testId,
    version: '2.1.197',
    gitBranch: 'main',
    ...fields,
  }
}

export function prompt(uuid: string, parent: string | null, text: unknown, more: TestLine = {}): TestLine {
  return chainLine(uuid, parent, { type: 'user', message: { role: 'user', content: text }, ...more })
}

export function reply(
  uuid: string,
  parent: string | null,
  messageId: string,
  block: TestLine | string,
  more: TestLine = {},
): TestLine {
  const content = typeof block === 'string' ? [{ type: 'text', text: block }] : [block]
  const usage = { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 1, output_tokens: 2 }
  const message = { id: messageId, role: 'assistant', model: 'claude-test', content, stop_reason: null, usage }
  return chainLine(uuid, parent, { type: 'assistant', message, ...more })
}

export function call(uuid: string, parent: string, messageId: string, toolId: string): TestLine {
  return reply(uuid, parent, messageId, { type: 'tool_use', id: toolId, name: 'Bash', input: { command: toolId } })
}

export function result(uuid: string, parent: string, toolId: string, output: unknown, more: TestLine = {}): TestLine {
  const content = [{ type: 'tool_result', tool_use_id: toolId, content: output }]
  return chainLine(uuid, parent, { type: 'user', message: { role: 'user', content }, ...more })
}

export function lastPrompt(leafUuid: string | null, more: TestLine = {}): TestLine {
  return { type: 'last-prompt', leafUuid, sessionId: testId, ...more }
}

/** The time of a line: so many seconds after the first. */
export function at(second: number): TestLine {
  return { timestamp: chainLine('', null, {}, second).timestamp }
}

const system = (subtype: string, more: TestLine): TestLine => ({ type: 'system', subtype, level: 'info', isMeta: false, ...more })
const attachment = (type: string, more: TestLine): TestLine => ({ type: 'attachment', attachment: { type, ...more } })
const stopHook = { hookCount: 1, hookInfos: [], hookErrors: [], preventedContinuation: false, stopReason: '', hasOutput: false }

/** What the CLI writes below a message without it being one, by kind. */
export const notes = {
  'a stop_hook_summary': system('stop_hook_summary', stopHook),
  'a turn_duration': system('turn_duration', { durationMs: 10 }),
  'a local_command': system('local_command', { content: '<local-command-stdout>done</local-command-stdout>' }),
  'hook context': attachment('hook_additional_context', { hookName: 'Stop', hookEvent: 'Stop', content: ['noted'] }),
  'a queued command': attachment('queued_command', { prompt: 'and this', commandMode: 'prompt' }),
  'a meta line': { type: 'user', isMeta: true, message: { role: 'user', content: 'Stop hook feedback' } },
  'a progress line': {
    type: 'progress',
    data: { type: 'hook_progress', hookEvent: 'Stop' },
    toolUseID: 'x',
    parentToolUseID: 'x',
  },
} as const satisfies Record<string, TestLine>

export interface TestFolder {
  readonly path: string
  /** Writes the session's file anew and answers what discovery would. */
  write(content: string | Buffer | readonly TestLine[]): SessionFile
  remove(): void
}

export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'offshoot-claude-'))
  const file = join(path, `${testId}.jsonl`)
  return {
    path,
    write(content) {
      writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : textOfLines(content))
      return sessionFile(file)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

export function textOfLines(lines: readonly TestLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export function sessionFile(path: string): SessionFile {
  const { size, ino, mtimeMs } = statSync(path)
  return { agent: 'claude', id: testId, path, bytes: size, modifiedAt: mtimeMs, inode: ino, archived: false, olderPaths: [] }
}

export async function readEntries(file: SessionFile, options?: ReadOptions): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of claude.read(file, noHome, options)) entries.push(entry)
  return entries
}

export function summarise(file: SessionFile, previous?: SessionSummary): Promise<SessionSummary> {
  return claude.summarise(file, noHome, previous)
}

export function messagesIn(entries: readonly Entry[]): Message[] {
  return entries.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
}

export function turnsIn(entries: readonly Entry[]): Turn[] {
  return entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))
}

/** One line per message, for comparing at a glance. */
export function gist(messages: readonly Message[]): string[] {
  return messages.map(({ role, text, tool }) => `${role}: ${tool ? `${tool.callId} -> ${tool.output}` : text}`)
}

/** A summary without what changes although the session does not. */
export function stable(summary: SessionSummary): Omit<SessionSummary, 'resume'> {
  const { resume: _resume, ...rest } = summary
  return rest
}
