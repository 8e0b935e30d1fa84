// Takes chosen fields from the bytes of one JSON object without building it: everything else is stepped over, a long string at
// the speed of memchr. On valid JSON it agrees with JSON.parse; on anything else it never throws but answers false. What it
// steps over is only checked for balance, so a line that must be right to the last byte still has to be parsed.

import {
  backslash,
  bad,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isDigit,
  minus,
  openBrace,
  openBracket,
  quote,
  skipBlanks,
  skipValue,
  stringEnd,
} from './json-skip.ts'

const hashSize = 256

/** The fields to take: `true` for a value, a shape for an object's fields, `[shape]` for those of each object in an array. */
export interface JsonShape {
  readonly [key: string]: true | JsonShape | readonly [JsonShape]
}

interface Node {
  readonly keys: readonly Key[]
  /** The first key of each hash, and after each key the next one of the same hash; -1 for none. */
  readonly heads: Int8Array
  readonly nexts: Int8Array
  readonly firstSlot: number
  /** One past the last slot in it, inner shapes included. */
  readonly endSlot: number
}

interface Key {
  readonly name: string
  readonly bytes: Buffer
  readonly slot: number
  readonly inner: Node | null
  readonly isArray: boolean
}

/** One reader serves many lines: the ranges it found hold until the next `read`. */
export class JsonFields {
  readonly #root: Node
  readonly #slots = new Map<string, number>()
  readonly #onElement: (slot: number) => void
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  #buffer: Buffer = Buffer.alloc(0)
  #end = 0

  /** `onElement` is called after each object of an array, while the fields of that object can be read, with the array's slot. */
  constructor(shape: JsonShape, onElement: (slot: number) => void = () => undefined) {
    this.#root = this.#compile(shape, '')
    this.#onElement = onElement
    this.#starts = new Int32Array(this.#root.endSlot)
    this.#ends = new Int32Array(this.#root.endSlot)
  }

  /** The number of a field, for the readers below: `slot('message.content.id')`. */
  slot(path: string): number {
    const slot = this.#slots.get(path)
    if (slot === undefined) throw new Error(`no field ${path} in this shape`)
    return slot
  }

  /** False when the bytes are no JSON object. */
  read(buffer: Buffer, start: number, end: number): boolean {
    this.#buffer = buffer
    this.#end = end
    const at = skipBlanks(buffer, start, end)
    const after = buffer[at] === openBrace && at < end ? this.#readObject(this.#root, at) : bad
    return after !== bad && skipBlanks(buffer, after, end) === end
  }

  isNull(slot: number): boolean {
    return this.#first(slot) === 0x6e
  }

  isString(slot: number): boolean {
    return this.#first(slot) === quote
  }

  isNumber(slot: number): boolean {
    const first = this.#first(slot)
    return first === minus || isDigit(first)
  }

  isFalse(slot: number): boolean {
    return this.#first(slot) === 0x66
  }

  isTrue(slot: number): boolean {
    return this.#first(slot) === 0x74
  }

  /** True for a string of at least one character. */
  isText(slot: number): boolean {
    return this.#first(slot) === quote && (this.#ends[slot] ?? 0) - (this.#starts[slot] ?? 0) > 2
  }

