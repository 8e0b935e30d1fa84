// Pass 2: turns rows into neutral messages by parsing just their lines.
import { isObject } from '../../lib/jsonl.ts'
import type { Message, Role, ToolCall } from '../../model/session.ts'
import { attachmentText, isQueuedPrompt, systemText, textOf } from './content.ts'
import type { LineFetcher } from './line-at.ts'
import { isToolUse } from './line-fields.ts'
import type { LineIndex } from './line-index.ts'
import type { Group, Row } from './row.ts'
import { readResults, type ToolResult } from './tool-results.ts'
import { groupId, type Step } from './turns.ts'

export interface Told {
  readonly messages: Message[]
  /** Offsets of lines that could not be read after all. */
  readonly unreadable: number[]
}

export function tellStep(index: LineIndex, lines: LineFetcher, step: Step, turnId: string): Told {
  return step.group === null ? tellRow(lines, step.row, turnId) : tellGroup(index, lines, step.group, turnId)
}

function tellRow(lines: LineFetcher, row: Row, turnId: string): Told {
  if (row.messages === 0) return { messages: [], unreadable: [] }
  const line = lines.fetch(row.offset, row.bytes)
  if (line === undefined) return { messages: [], unreadable: [row.offset] }
  return { messages: [{ id: row.uuid, turnId, role: roleOf(row, line), text: rowText(row, line), at: row.at }], unreadable: [] }
}

function roleOf(row: Row, line: Record<string, unknown>): Role {
  if (row.kind === 'prompt') return 'user'
  if (row.kind === 'summary') return 'summary'
  return row.kind === 'aside' && isQueuedPrompt(line) ? 'user' : 'system'
}

function rowText(row: Row, line: Record<string, unknown>): string {
  if (row.kind === 'prompt') return row.text
  if (line.type === 'attachment') return attachmentText(line)
  if (line.type === 'system') return systemText(line)
  return isObject(line.message) ? textOf(line.message.content) : ''
}

function tellGroup(index: LineIndex, lines: LineFetcher, group: Group, turnId: string): Told {
  const unreadable: number[] = []
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: { call: ToolCall; at: number | null }[] = []
  const results = new Map<string, ToolResult>()
  let at: number | null = null
  for (const i of group.rows) {
    const row = index.rows[i]
    const line = row && lines.fetch(row.offset, row.bytes)
    if (row === undefined) continue
    if (line === undefined) {
      unreadable.push(row.offset)
      continue
    }
    at ??= row.at
    for (const block of blocksOf(line)) {
      if (block.type === 'text' && isText(block.text)) texts.push(block.text)
      else if (block.type === 'thinking' && isText(block.thinking)) thoughts.push(block.thinking)
      else if (isToolUse(block.type) && isText(block.id)) calls.push({ call: openCall(block, block.id), at: row.at })
    }
    readResults(line, results)
  }
  for (const i of group.results) {
    const row = index.rows[i]
    const line = row && lines.fetch(row.offset, row.bytes)
    if (line !== undefined) readResults(line, results)
    else if (row !== undefined) unreadable.push(row.offset)
  }
  const messages: Message[] = []
  if (texts.length > 0 || thoughts.length > 0) {
    messages.push({
      id: groupId(index, group),
      turnId,
      role: group.error ? 'error' : 'assistant',
      text: texts.join('\n\n'),
      ...(thoughts.length > 0 && { thinking: thoughts.join('\n\n') }),
      at,
    })
  }
  for (const { call, at: calledAt } of calls) {
    const result = results.get(call.callId)
    const tool = { ...call, output: result?.output ?? null, exitCode: result?.exitCode ?? null }
    messages.push({ id: call.callId, turnId, role: 'tool', text: '', tool, at: calledAt })
  }
  return { messages, unreadable }
}

function blocksOf(line: Record<string, unknown>): Record<string, unknown>[] {
  const content = isObject(line.message) ? line.message.content : undefined
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

function openCall(block: Record<string, unknown>, callId: string): ToolCall {
  return { name: isText(block.name) ? block.name : '', arguments: block.input ?? null, output: null, exitCode: null, callId }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
