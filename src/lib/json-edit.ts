// Puts values into a JSON text and takes them out again, in the style the text has. Taking out what was put in gives the very
// bytes that were there: what stood between the last value and the closing bracket stays where it was.
import { type JsonContainer, type JsonNode, parseJsonText } from './json-text.ts'

interface JsonStyle {
  /** `null`: all on one line. */
  readonly indent: string | null
  readonly newline: string
}

/** The same before and after a value was put in, else it could not be taken out exactly. */
function styleOf(text: string): JsonStyle {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const root = parseJsonText(text)
  const first = root.kind === 'scalar' ? undefined : root.children[0]
  if (first === undefined) return { indent: '  ', newline }
  if (!text.slice(root.start, root.end).includes('\n')) return { indent: null, newline }
  return { indent: /\n([ \t]+)$/.exec(text.slice(root.start, first.start))?.[1] ?? '  ', newline }
}

/** Adds a value to an array, or (with a key) a member to an object, behind all others. `depth`: 0 for the root. */
export function addTo(text: string, container: JsonContainer, depth: number, value: unknown, key?: string): string {
  const style = styleOf(text)
  const written = write(value, style, depth + 1)
  const item = key === undefined ? written : `${JSON.stringify(key)}:${style.indent === null ? '' : ' '}${written}`
  const last = container.children.at(-1)
  if (last !== undefined) return splice(text, last.end, last.end, `,${lineStart(style, depth + 1)}${item}`)
  const at = container.start + 1
  return splice(text, at, at, `${lineStart(style, depth + 1)}${item}${lineStart(style, depth)}`)
}

export function removeFrom(text: string, container: JsonContainer, depth: number, index: number): string {
  const child = container.children[index]
  if (child === undefined) return text
  const [before, after] = [container.children[index - 1], container.children[index + 1]]
  if (before !== undefined) return splice(text, before.end, child.end, '')
  if (after !== undefined) return splice(text, child.start, after.start, '')
  const tail = lineStart(styleOf(text), depth)
  return splice(text, container.start + 1, child.end + (text.startsWith(tail, child.end) ? tail.length : 0), '')
}

export function replaceNode(text: string, node: JsonNode, value: unknown): string {
  return splice(text, node.start, node.end, JSON.stringify(value))
}

function write(value: unknown, style: JsonStyle, depth: number): string {
  if (style.indent === null) return JSON.stringify(value)
  return JSON.stringify(value, null, style.indent).replaceAll('\n', lineStart(style, depth))
}

function lineStart({ indent, newline }: JsonStyle, depth: number): string {
  return indent === null ? '' : newline + indent.repeat(depth)
}

function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
