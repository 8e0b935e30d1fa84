// Follows the records of a history in order and says which turn and which message each one makes. Reading runs it twice, first
// to know how each turn ends and then to hand out messages; both runs see the same records, so both give the same ids.
import { isObject } from '../../lib/jsonl.ts'
import type { Role, TurnState, Usage } from '../../model/session.ts'
import type { Body, RolloutRecord } from './lines.ts'
import { textOrNull } from './lines.ts'
import { isUnmarked, roleOf, textOf, turnIdOf } from './prompts.ts'
import { isSelfContained, isToolCall, isToolOutput, knownEvents, knownItems, knownTypes } from './record-types.ts'
import { addUsage, noUsage, usageOf } from './usage.ts'

export interface TurnRow {
  id: string
  prompt: string
  startedAt: number | null
  endedAt: number | null
  messages: number
  lastMessageId: string | null
  state: TurnState
  afterCompaction: boolean
  usage: Usage
  /** Index of the turn before it; -1 for the first. A rolled back turn stays in the list, but no live turn follows it. */
  parent: number
  /** How many real prompts it holds: none after /compact, several when steered. */
  prompts: number
  /** Messages in front of its first prompt. */
  lead: number
  /** The context was compacted in this turn or before. */
  compacted: boolean
  inherited: boolean
}

interface PendingEvent {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly at: number | null
}

/** All that has to be kept to go on later; JSON-able. */
export interface TrackState {
  rows: TurnRow[]
  /** Newest turn of the live chain; -1 before the first. */
  top: number
  /** A turn of an old file has no start line: it opens with its prompt and ends with the next one. */
  open: 'explicit' | 'implicit' | null
  sawExplicit: boolean
  startMessages: number
  openCalls: string[]
  /** False while a turn has no response item: only then do events carry its messages. */
  hasItems: boolean
  events: PendingEvent[]
  /** Looks injected, but only the next line tells: a prompt is said again by an event. */
  undecided: { readonly id: string | null; readonly text: string; readonly at: number | null } | null
  answered: boolean
  error: string | null
  lastAt: number | null
  tokensSoFar: number
  sawUsageRecords: boolean
}

/** A message that a record makes, without its content. */
export interface MadeMessage {
  readonly row: number
  readonly id: string
  readonly role: Role
  readonly at: number | null
  /** Stands in front of the first prompt of its turn. */
  readonly lead: boolean
  /** Where the content is not the record's payload. */
  readonly text?: string
}

export interface Step {
  readonly skipped?: string
  /** Messages of a line before, now decided. */
  readonly settled?: readonly MadeMessage[]
  readonly made?: readonly MadeMessage[]
  readonly compaction?: true
  readonly output?: string
}

export function startTracking(): TrackState {
  return {
    rows: [],
    top: -1,
    open: null,
    sawExplicit: false,
    startMessages: 0,
    openCalls: [],
    hasItems: false,
    events: [],
    undecided: null,
    answered: false,
    error: null,
    lastAt: null,
    tokensSoFar: 0,
    sawUsageRecords: false,
  }
}

const nothing: Step = {}

export class TurnTracker {
  readonly state: TrackState
  /** Set by whoever feeds the records: does a turn that starts here come from the parent? */
  isInherited: (turnId: string, startedAt: number | null, at: number | null) => boolean = () => false
  private readonly ids: Set<string>

