// The lines of a fork: the source's own bytes with the new session id and where each came from, spliced in without parsing.
// Everything else stays as it was, working directories included: the CLI then tells the model that it moved.
import { JsonFields } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'

const shape = { sessionId: true, forkedFrom: true } as const
const quote = 0x22
const backslash = 0x5c
const closeBrace = 0x7d
const uuidLength = 36
const uuidShape = /^[0-9a-f-]{36}$/
const idKey = Buffer.from(',"sessionId":')
const originKey = Buffer.from(',"forkedFrom":')
const originEnd = Buffer.from('"}}')
const newline = Buffer.from('\n')
const lineEnd = Buffer.from('}\n')

/** Takes pieces of a buffer that is reused: they must be copied at once. */
export interface PieceWriter {
  write(bytes: Buffer, start?: number, end?: number): void
}

export class ChildLines {
  readonly #json = new JsonFields(shape)
  readonly #sourceId: string
  readonly #childId: Buffer
  /** What follows the last value of a line that had no origin yet, up to the uuid. */
  readonly #originStart: Buffer
  /** The same with room for the uuid, and what closes the line. */
  readonly #plainEnd: Buffer

  constructor(sourceId: string, childId: string) {
    this.#sourceId = sourceId
    this.#childId = Buffer.from(JSON.stringify(childId))
    this.#originStart = Buffer.from(`,"forkedFrom":{"sessionId":${JSON.stringify(sourceId)},"messageUuid":"`)
    this.#plainEnd = Buffer.concat([this.#originStart, Buffer.alloc(uuidLength), originEnd, newline])
  }

  /** A line of the tree that has no origin yet and its session id at `idAt`; false, and nothing written, where that is not plain. */
  writePlain(line: Buffer, uuid: string, idAt: number, to: PieceWriter): boolean {
    const idEnd = idEndOf(line, idAt)
    if (idEnd === -1 || line.at(-1) !== closeBrace || !uuidShape.test(uuid)) return false
    to.write(line, 0, idAt)
    to.write(this.#childId)
    to.write(line, idEnd, line.length - 1)
    this.#plainEnd.write(uuid, this.#originStart.length, 'latin1')
    to.write(this.#plainEnd)
    return true
  }

  /** Any line; `uuid` is `null` where it is not of the tree. Values that are there are replaced, the others come last. */
  write(line: Buffer, uuid: string | null, to: PieceWriter): void {
    const edits = this.#editsOf(line, uuid)
    let at = 0
    for (const { start, end, value } of edits.filter((edit) => edit.end > 0).sort((a, b) => a.start - b.start)) {
      to.write(line, at, start)
      to.write(value)
      at = end
    }
    to.write(line, at, line.lastIndexOf(closeBrace))
    for (const { key, value } of edits.filter((edit) => edit.end === 0)) {
      to.write(key)
      to.write(value)
    }
    to.write(lineEnd)
  }

  toBuffer(line: Buffer, uuid: string | null): Buffer {
    const pieces: Buffer[] = []
    this.write(line, uuid, { write: (bytes, start, end) => void pieces.push(bytes.subarray(start, end)) })
    return Buffer.concat(pieces)
  }

  #editsOf(line: Buffer, uuid: string | null) {
    const json = this.#json
    json.read(line, 0, line.length)
    const id = { ...json.range(json.slot('sessionId')), key: idKey, value: this.#childId }
    if (uuid === null) return [id]
    const value = Buffer.from(JSON.stringify({ sessionId: this.#sourceId, messageUuid: uuid }))
    return [id, { ...json.range(json.slot('forkedFrom')), key: originKey, value }]
  }

  /** The uuid a line of the child ends with, when it ends as `writePlain` ends one. */
  originOf({ buffer, start, end }: Line): string | null {
    const uuidAt = end - originEnd.length - uuidLength
    const originAt = uuidAt - this.#originStart.length
    if (originAt < start || !isAt(buffer, originAt, this.#originStart) || !isAt(buffer, end - originEnd.length, originEnd))
      return null
    const uuid = buffer.toString('latin1', uuidAt, uuidAt + uuidLength)
    return uuidShape.test(uuid) ? uuid : null
  }

  /** Whether a line of the child, which ends with its origin, is for the rest this line of the source under the child's id. */
  isCopy({ buffer, start, end }: Line, source: Buffer, idAt: number): boolean {
    const idEnd = idEndOf(source, idAt)
    if (idEnd === -1) return false
    const restAt = start + idAt + this.#childId.length
    const originAt = end - originEnd.length - uuidLength - this.#originStart.length
    if (originAt - restAt !== source.length - 1 - idEnd || source.at(-1) !== closeBrace) return false
    if (!isAt(buffer, start + idAt, this.#childId)) return false
    return (
      source.compare(buffer, start, start + idAt, 0, idAt) === 0 &&
      source.compare(buffer, restAt, originAt, idEnd, source.length - 1) === 0
    )
  }
}

/** Behind the closing quote of the id; -1 where escapes would have to be understood to find it. */
function idEndOf(line: Buffer, idAt: number): number {
  const close = line.indexOf(quote, idAt + 1)
  return close === -1 || line[close - 1] === backslash ? -1 : close + 1
}

function isAt(buffer: Buffer, at: number, bytes: Buffer): boolean {
  return bytes.compare(buffer, at, at + bytes.length) === 0
}
