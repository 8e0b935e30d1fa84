// What a person takes for one character, one after the other. Intl.Segmenter takes a time that grows with the square of the text
// (100 KB without a blank: 3 s), so long texts are handed to it in blocks.
import { widthOf } from '../../lib/text/width.ts'

const segmenter = new Intl.Segmenter()
const block = 256

export function* clusters(text: string): Generator<string> {
  let at = 0
  while (at < text.length) {
    const piece = text.slice(at, at + block)
    const isLast = at + block >= text.length
    if (/^[ -~]*$/.test(piece) && isLast) {
      yield* piece
      return
    }
    let found = 0
    let held: string | null = null
    // The last one of a block may go on in the next.
    for (const { segment } of segmenter.segment(piece)) {
      if (held !== null) yield held
      if (held !== null) found += held.length
      held = segment
    }
    if (held !== null && (isLast || found === 0)) {
      yield held
      found += held.length
    }
    at += found
  }
}

/** Cells it takes; counting stops when it is more than `most`, as the rest of a long text does not matter then. */
export function widthUpTo(text: string, most: number): number {
  if (text.length <= block) return widthOf(text)
  let used = 0
  for (const cluster of clusters(text)) {
    used += widthOf(cluster)
    if (used > most) break
  }
  return used
}
