// A draft as lines, with the cursor as an inverted cell: the terminal's own cursor stays hidden, so nothing flickers.
import { cleanText } from '../../lib/text/clean.ts'
import { widthOf } from '../../lib/text/width.ts'
import type { Paint } from '../draw.ts'
import type { Draft } from '../state-tab.ts'
import { clusters } from '../text/clusters.ts'

const inverse = (text: string) => `\u001b[7m${text}\u001b[27m`

/** Wrapped hard at the width: what one types must not jump about. */
export function drawDraft(given: Draft, columns: number, paint: Paint, hasCursor: boolean, placeholder: string): string[] {
  const draft = around(given)
  if (draft.text === '')
    return [hasCursor ? `${inverse(placeholder[0] ?? ' ')}${paint.dim(placeholder.slice(1))}` : paint.dim(placeholder)]
  const lines: string[] = []
  let line = ''
  let used = 0
  let offset = 0
  const flush = () => {
    lines.push(line)
    line = ''
    used = 0
  }
  for (const segment of clusters(draft.text)) {
    const isHere = hasCursor && offset === draft.cursor
    offset += segment.length
    if (/^\r?\n$/.test(segment)) {
      if (isHere) line += inverse(' ')
      flush()
      continue
    }
    const shown = segment === '\t' ? '  ' : cleanText(segment)
    const cells = widthOf(shown)
    if (used + cells > columns) flush()
    line += isHere ? inverse(shown) : shown
    used += cells
  }
  if (hasCursor && draft.cursor >= draft.text.length) {
    if (used + 1 > columns) flush()
    line += inverse(' ')
  }
  return [...lines, line]
}

const shownAround = 8000

/** Of a draft that was pasted by the hundred kilobytes only what is near the cursor can be in sight. */
function around({ text, cursor }: Draft): Draft {
  if (text.length <= shownAround * 3) return { text, cursor }
  const near = Math.max(0, cursor - shownAround)
  const from = near === 0 ? 0 : text.indexOf('\n', near) + 1 || near
  const start = from > cursor ? near : from
  return { text: text.slice(start, cursor + shownAround), cursor: cursor - start }
}

/** Which line of `drawDraft` the cursor is on. */
export function cursorLine(lines: readonly string[]): number {
  return Math.max(
    0,
    lines.findIndex((line) => line.includes('\u001b[7m')),
  )
}
