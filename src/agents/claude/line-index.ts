// Pass 1 over a transcript: the tree of its chain lines as rows, and what its other lines tell. File order is not chain order
// (a parent may follow its child), so parents are looked up when all lines are in.
import { setImmediate } from 'node:timers/promises'
import { isObject, type Line, parseLine, type ScanEnd, scanLines } from '../../lib/jsonl.ts'
import { attachmentText, textOf } from './content.ts'
import { blankFacts, type Facts, noteChainLine, noteOtherLine, notePromptId, noteRequest, synthetic } from './facts.ts'
import { type GroupFacts, GroupTable } from './group-table.ts'
import { type LineFields, readLine } from './line-fields.ts'
import { blankRow, placeOf, preservedOf, summarisedOf } from './line-row.ts'
import { carriedTypes, chainTypes, isBulk, otherTypes } from './line-types.ts'
import { PromptQueue } from './queue.ts'
import { type Boundary, missingRow, noRow, type Row } from './row.ts'
import { RowTable } from './row-table.ts'
import {
  isHookStop,
  isInterruption,
  isPrompt,
  isQueuedPrompt,
  isSummaryText,
  isUserCommand,
  teammateRequest,
  wordsOf,
} from './words.ts'

/** After this many bytes the event loop gets its turn. */
const breathBytes = 4 << 20
/** Skipped lines are all counted, but only so many remembered by place. */
const maxSkippedPlaces = 1000

/** Which line the agent would go on from, as its `last-prompt` lines say: see leaf.ts. */
export interface Checkpoint {
  leafUuid: string | null
  /** Chosen by the user; holds until the next row. */
  explicit: boolean
  /** Was chosen by the user, whatever came since. */
  chosen: boolean
  /** Rewound to before the first prompt. */
  cleared: boolean
  /** Any line of the file has named a leaf. */
  seen: boolean
}

/** A message of another index, as all its lines together say it. */
export interface KnownGroup {
  readonly messageId: string | null
  readonly facts: GroupFacts
}

/** A line without a message that goes with the conversation: see prefix.ts. */
export interface CarriedLine {
  readonly type: string
  readonly line: number
  readonly lineBytes: number
}

export class LineIndex {
  readonly rows = new RowTable()
  readonly groups = new GroupTable(this.rows)
  readonly groupOf = new Map<string, number>()
  readonly boundaries = new Map<number, Boundary>()
  /** Rows that a later line with the same uuid and another parent replaced. */
  readonly replaced = new Map<number, Row>()
  readonly carried: CarriedLine[] = []
  queue = new PromptQueue()
  /** The last queued prompt in front of a row, if any: set when the rows are linked. */
  readonly queuedBefore = new Map<number, number>()
  readonly skipped: Record<string, number> = {}
  readonly skippedPlaces: { readonly reason: string; readonly offset: number }[] = []
  /** Rows that do not hang on what their line names, because it is not in the file or below them. */
  readonly mended = new Set<number>()
  /** Rows behind a compaction whose user had gone back to the middle of what it kept: the last kept row that is sent with them. */
  readonly keptUpTo = new Map<number, number>()
  checkpoint: Checkpoint = { leafUuid: null, explicit: false, chosen: false, cleared: false, seen: false }
  lastRow: number = noRow
  /** Set when reading on: the last compaction of what was read before kept messages besides its summary. */
  preservedBefore = false
  /** Names of parents that no row has, and the time of the newest row that hangs on nothing because of it. */
  readonly missing = new Set<string>()
  cutOffAt = Number.NEGATIVE_INFINITY
  /** The row of the tool id that was looked for. */
  wantedRow: number = noRow
  facts: Facts = blankFacts()
  readonly #pending = new Map<number, string>()
  readonly #passedOver = new Map<string, string | null>()
  readonly #wantedTool: string | null
  readonly #sidechain: boolean

  constructor(options: { readonly wantedTool?: string | null; readonly sidechain?: boolean } = {}) {
    this.#wantedTool = options.wantedTool ?? null
    this.#sidechain = options.sidechain ?? false
  }

  add(line: Line): void {
    const problem = this.#take(line)
    if (problem !== null) this.skip(problem, line.offset)
  }

  /** Why the line was not understood, if it was not. */
  #take(line: Line): string | null {
    if (line.tooLong) return 'too_long'
    if (isBulk(line)) return null
    const fields = readLine(line, this.#wantedTool)
    // A last line without its newline counts only when it is whole; the cheap look at it is not enough to tell.
    if (fields === null || (line.torn && parseLine(line) === undefined)) return line.torn ? 'torn' : 'invalid'
    const { type } = fields
    if (type === null) return 'unknown:'
    return chainTypes.has(type) ? this.#addChainLine(line, fields, type) : this.#addOtherLine(line, fields, type)
  }

  skip(reason: string, offset: number): void {
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
    if (this.skippedPlaces.length < maxSkippedPlaces) this.skippedPlaces.push({ reason, offset })
  }