  constructor(state: TrackState = startTracking()) {
    this.state = state
    this.ids = new Set(state.rows.map((row) => row.id))
  }

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
      case '':
        return { skipped: record.torn ? 'torn' : 'invalid' }
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
    if (knownItems.has(subtype)) return nothing
    return { skipped: record.payload === undefined ? 'invalid' : `unknown:response_item/${subtype}` }
  }

  private takeMessage(record: RolloutRecord): Step {
    const message = record.payload
    if (message === undefined) return { skipped: 'invalid' }
    const role = roleOf(message)
    const at = timeOf(record)
    if (role === 'system' && isUnmarked(message)) {
      this.state.undecided = { id: textOrNull(message.id), text: textOf(message.content), at }
      return nothing
    }
    const closing = role === 'user' ? this.openForPrompt(turnIdOf(message), at) : []
    this.startItems()
    if (role === 'user') this.notePrompt(textOf(message.content))
    this.state.answered = role === 'assistant'
    return this.made([...closing, this.make(textOrNull(message.id), role, at)])
  }

  private settle(typed: string | null): MadeMessage[] {
    const { undecided, events } = this.state
    if (undecided === null) return []
    this.state.undecided = null
    const { id, text, at } = undecided
    const isPrompt = text === typed || events.some((event) => event.role === 'user' && event.text === text)
    const closing = isPrompt ? this.openForPrompt(null, at) : []
    this.startItems()
    if (isPrompt) this.notePrompt(text)
    return [...closing, this.make(id, isPrompt ? 'user' : 'system', at, text)]
  }

  private startItems(): void {
    this.state.hasItems = true
    this.state.events = []
    this.state.answered = false
  }

  /** A prompt outside any turn starts one: in old files always, in newer ones when the line that starts the turn is lost. */
  private openForPrompt(turnId: string | null, at: number | null): MadeMessage[] {
    const { open, hasItems, events } = this.state
    if (open === 'explicit') return []
    if (open === 'implicit' && !hasItems && events.some((event) => event.role === 'user')) return []
    if (!this.state.sawExplicit) return this.openTurn(`t${this.state.rows.length + 1}`, 'implicit', at, at)
    return turnId === null || this.ids.has(turnId) ? [] : this.openTurn(turnId, 'explicit', at, at)
  }

  private notePrompt(text: string): void {
    const row = this.row
    if (row === undefined) return
    if (row.prompts === 0) {
      row.prompt = text
      row.lead = row.messages
    }
    row.prompts += 1
  }

  private takeCall(record: RolloutRecord): Step {
    const call = record.payload
    if (call === undefined) return { skipped: 'invalid' }
    const callId = textOrNull(call.call_id)
    this.startItems()
    if (callId !== null && !isSelfContained(record.subtype)) this.state.openCalls.push(callId)
    return this.made([this.make(callId ?? textOrNull(call.id), 'tool', timeOf(record))])
  }

  private takeOutput(record: RolloutRecord): Step {
    const callId = record.looksWhole ? record.callId : null
    if (callId === null) return { skipped: 'invalid' }
    const index = this.state.openCalls.indexOf(callId)
    // Codex leaves out an output without its call as well.
    if (index === -1) return { skipped: 'dangling' }
    this.state.openCalls.splice(index, 1)
    this.state.lastAt = timeOf(record) ?? this.state.lastAt
    return { output: callId }
  }

  private takeCompaction(record: RolloutRecord): Step {
    const payload = record.payload
    if (payload === undefined) return { skipped: 'invalid' }
    if (this.row !== undefined) this.row.compacted = true
    const text = textOrNull(payload.message) ?? ''
    const summary = text === '' ? [] : [this.make(summaryId(payload), 'summary', timeOf(record), text)]
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
    const at = timeOf(record)
    if (turnId !== null && this.state.open === 'explicit' && this.row?.id === turnId) return nothing
    const id = turnId === null || turnId === '' ? `t${this.state.rows.length + 1}` : turnId
    return this.made(this.openTurn(id, 'explicit', preciseTime(payload.started_at, at), at))
  }

  private openTurn(id: string, open: 'explicit' | 'implicit', startedAt: number | null, at: number | null): MadeMessage[] {
    const closing = this.leaveTurn()
    const { state } = this
    const parent = state.top
    let unique = id
    for (let n = 2; this.ids.has(unique); n += 1) unique = `${id}.again${n}`
    this.ids.add(unique)
    state.rows.push({
      id: unique,
      prompt: '',
      startedAt,
      endedAt: null,
      messages: 0,
      lastMessageId: null,
      state: 'running',
      afterCompaction: state.rows[parent]?.compacted ?? false,
      usage: noUsage,
      parent,
      prompts: 0,
      lead: 0,
      compacted: state.rows[parent]?.compacted ?? false,
      inherited: this.isInherited(unique, startedAt, at),
    })
    state.top = state.rows.length - 1
    state.open = open
    state.sawExplicit ||= open === 'explicit'
    state.openCalls = []
    state.hasItems = false
    state.answered = false
    state.error = null
    return closing
  }

  /** Another turn starts while this one is open: an old file has no end lines; a newer one lost its process. */
  private leaveTurn(): MadeMessage[] {
    const { state } = this
    const row = this.row
    if (row === undefined || state.open === null) return []
    const closing = this.flushEvents()
    row.state = state.open === 'implicit' && state.answered ? 'complete' : 'interrupted'
    row.endedAt ??= state.lastAt
    state.open = null
    return closing
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
    if (failure !== null && failure !== state.error) closing.push(this.make(null, 'error', timeOf(record), failure))
    const failed = failure !== null || state.error !== null
    row.state = record.subtype === 'turn_aborted' ? 'interrupted' : failed ? 'failed' : 'complete'
    row.endedAt = preciseTime(payload.completed_at, timeOf(record))
    state.open = null
    return this.made(closing)
  }

  /** What old versions write for going back: the newest turns with a prompt are dropped, with all that came after them. */
  private rollBack(record: RolloutRecord): Step {
    const count = record.payload?.num_turns
    if (typeof count !== 'number') return { skipped: 'invalid' }
    const closing = this.leaveTurn()
    const { state } = this
    let left = count
    for (let at = state.top; at >= 0 && left > 0; at = state.rows[at]?.parent ?? -1) {
      const { prompts = 0, parent = -1 } = state.rows[at] ?? {}
      left -= prompts
      if (prompts > 0) state.top = parent
    }
    return this.made(closing)
  }

  private takeError(record: RolloutRecord): Step {
    const text = textOrNull(record.payload?.message)
    if (text === null) return { skipped: 'invalid' }
    this.state.error = text
    return this.made([this.make(null, 'error', timeOf(record), text)])
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
    if (this.row !== undefined) this.row.usage = addUsage(this.row.usage, usage)
    return nothing
  }

  private keepEvent(record: RolloutRecord, fromUser: boolean, content: unknown): Step {
    const text = textOf(content)
    const role = fromUser ? 'user' : 'assistant'
    const at = timeOf(record)
    const { open, sawExplicit, rows } = this.state
    const opens = fromUser && open !== 'explicit' && !sawExplicit
    const closing = opens ? this.openTurn(`t${rows.length + 1}`, 'implicit', at, at) : []
    if (text !== '') this.state.events.push({ role, text, at })
    return this.made(closing)
  }

  private flushEvents(): MadeMessage[] {
    const { state } = this
    const events = state.hasItems ? [] : state.events
    state.events = []
    return events.map(({ role, text, at }) => {
      if (role === 'user') this.notePrompt(text)
      state.answered = role === 'assistant'
      return this.make(null, role, at, text)
    })
  }

  private make(id: string | null, role: Role, at: number | null, text?: string): MadeMessage {
    const { state } = this
    const row = this.row
    const position = (row === undefined ? state.startMessages : row.messages) + 1
    const lead = row !== undefined && row.prompts === 0
    const made = { row: state.top, id: id ?? `${row?.id ?? 't0'}.${position}`, role, at, lead }
    if (row === undefined) state.startMessages = position
    else Object.assign(row, { messages: position, lastMessageId: made.id })
    state.lastAt = at ?? state.lastAt
    return text === undefined ? made : { ...made, text }
  }

  private made(messages: readonly MadeMessage[]): Step {
    return messages.length === 0 ? nothing : { made: messages }
  }

  private get row(): TurnRow | undefined {
    return this.state.rows[this.state.top]
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

export function timeOf(record: RolloutRecord): number | null {
  const time = record.timestamp === null ? Number.NaN : Date.parse(record.timestamp)
  return Number.isNaN(time) ? null : time
}

/** The line's own time is finer than the event's seconds, but a copied line carries the time of the copy. */
function preciseTime(seconds: unknown, lineTime: number | null): number | null {
  if (typeof seconds !== 'number') return lineTime
  const rough = seconds * 1000
  return lineTime !== null && Math.abs(lineTime - rough) < 2000 ? lineTime : rough
}