  /** 0 for what is no number. */
  number(slot: number): number {
    if (!this.isNumber(slot)) return 0
    const start = this.#starts[slot] ?? 0
    const end = this.#ends[slot] ?? 0
    let value = 0
    for (let at = start; at < end; at += 1) {
      const byte = this.#buffer[at] ?? 0
      if (!isDigit(byte) || at - start > 14) return Number(this.#buffer.toString('latin1', start, end))
      value = value * 10 + byte - 0x30
    }
    return value
  }

  /** A number of things: 0 for what cannot be one, such as 1e999, which JSON allows. */
  count(slot: number): number {
    const value = this.number(slot)
    return Number.isSafeInteger(value) && value > 0 ? value : 0
  }

  /** Where the value begins in the buffer; 0 when there is none. */
  start(slot: number): number {
    const start = this.#starts[slot] ?? bad
    return start === bad ? 0 : start
  }

  /** Where the value stands in the buffer; empty when there is none. */
  range(slot: number): { readonly start: number; readonly end: number } {
    const start = this.#starts[slot] ?? bad
    return start === bad ? { start: 0, end: 0 } : { start, end: this.#ends[slot] ?? 0 }
  }

  /**
   * The string, or `null` for any other value. When it is the `expected` one, that very string is answered: neighbouring lines
   * repeat most of their values, and comparing is cheaper than decoding.
   */
  string(slot: number, expected = ''): string | null {
    if (this.#first(slot) !== quote) return null
    const start = (this.#starts[slot] ?? 0) + 1
    const end = (this.#ends[slot] ?? 0) - 1
    if (end - start === expected.length && isSame(this.#buffer, start, expected)) return expected
    return decode(this.#buffer, start, end)
  }

  #first(slot: number): number {
    const start = this.#starts[slot] ?? bad
    return start === bad ? bad : (this.#buffer[start] ?? bad)
  }

  #compile(shape: JsonShape, path: string): Node {
    const firstSlot = this.#slots.size
    const keys = Object.entries(shape).map(([name, wanted]) => {
      const slot = this.#slots.size
      this.#slots.set(`${path}${name}`, slot)
      const isArray = Array.isArray(wanted)
      const inner = wanted === true ? null : this.#compile(isArray ? wanted[0] : wanted, `${path}${name}.`)
      return { name, bytes: Buffer.from(name), slot, inner, isArray }
    })
    const heads = new Int8Array(hashSize).fill(-1)
    const nexts = new Int8Array(keys.length).fill(-1)
    for (const [i, { bytes }] of keys.entries()) {
      const hash = hashOf(bytes, 0, bytes.length)
      nexts[i] = heads[hash] ?? -1
      heads[hash] = i
    }
    return { keys, heads, nexts, firstSlot, endSlot: this.#slots.size }
  }

  /** Reads the object that opens at `at`; answers the position behind it. */
  #readObject(node: Node, at: number): number {
    const buffer = this.#buffer
    const end = this.#end
    this.#clear(node)
    at = skipBlanks(buffer, at + 1, end)
    if (buffer[at] === closeBrace && at < end) return at + 1
    for (;;) {
      if (buffer[at] !== quote || at >= end) return bad
      const keyEnd = stringEnd(buffer, at + 1, end)
      if (keyEnd === bad) return bad
      const key = findKey(node, buffer, at + 1, keyEnd)
      at = skipBlanks(buffer, keyEnd + 1, end)
      if (buffer[at] !== colon || at >= end) return bad
      at = skipBlanks(buffer, at + 1, end)
      at = key === undefined ? skipValue(buffer, at, end) : this.#readValue(key, at)
      if (at === bad) return bad
      at = skipBlanks(buffer, at, end)
      if (at >= end) return bad
      if (buffer[at] === closeBrace) return at + 1
      if (buffer[at] !== comma) return bad
      at = skipBlanks(buffer, at + 1, end)
    }
  }

  #clear(node: Node): void {
    for (let slot = node.firstSlot; slot < node.endSlot; slot += 1) this.#starts[slot] = bad
  }

  #readValue(key: Key, at: number): number {
    const { inner, slot, isArray } = key
    const first = at < this.#end ? this.#buffer[at] : bad
    if (inner !== null) this.#clear(inner) // of two equal keys the last one counts
    const after =
      inner !== null && first === (isArray ? openBracket : openBrace)
        ? isArray
          ? this.#readArray(inner, slot, at)
          : this.#readObject(inner, at)
        : skipValue(this.#buffer, at, this.#end)
    this.#starts[slot] = at
    this.#ends[slot] = after
    return after
  }

  #readArray(node: Node, slot: number, at: number): number {
    const buffer = this.#buffer
    const end = this.#end
    at = skipBlanks(buffer, at + 1, end)
    if (buffer[at] === closeBracket && at < end) return at + 1
    for (;;) {
      const isObject = buffer[at] === openBrace && at < end
      at = isObject ? this.#readObject(node, at) : skipValue(buffer, at, end)
      if (at === bad) return bad
      if (isObject) this.#onElement(slot)
      at = skipBlanks(buffer, at, end)
      if (at >= end) return bad
      if (buffer[at] === closeBracket) return at + 1
      if (buffer[at] !== comma) return bad
      at = skipBlanks(buffer, at + 1, end)
    }
  }
}

function hashOf(buffer: Buffer, start: number, end: number): number {
  return ((buffer[start] ?? 0) * 3 + (buffer[end - 1] ?? 0) * 5 + (end - start) * 7) & (hashSize - 1)
}

function findKey(node: Node, buffer: Buffer, start: number, end: number): Key | undefined {
  for (let i = node.heads[hashOf(buffer, start, end)] ?? -1; i !== -1; i = node.nexts[i] ?? -1) {
    const key = node.keys[i]
    if (key !== undefined && key.bytes.length === end - start && startsWith(buffer, start, key.bytes)) return key
  }
  // A key may be written with escapes; nobody does, but JSON.parse would know it.
  if (!hasBackslash(buffer, start, end)) return undefined
  const name = decode(buffer, start, end)
  return node.keys.find((key) => key.name === name)
}

function startsWith(buffer: Buffer, start: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i += 1) if (buffer[start + i] !== bytes[i]) return false
  return true
}

function hasBackslash(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (buffer[at] === backslash) return true
  return false
}

/** Whether the bytes are these characters, none of them escaped or outside ASCII. */
function isSame(buffer: Buffer, start: number, text: string): boolean {
  for (let i = text.length - 1; i >= 0; i -= 1) {
    const byte = buffer[start + i] ?? 0
    if (byte !== text.charCodeAt(i) || byte > 0x7f || byte === backslash) return false
  }
  return true
}

/** Below this many bytes looking at each costs less than asking memchr for a backslash and decoding UTF-8. */
const shortTextBytes = 64

function isPlain(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at] ?? 0
    if (byte > 0x7f || byte === backslash) return false
  }
  return true
}

function decode(buffer: Buffer, start: number, end: number): string | null {
  if (end - start <= shortTextBytes && isPlain(buffer, start, end)) return buffer.toString('latin1', start, end)
  const found = buffer.indexOf(backslash, start)
  if (found === -1 || found >= end) return buffer.toString('utf8', start, end)
  try {
    const value: unknown = JSON.parse(buffer.toString('utf8', start - 1, end + 1))
    return typeof value === 'string' ? value : null
  } catch {
    return null // an escape JSON does not know
  }
}
