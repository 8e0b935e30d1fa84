// Which lines of a history a fork keeps, one by one and in order: those of the turns on the branch, and of the last turn up to
// the message asked for with the calls made together with it and their outputs.
import type { SurveyedBranch } from './emit.ts'
import type { RolloutRecord } from './lines.ts'
import { bareState, isToolOutput } from './record-types.ts'
import { type MadeMessage, type Step, takenBackOn } from './turn-state.ts'
import { TurnTracker } from './turns.ts'

/** Names and takes back what is not in the child: it has its own name, and its branch only. */
const leftOut = new Set(['thread_rolled_back', 'thread_name_updated'])
/** Types of lines that are never copied: the child has its own first line, and no newer Codex knows the state lines. */
const notCopied = new Set(['', 'session_meta', bareState])

export class KeptLines {
  /** Of the last turn that is kept, while no line has ended it. */
  openTurnId: string | null = null
  private readonly tracker = new TurnTracker()
  private readonly path: ReadonlySet<number>
  private readonly last: number
  private readonly wanted: string | undefined
  private readonly isLinear: boolean
  private readonly isTakenBack: (made: MadeMessage) => boolean
  /** Which turn it belongs to is told by the next line only. */
  private undecided: RolloutRecord | null = null
  /** Thinking in front of a call that may or may not be kept. */
  private thinking: RolloutRecord[] = []
  /** Once the message asked for is there: the calls whose outputs are still kept. */
  private calls: Set<string> | null = null
  private isDone = false

  /** `isLinear`: turns follow each other, none is ever rolled back in place. */
  constructor({ surveyed, untilMessage }: SurveyedBranch, isLinear: boolean) {
    this.path = new Set(surveyed.path)
    this.last = surveyed.path.at(-1) ?? -1
    this.wanted = untilMessage
    this.isLinear = isLinear
    this.isTakenBack = takenBackOn(surveyed.state.rows, surveyed.path)
  }

  /** Nothing more will be kept. */
  get done(): boolean {
    return this.isDone
  }

  /** What is to be written now: nothing, the record, or with it one that waited. */
  take(record: RolloutRecord): RolloutRecord[] {
    const before = this.tracker.state.top
    const step = this.tracker.step(record)
    const kept: RolloutRecord[] = []
    if (this.undecided !== null) {
      const held = this.undecided
      this.undecided = null
      this.decide(held, rowOf(step.settled, before), { made: step.settled ?? [] }, kept)
    }
    if (this.tracker.state.undecided !== null) this.undecided = record.detach()
    else this.decide(record, this.tracker.state.top, step, kept)
    if (kept.at(-1) === record) this.noteEnd()
    return kept
  }

  finish(): RolloutRecord[] {
    const held = this.undecided
    const kept: RolloutRecord[] = []
    if (held === null) return kept
    const { top } = this.tracker.state
    const { made = [] } = this.tracker.finish()
    this.decide(held, rowOf(made, top), { made }, kept)
    return kept
  }

  private decide(record: RolloutRecord, row: number, step: Step, kept: RolloutRecord[]): void {
    if (this.isDone) return
    if (this.isLinear && row > this.last) {
      this.isDone = true
      return
    }
    if (!this.isKept(record, row) || step.made?.some(this.isTakenBack)) return
    if (this.calls !== null) this.keepRest(record, row, step, kept)
    else {
      kept.push(record)
      if (step.made?.some(({ id }) => id === this.wanted)) this.startRest()
    }
  }

  private isKept(record: RolloutRecord, row: number): boolean {
    if (notCopied.has(record.type) || leftOut.has(record.subtype)) return false
    if (row === -1 || this.path.has(row)) return true
    // Codex keeps what stood in front of the first prompt, even if that turn was rolled back.
    return row === 0 && record.type === 'response_item' && this.tracker.state.rows[0]?.prompts === 0
  }

  private startRest(): void {
    this.calls = new Set(this.tracker.state.openCalls)
    this.isDone = this.calls.size === 0
  }

  /** Behind the message asked for: calls made together with it, and what came of them. */
  private keepRest(record: RolloutRecord, row: number, step: Step, kept: RolloutRecord[]): void {
    const { calls } = this
    if (calls === null) return
    const isItem = record.type === 'response_item'
    if (row !== this.last || isTurnEnd(record)) this.isDone = true
    else if (!isItem) kept.push(record)
    else if (record.subtype === 'reasoning') this.thinking.push(record.detach())
    else if (isToolOutput(record.subtype)) {
      if (step.output === undefined || !calls.delete(step.output)) return
      kept.push(record)
      this.isDone = calls.size === 0
    } else if (step.made?.some(({ role }) => role === 'tool')) {
      kept.push(...this.thinking.splice(0), record)
      for (const id of this.tracker.state.openCalls) calls.add(id)
    } else this.isDone = true
  }

  private noteEnd(): void {
    const { top, open, rows } = this.tracker.state
    if (top === this.last) this.openTurnId = open === 'explicit' ? (rows[top]?.id ?? null) : null
  }
}

function rowOf(made: readonly MadeMessage[] | undefined, otherwise: number): number {
  return made?.at(-1)?.row ?? otherwise
}

function isTurnEnd({ type, subtype }: RolloutRecord): boolean {
  return type === 'event_msg' && (subtype === 'task_complete' || subtype === 'turn_complete' || subtype === 'turn_aborted')
}
