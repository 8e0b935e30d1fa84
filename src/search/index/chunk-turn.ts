// A turn as chunks: pieces of bounded size with the prompt, what was said, and what tools did kept apart. Expects redacted text,
// because a cut through a secret would leave a half that no rule knows.
import type { ChunkTexts } from '../../store/search-index.ts'

export type Field = keyof ChunkTexts

export interface Piece {
  readonly field: Field
  readonly text: string
}

const chunkSize = 1500
/** What a person types is short; behind this a prompt is something pasted, and counts like any other text. */
const promptSize = 2000
/** A turn that says more than this says it again and again, or prints files. */
const maxChunks = 400

export function chunkTurn(pieces: readonly Piece[]): ChunkTexts[] {
  const chunks: ChunkTexts[] = []
  let open: Record<Field, string> = { prompt: '', body: '', tools: '' }
  let size = 0
  const close = () => {
    if (size > 0) chunks.push(open)
    open = { prompt: '', body: '', tools: '' }
    size = 0
  }
  for (const { field, text } of pieces.flatMap(splitPrompt)) {
    let from = 0
    while (from < text.length && chunks.length < maxChunks) {
      if (text.length - from > chunkSize - size && size > chunkSize / 2) close()
      const end = findCut(text, from, chunkSize - size)
      const piece = text.slice(from, end)
      open[field] += open[field] === '' ? piece : `\n${piece}`
      size += piece.length
      from = skipBlanks(text, end)
      if (from < text.length || size >= chunkSize) close()
    }
  }
  close()
  return chunks
}

function splitPrompt(piece: Piece): Piece[] {
  if (piece.field !== 'prompt' || piece.text.length <= promptSize) return [piece]
  const end = findCut(piece.text, 0, promptSize)
  return [
    { field: 'prompt', text: piece.text.slice(0, end) },
    { field: 'body', text: piece.text.slice(end) },
  ]
}

/** Where at most `room` characters end: after a line, else after a word, else anywhere but inside a pair of surrogates. */
function findCut(text: string, from: number, room: number): number {
  const limit = from + room
  if (text.length <= limit) return text.length
  const line = text.lastIndexOf('\n', limit)
  if (line > from + room / 2) return line
  const blank = text.lastIndexOf(' ', limit)
  if (blank > from + room / 2) return blank
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1
  return at
}
