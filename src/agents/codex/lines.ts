// The lines of a rollout, told apart by their first bytes and parsed only when asked: half of a paginated file says again what
// response items say already. Every line is {timestamp, ordinal?, type, payload, metadata?}, in this order.
import { isObject, type Line, parseLine, scanLines } from '../../lib/jsonl.ts'
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

/** Records are only good until the next one is asked for: their bytes are reused. */
export function* scanRecords(path: string, options: ScanOptions = {}): Generator<RolloutRecord | typeof pause, RecordsEnd> {
  const { from = 0, to, onDamage = () => undefined } = options
  const lines = path.endsWith('.zst') ? scanPackedLines(path, onDamage) : scanLines(path, from, to)
  let passed = 0
  for (;;) {
    const next = lines.next()
    if (next.done) return next.value
    yield new RolloutRecord(next.value)
    passed += next.value.end - next.value.start
    if (passed > pauseBytes) {
      passed = 0
      yield pause
    }
  }
}

const headBytes = 480
const headPattern = /^\{"timestamp":"([^"\\]*)",(?:"ordinal":(\d+),)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/
const callIdPattern = /^(?:,"id":"[^"\\]*")?(?:,"status":"\w+")?,"call_id":"([^"\\]+)"/
const itemPattern = /"item":\{"type":"(\w+)","id":"([^"\\]+)"/
const exitCodePattern = /"exit_code":(-?\d+)(?!.*"exit_code":)/s

export class RolloutRecord {
  readonly offset: number
  readonly torn: boolean
  readonly timestamp: string | null
  readonly ordinal: number | null
  /** Empty for what is no record at all. */
  readonly type: string
  readonly subtype: string
  private readonly line: Line
  private readonly afterHead: string
  private parsed: Body | null | undefined

  constructor(line: Line) {
    this.line = line
    this.offset = line.offset
    this.torn = line.torn
    const head = line.buffer.toString('latin1', line.start, Math.min(line.end, line.start + headBytes))
    const match = line.torn ? null : headPattern.exec(head)
    if (match === null) {
      const whole = wrapBareItem(parseLine(line))
      this.parsed = whole ?? null
      this.timestamp = textOrNull(whole?.timestamp)
      this.ordinal = typeof whole?.ordinal === 'number' ? whole.ordinal : null
      this.type = textOrNull(whole?.type) ?? ''
      this.subtype = textOrNull(this.payload?.type) ?? ''
      this.afterHead = ''
    } else {
      this.timestamp = match[1] ?? null
      this.ordinal = match[2] === undefined ? null : Number(match[2])
      this.type = match[3] ?? ''
      this.subtype = match[4] ?? ''
      this.afterHead = head.slice(match[0].length)
    }
  }

  /** `undefined` when the line is no valid JSON or carries no payload. */
  get payload(): Body | undefined {
    if (this.parsed === undefined) this.parsed = parseLine(this.line) ?? null
    const payload = this.parsed?.payload
    return isObject(payload) ? payload : undefined
  }

  /** False for JSON that was cut off: cheap, for lines whose content is not needed. */
  get looksWhole(): boolean {
    return this.line.buffer[this.line.end - 1] === 0x7d
  }

  /** Of an output; read from the first bytes where they tell. */
  get callId(): string | null {
    return callIdPattern.exec(this.afterHead)?.[1] ?? textOrNull(this.payload?.call_id)
  }

  /** Type and id of the item in an item_completed event. */
  get item(): { readonly type: string; readonly id: string } {
    const match = itemPattern.exec(this.afterHead)
    if (match !== null) return { type: match[1] ?? '', id: match[2] ?? '' }
    const item = this.payload?.item
    return isObject(item) ? { type: textOrNull(item.type) ?? '', id: textOrNull(item.id) ?? '' } : { type: '', id: '' }
  }

  /** Of a command in an item_completed event: it stands behind the output, which may be long, so it is read from the end. */
  get exitCode(): number | null {
    const { buffer, start, end } = this.line
    const match = exitCodePattern.exec(buffer.toString('latin1', Math.max(start, end - headBytes), end))
    return match === null ? null : Number(match[1])
  }
}

/** Before September 2025 response items stood on lines of their own, behind a first line with the session's metadata. */
function wrapBareItem(whole: Body | undefined): Body | undefined {
  if (whole === undefined || isObject(whole.payload)) return whole
  const { timestamp, type } = whole
  if (type === undefined && typeof whole.id === 'string' && typeof timestamp === 'string') {
    return { timestamp, type: 'session_meta', payload: whole }
  }
  return typeof type === 'string' && bareItems.has(type) ? { timestamp, type: 'response_item', payload: whole } : whole
}

const bareItems = new Set(['message', 'reasoning', 'function_call', 'function_call_output', 'local_shell_call'])

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