  #addChainLine(line: Line, fields: LineFields, type: string): string | null {
    if (fields.uuid === null) return 'no-uuid'
    if (fields.isSidechain && !this.#sidechain) return null
    const index = this.#place(fields.uuid)
    if (index === noRow) return 'duplicate'
    const value = isLight(type, fields) ? noValue : parseLine(line)
    if (value === undefined) return 'invalid'
    const row = blankRow(fields, line)
    const messages = this.groups.count
    this.checkpoint.explicit = this.checkpoint.cleared = false
    this.#hang(index, row, fields.parentUuid ?? fields.logicalParentUuid)
    if (type === 'assistant') this.#readAssistant(row, fields)
    else if (type === 'attachment')
      row.messages = isLight(type, fields) ? (fields.isRendered ? 1 : 0) : messageCount(attachmentText(value))
    else if (type === 'system') this.#readSystem(index, row, value, fields)
    else if (fields.hasResult) readResult(row, fields)
    else this.#readUser(row, value, fields)
    this.rows.set(index, row)
    this.lastRow = index
    this.queue.noteRow(index, row, this.groups.count > messages)
    if (fields.attachmentType === 'queued_command' && isQueuedPrompt(value)) this.queue.noteAttachment(attachmentText(value))
    if (type === 'assistant') this.#joinGroup(index, row, fields)
    noteChainLine(this.facts, fields, row)
    return null
  }

  /**
   * A line that is known to say what `row` says, which is of another index: only where it stands and what it hangs on is its own,
   * and what follows its parent stands `shift` bytes further on. What lines tell besides (`facts`, origins) is left out: nothing
   * that reads messages asks for it.
   */
  addKnown(line: Line, shift: number, row: Row, parentUuid: string | null, group: KnownGroup | null): void {
    const index = this.#place(row.uuid)
    if (index === noRow) {
      this.skip('duplicate', line.offset)
      return
    }
    const messages = this.groups.count
    this.checkpoint.explicit = this.checkpoint.cleared = false
    const [place, lineBytes, isWholeLine] = [placeOf(line), line.end - line.start, row.offset === row.line]
    row.offset = isWholeLine ? place : row.offset + shift + place - row.line
    row.bytes = isWholeLine ? lineBytes : row.bytes
    row.line = place
    row.lineBytes = lineBytes
    row.idAt += shift
    this.#hang(index, row, parentUuid)
    row.group = group === null ? noRow : this.#groupFor(group.messageId)
    this.rows.set(index, row)
    this.lastRow = index
    this.queue.noteRow(index, row, this.groups.count > messages)
    if (group === null) return
    this.groups.addRow(row.group, index)
    this.groups.set(row.group, group.facts)
  }

