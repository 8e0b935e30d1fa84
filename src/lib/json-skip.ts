// Steps over JSON values in a buffer, byte by byte where it must and by memchr where it can. Positions go in and out; `bad` says
// that there is no whole value. What is inside a skipped object or array is only checked for balance.

export const quote = 0x22
export const backslash = 0x5c
export const openBrace = 0x7b
export const closeBrace = 0x7d
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const comma = 0x2c
export const colon = 0x3a
const space = 0x20
export const minus = 0x2d

/** Where the value is no good: a position no buffer has. */
export const bad = -1
/** Below this many bytes a plain loop beats the call into memchr (about 11 ns). */
const shortStringBytes = 12

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

export function skipBlanks(buffer: Buffer, at: number, end: number): number {
  while (at < end) {
    const byte = buffer[at] ?? 0
    if (byte > space || (byte !== space && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)) return at
    at += 1
  }
  return at
}

/** The position of the closing quote of a string whose content begins at `at`. */
export function stringEnd(buffer: Buffer, at: number, end: number): number {
  const shortEnd = Math.min(end, at + shortStringBytes)
  while (at < shortEnd) {
    const byte = buffer[at]
    if (byte === quote) return at
    if (byte === backslash) at += 1
    at += 1
  }
  while (at < end) {
    const found = buffer.indexOf(quote, at)
    if (found === -1 || found >= end) return bad
    let before = found - 1
    while (before >= at && buffer[before] === backslash) before -= 1
    if (((found - before) & 1) === 1) return found
    at = found + 1
  }
  return bad
}

export function skipValue(buffer: Buffer, at: number, end: number): number {
  if (at >= end) return bad
  const first = buffer[at] ?? 0
  if (first === quote) {
    const close = stringEnd(buffer, at + 1, end)
    return close === bad ? bad : close + 1
  }
  return first === openBrace || first === openBracket ? skipNested(buffer, at, end) : skipLiteral(buffer, at, end)
}

function skipNested(buffer: Buffer, at: number, end: number): number {
  let depth = 0
  while (at < end) {
    const kind = byteKinds[buffer[at] ?? 0]
    if (kind === quoteByte) {
      at = stringEnd(buffer, at + 1, end)
      if (at === bad) return bad
    } else if (kind === openByte) depth += 1
    else if (kind === closeByte) {
      depth -= 1
      if (depth === 0) return at + 1
    } else if (kind !== plainByte) return bad
    at += 1
  }
  return bad
}

function skipLiteral(buffer: Buffer, at: number, end: number): number {
  const first = buffer[at]
  for (const word of words) {
    if (word[0] !== first) continue
    if (end - at < word.length) return bad
    for (let i = 1; i < word.length; i += 1) if (buffer[at + i] !== word[i]) return bad
    return at + word.length
  }
  const start = at
  let digits = true
  while (at < end && isNumberByte(buffer[at] ?? 0)) {
    digits &&= isDigit(buffer[at] ?? 0)
    at += 1
  }
  if (digits && (at - start === 1 || (at > start && first !== 0x30))) return at
  return jsonNumber.test(buffer.toString('latin1', start, at)) ? at : bad
}

function isNumberByte(byte: number): boolean {
  return isDigit(byte) || byte === minus || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
