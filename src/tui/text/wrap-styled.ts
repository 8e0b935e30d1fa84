// Wrapping of text that is styled already: escape sequences take no room, and a style that is open at the end of a line is
// closed there and opened again on the next.
import { widthOf } from '../../lib/text/width.ts'
import { clusters, widthUpTo } from './clusters.ts'
import { closing, noStyles, opening, withStyle } from './styles.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles are what is looked for
const style = /\u001b\[[\d;]*m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const pieces = /\u001b\[[\d;]*m|[^\u001b\s]+|\s+/g

export function plain(text: string): string {
  return text.includes('\u001b') ? text.replace(style, '') : text
}

export function styledWidth(text: string): number {
  return widthOf(plain(text))
}

/** At blanks where there are any; blanks at the start stay, those at a break go. */
export function wrapStyled(text: string, columns: number): string[] {
  if (widthUpTo(plain(text), columns) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  let gap = ''
  let open = noStyles
  const flush = () => {
    lines.push(line + closing(open))
    line = opening(open)
    used = 0
    gap = ''
  }
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.startsWith('\u001b')) {
      // Blanks that are on their way belong before it, as far as there is room.
      const room = gap.slice(0, Math.max(0, columns - used))
      line += room + piece
      used += widthOf(room)
      gap = ''
      open = withStyle(open, piece)
      continue
    }
    if (piece.trim() === '') {
      // Blanks wait for what follows: at a break they are not needed.
      if (used > 0 || lines.length === 0) gap += piece
      continue
    }
    if (used + widthOf(gap) > columns - 1) {
      if (used > 0) flush()
      gap = ''
    }
    const width = widthUpTo(piece, columns)
    if (used > 0 && used + widthOf(gap) + width > columns && width <= columns) flush()
    line += gap
    used += widthOf(gap)
    gap = ''
    for (const part of used + width <= columns ? [piece] : cut(piece, columns - used, columns)) {
      const cells = widthOf(part)
      if (used > 0 && used + cells > columns) flush()
      line += part
      used += cells
    }
  }
  if (plain(line).trim() !== '' || lines.length === 0) lines.push(line + closing(open))
  return lines
}

export function padStyled(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - styledWidth(text)))
}

/** At most so wide, from the left; styles that were open are closed. */
export function clipStyled(text: string, columns: number): string {
  if (widthUpTo(plain(text), columns) <= columns) return text
  let kept = ''
  let used = 0
  let open = noStyles
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.startsWith('\u001b')) {
      kept += piece
      open = withStyle(open, piece)
      continue
    }
    for (const segment of clusters(piece)) {
      const cells = widthOf(segment)
      if (used + cells > columns - 1) return `${kept}…${closing(open)}`
      kept += segment
      used += cells
    }
  }
  return kept
}

/** A word that is wider than a line: a first part that fills the line begun, then whole lines; no character is split. */
function cut(word: string, first: number, columns: number): string[] {
  const parts: string[] = []
  let part = ''
  let used = 0
  let room = first
  for (const segment of clusters(word)) {
    const cells = widthOf(segment)
    if (used + cells > room && (part !== '' || room !== columns)) {
      if (part !== '') parts.push(part)
      part = ''
      used = 0
      room = columns
    }
    part += segment
    used += cells
  }
  return [...parts, part]
}
