// Parses the records of one branch and yields its entries in order. Of a plain thread this is the only pass: a turn is held
// until it ends, because its mark says how. Where that takes too much memory, or parts of the thread are left out, a survey of
// the whole tells beforehand.
import type { Turn } from '../../model/session.ts'
import type { Entry } from '../reading.ts'
import { type CallEnd, callEndOf } from './call-end.ts'
import { keptPrompts, replacementMessages } from './context.ts'
import { EntryQueue } from './entry-queue.ts'
import { type History, scanHistory } from './history.ts'
import { breathe, pause, type RolloutRecord } from './lines.ts'
import { answerCall, buildMessage, thinkingOf } from './messages.ts'
import { type Place, pathTo, surveyHistory } from './survey.ts'
import {
  describeTurn,
  keepsFirstLead,
  lastState,
  type MadeMessage,
  type Step,
  type TrackState,
  takenBackOn,
} from './turn-state.ts'
import { TurnTracker } from './turns.ts'

/** What a survey found of a branch. */
export interface Surveyed {
  readonly state: TrackState
  /** The turns of the branch, as indexes of rows. */
  readonly path: readonly number[]
  /** The newest compaction on it. */
  readonly compaction: Place | undefined
  /** Turns after whose end more was said before the next one started: a client put items in. */
  readonly loose: ReadonlySet<number>
}

export type SurveyedBranch = Branch & { readonly surveyed: Surveyed }

export interface Branch {
  readonly history: History
  /** Where the last file ended when reading began: all passes must see the same lines. */
  readonly to: number
  /** Absent for a thread of which every turn is live. */
  readonly surveyed?: Surveyed
  readonly untilMessage?: string
}

/** A turn that holds more than this is surveyed instead of kept in memory. */
const heaviestTurn = 16_000_000

export async function* emitBranch(branch: Branch, view: 'all' | 'context'): AsyncGenerator<Entry> {
  const { history, to } = branch
  const emitter = new Emitter(branch, view)
  for (const next of scanHistory(history, { to })) {
    if (next === pause) await breathe()
    else emitter.take(next)
    if (emitter.queue.weight > heaviestTurn && !emitter.knowsTurns)
      emitter.learn((await surveyHistory(history, {}, { to })).state)
    for (let entry = emitter.queue.next(); entry !== undefined; entry = emitter.queue.next()) yield entry
    if (emitter.queue.done) return
  }
  emitter.finish()
  for (let entry = emitter.queue.next(); entry !== undefined; entry = emitter.queue.next()) yield entry
}

class Emitter {
  readonly queue: EntryQueue
  private readonly tracker = new TurnTracker()
  private readonly view: 'all' | 'context'
  private readonly compaction: Place | undefined
  private readonly keepsLead: boolean
  private readonly isTakenBack: (made: MadeMessage) => boolean
  private readonly prompts = keptPrompts()
  private readonly ends = new Map<string, CallEnd>()
  /** The turns of the branch by row; `undefined` while every turn counts and its end shows when it comes. */
  private turns: ReadonlyMap<number, Turn> | undefined
  private marked = 0
  private thinking = ''
  /** In the view `context` nothing counts before the newest compaction. */
  private active: boolean

  constructor({ surveyed, untilMessage }: Branch, view: 'all' | 'context') {
    this.view = view
    this.queue = new EntryQueue(untilMessage)
    this.compaction = surveyed?.compaction
    this.turns = surveyed === undefined ? undefined : describePath(surveyed.state, surveyed.path)
    this.keepsLead = surveyed !== undefined && keepsFirstLead(surveyed.state, surveyed.path)
    this.isTakenBack = takenBackOn(surveyed?.state.rows ?? [], surveyed?.path ?? [])
    this.active = view === 'all' || this.compaction === undefined
  }

  get knowsTurns(): boolean {
    return this.turns !== undefined
  }

  learn(state: TrackState): void {
    const turns = describePath(state, pathTo(state.rows, state.top))
    this.turns = turns
    this.queue.closeTurns((row) => turns.get(row) ?? this.describeRow(row))
  }

