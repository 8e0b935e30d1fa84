// Prompts typed while the agent works wait in a queue that `queue-operation` lines record: `enqueue` adds one, `dequeue` makes it
// the next prompt, `popAll` takes all back into the composer, `remove` hands one to the model within the running turn. Up to
// 2.1.81 such a handed one stands nowhere else, and no later request holds it again; later versions add a `queued_command`
// attachment, which is what is shown then. (Settled by driving 2.0.76 to 2.1.325.)
import type { Line } from '../../lib/jsonl.ts'
import { timeOf } from './facts.ts'
import type { LineFields } from './line-fields.ts'
import type { CarriedLine, LineIndex } from './line-index.ts'
import { placeOf } from './line-row.ts'
import { noRow, type Row } from './row.ts'
import { isHarnessText } from './words.ts'

interface Waiting {
  /** `null` where it was not recorded: a prompt with pictures. */
  readonly text: string | null
  readonly at: number | null
  readonly line: number
  readonly lineBytes: number
  /** The session id and the text within the line. */
  readonly idAt: number
  readonly textAt: number
  readonly textBytes: number
}

/** A prompt that was handed to the model within a turn. */
export interface QueuedPrompt extends Waiting {
  readonly id: string
  /** The row in front of which it belongs: what the model answered next; `noRow` while there is none. */
  before: number
  /** False where it may be another one: the queue was not followed from when it was empty. */
  readonly isSure: boolean
  /** The `remove` line. */
  readonly usedLine: number
  readonly usedBytes: number
}

/** What must be known to go on later; JSON-able. */
export interface QueueState {
  readonly waiting: readonly Waiting[]
  readonly used: readonly QueuedPrompt[]
  readonly hasNext: boolean
}

export class PromptQueue {
  #waiting: Waiting[]
  #used: QueuedPrompt[]
  /** A waiting prompt was made the next one: its own line follows. */
  #hasNext: boolean
  #isSure: boolean

  /** `isSure`: it begins as at the beginning of a file, or as `state` says. */
  constructor(state: QueueState = { waiting: [], used: [], hasNext: false }, isSure = true) {
    this.#isSure = isSure
    this.#waiting = [...state.waiting]
    this.#used = state.used.map((prompt) => ({ ...prompt }))
    this.#hasNext = state.hasNext
  }

  get used(): readonly QueuedPrompt[] {
    return this.#used
  }

  state(used: readonly QueuedPrompt[]): QueueState {
    return { waiting: this.#waiting, used, hasNext: this.#hasNext }
  }

  /** A `queue-operation` line. */
  note(line: Line, fields: LineFields): void {
    if (fields.operation === 'enqueue') this.#waiting.push(waitingOf(line, fields))
    else if (fields.operation === 'dequeue') {
      this.#take((each) => (isFromHarness(each) ? 2 : 1))
      this.#hasNext = true
    } else if (fields.operation === 'popAll') this.#waiting = this.#waiting.filter(isFromHarness)
    else if (fields.operation === 'remove') this.#remove(line, fields)
  }

  #remove(line: Line, { ownText, reason }: LineFields): void {
    // 2.1.325 says which one. Before, words are handed over first: commands and reports may have to wait for the turn's end.
    const prompt = this.#take((each) => (ownText === null ? rankOf(each) : each.text === ownText ? 1 : 0))
    const isUsed = reason === null || reason === 'absorbed_mid_turn'
    if (prompt?.text == null || !isUsed || isFromHarness(prompt)) return
    const id = `queued-${prompt.at ?? prompt.line}`
    const unique = this.#used.some((other) => other.id === id) ? `${id}-${prompt.line}` : id
    const place = { usedLine: placeOf(line), usedBytes: line.end - line.start }
    this.#used.push({ ...prompt, ...place, id: unique, before: noRow, isSure: this.#isSure })
  }

