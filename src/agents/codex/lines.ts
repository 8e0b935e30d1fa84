// The lines of a rollout, told apart by their first bytes and parsed only when asked: half of a paginated file says again what
// response items say already. Every line is {timestamp, ordinal?, type, payload, metadata?}, in this order.
import type { FileWriter } from '../../lib/exclusive-file.ts'
import { isObject, type Line, parseLine, scanLines } from '../../lib/jsonl.ts'
import { bareState, isToolCall, isToolOutput } from './record-types.ts'
import { scanPackedLines } from './unpack.ts'

export type Body = Record<string, unknown>

/** Handed out between lines now and then, so that a long reader lets the event loop breathe. */
export const pause = Symbol('pause')
const pauseBytes = 4 << 20

export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export interface ScanOptions {
  readonly from?: number
  readonly to?: number
  readonly onDamage?: (problem: string) => void
}

export interface RecordsEnd {
  /** Behind the last newline. */
  readonly offset: number
}

/** The record handed out is the same object each time, set on the next line: take what you need before asking for more. */
export function* scanRecords(path: string, options: ScanOptions = {}): Generator<RolloutRecord | typeof pause, RecordsEnd> {
  const { from = 0, to, onDamage = () => undefined } = options
  const lines = path.endsWith('.zst') ? scanPackedLines(path, onDamage) : scanLines(path, from, to)
  const record = new RolloutRecord()
  let passed = 0
  try {
    for (;;) {
      const next = lines.next()
      if (next.done) return next.value
      record.set(next.value)
      yield record
      passed += next.value.end - next.value.start
      if (passed > pauseBytes) {
        passed = 0
        yield pause
      }
    }
  } finally {
    lines.return({ offset: 0, inode: 0 }) // whoever stops early leaves the file open otherwise
  }
}

const timestampStart = Buffer.from('{"timestamp":"')
const ordinalStart = Buffer.from('","ordinal":')
const typeStart = Buffer.from('","type":"')
const typeAfterOrdinal = Buffer.from(',"type":"')
const payloadStart = Buffer.from('","payload":{')
const subtypeStart = Buffer.from('"type":"')
const callIdStart = Buffer.from('"call_id":"')
const itemStart = Buffer.from('"item":{"type":"')
const idAfterType = Buffer.from('","id":"')
const sealedStarts = ['"summary":[],"content":null', '"summary":[],"encrypted_content":"'].map((text) => Buffer.from(text))
const exitCodeStart = Buffer.from('"exit_code":')
const lineEnd = Buffer.from('\n')
const longestTimestamp = 40
const longestName = 60

export class RolloutRecord {
  offset = 0
  /** Which file of the history the line stands in. */
  part = 0
  torn = false
  tooLong = false
  ordinal: number | null = null
  /** Empty for what is no record at all. */
  type = ''
  subtype = ''
  private line: Line | undefined
  private parsed: Body | null | undefined
  private timestampEnd = 0
  private ordinalEnd = 0
  /** Behind what was told from the first bytes. */
  private headEnd = 0

  set(line: Line): void {
    this.line = line
    this.offset = line.offset
    this.torn = line.torn
    this.tooLong = line.tooLong
    this.parsed = undefined
    if (line.torn || !this.readHead(line)) this.readWhole(line)
  }

