// Secrets inside string literals: JSON in a tool's result holds its texts with escapes (`\n`, `\"`), and JSON in JSON holds them
// escaped twice. Each literal is decoded, searched by the same rules, and what is found is replaced in the encoded text, so that
// JSON stays JSON.
import type { Find, Secret } from './scan.ts'

/** JSON inside JSON inside JSON. */
const maxDepth = 3
/** Shorter than any secret with the name that gives it away. */
const shortestLiteral = 12
/** A copy of the literal is made for each level: this bounds its memory. */
const longestLiteral = 1 << 24

/** What `find` finds in the text and in the decoded literals of it, in order and apart. What is found deepest wins. */
export function findDeep(find: Find, text: string, depth = 0): readonly Secret[] {
  const inside = depth < maxDepth ? findInLiterals(find, text, depth) : []
  const outside = find(text)
  if (inside.length === 0) return outside
  let at = 0
  const apart = outside.filter(({ from, to }) => {
    while (at < inside.length && (inside[at] as Secret).to <= from) at += 1
    const next = inside[at]
    return next === undefined || next.from >= to
  })
  return apart.length === 0 ? inside : [...inside, ...apart].sort((one, other) => one.from - other.from)
}

/**
 * A literal is the run around a backslash up to a quote or the end of the line. Whether a quote opens or closes it does not
 * matter, so a text that was cut off anywhere is searched as well.
 */
function findInLiterals(find: Find, text: string, depth: number): Secret[] {
  const found: Secret[] = []
  let end = 0
  for (let mark = text.indexOf('\\'); mark !== -1; mark = text.indexOf('\\', end)) {
    const start = startOfLiteral(text, mark, end)
    end = endOfLiteral(text, mark)
    if (end - start < shortestLiteral || end - start > longestLiteral) continue
    const literal = text.slice(start, end)
    const decoded = decode(literal)
    if (decoded === literal) continue
    const secrets = findDeep(find, decoded, depth + 1)
    for (const secret of secrets.length > 0 ? toEncoded(literal, start, secrets) : secrets) found.push(secret)
  }
  return found
}

function startOfLiteral(text: string, mark: number, from: number): number {
  let start = mark
  while (start > from && !isEdge(text.charCodeAt(start - 1))) start -= 1
  return start
}

function endOfLiteral(text: string, mark: number): number {
  let end = mark
  while (end < text.length && !isEdge(text.charCodeAt(end))) end += text.charCodeAt(end) === backslash ? 2 : 1
  return Math.min(end, text.length)
}

const backslash = 0x5c

/** A quote or the end of a line. */
function isEdge(code: number): boolean {
  return code === 0x22 || code === 0x0a || code === 0x0d
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** What JSON does not know as an escape stays as it is. */
function decode(literal: string): string {
  return literal.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_whole, hex: string | undefined, sign: string) =>
    hex === undefined ? (escapes[sign] as string) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const unit = /\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[\s\S]/y

/** Positions in the decoded literal as positions in the text. */
function toEncoded(literal: string, start: number, secrets: readonly Secret[]): Secret[] {
  let decodedAt = 0
  let encodedAt = 0
  const positionOf = (wanted: number): number => {
    for (; decodedAt < wanted; decodedAt += 1) {
      unit.lastIndex = encodedAt
      unit.test(literal)
      encodedAt = unit.lastIndex
    }
    return start + encodedAt
  }
  return secrets.map(({ kind, from, to }) => ({ kind, from: positionOf(from), to: positionOf(to) }))
}
