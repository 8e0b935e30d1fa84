// What happens to the table of turns: one opens, is left, is rolled back; messages are counted and named.
import type { Role } from '../../model/session.ts'
import { typedWords } from './prompts.ts'
import { type MadeMessage, startTracking, type TrackState, type TurnRow } from './turn-state.ts'
import { noUsage } from './usage.ts'

/** More are never at work at once. */
const maxLeftCalls = 100

export class TurnRows {
  readonly state: TrackState
  /** Set by whoever feeds the records: does a turn that starts here come from the parent? */
  isInherited: (turnId: string, startedAt: number | null, at: number | null) => boolean = () => false
  private readonly ids: Set<string>

  constructor(state: TrackState = startTracking()) {
    this.state = state
    this.ids = new Set(state.rows.map((row) => row.id))
  }

  protected get row(): TurnRow | undefined {
    return this.state.rows[this.state.top]
  }

  /** How a turn without an id of its own is called. */
  protected get nextId(): string {
    return `t${this.state.rows.length + 1}`
  }

  protected knows(turnId: string): boolean {
    return this.ids.has(turnId)
  }

  protected openTurn(id: string, open: 'explicit' | 'implicit', startedAt: number | null, at: number | null): MadeMessage[] {
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
      ...(state.folder === null ? {} : { cwd: state.folder }),
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
  protected leaveTurn(): MadeMessage[] {
    const { state } = this
    const row = this.row
    if (row === undefined || state.open === null) return []
    const closing = this.flushEvents()
    row.state = state.open === 'implicit' && state.answered ? 'complete' : 'interrupted'
    row.endedAt ??= state.lastAt
    if (state.openCalls.length > 0) state.leftCalls = [...(state.leftCalls ?? []), ...state.openCalls].slice(-maxLeftCalls)
    state.open = null
    return closing
  }

  /** The newest turns with a prompt are dropped, with all that came after them and the context messages right before them. */
  protected dropTurns(count: number): MadeMessage[] {
    const closing = this.leaveTurn()
    const { state } = this
    let left = count
    for (let at = state.top; at >= 0 && left > 0; at = state.rows[at]?.parent ?? -1) {
      const { prompts = 0, parent = -1 } = state.rows[at] ?? {}
      left -= prompts
      if (prompts === 0) continue
      state.top = parent
      const before = state.rows[parent]
      if (left <= 0 && before?.tail !== undefined) before.takenBack ??= { ...before.tail, withRow: at }
    }
    return closing
  }

  /** Something else than a context message came. */
  protected endTail(): void {
    if (this.row !== undefined) delete this.row.tail
  }

  /** Named before the prompt of a turn it is that turn's folder; named later, that of the turns to come. */
  protected noteFolder(folder: string): void {
    this.state.folder = folder
    const { row, state } = this
    if (row !== undefined && state.open !== null && row.prompts === 0) row.cwd = folder
  }

  protected notePrompt(text: string): void {
    const row = this.row
    if (row === undefined) return
    if (row.prompts === 0) {
      row.prompt = text
      row.lead = row.messages
    }
    row.prompts += 1
  }

  /** Codex counts what offshoot steered it with as a prompt when it takes turns back, not as context. */
  protected noteRefusal(): void {
    if (this.row === undefined) return
    this.row.prompts += 1
    this.endTail()
  }

  /** The messages of a turn that only events told of. */
  protected flushEvents(): MadeMessage[] {
    const { state } = this
    const events = state.hasItems ? [] : state.events
    state.events = []
    return events.map(({ role, text, at }) => {
      if (role === 'user') this.notePrompt(typedWords(text))
      state.answered = role === 'assistant'
      return this.make(null, role, at, text)
    })
  }

  protected make(id: string | null, role: Role, at: number | null, text?: string): MadeMessage {
    const { state } = this
    const row = this.row
    const position = (row === undefined ? state.startMessages : row.messages) + 1
    const lead = row !== undefined && row.prompts === 0
    const made = { row: state.top, id: id ?? `${row?.id ?? 't0'}.${position}`, role, at, lead }
    if (row === undefined) state.startMessages = position
    else {
      if (role !== 'system' || lead) delete row.tail
      else row.tail = { ids: [...(row.tail?.ids ?? []), made.id], after: row.tail?.after ?? row.lastMessageId }
      Object.assign(row, { messages: position, lastMessageId: made.id })
    }
    state.lastAt = at ?? state.lastAt
    return text === undefined ? made : { ...made, text }
  }
}
