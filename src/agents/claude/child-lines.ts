// The lines of a fork: the source's own bytes with the new session id and where each came from, spliced in without parsing.
// Everything else stays as it was, working directories included: the CLI then tells the model that it moved.
import { JsonFields } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'

const shape = { type: true, uuid: true, parentUuid: true, isSidechain: true, sessionId: true, forkedFrom: true } as const
const newline = 0x0a

export interface ChildLine {
  readonly type: string
  /** Of a chain line, else empty. */
  readonly uuid: string
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
  readonly #sourceId: string
  readonly #childId: string

  constructor(sourceId: string, childId: string) {
    this.#sourceId = sourceId
    this.#childId = childId
  }

  /** What kind of line it is; `null` when it cannot be read. */
  look(line: Line): ChildLine | null {
    const json = this.#json
    const { type, uuid, parentUuid } = this.#slots
    if (!json.read(line.buffer, line.start, line.end)) return null
    const isChainLine = json.isNull(parentUuid) || json.isString(parentUuid)
    return { type: json.string(type) ?? '', uuid: isChainLine ? (json.string(uuid) ?? '') : '' }
  }

  /** The line looked at last, as the child has it. */
  rewrite(line: Line, uuid: string): Buffer {
    const json = this.#json
    const origin = uuid === '' ? null : { sessionId: this.#sourceId, messageUuid: uuid }
    const edits = [
      { ...json.range(this.#slots.sessionId), key: 'sessionId', value: JSON.stringify(this.#childId) },
      { ...json.range(this.#slots.forkedFrom), key: 'forkedFrom', value: origin === null ? null : JSON.stringify(origin) },
    ]
    return splice(line, edits)
  }
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly key: string
  readonly value: string | null
}

/** Replaces values that are there and adds the others in front of the closing brace. */
function splice({ buffer, start, end }: Line, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = []
  let at = start
  const wanted = edits.filter((edit) => edit.value !== null)
  for (const edit of wanted.filter((each) => each.end > 0).sort((a, b) => a.start - b.start)) {
    pieces.push(buffer.subarray(at, edit.start), Buffer.from(edit.value ?? ''))
    at = edit.end
  }
  const close = buffer.lastIndexOf('}', end - 1)
  pieces.push(buffer.subarray(at, close))
  for (const { key, value } of wanted.filter((each) => each.end === 0)) pieces.push(Buffer.from(`,"${key}":${value}`))
  pieces.push(Buffer.from([0x7d, newline]))
  return Buffer.concat(pieces)
}
