// Applies rules to a text in one pass. Each rule names the literals it can begin with (its signs), so that its pattern is only
// tried where one of them is: the cost of a text without secrets is one table lookup per character, however many rules there are.

export interface Rule {
  /** Replaces the secret: `[redacted:<kind>]`. */
  readonly kind: string
  /** At least three characters each. The pattern is tried wherever one of them begins; in any case if it ignores case itself. */
  readonly signs: readonly string[]
  /** The sign counts only where no letter or digit is in front of it. The pattern need not check this again. */
  readonly atEdge?: boolean
  /** The name that several rules begin with, sticky: it is tried once for all of them, and the pattern goes on behind it. */
  readonly name?: RegExp
  /**
   * Sticky, and every repetition bounded: a hostile text must not be able to stall it. The groups `before` and `after` are kept
   * and the rest of the match is replaced. The group `head`, in a lookbehind, is the part of the secret in front of the sign.
   */
  readonly pattern: RegExp
  /** A last look at what would be replaced; `false` keeps it, for placeholders and code. */
  readonly accept?: (secret: string, before: string) => boolean
}

/** The secrets in a text, in order and apart. `signsUpTo`: only what begins in front of this position is looked for. */
export type Find = (text: string, signsUpTo?: number) => readonly Secret[]

export interface Secret {
  readonly kind: string
  readonly from: number
  readonly to: number
}

/** The text with each of them replaced; the same string where there is none. */
export function replaceSecrets(text: string, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return text
  // Joined at the end: a string that grew by `+=` is slower to go over again.
  const parts: string[] = []
  let copied = 0
  for (const { kind, from, to } of secrets) {
    parts.push(text.slice(copied, from), `[redacted:${kind}]`)
    copied = to
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

const none: readonly Secret[] = []

const signLength = 3

export function createFind(rules: readonly Rule[]): Find {
  const bySign = new Map<number, Signed[]>()
  const table = new Uint8Array(1 << 16)
  // A second look at one character more, for signs that have it.
  const longer = new Uint8Array(1 << 16)
  for (const rule of rules) {
    for (const sign of rule.signs) {
      if (sign.length < signLength) throw new Error(`"${sign}" is too short to be a sign`)
      const key = keyOf(sign)
      bySign.set(key, [...(bySign.get(key) ?? []), { sign, rule }])
      if (sign.length === signLength) table[slotOf(key)] = shortSign
      else {
        if (table[slotOf(key)] === 0) table[slotOf(key)] = longSign
        longer[slotOf(nextKey(key, sign.charCodeAt(signLength)))] = 1
      }
    }
  }

  return (text, signsUpTo = text.length) => {
    let secrets: Secret[] | undefined
    let copied = 0
    let key = 0
    const end = Math.min(text.length, signsUpTo + signLength - 1)
    for (let at = 0; at < end; at += 1) {
      const code = text.charCodeAt(at)
      key = ((key << 8) | (code < 128 ? (folded[code] as number) : 0)) & 0xffffff
      const hit = table[slotOf(key)]
      if (hit === 0 || (hit === longSign && longer[slotOf(nextKey(key, text.charCodeAt(at + 1)))] === 0)) continue
      const found = findSecret(bySign.get(key), text, at - signLength + 1, copied)
      if (found === null) continue
      secrets ??= []
      secrets.push(found)
      copied = found.to
      at = found.to - 1
      key = 0
    }
    return secrets ?? none
  }
}

const longSign = 1
const shortSign = 2

interface Signed {
  readonly sign: string
  readonly rule: Rule
}

function findSecret(candidates: readonly Signed[] | undefined, text: string, at: number, copied: number): Secret | null {
  if (candidates === undefined) return null
  const inWord = isAlphanumeric(text.charCodeAt(at - 1))
  let tried: RegExp | undefined
  let nameEnd = -1
  for (const { sign, rule } of candidates) {
    const { kind, name, pattern, accept } = rule
    if (inWord && rule.atEdge === true) continue
    if (!(pattern.ignoreCase ? startsLike(text, sign, at) : text.startsWith(sign, at))) continue
    if (name !== undefined && name !== tried) {
      tried = name
      name.lastIndex = at
      nameEnd = name.test(text) ? name.lastIndex : -1
    }
    const start = name === undefined ? at : nameEnd
    if (start === -1) continue
    pattern.lastIndex = start
    const match = pattern.exec(text)
    if (match === null) continue
    const { before = '', after = '', head = '' } = match.groups ?? {}
    let from = start - head.length + before.length
    let to = start + match[0].length - after.length
    // Quotes around a value stay, and belong to neither.
    const quote = /^(?:\\{0,7}["'`]|&quot;)/.exec(text.slice(from, from + 8))?.[0] ?? ''
    if (quote !== '' && to - from > 2 * quote.length && text.startsWith(quote, to - quote.length)) {
      from += quote.length
      to -= quote.length
    }
    // Backslashes in front of a quote belong to the quote.
    if (text.charCodeAt(to) === 0x22) while (to > from && text.charCodeAt(to - 1) === 0x5c) to -= 1
    // `://[redacted:url-token]@` is no user with a password.
    if (markerStart.test(text.slice(Math.max(0, from - markerRoom), from))) continue
    to -= markerStart.exec(text.slice(Math.max(from, to - markerRoom), to))?.[0].length ?? 0
    const secret = text.slice(from, to)
    if (
      from < copied ||
      secret === '' ||
      secret.startsWith('[redacted:') ||
      accept?.(secret, text.slice(at, start) + before) === false
    )
      continue
    return { kind, from, to }
  }
  return null
}

/** A marker that is cut off, at the end of a text. */
const markerStart = /\[redacted(?::[\w-]*)?$/
const markerRoom = 60

/** Its first characters are known to be the same. */
function startsLike(text: string, sign: string, at: number): boolean {
  for (let offset = signLength; offset < sign.length; offset += 1) {
    if (fold(text.charCodeAt(at + offset)) !== fold(sign.charCodeAt(offset))) return false
  }
  return true
}

function keyOf(sign: string): number {
  return (fold(sign.charCodeAt(0)) << 16) | (fold(sign.charCodeAt(1)) << 8) | fold(sign.charCodeAt(2))
}

function nextKey(key: number, code: number): number {
  return (key << 8) | fold(code)
}

/** ASCII in lower case; everything else is 0, which no sign has. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

function fold(code: number): number {
  return code < 128 ? (folded[code] as number) : 0
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function slotOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 16
}
