// Where a command's answer goes: stdout, gathered into large writes and held back when the reader is slow. Colour and
// cutting to width only on a terminal; notes and progress go to stderr, so that stdout is the answer and nothing else.
import pc from 'picocolors'
import { cleanColoured, cleanText } from '../lib/clean-text.ts'
import { safeJson } from '../lib/safe-json.ts'

export type Colors = ReturnType<typeof pc.createColors>

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string | Uint8Array): boolean
  once(event: 'drain', listener: () => void): unknown
}

export interface Output {
  readonly isTerminal: boolean
  /** Cells of a line; infinite when nobody looks at it in a terminal. */
  readonly columns: number
  readonly colors: Colors
  /** Await it in loops: it resolves late when the reader is slow, which bounds memory. */
  write(text: string): Promise<void> | undefined
  writeBytes(bytes: Uint8Array): Promise<void> | undefined
  line(text?: string): Promise<void> | undefined
  json(document: unknown): Promise<void> | undefined
  flush(): Promise<void> | undefined
  /** To stderr, for the person: never part of the answer. */
  note(text: string): void
  /** The stderr stream when a person watches it, for progress that overwrites itself. */
  readonly meter: { write(text: string): boolean } | null
  readonly noteColors: Colors
}

const chunkLength = 1 << 16

export function createOutput(stdout: Stream, stderr: Stream, vars: Readonly<Record<string, string | undefined>>): Output {
  let pending = ''
  const isTerminal = stdout.isTTY === true
  const send = (content: string | Uint8Array) =>
    stdout.write(content) ? undefined : new Promise<void>((resolve) => stdout.once('drain', resolve))
  const flush = () => {
    const text = pending
    pending = ''
    return text === '' ? undefined : send(text)
  }
  const write = (text: string) => {
    pending += text
    return pending.length >= chunkLength ? flush() : undefined
  }
  const colors = pc.createColors(wantsColor(stdout, vars))
  const noteColors = pc.createColors(wantsColor(stderr, vars))
  return {
    isTerminal,
    columns: columnsOf(stdout, vars),
    colors,
    noteColors,
    write,
    writeBytes: (bytes) => {
      flush()
      return send(bytes)
    },
    line: (text = '') => write(`${harmless(text, colors)}\n`),
    json: (document) => write(`${safeJson(document, isTerminal ? 2 : undefined)}\n`),
    flush,
    note: (text) => void stderr.write(`${harmless(text, noteColors)}\n`),
    meter: stderr.isTTY === true && vars.TERM !== 'dumb' ? stderr : null,
  }
}

/** Whoever prints text of a session cleans it; what one of them forgets must not reach the terminal either. */
function harmless(text: string, { isColorSupported }: Colors): string {
  return isColorSupported ? cleanColoured(text) : cleanText(text)
}

/** picocolors' own test also colours every pipe under CI, which breaks whoever reads our output there. */
function wantsColor(stream: Stream, vars: Readonly<Record<string, string | undefined>>): boolean {
  if (vars.NO_COLOR) return false
  if (vars.FORCE_COLOR !== undefined) return vars.FORCE_COLOR !== '0'
  return stream.isTTY === true && vars.TERM !== 'dumb'
}

function columnsOf(stream: Stream, vars: Readonly<Record<string, string | undefined>>): number {
  const asked = Number(vars.COLUMNS)
  if (Number.isSafeInteger(asked) && asked > 0) return asked
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : 80
}