  /** Reads type and ordinal off the first bytes; false when the line does not start as Codex writes it. */
  private readHead(line: Line): boolean {
    const { buffer, start, end } = line
    if (!startsWith(buffer, timestampStart, start)) return false
    const timestampEnd = quoteAfter(buffer, start + timestampStart.length, longestTimestamp)
    let at = timestampEnd
    let ordinal: number | null = null
    this.ordinalEnd = timestampEnd + 1
    if (startsWith(buffer, ordinalStart, at)) {
      at += ordinalStart.length
      ordinal = 0
      for (let digit = digitAt(buffer, at); digit >= 0 && digit <= 9; digit = digitAt(buffer, at)) {
        ordinal = ordinal * 10 + digit
        at += 1
      }
      if (!startsWith(buffer, typeAfterOrdinal, at)) return false
      this.ordinalEnd = at
      at += typeAfterOrdinal.length
    } else if (startsWith(buffer, typeStart, at)) at += typeStart.length
    else return false
    const typeEnd = quoteAfter(buffer, at, longestName)
    if (!startsWith(buffer, payloadStart, typeEnd)) return false
    const type = nameAt(buffer, at, typeEnd)
    at = typeEnd + payloadStart.length
    let subtype = ''
    if (startsWith(buffer, subtypeStart, at)) {
      const subtypeEnd = quoteAfter(buffer, at + subtypeStart.length, longestName)
      subtype = nameAt(buffer, at + subtypeStart.length, subtypeEnd)
      at = subtypeEnd
    } else if (typesWithSubtype.has(type)) {
      // Codex writes the subtype first; other programs that write rollouts may put it anywhere.
      this.parsed = parseLine(line) ?? null
      subtype = textOrNull(this.payload?.type) ?? ''
    }
    if (at > end) return false
    this.timestampEnd = timestampEnd
    this.headEnd = at
    this.ordinal = ordinal
    this.type = type
    this.subtype = subtype
    return true
  }

  private readWhole(line: Line): void {
    const whole = wrapBareItem(parseLine(line))
    this.parsed = whole ?? null
    this.ordinal = typeof whole?.ordinal === 'number' ? whole.ordinal : null
    this.type = textOrNull(whole?.type) ?? ''
    this.subtype = textOrNull(this.payload?.type) ?? ''
    this.timestampEnd = 0
    this.headEnd = line.end
  }

  get timestamp(): string | null {
    if (this.line === undefined || this.timestampEnd === 0) return textOrNull(this.parsed?.timestamp)
    return this.line.buffer.toString('latin1', this.line.start + timestampStart.length, this.timestampEnd)
  }

  get time(): number | null {
    const time = Date.parse(this.timestamp ?? '')
    return Number.isNaN(time) ? null : time
  }

  /** `undefined` when the line is no valid JSON or carries no payload. */
  get payload(): Body | undefined {
    if (this.parsed === undefined && this.line !== undefined) this.parsed = parseLine(this.line) ?? null
    const payload = this.parsed?.payload
    return isObject(payload) ? payload : undefined
  }

  /** False for JSON that was cut off: cheap, for lines whose content is not needed. */
  get looksWhole(): boolean {
    return this.line?.buffer[this.line.end - 1] === 0x7d
  }

  /** Of an output: `call_id` stands in front of the output, which may be long. */
  get callId(): string | null {
    return this.textBehind(callIdStart) ?? textOrNull(this.payload?.call_id)
  }

  /** True for a reasoning item that certainly holds nothing but encrypted text: the common case, and long. */
  get isSealed(): boolean {
    if (this.line === undefined || this.timestampEnd === 0) return false
    const near = this.line.buffer.subarray(this.headEnd, Math.min(this.line.end, this.headEnd + nearBytes))
    return sealedStarts.some((start) => near.includes(start))
  }

  /** Of an item_completed event. */
  get itemType(): string | null {
    const item = this.textBehind(itemStart)
    if (item !== null) return item
    return isObject(this.payload?.item) ? textOrNull(this.payload.item.type) : null
  }

  /** Id of the command that an item_completed event tells of; `null` for other items. */
  get commandId(): string | null {
    const type = this.textBehind(itemStart)
    if (type !== null) return type === 'CommandExecution' ? this.textBehind(idAfterType) : null
    const item = this.payload?.item
    return isObject(item) && item.type === 'CommandExecution' ? textOrNull(item.id) : null
  }

  /** Of a command in an item_completed event: it stands behind the output, so it is looked for from the end. */
  get exitCode(): number | null {
    if (this.line === undefined) return null
    const { buffer, start, end } = this.line
    const tail = buffer.subarray(Math.max(start, end - nearBytes), end)
    const found = tail.lastIndexOf(exitCodeStart)
    const code = found === -1 ? Number.NaN : Number.parseInt(tail.toString('latin1', found + exitCodeStart.length), 10)
    return Number.isNaN(code) ? null : code
  }

