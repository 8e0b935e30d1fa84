// Walks the bytes of one JSON value and takes only the fields asked for: no object is built and a skipped string costs a
// memchr, so a line of megabytes is passed over at the speed of memory. Agrees with JSON.parse on valid JSON; on anything
// else it never throws but sets `failed`. What it skips is only checked for balance, so a caller must not trust a line it
// has not parsed more than that.

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a

/** Below this many bytes a plain loop beats the call into memchr. */
const shortStringBytes = 64

export const otherKey = -1
export const noMoreKeys = -2

/** What may stand outside strings: blanks, punctuation and the letters of numbers, true, false and null. */
const plainByte = 1
const quoteByte = 2
const openByte = 3
const closeByte = 4
const byteKinds = new Uint8Array(256)
for (const char of ' \t\n\r,:0123456789+-.eEtrufalsn') byteKinds[char.charCodeAt(0)] = plainByte
byteKinds[quote] = quoteByte
byteKinds[openBrace] = byteKinds[openBracket] = openByte
byteKinds[closeBrace] = byteKinds[closeBracket] = closeByte

const words = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')]
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The keys one is interested in, found by their bytes: position in `names` is what `nextKey` answers. */
export class JsonKeys {
  readonly names: readonly string[]
  readonly #bySize: (readonly { readonly bytes: Buffer; readonly index: number }[] | undefined)[] = []

  constructor(names: readonly string[]) {
    this.names = names
    names.forEach((name, index) => {
      const bytes = Buffer.from(name)
      this.#bySize[bytes.length] = [...(this.#bySize[bytes.length] ?? []), { bytes, index }]
    })
  }

  find(buffer: Buffer, start: number, end: number): number {
    const candidates = this.#bySize[end - start]
    if (candidates === undefined) return otherKey
    next: for (const { bytes, index } of candidates) {
      for (let i = 0; i < bytes.length; i += 1) if (bytes[i] !== buffer[start + i]) continue next
      return index
    }
    return otherKey
  }
}

export class JsonCursor {
  failed = false
  #buffer: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0
  #stringStart = 0
  #stringEnd = 0
  #escaped = false
  #first = false

  reset(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer
    this.#at = start
    this.#end = end
    this.failed = false
    this.#first = false
  }

  /** True when nothing but blanks follows: the whole range was one value. */
  atEnd(): boolean {
    this.#peek()
    return !this.failed && this.#at >= this.#end
  }

  isString(): boolean {
    return this.#peek() === quote
  }

  /** Steps into an object; on false the value is left where it is, to be read or skipped otherwise. */
  enterObject(): boolean {
    return this.#enter(openBrace)
  }

  enterArray(): boolean {
    return this.#enter(openBracket)
  }

