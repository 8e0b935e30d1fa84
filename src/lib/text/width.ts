// Cells, not characters: what a terminal really uses for wide characters, emoji and combining marks.
import stringWidth from 'string-width'

const segmenter = new Intl.Segmenter()

/** ASCII, Latin letters, and what our own screens are drawn with: each of them one cell, whatever stands beside it. */
const oneCellEach = /^[ -~¡-¬®-˿‐-‧←-↓⎇─-╿■-◼✓✗❯⠀-⣿]*$/

// The rows of a screen are measured with every frame, and most are those of the frame before.
const known = new Map<string, number>()
const mostKnown = 4000
const longestKnown = 1000

export function widthOf(text: string): number {
  // The common case needs no segmenting (a thousand rows: 2 ms instead of 60).
  if (oneCellEach.test(text)) return text.length
  const width = known.get(text) ?? stringWidth(text)
  if (known.size >= mostKnown) known.clear()
  if (text.length <= longestKnown) known.set(text, width)
  return width
}

/** At most `width` cells, ending in an ellipsis where something was cut off; a character is never split. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return ''
  if (text.length <= width && /^[ -~]*$/.test(text)) return text
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const cells = widthOf(segment)
    if (used + cells > width - 1) break
    kept += segment
    used += cells
  }
  return `${kept.trimEnd()}…`
}

export function padToWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  return side === 'left' ? text + blanks : blanks + text
}
