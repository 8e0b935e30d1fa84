// Follows the records of a history in order and says which turn and which message each one makes. A survey and a reading both
// run it over the same records, so both give the same ids.
import { isObject } from '../../lib/jsonl.ts'
import { plainPath } from './change-records.ts'
import type { Body, RolloutRecord } from './lines.ts'
import { textOrNull } from './lines.ts'
import { isContextText, isRefusal, isRunContext, isUnmarked, roleOf, textOf, turnIdOf, typedWords, wordsOf } from './prompts.ts'
import { isSelfContained, isToolCall, isToolOutput, knownEvents, knownItems, knownTypes } from './record-types.ts'
import { TurnRows } from './turn-rows.ts'
import { type MadeMessage, passesOverCompaction, type Step } from './turn-state.ts'
import { addUsage, usageOf } from './usage.ts'

const nothing: Step = {}

export class TurnTracker extends TurnRows {
  step(record: RolloutRecord): Step {
    if (this.state.undecided === null || !knownTypes.has(record.type)) return this.take(record)
    const settled = this.settle(typedText(record))
    return { ...this.take(record), settled }
  }

  private take(record: RolloutRecord): Step {
    switch (record.type) {
      case 'response_item':
        return this.takeItem(record)
      case 'event_msg':
        return this.takeEvent(record)
      case 'compacted':
        return this.takeCompaction(record)
      case 'token_usage_record':
        return this.takeUsage(record)
      case 'session_meta':
      case 'turn_context':
        return this.takeFolder(record)
      case '':
        return { skipped: record.tooLong ? 'too_long' : record.torn ? 'torn' : 'invalid' }
      default:
        return knownTypes.has(record.type) ? nothing : { skipped: `unknown:${record.type}` }
    }
  }

  /** The end of the history: what waited for lines that did not come. */
  finish(): Step {
    const settled = this.settle(null)
    return this.made([...settled, ...(this.state.open === null ? [] : this.flushEvents())])
  }

  /** True when the end would make messages: more lines may still change them. */
  get waits(): boolean {
    return this.state.undecided !== null || this.state.events.length > 0
  }

  private takeItem(record: RolloutRecord): Step {
    const { subtype } = record
    if (isToolOutput(subtype)) return this.takeOutput(record)
    if (subtype === 'message') return this.takeMessage(record)
    if (isToolCall(subtype)) return this.takeCall(record)
    this.endTail()
    if (knownItems.has(subtype)) return nothing
    return { skipped: record.payload === undefined ? 'invalid' : `unknown:response_item/${subtype}` }
  }

  private takeMessage(record: RolloutRecord): Step {
    const message = record.payload
    if (message === undefined) return { skipped: 'invalid' }
    const role = roleOf(message)
    const at = record.time
    if (role === 'system' && isUnmarked(message) && !isRefusal(message)) {
      this.state.undecided = { id: textOrNull(message.id), text: textOf(message.content), at }
      return nothing
    }
    const closing = role === 'user' ? this.openForPrompt(turnIdOf(message), at) : []
    this.startItems(isRunContext(message))
    if (role === 'user') this.notePrompt(wordsOf(message))
    if (role === 'assistant') this.state.answered = true
    const made = this.make(textOrNull(message.id), role, at)
    if (isRefusal(message)) this.noteRefusal()
    return this.made([...closing, made])
  }

  private settle(typed: string | null): MadeMessage[] {
    const { undecided, events } = this.state
    if (undecided === null) return []
    this.state.undecided = null
    const { id, text, at } = undecided
    const isPrompt = text === typed || events.some((event) => event.role === 'user' && event.text === text)
    const closing = isPrompt ? this.openForPrompt(null, at) : []
    this.startItems(isContextText(text))
    if (isPrompt) this.notePrompt(typedWords(text))
    return [...closing, this.make(id, isPrompt ? 'user' : 'system', at, text)]
  }

  /** The next run writes its context before its prompt: a turn that was answered by then stays answered. */
  private startItems(isContext = false): void {
    this.state.hasItems = true
    this.state.events = []
    if (!isContext) this.state.answered = false
  }