  /** Where the row goes: a line that repeats a uuid replaces the earlier one, as in the CLI, unless a group holds that one. */
  #place(uuid: string): number {
    const earlier = this.rows.byUuid.get(uuid)
    if (earlier === undefined) return this.rows.count
    return this.rows.kind(earlier) === 'assistant' ? noRow : earlier
  }

  #hang(index: number, row: Row, named: string | null): void {
    const above = named === null || this.#passedOver.size === 0 ? undefined : this.#passedOver.get(named)
    const parent = above === undefined ? named : above
    row.direct = above === undefined
    row.parent = parent === null ? noRow : (this.rows.byUuid.get(parent) ?? missingRow)
    if (index < this.rows.count) this.#replace(index, row)
    if (parent !== null && row.parent === missingRow) this.#pending.set(index, parent)
  }

  #replace(index: number, row: Row): void {
    this.#pending.delete(index)
    const earlier = this.replaced.has(index) ? undefined : this.rows.get(index)
    if (earlier !== undefined && earlier.parent >= 0 && earlier.parent !== row.parent) this.replaced.set(index, earlier)
  }

  #readAssistant(row: Row, fields: LineFields): void {
    row.kind = 'assistant'
    row.group = this.#groupFor(fields.messageId)
    if (fields.model !== null && fields.model !== synthetic) this.facts.model = fields.model
  }

  #joinGroup(index: number, row: Row, fields: LineFields): void {
    this.groups.addLine(row.group, index, {
      text: fields.hasText,
      tools: fields.tools,
      lastTool: fields.lastTool,
      wantsTool: fields.stopReason === 'tool_use',
      error: fields.isApiError,
      synthetic: fields.model === synthetic,
      inputTokens: fields.inputTokens,
      cachedInputTokens: fields.cachedInputTokens,
      outputTokens: fields.outputTokens,
    })
    if (fields.hasWanted) this.wantedRow = index
  }

  #groupFor(messageId: string | null): number {
    const known = messageId === null ? undefined : this.groupOf.get(messageId)
    if (known !== undefined) return known
    const added = this.groups.add()
    if (messageId !== null) this.groupOf.set(messageId, added)
    return added
  }

  #readUser(row: Row, value: Record<string, unknown>, fields: LineFields): void {
    const text = isObject(value.message) ? textOf(value.message.content) : ''
    row.messages = messageCount(text)
    if (fields.isCompactSummary || isSummaryText(text)) {
      row.kind = 'summary'
      row.messages = 1
    } else if (isPrompt(value, text)) {
      row.kind = 'prompt'
      row.text = wordsOf(text)
      if (fields.cwd) row.cwd = fields.cwd
      if (value.promptSource === 'queued') row.sign = 'queued'
      notePromptId(this.facts, value.promptId)
    } else {
      row.kind = 'injected'
      if (fields.cwd) row.cwd = fields.cwd
      row.passive = fields.isMeta
      if (value.isVisibleInTranscriptOnly === true) row.messages = 0
      if (isInterruption(text) || isHookStop(value, text)) row.sign = 'interrupted'
      else if (isUserCommand(text)) row.sign = 'command'
      const request = teammateRequest(text)
      if (request !== null) noteRequest(this.facts, request, value)
    }
  }

  #readSystem(index: number, row: Row, value: Record<string, unknown>, { subtype, hasOwnText }: LineFields): void {
    if (subtype === 'local_command') row.messages = hasOwnText ? 1 : 0
    if (subtype === 'turn_duration') row.sign = 'ended'
    if (subtype !== 'compact_boundary') return
    row.kind = 'boundary'
    row.passive = false
    const lastBefore = this.boundaries.get(index)?.lastBefore ?? this.lastRow
    const { compactMetadata: metadata } = value
    this.boundaries.set(index, { preserved: preservedOf(metadata), lastBefore, summarised: summarisedOf(metadata) })
    this.preservedBefore = false
    this.checkpoint = { ...this.checkpoint, leafUuid: null, explicit: false, chosen: false, cleared: false }
  }

  #addOtherLine(line: Line, fields: LineFields, type: string): string | null {
    if (carriedTypes.has(type)) this.carried.push({ type, line: placeOf(line), lineBytes: line.end - line.start })
    if (type === 'queue-operation') this.queue.note(line, fields)
    if (type === 'last-prompt') this.#noteCheckpoint(fields)
    else noteOtherLine(this.facts, fields)
    if (fields.uuid !== null) this.#passOver(fields.uuid, fields.parentUuid)
    return otherTypes.has(type) ? null : `unknown:${type}`
  }

  /** Up to 2.1.112 messages hang below `progress` lines, and so may those of later versions below lines unknown to us. */
  #passOver(uuid: string, parent: string | null): void {
    const above = parent === null ? undefined : this.#passedOver.get(parent)
    this.#passedOver.set(uuid, above === undefined ? parent : above)
  }

  #noteCheckpoint({ leafUuid, explicit }: LineFields): void {
    if (leafUuid === undefined) return
    const before = this.checkpoint
    this.checkpoint = { leafUuid: null, explicit: false, chosen: false, cleared: true, seen: true }
    if (leafUuid) {
      const isSame = before.leafUuid === leafUuid
      const chosen = explicit || (before.chosen && isSame)
      this.checkpoint = { leafUuid, explicit: explicit || (before.explicit && isSame), chosen, cleared: false, seen: true }
    } else if (!explicit) this.checkpoint = { ...before, seen: true }
  }

  /** To be called once all lines are in: looks up the parents that followed their children. */
  finish(): void {
    for (const [index, parent] of this.#pending) {
      const found = this.rows.byUuid.get(parent)
      if (found === undefined) this.missing.add(parent)
      this.rows.setParent(index, found ?? missingRow)
    }
    this.#pending.clear()
  }
}

/** `add` is what each line is handed to. */
export async function indexFile(
  index: LineIndex,
  path: string,
  from = 0,
  add: (line: Line) => void = (line) => index.add(line),
  to = Number.POSITIVE_INFINITY,
): Promise<ScanEnd> {
  const lines = scanLines(path, from, to)
  let breath = from + breathBytes
  let next = lines.next()
  while (!next.done) {
    add(next.value)
    if (next.value.offset > breath) {
      breath = next.value.offset + breathBytes
      await setImmediate()
    }
    next = lines.next()
  }
  index.finish()
  return next.value
}

const noValue: Record<string, unknown> = {}

/** Lines whose fields tell all pass 1 needs; the others are parsed, which is cheap because they are small or few. */
function isLight(type: string, { subtype, hasResult, isRendered, attachmentType }: LineFields): boolean {
  if (type === 'assistant') return true
  if (type === 'user') return hasResult
  if (type === 'system') return subtype !== 'compact_boundary'
  // The largest of all attachments is never shown to the model.
  return attachmentType === 'prompt_snapshot' || (isRendered && attachmentType !== 'queued_command')
}

function messageCount(text: string): number {
  return text === '' ? 0 : 1
}

function readResult(row: Row, { hasText }: LineFields): void {
  row.kind = 'result'
  row.passive = false
  row.messages = hasText ? 1 : 0
}
