// Keeps entries in order while some of them wait: a call for its output, the mark of a turn for the turn's end.
import type { Message, Turn } from '../../model/session.ts'
import type { Entry } from '../reading.ts'

interface Slot {
  /** `null` while the turn of this row goes on. */
  entry: Entry | null
  readonly row: number
  /** The call whose output is not there yet. */
  waitsFor: string | null
}

/** In place of what is handed out: a long text must not stay in memory with the queue. */
const spent: Slot = { entry: null, row: -1, waitsFor: null }

/** A call that is never answered must not hold back everything behind it. */
const longestWait = 1000

export class EntryQueue {
  /** Characters that are held, about. */
  weight = 0
  private slots: Slot[] = []
  private head = 0
  private openTurns = 0
  /** How many more entries to hand out; unlimited before the message asked for. */
  private left: number | undefined
  private readonly untilMessage: string | undefined

  constructor(untilMessage?: string) {
    this.untilMessage = untilMessage
  }

  push(entry: Entry): void {
    this.slots.push({ entry, row: -1, waitsFor: null })
  }

  pushMessage(message: Message): void {
    const waitsFor = message.tool?.output === null ? message.tool.callId : null
    const entry: Entry = { kind: 'message', message }
    this.slots.push({ entry, row: -1, waitsFor })
    this.weight += weightOf(entry)
  }

  /** Keeps a place for the mark of a turn whose end is not known yet. */
  pushOpenTurn(row: number): void {
    this.slots.push({ entry: null, row, waitsFor: null })
    this.openTurns += 1
  }

  /** Fills in the marks of all turns that were open. */
  closeTurns(describe: (row: number) => Turn): void {
    if (this.openTurns === 0) return
    for (const slot of this.waiting()) slot.entry ??= { kind: 'turn', turn: describe(slot.row) }
    this.openTurns = 0
  }

  answer(callId: string, complete: (message: Message) => Message): void {
    for (let at = this.slots.length - 1; at >= this.head; at -= 1) {
      const slot = this.slots[at]
      if (slot?.waitsFor !== callId || slot.entry?.kind !== 'message') continue
      const message = complete(slot.entry.message)
      this.weight -= weightOf(slot.entry)
      slot.entry = { kind: 'message', message }
      this.weight += weightOf(slot.entry)
      slot.waitsFor = null
      return
    }
  }

  /** No more outputs will come, but for these calls. */
  release(awaited: readonly string[] = []): void {
    for (const slot of this.waiting()) if (slot.waitsFor !== null && !awaited.includes(slot.waitsFor)) slot.waitsFor = null
  }

  /** The message asked for has been handed out, and the calls made together with it. */
  get done(): boolean {
    return this.left === 0
  }

  next(): Entry | undefined {
    if (this.done) return undefined
    const slot = this.slots[this.head]
    if (slot === undefined) return undefined
    const held = slot.waitsFor !== null && this.slots.length - this.head < longestWait
    if (held || slot.entry === null) return undefined
    this.slots[this.head] = spent
    this.head += 1
    this.weight -= weightOf(slot.entry)
    if (this.head > longestWait) this.forget()
    if (this.left !== undefined) this.left -= 1
    else if (slot.entry.kind === 'message' && slot.entry.message.id === this.untilMessage) this.left = this.countCalls()
    return slot.entry
  }

  /** Gives up what is handed out. */
  private forget(): void {
    this.slots = this.slots.slice(this.head)
    this.head = 0
  }

  /** Calls that were made before this one was answered: parallel ones, which a cut must not tear apart. */
  private countCalls(): number {
    const after = this.waiting()
    const end = after.findIndex(({ entry }) => entry?.kind !== 'message' || entry.message.tool === undefined)
    return end === -1 ? after.length : end
  }

  private waiting(): Slot[] {
    return this.head === 0 ? this.slots : this.slots.slice(this.head)
  }
}

function weightOf(entry: Entry): number {
  return entry.kind === 'message' ? entry.message.text.length + (entry.message.tool?.output?.length ?? 0) : 0
}
