// Wrapping of text that is styled already: escape sequences take no room, and a style that is open at the end of a line is
// closed there and opened again on the next.
import { widthOf } from '../../lib/text/width.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles are what is looked for
const style = /\u001b\[[\d;]*m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const pieces = /\u001b\[[\d;]*m|[^\u001b\s]+|\s+/g
const segmenter = new Intl.Segmenter()
const reset = '\u001b[0m'

export function plain(text: string): string {
  return text.replace(style, '')
}

export function styledWidth(text: string): number {
  return widthOf(plain(text))
}

export function wrapStyled(text: string, columns: number): string[] {
  if (styledWidth(text) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  let open: string[] = []
  const flush = () => {
    lines.push(open.length === 0 ? line.trimEnd() : `${line.trimEnd()}${reset}`)
    line = open.join('')
    used = 0
  }
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.startsWith('\u001b')) {
      line += piece
      open = opened(open, piece)
      continue
    }
    const width = widthOf(piece)
    if (piece.trim() === '') {
      if (used > 0 && used + width <= columns) {
        line += piece
        used += width
      } else if (lines.length === 0 && used === 0) {
        line += piece
        used += width
      }
      continue
    }
    if (used > 0 && used + width > columns) flush()
    for (const part of width <= columns ? [piece] : cut(piece, columns)) {
      const cells = widthOf(part)
      if (used > 0 && used + cells > columns) flush()
      line += part
      used += cells
    }
  }
  if (plain(line).trim() !== '' || lines.length === 0) lines.push(line)
  return lines
}

export function padStyled(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - styledWidth(text)))
}

/** At most so wide, from the left; styles that were open are closed. */
export function clipStyled(text: string, columns: number): string {
  if (styledWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  let styled = false
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.startsWith('\u001b')) {
      kept += piece
      styled = true
      continue
    }
    for (const { segment } of segmenter.segment(piece)) {
      const cells = widthOf(segment)
      if (used + cells > columns - 1) return `${kept}…${styled ? reset : ''}`
      kept += segment
      used += cells
    }
  }
  return kept
}

/** Closing sequences of picocolors end one kind of style: which does not matter, the last opened is it. */
function opened(open: readonly string[], sequence: string): string[] {
  const code = Number(sequence.slice(2, -1).split(';')[0] || '0')
  if (code === 0) return []
  if ([22, 23, 24, 27, 28, 29, 39, 49].includes(code)) return open.slice(0, -1)
  return [...open, sequence]
}

function cut(word: string, columns: number): string[] {
  const parts: string[] = []
  let part = ''
  let used = 0
  for (const { segment } of segmenter.segment(word)) {
    const cells = widthOf(segment)
    if (used + cells > columns && part !== '') {
      parts.push(part)
      part = ''
      used = 0
    }
    part += segment
    used += cells
  }
  return [...parts, part]
}
