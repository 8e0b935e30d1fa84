// The lines of a fork: the source's own bytes with the new session id and where each came from, spliced in without parsing.
// Everything else stays as it was, working directories included: the CLI then tells the model that it moved.
import { JsonFields } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'

const shape = { type: true, uuid: true, parentUuid: true, isSidechain: true, sessionId: true, forkedFrom: true } as const
const closeBrace = 0x7d
const idKey = Buffer.from(',"sessionId":')
const originKey = Buffer.from(',"forkedFrom":')
const closing = Buffer.from('}')
const lineEnd = Buffer.from('}\n')

export interface ChildLine {
  readonly type: string
  /** Of a chain line, else empty. */
  readonly uuid: string
}

/** Takes pieces of a buffer that is reused: they hold until the next line is read. */
interface PieceWriter {
  write(bytes: Buffer, start?: number, end?: number): void
}

export class ChildLines {
  readonly #json = new JsonFields(shape)
  readonly #slots = {
    type: this.#json.slot('type'),
    uuid: this.#json.slot('uuid'),
    parentUuid: this.#json.slot('parentUuid'),
    sessionId: this.#json.slot('sessionId'),
    forkedFrom: this.#json.slot('forkedFrom'),
  }
  readonly #childId: Buffer
  readonly #originStart: Buffer

  constructor(sourceId: string, childId: string) {
    this.#childId = Buffer.from(JSON.stringify(childId))
    this.#originStart = Buffer.from(`{"sessionId":${JSON.stringify(sourceId)},"messageUuid":`)
  }

  /** What kind of line it is; `null` when it cannot be read. */
  look(line: Line): ChildLine | null {
    const json = this.#json
    const { type, uuid, parentUuid } = this.#slots
    if (!json.read(line.buffer, line.start, line.end)) return null
    const isChainLine = json.isNull(parentUuid) || json.isString(parentUuid)
    return { type: json.string(type) ?? '', uuid: isChainLine ? (json.string(uuid) ?? '') : '' }
  }

  /** The line looked at last, as the child has it: values that are there are replaced, the others come last. */
  write({ buffer, start, end }: Line, { uuid }: ChildLine, to: PieceWriter): void {
    const id = this.#json.range(this.#slots.sessionId)
    const origin = uuid === '' ? null : this.#json.range(this.#slots.forkedFrom)
    let at = start
    const writeId = () => {
      to.write(buffer, at, id.start)
      to.write(this.#childId)
      at = id.end
    }
    if (id.end > 0 && (origin === null || origin.end === 0 || id.start < origin.start)) writeId()
    if (origin !== null && origin.end > 0) {
      to.write(buffer, at, origin.start)
      this.#writeOrigin(buffer, to)
      at = origin.end
    }
    if (id.end > at) writeId()
    to.write(buffer, at, closeOf(buffer, end))
    if (id.end === 0) {
      to.write(idKey)
      to.write(this.#childId)
    }
    if (origin?.end === 0) {
      to.write(originKey)
      this.#writeOrigin(buffer, to)
    }
    to.write(lineEnd)
  }

  toBuffer(line: Line, seen: ChildLine): Buffer {
    const pieces: Buffer[] = []
    this.write(line, seen, { write: (bytes, start, end) => void pieces.push(bytes.subarray(start, end)) })
    return Buffer.concat(pieces)
  }

  #writeOrigin(buffer: Buffer, to: PieceWriter): void {
    const { start, end } = this.#json.range(this.#slots.uuid)
    to.write(this.#originStart)
    to.write(buffer, start, end)
    to.write(closing)
  }
}

function closeOf(buffer: Buffer, end: number): number {
  let at = end - 1
  while (buffer[at] !== closeBrace) at -= 1
  return at
}
