// Where the window of a transcript stands while one has scrolled up: at a row of a message, so that it stays put as the end grows,
// earlier turns are read in, or the width changes.
import type { Line } from '../draw.ts'
import type { Anchor } from '../state-tab.ts'

/** One message, or what stands between them: laid out only when it comes into sight. */
export interface Part {
  readonly id: string | null
  lines(): readonly Line[]
}

/** The row at the top of a window that ends `scroll` rows above the end. */
export function anchorAt(parts: readonly Part[], scroll: number, rows: number): Anchor | null {
  const top = countLines(parts) - scroll - rows
  let start = 0
  for (const { id, lines } of parts) {
    const end = start + lines().length
    // What stands between messages has no name: the next message counts, from above.
    if (id !== null && end > top) return { id, row: top - start }
    start = end
  }
  return null
}

/** Rows hidden below the window that begins there; `null`: that message is not here any more. */
export function rowsBelow(parts: readonly Part[], anchor: Anchor, rows: number): number | null {
  const at = parts.findIndex(({ id }) => id === anchor.id)
  return at === -1 ? null : Math.max(0, countLines(parts.slice(at)) - anchor.row - rows)
}

/** Only as much is laid out as is in sight. */
export function windowFrom(parts: readonly Part[], anchor: Anchor, rows: number): readonly Line[] {
  const at = parts.findIndex(({ id }) => id === anchor.id)
  const found: Line[] = [...linesBefore(parts, at, -anchor.row)].slice(Math.min(0, anchor.row) || Number.MAX_SAFE_INTEGER)
  const skipped = Math.max(0, anchor.row)
  let count = found.length - skipped
  for (let each = at; each < parts.length && count < rows; each += 1) {
    const lines = parts[each]?.lines() ?? []
    found.push(...lines)
    count += lines.length
  }
  return found.slice(skipped, skipped + rows)
}

/** At least so many lines of the parts before this one, if there are as many. */
export function linesBefore(parts: readonly Part[], before: number, wanted: number): readonly Line[] {
  const found: (readonly Line[])[] = []
  let count = 0
  for (let at = before - 1; at >= 0 && count < wanted; at -= 1) {
    const lines = parts[at]?.lines() ?? []
    found.push(lines)
    count += lines.length
  }
  return found.reverse().flat()
}

function countLines(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.lines().length, 0)
}