  /** A prompt outside any turn starts one: in old files always, in newer ones when the line that starts the turn is lost. */
  private openForPrompt(turnId: string | null, at: number | null): MadeMessage[] {
    const { open, hasItems, events } = this.state
    if (open === 'explicit') return []
    if (open === 'implicit' && !hasItems && events.some((event) => event.role === 'user')) return []
    if (!this.state.sawExplicit) return this.openTurn(this.nextId, 'implicit', at, at)
    return turnId === null || this.knows(turnId) ? [] : this.openTurn(turnId, 'explicit', at, at)
  }

  private takeCall(record: RolloutRecord): Step {
    const call = record.payload
    if (call === undefined) return { skipped: 'invalid' }
    const callId = textOrNull(call.call_id)
    this.startItems()
    if (callId !== null && !isSelfContained(record.subtype)) this.state.openCalls.push(callId)
    return this.made([this.make(callId ?? textOrNull(call.id), 'tool', record.time)])
  }

  private takeOutput(record: RolloutRecord): Step {
    const callId = record.looksWhole ? record.callId : null
    if (callId === null) return { skipped: 'invalid' }
    const { openCalls, leftCalls = [] } = this.state
    const calls = openCalls.includes(callId) ? openCalls : leftCalls
    // Codex leaves out an output without its call as well.
    if (!calls.includes(callId)) return { skipped: 'dangling' }
    calls.splice(calls.indexOf(callId), 1)
    this.endTail()
    this.state.lastAt = record.time ?? this.state.lastAt
    return { output: callId }
  }

  private takeCompaction(record: RolloutRecord): Step {
    const payload = record.payload
    if (payload === undefined) return { skipped: 'invalid' }
    if (Array.isArray(payload.replacement_history)) {
      this.state.compactedIn = this.state.compactedIn === undefined ? this.state.top : -1
      delete this.state.rollbacks
    }
    if (this.row !== undefined) {
      this.row.compacted = true
      // What is left of the context is counted with the next request only.
      delete this.row.contextTokens
    }
    const text = textOrNull(payload.message) ?? ''
    const summary = text === '' ? [] : [this.make(summaryId(payload), 'summary', record.time, text)]
    return { compaction: true, made: summary }
  }

  private takeEvent(record: RolloutRecord): Step {
    const { state } = this
    switch (record.subtype) {
      case 'task_started':
      case 'turn_started':
        return this.startTurn(record)
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        return this.endTurn(record)
      case 'thread_rolled_back':
        return this.rollBack(record)
      case 'error':
        return this.takeError(record)
      case 'token_count':
        return state.sawUsageRecords ? nothing : this.takeUsage(record)
      case 'user_message':
      case 'agent_message':
        return state.hasItems ? nothing : this.keepEvent(record, record.subtype === 'user_message', record.payload?.message)
      case 'item_completed': {
        const item = state.hasItems ? undefined : record.payload?.item
        if (!isObject(item) || (item.type !== 'UserMessage' && item.type !== 'AgentMessage')) return nothing
        return this.keepEvent(record, item.type === 'UserMessage', item.content)
      }
      default:
        if (knownEvents.has(record.subtype)) return nothing
        return { skipped: record.payload === undefined ? 'invalid' : `unknown:event_msg/${record.subtype}` }
    }
  }

  private startTurn(record: RolloutRecord): Step {
    const payload = record.payload
    if (payload === undefined) return { skipped: 'invalid' }
    const turnId = textOrNull(payload.turn_id)
    const at = record.time
    if (turnId !== null && this.state.open === 'explicit' && this.row?.id === turnId) return nothing
    const id = turnId === null || turnId === '' ? this.nextId : turnId
    return this.made(this.openTurn(id, 'explicit', preciseTime(payload.started_at, at), at))
  }

