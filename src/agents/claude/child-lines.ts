// The lines of a fork: the source's own bytes with the new session id, where each came from, and the parent it has in the fork,
// spliced in without parsing. Everything else stays as it was, working directories included: the CLI then tells the model that
// it moved.
import { JsonFields } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'

const shape = { parentUuid: true, logicalParentUuid: true, sessionId: true, forkedFrom: true } as const
const quote = 0x22
const backslash = 0x5c
const closeBrace = 0x7d
const uuidLength = 36
const uuidShape = /^[0-9a-f-]{36}$/
/** How every version begins a line of the tree. */
const lineStart = Buffer.from('{"parentUuid":')
const nullBytes = Buffer.from('null')
const originEnd = Buffer.from('"}}')
const newline = Buffer.from('\n')
const lineEnd = Buffer.from('}\n')

/** Takes pieces of a buffer that is reused: they must be copied at once. */
export interface PieceWriter {
  write(bytes: Buffer, start?: number, end?: number): void
}

/** A line of the tree. Its parents are given where they are others than in the source. */
export interface TreeLine {
  readonly uuid: string
  readonly parentUuid?: string | null
  readonly logicalParentUuid?: string | null
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
  writePlain(line: Buffer, { uuid, parentUuid, logicalParentUuid }: TreeLine, idAt: number, to: PieceWriter): boolean {
    const idEnd = idEndOf(line, idAt)
    const parentEnd = parentUuid === undefined ? 0 : parentEndOf(line, 0)
    if (idEnd === -1 || parentEnd === -1 || parentEnd > idAt || logicalParentUuid !== undefined) return false
    if (line.at(-1) !== closeBrace || !uuidShape.test(uuid)) return false
    if (parentUuid !== undefined) {
      to.write(lineStart)
      to.write(Buffer.from(JSON.stringify(parentUuid)))
    }
    to.write(line, parentEnd, idAt)
    to.write(this.#childId)
    to.write(line, idEnd, line.length - 1)
    this.#plainEnd.write(uuid, this.#originStart.length, 'latin1')
    to.write(this.#plainEnd)
    return true
  }

  /** Any line; `tree` is `null` where it is not of the tree. Values that are there are replaced, the others come last. */
  write(line: Buffer, tree: TreeLine | null, to: PieceWriter): void {
    const edits = this.#editsOf(line, tree)
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

  toBuffer(line: Buffer, tree: TreeLine | null): Buffer {
    const pieces: Buffer[] = []
    this.write(line, tree, { write: (bytes, start, end) => void pieces.push(bytes.subarray(start, end)) })
    return Buffer.concat(pieces)
  }

  #editsOf(line: Buffer, tree: TreeLine | null) {
    this.#json.read(line, 0, line.length)
    const id = this.#edit('sessionId', this.#childId)
    if (tree === null) return [id]
    const { uuid, parentUuid, logicalParentUuid } = tree
    return [
      id,
      this.#edit('forkedFrom', jsonOf({ sessionId: this.#sourceId, messageUuid: uuid })),
      ...(parentUuid === undefined ? [] : [this.#edit('parentUuid', jsonOf(parentUuid))]),
      ...(logicalParentUuid === undefined ? [] : [this.#edit('logicalParentUuid', jsonOf(logicalParentUuid))]),
    ]
  }

  #edit(name: keyof typeof shape, value: Buffer) {
    return { ...this.#json.range(this.#json.slot(name)), key: Buffer.from(`,"${name}":`), value }
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

  /**
   * Whether a line of the child, which ends with its origin, is for the rest this line of the source under the child's id and
   * with a parent of its own: by how many bytes the child's parent is longer then, else `null`.
   */
  copyShift({ buffer, start, end }: Line, source: Buffer, idAt: number): number | null {
    const idEnd = idEndOf(source, idAt)
    const [from, to] = [parentEndOf(source, 0), parentEndOf(buffer, start)]
    if (idEnd === -1 || from === -1 || to === -1 || from > idAt) return null
    const restAt = to + (idAt - from) + this.#childId.length
    const originAt = end - originEnd.length - uuidLength - this.#originStart.length
    if (originAt - restAt !== source.length - 1 - idEnd || source.at(-1) !== closeBrace) return null
    if (!isAt(buffer, restAt - this.#childId.length, this.#childId)) return null
    const isSame =
      source.compare(buffer, to, restAt - this.#childId.length, from, idAt) === 0 &&
      source.compare(buffer, restAt, originAt, idEnd, source.length - 1) === 0
    return isSame ? to - start - from : null
  }
}

/** `undefined` where the parent does not stand where it always does. */
export function parentUuidOf({ buffer, start }: Line): string | null | undefined {
  const [from, end] = [start + lineStart.length, parentEndOf(buffer, start)]
  if (end === -1) return undefined
  return buffer[from] === quote ? buffer.toString('utf8', from + 1, end - 1) : null
}

/** Behind the value of a line's first field, the parent; -1 where that is not its first field or no plain value. */
function parentEndOf(buffer: Buffer, start: number): number {
  const valueAt = start + lineStart.length
  if (!isAt(buffer, start, lineStart)) return -1
  if (isAt(buffer, valueAt, nullBytes)) return valueAt + nullBytes.length
  return buffer[valueAt] === quote ? idEndOf(buffer, valueAt) : -1
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Behind the closing quote of the id; -1 where escapes would have to be understood to find it. */
function idEndOf(line: Buffer, idAt: number): number {
  const close = line.indexOf(quote, idAt + 1)
  return close === -1 || line[close - 1] === backslash ? -1 : close + 1
}

function isAt(buffer: Buffer, at: number, bytes: Buffer): boolean {
  return at + bytes.length <= buffer.length && bytes.compare(buffer, at, at + bytes.length) === 0
}
