// Applies rules to a text in one pass. Each rule names the literals it can begin with (its signs), so that its pattern is only
// tried where one of them is: the cost of a text without secrets is one table lookup per character, however many rules there are.

export interface Rule {
  /** Replaces the secret: `[redacted:<kind>]`. */
  readonly kind: string
  /** At least three characters each. The pattern is tried wherever one of them begins; in any case if it ignores case itself. */
  readonly signs: readonly string[]
  /**
   * Sticky, and every repetition bounded: a hostile text must not be able to stall it. The groups `before` and `after` are kept
   * and the rest of the match is replaced. The group `head`, in a lookbehind, is the part of the secret in front of the sign.
   */
  readonly pattern: RegExp
  /** A last look at what would be replaced; `false` keeps it, for placeholders and code. */
  readonly accept?: (secret: string, before: string) => boolean
}

export type Scan = (text: string) => string

const signLength = 3

export function createScan(rules: readonly Rule[]): Scan {
  const bySign = new Map<number, Signed[]>()
  const table = new Uint8Array(1 << 16)
  for (const rule of rules) {
    for (const sign of rule.signs) {
      if (sign.length < signLength) throw new Error(`"${sign}" is too short to be a sign`)
      const key = keyOf(sign)
      bySign.set(key, [...(bySign.get(key) ?? []), { sign, rule }])
      table[slotOf(key)] = 1
    }
  }

  return (text) => {
    let clean = ''
    let copied = 0
    let key = 0
    for (let at = 0; at < text.length; at += 1) {
      key = ((key << 8) | fold(text.charCodeAt(at))) & 0xffffff
      if (table[slotOf(key)] === 0) continue
      const found = findSecret(bySign.get(key), text, at - signLength + 1, copied)
      if (found === null) continue
      clean += `${text.slice(copied, found.from)}[redacted:${found.kind}]`
      copied = found.to
      at = found.to - 1
      key = 0
    }
    return copied === 0 ? text : clean + text.slice(copied)
  }
}

interface Signed {
  readonly sign: string
  readonly rule: Rule
}

interface Secret {
  readonly kind: string
  readonly from: number
  readonly to: number
}

function findSecret(candidates: readonly Signed[] | undefined, text: string, at: number, copied: number): Secret | null {
  for (const { sign, rule } of candidates ?? []) {
    const { kind, pattern, accept } = rule
    if (!(pattern.ignoreCase ? startsLike(text, sign, at) : text.startsWith(sign, at))) continue
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) continue
    const { before = '', after = '', head = '' } = match.groups ?? {}
    let from = at - head.length + before.length
    let to = at + match[0].length - after.length
    // Quotes around a value stay, and belong to neither.
    const quote = /^\\?["'`]/.exec(text.slice(from, from + 2))?.[0] ?? ''
    if (quote !== '' && to - from > 2 * quote.length && text.startsWith(quote, to - quote.length)) {
      from += quote.length
      to -= quote.length
    }
    const secret = text.slice(from, to)
    if (from < copied || secret.startsWith('[redacted:') || accept?.(secret, before) === false) continue
    return { kind, from, to }
  }
  return null
}

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

/** ASCII in lower case; everything else is 0, which no sign has. */
function fold(code: number): number {
  if (code >= 65 && code <= 90) return code + 32
  return code < 128 ? code : 0
}

function slotOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 16
}
