// An answer as it comes in. Laying out all of it for every frame took 40 to 100 ms for 30 KB: whole lines are laid out once and
// kept, only what follows them is laid out again.
import { cleanText } from '../../lib/text/clean.ts'
import type { Paint } from '../draw.ts'
import { isTableRow, openFence, renderMarkdown } from './markdown.ts'

/** Short enough to be laid out with every frame. */
const tailLength = 1200

interface Kept {
  readonly columns: number
  readonly paint: Paint
  /** What was laid out, as it came. */
  readonly text: string
  readonly lines: readonly string[]
  /** The line that opened the code one is in, or `null`. */
  readonly fence: string | null
}

// One is enough: only the tab that is shown is drawn.
let kept: Kept | null = null

/** Lines of an answer that still grows. */
export function layoutStream(text: string, columns: number, paint: Paint): readonly string[] {
  const isSame = kept !== null && kept.columns === columns && kept.paint === paint && text.startsWith(kept.text)
  const known: Kept = isSame && kept !== null ? kept : { columns, paint, text: '', lines: [], fence: null }
  const grown = text.length - known.text.length > tailLength ? takeLines(known, text) : known
  kept = grown
  const tail = render(text.slice(grown.text.length), grown)
  return grown.lines.length === 0 ? tail : [...grown.lines, ...tail]
}

/** Takes in whole lines; rows of a table stay together, as the next one may change how wide its columns are. */
function takeLines(known: Kept, text: string): Kept {
  const lines = text.slice(known.text.length, text.lastIndexOf('\n') + 1).split('\n')
  lines.pop()
  const fence = openFence(lines, known.fence)
  while (fence === null && isTableRow(lines.at(-1) ?? '')) lines.pop()
  if (lines.length === 0) return known
  const piece = lines.join('\n')
  return {
    ...known,
    text: text.slice(0, known.text.length + piece.length + 1),
    lines: [...known.lines, ...render(piece, known)],
    fence,
  }
}

function render(piece: string, { fence, columns, paint }: Kept): string[] {
  return renderMarkdown(cleanText(fence === null ? piece : `${fence}\n${piece}`), columns, paint)
}
