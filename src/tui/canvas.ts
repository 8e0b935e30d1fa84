// Puts lines on the terminal: only those that changed, each at its own place, in one write. This is done without Ink: 60 styled lines
// of 200 columns took it 46 to 57 ms a frame (median, Node 20, busy two-core machine; this: 0.1 ms in the same runs), to take apart and
// put together lines that are whole already. Ink 6.8.0 also drew incremental frames one row too low here, and its source clears the
// screen for every frame as high as the terminal and draws nothing where CI is set.
import type { WriteStream } from 'node:tty'
import type { Size } from './state.ts'
import { styledWidth } from './text/wrap-styled.ts'

/** Synchronized output (mode 2026): terminals that know it show a frame whole; the others pass over it. */
const begin = '\u001b[?2026h'
const end = '\u001b[?2026l'

export interface Canvas {
  draw(lines: readonly string[], size: Size): void
  /** What stands on the screen is not known any more: the next drawing is a whole one. */
  forget(): void
}

export function createCanvas(output: WriteStream): Canvas {
  let shown: readonly string[] | null = null
  let drawn: Size | null = null
  let waiting: { readonly lines: readonly string[]; readonly size: Size } | null = null
  function draw(lines: readonly string[], size: Size): void {
    // A slow terminal (ssh) gets the newest frame when it is ready for one, not all of them one after another.
    if (output.writableNeedDrain) {
      if (waiting === null) output.once('drain', drawWaiting)
      waiting = { lines, size }
      return
    }
    const isWhole = shown === null || drawn?.columns !== size.columns || drawn.rows !== size.rows
    const before = isWhole ? [] : (shown ?? [])
    const changes = lines.flatMap((line, row) => (line === before[row] ? [] : [place(line, row, size.columns)]))
    shown = lines
    drawn = size
    if (isWhole || changes.length > 0) output.write(`${begin}${isWhole ? '\u001b[0m\u001b[2J' : ''}${changes.join('')}${end}`)
  }
  function drawWaiting(): void {
    const next = waiting
    waiting = null
    if (next !== null) draw(next.lines, next.size)
  }
  return {
    draw,
    forget() {
      shown = null
      waiting = null
    },
  }
}

/** Erasing behind a line that reaches the last column would erase its last character. */
function place(line: string, row: number, columns: number): string {
  const rest = styledWidth(line) < columns ? '\u001b[K' : ''
  return `\u001b[${row + 1};1H${line}\u001b[0m${rest}`
}