  /** The record apart from the buffer, which is used again for the next line. */
  detach(): RolloutRecord {
    const record = new RolloutRecord()
    if (this.line === undefined) return record
    const { buffer, start, end, offset, torn, tooLong } = this.line
    record.set({ buffer: Buffer.from(buffer.subarray(start, end)), start: 0, end: end - start, offset, torn, tooLong })
    record.part = this.part
    return record
  }

  /**
   * Writes the line as it is except for its ordinal (`null`: none), or serialises it again where it does not start as Codex writes
   * it. A bare line has no time of its own and gets `otherwise`: Codex skips wrapped lines without a timestamp.
   */
  copyTo(writer: FileWriter, ordinal: number | null, otherwise: string): void {
    if (this.line === undefined) return
    const { buffer, start, end } = this.line
    if (this.timestampEnd === 0) {
      const { timestamp = otherwise, ordinal: _, ...rest } = this.parsed ?? {}
      writer.write(Buffer.from(JSON.stringify({ timestamp, ...(ordinal === null ? {} : { ordinal }), ...rest })))
    } else if (ordinal === null) writer.write(buffer, start, end)
    else {
      writer.write(buffer, start, this.timestampEnd + 1)
      writer.write(Buffer.from(`,"ordinal":${ordinal}`))
      writer.write(buffer, this.ordinalEnd, end)
    }
    writer.write(lineEnd)
  }

  /** The plain text behind a key near the start of the payload; `null` where it does not stand there. */
  private textBehind(key: Buffer): string | null {
    if (this.line === undefined || this.timestampEnd === 0) return null
    const { buffer, end } = this.line
    const near = Math.min(end, this.headEnd + nearBytes)
    const found = buffer.subarray(this.headEnd, near).indexOf(key)
    if (found === -1) return null
    const from = this.headEnd + found + key.length
    const to = quoteAfter(buffer, from, longestName)
    const text = buffer.toString('latin1', from, to)
    return buffer[to] !== 0x22 || to > end || text.includes('\\') ? null : text
  }
}

const nearBytes = 320
const typesWithSubtype = new Set(['response_item', 'event_msg'])

function startsWith(buffer: Buffer, text: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (buffer[at + index] !== text[index]) return false
  return true
}

/** Where the next quote stands; where the search ended if there is none. */
function quoteAfter(buffer: Buffer, from: number, longest: number): number {
  let at = from
  while (at < from + longest && buffer[at] !== 0x22) at += 1
  return at
}

const names: (string | undefined)[] = []

/** The same few names stand on every line: one string each, not one per line. */
function nameAt(buffer: Buffer, from: number, to: number): string {
  const length = to - from
  const key = (length << 10) ^ ((buffer[from] ?? 0) << 4) ^ ((buffer[to - 1] ?? 0) << 1) ^ (buffer[from + (length >> 1)] ?? 0)
  const known = names[key]
  if (known !== undefined && known.length === length && isAt(buffer, known, from)) return known
  const name = buffer.toString('latin1', from, to)
  names[key] = name
  return name
}

function isAt(buffer: Buffer, text: string, from: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (buffer[from + index] !== text.charCodeAt(index)) return false
  return true
}

function digitAt(buffer: Buffer, at: number): number {
  return (buffer[at] ?? 0) - 0x30
}

/** Before September 2025 response items stood on lines of their own, behind a first line with the session's metadata. */
function wrapBareItem(whole: Body | undefined): Body | undefined {
  if (whole === undefined || isObject(whole.payload)) return whole
  const { timestamp, type } = whole
  if (whole.record_type === 'state') return { type: bareState }
  if (type === undefined && typeof whole.id === 'string' && typeof timestamp === 'string') {
    return { timestamp, type: 'session_meta', payload: whole }
  }
  return typeof type === 'string' && isBareItem(type) ? { timestamp, type: 'response_item', payload: whole } : whole
}

function isBareItem(type: string): boolean {
  return type === 'message' || type === 'reasoning' || isToolCall(type) || isToolOutput(type)
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
