// Pass 2: turns rows into neutral messages by parsing just their lines.
import { isObject } from '../../lib/jsonl.ts'
import type { Message, Role, ToolCall } from '../../model/session.ts'
import { attachmentText, systemText, textOf } from './content.ts'
import { isBlank, isToolUse } from './line-fields.ts'
import type { LineIndex } from './line-index.ts'
import type { Group, Row } from './row.ts'
import { readResults, type ToolResult } from './tool-results.ts'
import { groupId, type Step } from './turns.ts'
import type { ValueFetcher } from './value-at.ts'
import { isHarnessText, isQueuedPrompt, wordsOf } from './words.ts'

export interface Told {
  readonly messages: Message[]
  /** Offsets of lines that could not be read after all. */
  readonly unreadable: number[]
}

/** In the view `all` the user's messages hold what was typed, in the view `context` what the model is sent. */
export function tellStep(
  index: LineIndex,
  values: ValueFetcher,
  step: Step,
  turnId: string,
  view: 'all' | 'context' = 'all',
): Told {
  return step.group === null ? tellRow(values, step.row, turnId, view) : tellGroup(index, values, step.group, turnId)
}

function tellRow(values: ValueFetcher, row: Row, turnId: string, view: 'all' | 'context'): Told {
  if (row.messages === 0) return { messages: [], unreadable: [] }
  const value = values.fetch(row.offset, row.bytes)
  if (value === undefined) return { messages: [], unreadable: [row.offset] }
  const sent = rowText(row, value)
  const role = rowRole(row, value, sent)
  const text = role === 'user' && view === 'all' ? wordsOf(sent) : sent
  const leftOut = sent.length - text.length
  const folders = role === 'system' ? foldersOf(row, value) : []
  const more = { ...(leftOut > 0 && { leftOut }), ...(folders.length > 0 && { folders }) }
  return { messages: [{ id: row.uuid, turnId, role, text, ...more, at: row.at }], unreadable: [] }
}

/** Asides are parsed as complete lines, which name their folder. */
function foldersOf({ cwd }: Row, value: unknown): readonly string[] {
  const named = isObject(value) ? value.cwd : cwd
  return isText(named) ? [named] : []
}

function rowRole({ kind }: Row, value: unknown, text: string): Role {
  switch (kind) {
    case 'prompt':
    case 'queued':
      return 'user'
    case 'summary':
      return 'summary'
    case 'result':
      return isHarnessText(text) ? 'system' : 'user'
    default:
      return isObject(value) && isQueuedPrompt(value) ? 'user' : 'system'
  }
}

function rowText(row: Row, value: unknown): string {
  if (row.kind !== 'aside') return textOf(value)
  if (!isObject(value)) return ''
  return value.type === 'attachment' ? attachmentText(value) : systemText(value)
}

function tellGroup(index: LineIndex, values: ValueFetcher, group: Group, turnId: string): Told {
  const unreadable: number[] = []
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: { call: ToolCall; at: number | null }[] = []
  const results = new Map<string, ToolResult>()
  let at: number | null = null
  for (const i of group.rows) {
    const row = index.rows.get(i)
    if (row === undefined) continue
    const content = values.fetch(row.offset, row.bytes)
    if (content === undefined) unreadable.push(row.offset)
    at ??= row.at
    for (const block of blocksOf(content)) {
      if (block.type === 'text' && isText(block.text) && !isBlank(block.text)) texts.push(block.text)
      else if (block.type === 'thinking' && isText(block.thinking)) thoughts.push(block.thinking)
      else if (isToolUse(block.type) && isText(block.id)) calls.push({ call: openCall(block, block.id), at: row.at })
    }
    readResults(content, null, results)
  }
  for (const i of group.results) {
    const row = index.rows.get(i)
    if (row === undefined) continue
    const content = values.fetch(row.offset, row.bytes)
    if (content === undefined) unreadable.push(row.offset)
    readResults(content, row.exitCode, results)
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
    const tool = result === undefined ? call : { ...call, ...result }
    messages.push({ id: call.callId, turnId, role: 'tool', text: '', tool, at: calledAt })
  }
  return { messages, unreadable }
}

function blocksOf(content: unknown): Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

function openCall(block: Record<string, unknown>, callId: string): ToolCall {
  const name = isText(block.name) ? block.name : ''
  return { name, arguments: block.input ?? null, output: null, exitCode: null, failed: null, callId }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
