// The second pass: parses the records of one branch and puts its entries in order. A call waits for its output, so that both
// are one message; nothing else is held back.
import type { Turn } from '../../model/session.ts'
import type { Entry } from '../agent.ts'
import { keptPrompts, replacementMessages } from './context.ts'
import { type History, scanHistory } from './history.ts'
import { breathe, pause, type RolloutRecord } from './lines.ts'
import { answerCall, buildMessage, thinkingOf } from './messages.ts'
import { type Place, pathTo } from './survey.ts'
import { describeTurn, keepsFirstLead, lastState } from './turn-table.ts'
import { type MadeMessage, type Step, type TrackState, TurnTracker } from './turns.ts'

/** One branch of a thread, known in full from the first pass. */
export interface Branch {
  readonly history: History
  readonly state: TrackState
  /** Its turns, as indexes of rows. */
  readonly path: readonly number[]
  /** The newest compaction on it. */
  readonly compaction: Place | undefined
  readonly untilMessage: string | undefined
  /** Where the first pass ended: what was appended since is not read. */
  readonly to: number
}

export async function* emitBranch(branch: Branch, view: 'all' | 'context'): AsyncGenerator<Entry> {
  const emitter = new Emitter(branch, view)
  for (const next of scanHistory(branch.history, { to: branch.to })) {
    if (next === pause) await breathe()
    else emitter.take(next.record, next.part)
    for (let entry = emitter.next(); entry !== undefined; entry = emitter.next()) yield entry
    if (emitter.done) return
  }
  emitter.finish()
  for (let entry = emitter.next(); entry !== undefined; entry = emitter.next()) yield entry
}

interface Slot {
  entry: Entry
  /** The call whose output is not there yet. */
  waitsFor: string | null
}

/** A call that is never answered must not hold back a whole session. */
const longestQueue = 1000

class Emitter {
  private readonly tracker = new TurnTracker()
  private readonly branch: Branch
  private readonly view: 'all' | 'context'
  private readonly turns: ReadonlyMap<number, Turn>
  private readonly keepsLead: boolean
  private readonly prompts = keptPrompts()
  private readonly exitCodes = new Map<string, number | null>()
  private queue: Slot[] = []
  private head = 0
  private marked = 0
  private thinking = ''
  /** How many more entries to hand out; unlimited before the message asked for. */
  private left: number | undefined
  /** In the view `context` nothing counts before the newest compaction. */
  private active: boolean

  constructor(branch: Branch, view: 'all' | 'context') {
    this.branch = branch
    this.view = view
    this.turns = describePath(branch)
    this.keepsLead = keepsFirstLead(branch.state, branch.path)
    this.active = view === 'all' || branch.compaction === undefined
  }

  take(record: RolloutRecord, part: number): void {
    const step = this.tracker.step(record)
    if (step.skipped !== undefined) this.push({ kind: 'skipped', reason: step.skipped, offset: record.offset })
    if (step.compaction) this.compact(record, part, step)
    else if (step.made !== undefined) for (const made of step.made) this.emit(made, record)
    if (this.marked < this.tracker.state.rows.length) this.markTurns(this.tracker.state.rows.length - 1)
    if (!this.active) return
    if (step.output !== undefined) this.answer(step.output, record)
    else if (record.subtype === 'reasoning') this.think(record)
    else if (record.subtype === 'item_completed' && record.item.type === 'CommandExecution') {
      this.exitCodes.set(record.item.id, record.exitCode)
    }
  }

  finish(): void {
    for (const made of this.tracker.finish().made ?? []) this.emit(made)
    this.release()
  }

  /** The message asked for has been handed out, and the calls made together with it. */
  get done(): boolean {
    return this.left === 0
  }

  next(): Entry | undefined {
    if (this.done) return undefined
    const slot = this.queue[this.head]
    const held = slot?.waitsFor !== null && this.queue.length - this.head < longestQueue
    if (slot === undefined || held) {
      if (this.head === this.queue.length && this.head > 0) {
        this.queue = []
        this.head = 0
      }
      return undefined
    }
    this.head += 1
    if (this.left !== undefined) this.left -= 1
    else if (slot.entry.kind === 'message' && slot.entry.message.id === this.branch.untilMessage) this.left = this.countCalls()
    return slot.entry
  }

