// What Claude Code prints (`--output-format stream-json`), as neutral events. Lines of subagents are left out: their work is told
// by the result of the call that started them. Checked against 2.1.197 and 2.1.325; what is unknown says nothing.
import { isObject } from '../../lib/jsonl.ts'
import type { RunEvent, RunOutcome } from '../../model/run.ts'
import { textOf } from './content.ts'
import { isToolUse } from './line-fields.ts'
import { readResults, type ToolResult } from './tool-results.ts'

export type OutputLine = Readonly<Record<string, unknown>>

/** The CLI prints one line per block of a message; the message is named by the last of them, so it is told when it is whole. */
export class EventReader {
  #messageId: unknown = null
  #lastUuid: string | null = null
  #texts: string[] = []
  #calls: RunEvent[] = []

  read(line: OutputLine): RunEvent[] {
    if (typeof line.parent_tool_use_id === 'string') return []
    if (line.type === 'assistant') return this.#readBlocks(line)
    if (line.type === 'stream_event') return this.#readStream(isObject(line.event) ? line.event : {})
    const before = line.type === 'user' || line.type === 'result' || line.type === 'control_request' ? this.flush() : []
    if (line.type === 'user') return [...before, ...toolResults(line)]
    if (line.type === 'result') return [...before, ...usageOf(line)]
    return [...before, ...notices(line)]
  }

  /** What is known of a message that will get no further lines. */
  flush(): RunEvent[] {
    const text = this.#texts.join('\n')
    const message: RunEvent[] = text === '' ? [] : [{ kind: 'message', messageId: this.#lastUuid, text }]
    const events = [...message, ...this.#calls]
    this.#texts = []
    this.#calls = []
    return events
  }

  #readBlocks(line: OutputLine): RunEvent[] {
    const message = isObject(line.message) ? line.message : {}
    const before = message.id === this.#messageId ? [] : this.flush()
    this.#messageId = message.id
    if (typeof line.uuid === 'string') this.#lastUuid = line.uuid
    // An error of the API is printed as if the model had said it; it comes again with the result.
    if (message.model === '<synthetic>' || !Array.isArray(message.content)) return before
    for (const block of message.content.filter(isObject)) {
      if (block.type === 'text' && typeof block.text === 'string' && block.text !== '') this.#texts.push(block.text)
      if (!isToolUse(block.type) || typeof block.id !== 'string') continue
      const tool = typeof block.name === 'string' ? block.name : 'tool'
      this.#calls.push({ kind: 'tool_call', callId: block.id, tool, arguments: block.input })
    }
    return before
  }

  #readStream(event: OutputLine): RunEvent[] {
    if (event.type === 'message_stop' || event.type === 'message_start') return this.flush()
    const delta = event.type === 'content_block_delta' && isObject(event.delta) ? event.delta : {}
    if (typeof delta.text === 'string' && delta.text !== '') return [{ kind: 'text', delta: delta.text }]
    if (typeof delta.thinking === 'string' && delta.thinking !== '') return [{ kind: 'thinking', delta: delta.thinking }]
    return []
  }
}

function toolResults(line: OutputLine): RunEvent[] {
  const content = isObject(line.message) ? line.message.content : null
  if (!Array.isArray(content)) return []
  const results = new Map<string, ToolResult>()
  readResults(content, exitCodeIn(line.tool_use_result), results)
  return content.filter(isObject).flatMap((block) => {
    const result = results.get(String(block.tool_use_id))
    return result === undefined ? [] : [{ kind: 'tool_result', callId: String(block.tool_use_id), ...result }]
  })
}

/** As in a session file: only commands give stdout, and one that still runs or was cut short has no exit code yet. */
function exitCodeIn(result: unknown): number | null {
  if (!isObject(result)) return null
  const told = result.exitCode ?? result.code
  if (typeof told === 'number') return told
  return typeof result.stdout === 'string' && result.interrupted === false && result.backgroundTaskId === undefined ? 0 : null
}

/** Of the turn; what the process has used in all stands in other fields. */
function usageOf({ usage }: OutputLine): RunEvent[] {
  if (!isObject(usage)) return []
  const count = (value: unknown) => (typeof value === 'number' ? value : 0)
  const cachedInputTokens = count(usage.cache_read_input_tokens)
  const inputTokens = count(usage.input_tokens) + count(usage.cache_creation_input_tokens) + cachedInputTokens
  const outputTokens = count(usage.output_tokens)
  return inputTokens + outputTokens === 0 ? [] : [{ kind: 'usage', usage: { inputTokens, cachedInputTokens, outputTokens } }]
}

function notices(line: OutputLine): RunEvent[] {
  return noticeTexts(line).map((text) => ({ kind: 'notice', text }))
}

function noticeTexts(line: OutputLine): string[] {
  if (line.type !== 'system') return []
  switch (line.subtype) {
    case 'init':
      return (Array.isArray(line.mcp_servers) ? line.mcp_servers.filter(isObject) : [])
        .filter(({ status }) => status === 'failed' || status === 'needs-auth')
        .map(({ name, status }) => `MCP server ${String(name)}: ${String(status)}`)
    case 'status':
      return line.status === 'compacting' ? ['The conversation is being compacted.'] : []
    case 'compact_boundary':
      return ['The conversation was compacted.']
    case 'api_retry': {
      const why = [line.error_status, line.error].filter((one) => typeof one === 'number' || typeof one === 'string').join(' ')
      return [
        `The model did not answer${why === '' ? '' : ` (${why})`}: try ${String(line.attempt)} of ${String(line.max_retries)}.`,
      ]
    }
    case 'informational':
      return typeof line.content === 'string' && line.content !== '' ? [line.content] : []
    case 'permission_denied':
      return [`Refused by Claude Code's own settings: ${String(line.tool_name ?? 'a tool')}`]
    default:
      return []
  }
}

/** How a turn ended, by its `result`. An error of the API is `subtype: "success"` with `is_error`. */
export function outcomeOf(line: OutputLine): { readonly outcome: RunOutcome; readonly error: string | null } {
  const reason = typeof line.terminal_reason === 'string' ? line.terminal_reason : ''
  if (reason.startsWith('aborted')) return { outcome: 'interrupted', error: null }
  // Without a single request a hook has stopped the prompt, and the result says which.
  const wasAsked = line.num_turns !== 0
  if (line.is_error !== true && line.subtype === 'success' && wasAsked) return { outcome: 'complete', error: null }
  const errors = Array.isArray(line.errors) ? line.errors.filter((one) => typeof one === 'string') : []
  // Diagnostics of the CLI's own stand among them and tell a person nothing.
  const words = errors.filter((one) => !one.startsWith('[ede_diagnostic]')).join('; ')
  const result = typeof line.result === 'string' ? textOf(line.result) : ''
  return { outcome: 'failed', error: result || words || `Claude Code ended the turn: ${String(line.subtype)}` }
}