  take(record: RolloutRecord): void {
    const step = this.tracker.step(record)
    if (step.skipped !== undefined) this.queue.push({ kind: 'skipped', reason: step.skipped, offset: record.offset })
    if (step.settled !== undefined) for (const made of step.settled) this.emit(made)
    if (step.compaction) this.compact(record, step)
    else if (step.made !== undefined) for (const made of step.made) this.emit(made, record)
    if (this.marked < this.tracker.state.rows.length) this.markTurns(this.tracker.state.rows.length - 1)
    if (!this.active) return
    if (step.output !== undefined) this.answer(step.output, record)
    else if (record.subtype === 'reasoning' && !record.isSealed) this.think(record)
    else this.noteEnd(callEndOf(record))
  }

  finish(): void {
    for (const made of this.tracker.finish().made ?? []) this.emit(made)
    this.leaveTurn()
    this.queue.release()
  }

  private emit(made: MadeMessage, record?: RolloutRecord): void {
    if (made.row >= this.marked) this.markTurns(made.row)
    const turnId = this.turnIdOf(made)
    if (turnId === undefined || this.isTakenBack(made)) return
    if (!this.active) {
      if (made.role === 'user') this.prompts.add(buildMessage(made, turnId, record?.payload, '', this.view))
      return
    }
    if (this.view === 'context' && made.role === 'error') return
    const thinks = made.role === 'assistant' || made.role === 'tool'
    this.queue.pushMessage(buildMessage(made, turnId, record?.payload, thinks ? this.thinking : '', this.view))
    if (thinks) this.thinking = ''
  }

  /** `undefined` for what is not on this branch. */
  private turnIdOf({ row, lead }: MadeMessage): string | undefined {
    if (row === -1 || (row === 0 && lead && this.keepsLead)) return ''
    return this.turns === undefined ? this.tracker.state.rows[row]?.id : this.turns.get(row)?.id
  }

  private compact(record: RolloutRecord, step: Step): void {
    const { top } = this.tracker.state
    if (top !== -1 && this.turns?.has(top) === false) return
    if (this.view === 'all') {
      this.queue.push({ kind: 'compaction' })
      for (const made of step.made ?? []) this.emit(made, record)
    } else if (record.part === this.compaction?.part && record.offset === this.compaction.offset) {
      this.active = true
      const turn = this.turns?.get(top)
      if (turn !== undefined) this.queue.push({ kind: 'turn', turn })
      this.queue.push({ kind: 'compaction' })
      for (const message of replacementMessages(record, turn?.id ?? '', this.prompts.all(), step.made)) {
        this.queue.push({ kind: 'message', message })
      }
    }
  }

  /** Marks the turns up to this row. */
  private markTurns(row: number): void {
    this.leaveTurn()
    for (; this.marked <= row; this.marked += 1) {
      const turn = this.turns?.get(this.marked)
      if (this.turns === undefined) this.queue.pushOpenTurn(this.marked)
      else if (turn !== undefined && this.active) this.queue.push({ kind: 'turn', turn })
    }
  }

  /** A turn is over: what its calls still wait for will not come, unless another client is at work on them. */
  private leaveTurn(): void {
    this.queue.release(this.tracker.state.leftCalls)
    this.queue.closeTurns((row) => this.describeRow(row))
    this.thinking = ''
    this.ends.clear()
  }

  private describeRow(row: number): Turn {
    const { state } = this.tracker
    return describeTurn(state.rows, row, row + 1, lastState(state))
  }

  private answer(callId: string, record: RolloutRecord): void {
    if (this.turns?.has(this.tracker.state.top) === false) return
    const end = this.ends.get(callId)
    this.queue.answer(callId, (message) =>
      message.tool === undefined ? message : { ...message, tool: answerCall(message.tool, record.payload, end) },
    )
  }

  private noteEnd(end: CallEnd | null): void {
    if (end !== null) this.ends.set(end.callId, end)
  }

  private think(record: RolloutRecord): void {
    const { top } = this.tracker.state
    if (top !== -1 && this.turns?.has(top) === false) return
    const text = thinkingOf(record.payload)
    if (text !== '') this.thinking = this.thinking === '' ? text : `${this.thinking}\n\n${text}`
  }
}

function describePath(state: TrackState, path: readonly number[]): Map<number, Turn> {
  const live = new Map(pathTo(state.rows, state.top).map((row, index) => [row, index + 1]))
  const open = path.at(-1) === state.top ? lastState(state) : 'interrupted'
  return new Map(path.map((row) => [row, describeTurn(state.rows, row, live.get(row) ?? null, open)]))
}
