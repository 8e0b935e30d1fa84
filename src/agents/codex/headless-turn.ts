// What the app-server tells of one turn, as neutral events. Only what names the turn counts: of a command that went on after its
// turn Codex tells later, in the middle of the next one.
import { isObject } from '../../lib/jsonl.ts'
import type { RunEvent } from '../../model/run.ts'
import { callOf, resultOf } from './headless-items.ts'
import { type Body, textOrNull } from './lines.ts'
import { addUsage, noUsage } from './usage.ts'

export class TurnReader {
  readonly turnId: string
  /** Calls without a result, by id: what was said of them when they began. */
  readonly openCalls = new Map<string, Body>()
  /** The last fault that was told without a promise to try again. */
  fault: string | null = null
  private readonly streamed = new Set<string>()
  private readonly outputs = new Map<string, string>()
  private usage = noUsage
  private total = -1

  constructor(turnId: string) {
    this.turnId = turnId
  }

  read(method: string, params: Body): RunEvent[] {
    const item = isObject(params.item) ? params.item : {}
    switch (method) {
      case 'item/agentMessage/delta':
      case 'item/plan/delta':
        return [{ kind: 'text', delta: String(params.delta) }]
      case 'item/reasoning/summaryTextDelta':
      case 'item/reasoning/textDelta':
        this.streamed.add(String(params.itemId))
        return [{ kind: 'thinking', delta: String(params.delta) }]
      case 'item/commandExecution/outputDelta':
        return this.told(String(params.itemId), String(params.delta))
      case 'item/started':
        return this.began(item)
      case 'item/completed':
        return this.completed(item)
      case 'thread/tokenUsage/updated':
        this.count(params.tokenUsage)
        return []
      case 'error':
        return this.failed(params)
      default:
        return noticeOf(method, params)
    }
  }

  /** Of all answers in the turn; none when there was none. */
  usageEvents(): RunEvent[] {
    return this.usage === noUsage ? [] : [{ kind: 'usage', usage: this.usage }]
  }

  /** Of a turn that was cut off: Codex says nothing more of calls it dropped, and what they ran has been ended. */
  cutOffEvents(): RunEvent[] {
    const open = [...this.openCalls.keys()]
    this.openCalls.clear()
    return open.map((callId) => {
      return { kind: 'tool_result', callId, output: this.outputs.get(callId) ?? '', exitCode: null, failed: true }
    })
  }

  private told(callId: string, delta: string): RunEvent[] {
    this.outputs.set(callId, (this.outputs.get(callId) ?? '') + delta)
    return [{ kind: 'tool_output', callId, delta }]
  }

  private began(item: Body): RunEvent[] {
    const call = callOf(item)
    const callId = textOrNull(item.id)
    if (call === null || callId === null || this.openCalls.has(callId)) return []
    this.openCalls.set(callId, item)
    return [{ kind: 'tool_call', callId, ...call }]
  }

  private completed(item: Body): RunEvent[] {
    const id = textOrNull(item.id) ?? ''
    switch (item.type) {
      case 'agentMessage':
      case 'plan':
        return [{ kind: 'message', messageId: id, text: String(item.text) }]
      case 'reasoning':
        return this.streamed.has(id) ? [] : thoughtsOf(item)
      case 'contextCompaction':
        return [{ kind: 'notice', text: 'Codex has summarised the conversation to make room.' }]
      default: {
        const missed = this.began(item)
        if (!this.openCalls.delete(id)) return []
        const result = resultOf(item)
        // 0.142 may forget all that a command said which it did not wait for.
        const output = result.output === '' ? (this.outputs.get(id) ?? '') : result.output
        return [...missed, { kind: 'tool_result', callId: id, ...result, output }]
      }
    }
  }

  private failed({ error, willRetry }: Body): RunEvent[] {
    const message = isObject(error) ? String(error.message) : 'Codex reported an error.'
    if (willRetry === true) return [{ kind: 'notice', text: message }]
    this.fault = message
    return []
  }

  /** The same total twice is the same report twice. */
  private count(report: unknown): void {
    const { last, total } = isObject(report) ? report : {}
    const sum = isObject(total) ? number(total.totalTokens) : -1
    if (!isObject(last) || sum === this.total) return
    this.total = sum
    this.usage = addUsage(this.usage, {
      inputTokens: number(last.inputTokens),
      cachedInputTokens: number(last.cachedInputTokens),
      outputTokens: number(last.outputTokens),
    })
  }
}

/** What is no part of a turn, but worth a word. */
export function noticeOf(method: string, params: Body): RunEvent[] {
  switch (method) {
    case 'warning':
    case 'guardianWarning':
      return [{ kind: 'notice', text: String(params.message) }]
    case 'model/rerouted':
      return [{ kind: 'notice', text: `Codex answers with ${params.toModel} instead of ${params.fromModel}.` }]
    case 'mcpServer/startupStatus/updated':
      if (params.status !== 'failed') return []
      return [{ kind: 'notice', text: `The MCP server ${params.name} did not start: ${params.error ?? 'no reason given'}` }]
    default:
      return []
  }
}

function thoughtsOf({ summary, content }: Body): RunEvent[] {
  const texts = [summary, content].flatMap((parts) => (Array.isArray(parts) ? parts : [])).filter((part) => part !== '')
  return texts.length === 0 ? [] : [{ kind: 'thinking', delta: texts.join('\n\n') }]
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