  private endTurn(record: RolloutRecord): Step {
    const payload = record.payload
    if (payload === undefined) return { skipped: 'invalid' }
    const { state } = this
    const row = this.row
    const turnId = textOrNull(payload.turn_id)
    if (row === undefined || state.open === null) return nothing
    if (turnId !== null && turnId !== row.id && state.open === 'explicit') return nothing
    const closing = this.flushEvents()
    const failure = errorText(payload.error)
    if (failure !== null && failure !== state.error) closing.push(this.make(null, 'error', record.time, failure))
    const failed = failure !== null || state.error !== null
    row.state = record.subtype === 'turn_aborted' ? 'interrupted' : failed ? 'failed' : 'complete'
    row.endedAt = preciseTime(payload.completed_at, record.time)
    state.open = null
    return this.made(closing)
  }

  /** What old versions write for going back. */
  private rollBack(record: RolloutRecord): Step {
    const count = record.payload?.num_turns
    if (typeof count !== 'number') return { skipped: 'invalid' }
    const { state } = this
    const made = this.dropTurns(count)
    state.rollbacks = [...(state.rollbacks ?? []), { rows: state.rows.length, count }]
    if (passesOverCompaction(state)) state.top = -1
    return this.made(made)
  }

  private takeError(record: RolloutRecord): Step {
    const text = textOrNull(record.payload?.message)
    if (text === null) return { skipped: 'invalid' }
    this.state.error = text
    return this.made([this.make(null, 'error', record.time, text)])
  }

  private takeFolder(record: RolloutRecord): Step {
    const folder = plainPath(record.payload?.cwd)
    if (folder !== null) this.noteFolder(folder)
    return nothing
  }

  private takeUsage(record: RolloutRecord): Step {
    const payload = record.payload
    if (payload === undefined) return { skipped: 'invalid' }
    const { state } = this
    const { usage, total } = usageOf(record.type, payload)
    if (total === null) return nothing
    if (record.type === 'token_usage_record') state.sawUsageRecords = true
    // token_count is written again without any new answer: only a changed total stands for new tokens.
    else if (total === state.tokensSoFar) return nothing
    state.tokensSoFar = total
    if (this.row !== undefined) {
      this.row.usage = addUsage(this.row.usage, usage)
      this.row.contextTokens = usage.inputTokens + usage.outputTokens
    }
    return nothing
  }

  private keepEvent(record: RolloutRecord, fromUser: boolean, content: unknown): Step {
    const text = textOf(content)
    const role = fromUser ? 'user' : 'assistant'
    const at = record.time
    const { open, sawExplicit } = this.state
    const opens = fromUser && open !== 'explicit' && !sawExplicit
    const closing = opens ? this.openTurn(this.nextId, 'implicit', at, at) : []
    if (text !== '') this.state.events.push({ role, text, at })
    return this.made(closing)
  }

  private made(messages: readonly MadeMessage[]): Step {
    return messages.length === 0 ? nothing : { made: messages }
  }
}

/** What an event says a person typed. */
function typedText(record: RolloutRecord): string | null {
  if (record.type !== 'event_msg') return null
  if (record.subtype === 'user_message') return textOf(record.payload?.message)
  const item = record.subtype === 'item_completed' ? record.payload?.item : undefined
  return isObject(item) && item.type === 'UserMessage' ? textOf(item.content) : null
}

function summaryId(compacted: Body): string | null {
  const items: unknown[] = Array.isArray(compacted.replacement_history) ? compacted.replacement_history : []
  const summary = items.filter(isObject).findLast((item) => item.type === 'message' && roleOf(item) === 'summary')
  return textOrNull(summary?.id)
}

function errorText(error: unknown): string | null {
  if (typeof error === 'string') return error
  return isObject(error) ? (textOrNull(error.message) ?? JSON.stringify(error)) : null
}

/** No date is further from 1970. */
const lastSecond = 8.64e12

/** The line's own time is finer than the event's seconds, but a copied line carries the time of the copy. */
function preciseTime(seconds: unknown, lineTime: number | null): number | null {
  if (typeof seconds !== 'number' || Math.abs(seconds) > lastSecond) return lineTime
  const rough = seconds * 1000
  return lineTime !== null && Math.abs(lineTime - rough) < 2000 ? lineTime : rough
}