  /** The first one of the lowest rank; rank 0 is not taken. */
  #take(rank: (waiting: Waiting) => number): Waiting | undefined {
    const ranks = this.#waiting.map(rank)
    const lowest = Math.min(...ranks.filter((each) => each > 0))
    return this.#waiting.splice(ranks.indexOf(lowest), lowest === Number.POSITIVE_INFINITY ? 0 : 1)[0]
  }

  /** An attachment holds a prompt that was handed over: it is told from there. */
  noteAttachment(text: string): void {
    const isOpen = ({ before }: QueuedPrompt) => before === noRow
    const same = this.#used.findIndex((prompt) => isOpen(prompt) && prompt.text === text)
    const at = same === -1 ? this.#used.findIndex(isOpen) : same
    if (at !== -1) this.#used.splice(at, 1)
  }

  /** A row was read: prompts that were handed over since stand in front of what the model or the user said next. */
  noteRow(at: number, row: Row, beginsMessage: boolean): void {
    if (isNext(row, beginsMessage)) for (const prompt of this.#used) if (prompt.before === noRow) prompt.before = at
    if (row.kind !== 'prompt') return
    // A prompt that did not come from the queue was typed while it was empty: an earlier one was left behind by another process.
    if (!this.#hasNext) {
      this.#waiting = this.#waiting.filter((each) => isFromHarness(each) || !isEarlier(each, row))
      this.#isSure = true
    }
    this.#hasNext = false
  }
}

function isNext({ kind, passive }: Row, beginsMessage: boolean): boolean {
  if (kind === 'assistant') return beginsMessage
  return kind === 'prompt' || kind === 'boundary' || kind === 'summary' || (kind === 'injected' && !passive)
}

function isEarlier({ at }: Waiting, row: Row): boolean {
  return at !== null && row.at !== null && at < row.at
}

function rankOf(waiting: Waiting): number {
  if (isFromHarness(waiting)) return 3
  return waiting.text !== null && /^[/!]/.test(waiting.text) ? 2 : 1
}

function isFromHarness({ text }: Waiting): boolean {
  return text !== null && isHarnessText(text)
}

function waitingOf(line: Line, { ownText, ownTextStart, ownTextEnd, timestamp, idStart }: LineFields): Waiting {
  return {
    text: ownText,
    at: timeOf(timestamp),
    line: placeOf(line),
    lineBytes: line.end - line.start,
    idAt: idStart < 0 ? noRow : idStart - line.start,
    textAt: ownTextStart - line.start,
    textBytes: ownTextEnd - ownTextStart,
  }
}

/** Makes a row of every prompt that was handed over, once the rows are linked. */
export function placeQueued({ queue, rows, queuedBefore, lastRow }: LineIndex): void {
  for (const prompt of queue.used) {
    const at = rows.count
    const anchor = prompt.before === noRow ? endOfFile : prompt.before
    const behind = prompt.before === noRow ? lastRow : rows.parent(prompt.before)
    rows.set(at, rowOf(prompt, queuedBefore.get(anchor) ?? behind))
    queuedBefore.set(anchor, at)
  }
}

/** Stands for the row that comes next, in `queuedBefore`. */
export const endOfFile = -3

function rowOf({ id, at, line, lineBytes, idAt, textAt, textBytes }: QueuedPrompt, parent: number): Row {
  return {
    uuid: id,
    parent,
    line,
    lineBytes,
    idAt,
    offset: line + textAt,
    bytes: textBytes,
    kind: 'queued',
    group: noRow,
    at,
    messages: 1,
    passive: true,
    exitCode: null,
    sign: '',
    text: '',
    origin: null,
  }
}

/** The lines that record the queued prompts among these rows: a fork takes them along. */
export function queueLines({ queue, rows }: LineIndex, kept: ReadonlySet<number>): CarriedLine[] {
  const type = 'queue-operation'
  return queue.used
    .filter(({ id }) => kept.has(rows.byUuid.get(id) ?? noRow))
    .flatMap(({ line, lineBytes, usedLine, usedBytes }) => [
      { type, line, lineBytes },
      { type, line: usedLine, lineBytes: usedBytes },
    ])
}