  /** The next key of the object one is in: its position in `keys`, `otherKey`, or `noMoreKeys` (the object is left). */
  nextKey(keys: JsonKeys): number {
    if (!this.#more(closeBrace)) return noMoreKeys
    if (this.#peek() !== quote || !this.#scanString()) return this.#fail()
    const found = this.#hasEscape()
      ? keys.names.indexOf(this.#decode() ?? '')
      : keys.find(this.#buffer, this.#stringStart, this.#stringEnd)
    if (this.#peek() !== colon) return this.#fail()
    this.#at += 1
    return found
  }

  /** True when another element follows; on false the array is left. */
  nextElement(): boolean {
    return this.#more(closeBracket)
  }

  /** The string here, or `null` for any other value, which is skipped. */
  string(): string | null {
    if (this.#peek() !== quote) {
      this.skip()
      return null
    }
    return this.#scanString() ? this.#decode() : null
  }

  /** Skips the value; true when it is a string of at least one character. */
  skipText(): boolean {
    if (this.#peek() !== quote) {
      this.skip()
      return false
    }
    return this.#scanString() && this.#stringEnd > this.#stringStart
  }

  /** True for the literal `true`; any other value is skipped and is false. */
  isTrue(): boolean {
    const is = this.#peek() === 0x74
    this.skip()
    return is && !this.failed
  }

  number(): number | null {
    const byte = this.#peek()
    const start = this.#at
    this.skip()
    if (this.failed || !(byte === 0x2d || (byte >= 0x30 && byte <= 0x39))) return null
    return Number(this.#buffer.toString('latin1', start, this.#at))
  }

  skip(): void {
    const byte = this.#peek()
    if (byte === quote) this.#scanString()
    else if (byte === openBrace || byte === openBracket) this.#skipNested()
    else this.#skipLiteral()
  }

  #enter(open: number): boolean {
    if (this.#peek() !== open) return false
    this.#at += 1
    this.#first = true
    return true
  }

  #more(close: number): boolean {
    const byte = this.#peek()
    if (byte === close) {
      this.#at += 1
      this.#first = false
      return false
    }
    if (this.#first) {
      this.#first = false
      if (byte === -1) this.#fail()
      return !this.failed
    }
    if (byte !== comma) return this.#fail() === 0
    this.#at += 1
    const next = this.#peek()
    if (next === close || next === -1) return this.#fail() === 0
    return true
  }

  /** The next byte that is no blank, or -1 at the end. */
  #peek(): number {
    const buffer = this.#buffer
    while (this.#at < this.#end) {
      const byte = buffer[this.#at] ?? -1
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return byte
      this.#at += 1
    }
    return -1
  }

  #fail(): number {
    this.failed = true
    this.#at = this.#end
    return noMoreKeys
  }

  #scanString(): boolean {
    const buffer = this.#buffer
    const start = this.#at + 1
    const end = this.#end
    const shortEnd = Math.min(end, start + shortStringBytes)
    let at = start
    this.#escaped = false
    while (at < shortEnd) {
      const byte = buffer[at]
      if (byte === quote) return this.#closeString(start, at)
      if (byte === backslash) {
        this.#escaped = true
        at += 1
      }
      at += 1
    }
    for (;;) {
      const found = at < end ? buffer.indexOf(quote, at) : -1
      if (found === -1 || found >= end) {
        this.#fail()
        return false
      }
      let before = found - 1
      while (before >= at && buffer[before] === backslash) before -= 1
      if ((found - before) % 2 === 1) {
        return this.#closeString(start, found)
      }
      this.#escaped = true
      at = found + 1
    }
  }

  #closeString(start: number, end: number): boolean {
    this.#stringStart = start
    this.#stringEnd = end
    this.#at = end + 1
    return true
  }

  /** The long way through a string does not look for escapes: most strings are skipped, never decoded. */
  #hasEscape(): boolean {
    if (this.#escaped || this.#stringEnd - this.#stringStart <= shortStringBytes) return this.#escaped
    const found = this.#buffer.indexOf(backslash, this.#stringStart + shortStringBytes)
    return found !== -1 && found < this.#stringEnd
  }

  #decode(): string | null {
    if (!this.#hasEscape()) return this.#buffer.toString('utf8', this.#stringStart, this.#stringEnd)
    try {
      const value: unknown = JSON.parse(this.#buffer.toString('utf8', this.#stringStart - 1, this.#stringEnd + 1))
      return typeof value === 'string' ? value : null
    } catch {
      this.#fail() // an escape JSON does not know
      return null
    }
  }

  #skipNested(): void {
    const buffer = this.#buffer
    let depth = 0
    while (this.#at < this.#end) {
      const kind = byteKinds[buffer[this.#at] ?? 0]
      if (kind === quoteByte) {
        if (!this.#scanString()) return
        continue
      }
      if (kind === 0) break
      this.#at += 1
      if (kind === openByte) depth += 1
      else if (kind === closeByte) {
        depth -= 1
        if (depth === 0) return
      }
    }
    this.#fail()
  }

  #skipLiteral(): void {
    const buffer = this.#buffer
    const start = this.#at
    const first = buffer[start]
    for (const word of words) {
      if (word[0] !== first || this.#end - start < word.length) continue
      for (let i = 1; i < word.length; i += 1) if (buffer[start + i] !== word[i]) return void this.#fail()
      this.#at += word.length
      return
    }
    let at = start
    while (at < this.#end && isNumberByte(buffer[at] ?? 0)) at += 1
    const plainDigits = at - start === 1 || (first !== 0x30 && first !== 0x2d)
    if (
      at === start ||
      (!(plainDigits && onlyDigits(buffer, start, at)) && !jsonNumber.test(buffer.toString('latin1', start, at)))
    )
      this.#fail()
    else this.#at = at
  }
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45
}

function onlyDigits(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at] ?? 0
    if (byte < 0x30 || byte > 0x39) return false
  }
  return true
}
