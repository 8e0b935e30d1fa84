// One page of a session's messages: bounded in tokens and bytes. A message too long for the page is cut there and goes on with the
// next one, so that everything can be read.
import type { Entry } from '../../agents/reading.ts'
import { renderTime } from '../../model/render-time.ts'
import type { Message } from '../../model/session.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { TextCursor } from './paging.ts'
import { safeText, safeValue } from './safe-text.ts'
import { bytesOf, cutText, estimateTokens, rowsBudget } from './size.ts'

export interface PageRequest {
  readonly from: TextCursor
  /** Index of the first message there is to read. */
  readonly first?: number
  readonly maxTokens: number
  readonly tools: 'brief' | 'full' | 'none'
  readonly signal: AbortSignal
}

export interface Page {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly next: TextCursor | null
}

const briefLength = 600
/** Less of a message than this is not worth beginning it on this page. */
const leastPiece = 200
/** What stands around the text of one message. */
const rowTokens = 40

export async function readPage(entries: AsyncIterable<Entry>, redactor: Redactor, request: PageRequest): Promise<Page> {
  const { from, first = 0, tools, signal } = request
  const messages: Readonly<Record<string, unknown>>[] = []
  let tokens = request.maxTokens
  let bytes = rowsBudget
  let turn: number | null = null
  let at = first - 1
  for await (const entry of entries) {
    signal.throwIfAborted()
    if (entry.kind === 'turn') turn = entry.turn.number
    if (entry.kind !== 'message') continue
    at += 1
    if (at < from.message || (entry.message.role === 'tool' && tools === 'none')) continue
    const start = at === from.message ? from.character : 0
    const { text, whole } = await textOf(entry.message, redactor, tools)
    const row = describe(entry.message, turn, at)
    const roomBytes = bytes - bytesOf(row) - 80
    const piece = takePiece(text, start, tokens - rowTokens, roomBytes)
    const ends = start + piece.length >= text.length
    if (messages.length > 0 && !ends && piece.length < leastPiece) return { messages, next: { message: at, character: start } }
    const cut = whole > text.length && ends ? { cut_from_characters: whole } : {}
    messages.push({ ...row, text: piece, ...(start > 0 ? { continued: true } : {}), ...cut })
    if (!ends) return { messages, next: { message: at, character: start + piece.length } }
    tokens -= rowTokens + estimateTokens(piece)
    bytes -= bytesOf(messages.at(-1)) + 1
  }
  return { messages, next: null }
}

function describe({ id, role, at, tool }: Message, turn: number | null, index: number) {
  return {
    id,
    index,
    turn,
    role,
    ...(tool === undefined ? {} : { tool: cutText(tool.name, 100), exit_code: tool.exitCode, failed: tool.failed }),
    at: renderTime(at),
  }
}

/** `whole`: how long it is, where only its beginning is given. */
async function textOf(
  message: Message,
  redactor: Redactor,
  tools: PageRequest['tools'],
): Promise<{ text: string; whole: number }> {
  const text = await safeText(redactor, message.tool === undefined ? message.text : await toolText(message, redactor))
  const brief = message.role === 'tool' && tools === 'brief' ? cutText(text, briefLength) : text
  return { text: brief, whole: text.length }
}

async function toolText({ tool, text }: Message, redactor: Redactor): Promise<string> {
  if (tool === undefined) return text
  const given = tool.arguments
  const asked = typeof given === 'string' ? given : JSON.stringify(await safeValue(redactor, given))
  return `${asked}\n${tool.output ?? '(no output recorded)'}`
}

/** As much of the text as fits, no character torn; something always, so that reading gets on. */
function takePiece(text: string, start: number, maxTokens: number, maxBytes: number): string {
  const fits = (length: number) => {
    const piece = text.slice(start, start + length)
    return estimateTokens(piece) <= maxTokens && bytesOf(piece) <= maxBytes
  }
  let low = Math.min(1, text.length - start)
  let high = Math.min(text.length - start, maxBytes)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  const torn = low > 1 && /[\ud800-\udbff]/.test(text.charAt(start + low - 1)) && start + low < text.length
  return text.slice(start, start + (torn ? low - 1 : low))
}
