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
  readonly kind: 'words' | 'command' | 'report'
  readonly at: number | null
  readonly line: number
  readonly lineBytes: number
  /** Where the text is within the line. */
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

/** No user types more ahead; a damaged file may seem to. */
const mostWaiting = 200

export class PromptQueue {
  readonly #used: QueuedPrompt[]
  readonly #ids: Set<string>
  /** Those in front of which row they belong is not known yet. */
  #open: QueuedPrompt[]
  #waiting: Waiting[]
  /** A waiting prompt was made the next one: its own line follows. */
  #hasNext: boolean
  #isSure: boolean
  /** Whether a waiting prompt was made the next one is known: not before the first prompt of a part of a file. */
  #knowsNext: boolean

  /** `isSure`: it begins as at the beginning of a file, or as `state` says. */
  constructor(state: QueueState = { waiting: [], used: [], hasNext: false }, isSure = true) {
    this.#used = state.used.map((prompt) => ({ ...prompt }))
    this.#ids = new Set(this.#used.map(({ id }) => id))
    this.#open = this.#used.filter(({ before }) => before === noRow)
    this.#waiting = [...state.waiting]
    this.#hasNext = state.hasNext
    this.#isSure = isSure
    this.#knowsNext = isSure
  }

  get used(): readonly QueuedPrompt[] {
    return this.#used
  }

  state(used: readonly QueuedPrompt[]): QueueState {
    return { waiting: this.#waiting, used, hasNext: this.#hasNext }
  }

  /** A `queue-operation` line. */
  note(line: Line, fields: LineFields): void {
    const { operation, ownText: text, reason } = fields
    if (operation === 'enqueue') this.#waiting = [...this.#waiting.slice(1 - mostWaiting), waitingOf(line, fields, text)]
    else if (operation === 'popAll') this.#waiting = this.#waiting.filter(isReport)
    else if (operation === 'remove') {
      const prompt = this.#takeOut(text)
      if (reason === null || reason === 'absorbed_mid_turn') this.#use(prompt, line)
    } else if (operation === 'dequeue') {
      this.#take(['words', 'command'])
      this.#hasNext = true
    }
  }

  /** 2.1.325 says which one. Before, words are handed over first: commands and reports may have to wait for the turn's end. */
  #takeOut(wanted: string | null): Waiting | undefined {
    if (wanted === null) return this.#take(['words'], ['command'])
    const at = this.#waiting.findIndex(({ text }) => text === wanted)
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  /** The first one of the first of these kinds there is, else the first of all. */
  #take(...ranks: Waiting['kind'][][]): Waiting | undefined {
    const found = ranks.map((kinds) => this.#waiting.findIndex(({ kind }) => kinds.includes(kind)))
    return this.#waiting.splice(found.find((at) => at !== -1) ?? 0, 1)[0]
  }

  #use(prompt: Waiting | undefined, line: Line): void {
    if (prompt === undefined || !prompt.text?.trim() || isReport(prompt)) return
    const name = `queued-${prompt.at ?? prompt.line}`
    const id = this.#ids.has(name) ? `${name}-${prompt.line}` : name
    const place = { usedLine: placeOf(line), usedBytes: line.end - line.start }
    const used = { ...prompt, ...place, id, before: noRow, isSure: this.#isSure }
    this.#ids.add(id)
    this.#used.push(used)
    this.#open.push(used)
  }

  /** An attachment holds a prompt that was handed over: it is told from there. */
  noteAttachment(text: string): void {
    const prompt = this.#open.find((each) => each.text === text) ?? this.#open[0]
    if (prompt === undefined) return
    this.#open.splice(this.#open.indexOf(prompt), 1)
    this.#used.splice(this.#used.lastIndexOf(prompt), 1)
  }

  /** A row was read: prompts that were handed over since stand in front of what the model or the user said next. */
  noteRow(at: number, row: Row, beginsMessage: boolean): void {
    if (this.#open.length > 0 && isNext(row, beginsMessage)) {
      for (const prompt of this.#open) prompt.before = at
      this.#open = []
    }
    if (row.kind !== 'prompt') return
    // A prompt that did not come from the queue was typed while it was empty: an earlier one was left behind by another process.
    if (!this.#hasNext && this.#knowsNext) {
      this.#waiting = this.#waiting.filter((each) => isReport(each) || !isEarlier(each, row))
      this.#isSure = true
    }
    this.#hasNext = false
    this.#knowsNext = true
  }
}

function isNext({ kind, passive }: Row, beginsMessage: boolean): boolean {
  if (kind === 'assistant') return beginsMessage
  return kind === 'prompt' || kind === 'boundary' || kind === 'summary' || (kind === 'injected' && !passive)
}

function isEarlier({ at }: Waiting, row: Row): boolean {
  return at !== null && row.at !== null && at < row.at
}

function isReport({ kind }: Waiting): boolean {
  return kind === 'report'
}

function waitingOf(line: Line, { ownTextStart, ownTextEnd, timestamp }: LineFields, text: string | null): Waiting {
  return {
    text,
    kind: kindOf(text ?? ''),
    at: timeOf(timestamp),
    line: placeOf(line),
    lineBytes: line.end - line.start,
    textAt: ownTextStart - line.start,
    textBytes: ownTextEnd - ownTextStart,
  }
}

function kindOf(text: string): Waiting['kind'] {
  if (text.trim() !== '' && isHarnessText(text)) return 'report'
  return /^[/!]/.test(text) ? 'command' : 'words'
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

function rowOf({ id, at, line, lineBytes, textAt, textBytes }: QueuedPrompt, parent: number): Row {
  return {
    uuid: id,
    parent,
    line,
    lineBytes,
    idAt: noRow,
    offset: line + textAt,
    bytes: textBytes,
    kind: 'queued',
    calls: false,
    direct: false,
    group: noRow,
    at,
    messages: 1,
    passive: true,
    exitCode: null,
    sign: '',
    text: '',
    cwd: null,
    origin: null,
  }
}

/**
 * The lines that record the queued prompts among these rows, which a fork takes along. `place` is where both lines of a prompt
 * go: a prompt that waited while others were used would be given up for lost in a file that lacks the lines of those others.
 */
export function queueLines({ queue, rows }: LineIndex, kept: ReadonlySet<number>): (CarriedLine & { readonly place: number })[] {
  const type = 'queue-operation'
  return queue.used
    .filter(({ id }) => kept.has(rows.byUuid.get(id) ?? noRow))
    .flatMap(({ line, lineBytes, usedLine, usedBytes }) => [
      { type, line, lineBytes, place: usedLine },
      { type, line: usedLine, lineBytes: usedBytes, place: usedLine },
    ])
}
