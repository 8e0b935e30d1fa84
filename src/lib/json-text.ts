// JSON as text with positions: where each member stands, so that a file of somebody else's can be changed in one place and stay
// the same to the byte everywhere else.

export type JsonNode =
  | { readonly kind: 'object'; readonly start: number; readonly end: number; readonly children: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly start: number; readonly end: number; readonly children: readonly JsonNode[] }
  | { readonly kind: 'scalar'; readonly start: number; readonly end: number; readonly value: unknown }

export interface JsonMember {
  readonly kind: 'member'
  readonly key: string
  readonly start: number
  readonly end: number
  readonly value: JsonNode
}

export type JsonContainer = Extract<JsonNode, { children: unknown }>

/** Throws the SyntaxError of JSON.parse on anything that is not JSON; a byte order mark is passed over. */
export function parseJsonText(text: string): JsonNode {
  const from = text.startsWith('\ufeff') ? 1 : 0
  JSON.parse(text.slice(from))
  return new Parser(text, from).value()
}

/** The member JSON.parse would take: of several with one name the last. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.kind === 'object' ? node.children.findLast((member) => member.key === key) : undefined
}

const blanks = /[ \t\r\n]*/y
const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y

/** Only ever reads what JSON.parse has accepted. */
class Parser {
  readonly #text: string
  #at: number

  constructor(text: string, from: number) {
    this.#text = text
    this.#at = from
  }

  value(): JsonNode {
    this.#take(blanks)
    const start = this.#at
    const opening = this.#text[start]
    if (opening === '{') return { kind: 'object', ...this.#children('}', () => this.#member()) }
    if (opening === '[') return { kind: 'array', ...this.#children(']', () => this.value()) }
    const value: unknown = JSON.parse(this.#take(scalar))
    return { kind: 'scalar', start, end: this.#at, value }
  }

  #member(): JsonMember {
    this.#take(blanks)
    const start = this.#at
    const key = String(JSON.parse(this.#take(scalar)))
    this.#take(blanks)
    this.#at += 1 // the colon
    const value = this.value()
    return { kind: 'member', key, start, end: value.end, value }
  }

  #children<T>(closing: string, read: () => T): { start: number; end: number; children: T[] } {
    const start = this.#at
    const children: T[] = []
    this.#at += 1
    this.#take(blanks)
    while (this.#text[this.#at] !== closing) {
      if (children.length > 0) this.#at += 1 // the comma
      children.push(read())
      this.#take(blanks)
    }
    this.#at += 1
    return { start, end: this.#at, children }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}