  /** Calls that were made before this one was answered: parallel ones, which a cut must not tear apart. */
  private countCalls(): number {
    const after = this.queue.slice(this.head)
    const end = after.findIndex(({ entry }) => entry.kind !== 'message' || entry.message.tool === undefined)
    return end === -1 ? after.length : end
  }

  private emit(made: MadeMessage, record?: RolloutRecord): void {
    if (made.row >= this.marked) this.markTurns(made.row)
    const turnId = this.turnIdOf(made)
    if (turnId === undefined) return
    if (!this.active) {
      if (made.role === 'user') this.prompts.add(buildMessage(made, turnId, record?.payload, ''))
      return
    }
    if (this.view === 'context' && made.role === 'error') return
    const thinks = made.role === 'assistant' || made.role === 'tool'
    const message = buildMessage(made, turnId, record?.payload, thinks ? this.thinking : '')
    if (thinks) this.thinking = ''
    this.push({ kind: 'message', message }, message.tool?.output === null ? message.tool.callId : null)
  }

  /** `undefined` for what is not on this branch. */
  private turnIdOf({ row, lead }: MadeMessage): string | undefined {
    if (row === -1 || (row === 0 && lead && this.keepsLead)) return ''
    return this.turns.get(row)?.id
  }

  private compact(record: RolloutRecord, part: number, step: Step): void {
    const { top } = this.tracker.state
    const turn = this.turns.get(top)
    if (top !== -1 && turn === undefined) return
    if (this.view === 'all') {
      this.push({ kind: 'compaction' })
      for (const made of step.made ?? []) this.emit(made, record)
    } else if (part === this.branch.compaction?.part && record.offset === this.branch.compaction.offset) {
      this.active = true
      if (turn !== undefined) this.push({ kind: 'turn', turn })
      this.push({ kind: 'compaction' })
      for (const message of replacementMessages(record, turn?.id ?? '', this.prompts.all(), step.made)) {
        this.push({ kind: 'message', message })
      }
    }
  }

  /** Marks the turns up to this row. What the turns before still wait for will not come. */
  private markTurns(row: number): void {
    this.release()
    for (; this.marked <= row; this.marked += 1) {
      const turn = this.turns.get(this.marked)
      if (turn !== undefined && this.active) this.push({ kind: 'turn', turn })
    }
  }

  private release(): void {
    for (let at = this.head; at < this.queue.length; at += 1) {
      const slot = this.queue[at]
      if (slot !== undefined) slot.waitsFor = null
    }
    this.thinking = ''
    this.exitCodes.clear()
  }

  private answer(callId: string, record: RolloutRecord): void {
    const slot = this.queue.findLast(({ waitsFor }) => waitsFor === callId)
    if (slot?.entry.kind !== 'message' || slot.entry.message.tool === undefined) return
    const { message } = slot.entry
    const tool = answerCall(slot.entry.message.tool, record.payload, this.exitCodes.get(callId) ?? null)
    slot.entry = { kind: 'message', message: { ...message, tool } }
    slot.waitsFor = null
  }

  private think(record: RolloutRecord): void {
    const { top } = this.tracker.state
    if (top !== -1 && !this.turns.has(top)) return
    const text = thinkingOf(record.payload)
    if (text !== '') this.thinking = this.thinking === '' ? text : `${this.thinking}\n\n${text}`
  }

  private push(entry: Entry, waitsFor: string | null = null): void {
    this.queue.push({ entry, waitsFor })
  }
}

function describePath({ state, path }: Branch): Map<number, Turn> {
  const live = new Map(pathTo(state.rows, state.top).map((row, index) => [row, index + 1]))
  const open = path.at(-1) === state.top ? lastState(state) : 'interrupted'
  return new Map(path.map((row) => [row, describeTurn(state.rows, row, live.get(row) ?? null, open)]))
}
