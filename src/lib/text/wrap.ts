// Breaks text into lines of at most so many cells, at blanks where there are any.
import { widthOf } from './width.ts'

const segmenter = new Intl.Segmenter()

/** Clean text (see clean.ts) in, lines out; an infinite width only splits at the line breaks that are there. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => (widthOf(line) <= width ? [line] : wrapLine(line, Math.max(1, width))))
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<= )/).flatMap((each) => pieces(each, width))) {
    if (current !== '' && widthOf(current + word.trimEnd()) > width) {
      lines.push(current.trimEnd())
      current = ''
    }
    current += word
  }
  return [...lines, current.trimEnd()]
}

/** A word that is wider than a line, cut to pieces; a character is never split. */
function pieces(word: string, width: number): string[] {
  if (widthOf(word.trimEnd()) <= width) return [word]
  const found: string[] = []
  let piece = ''
  for (const { segment } of segmenter.segment(word)) {
    if (piece !== '' && widthOf(piece + segment) > width) {
      found.push(piece)
      piece = ''
    }
    piece += segment
  }
  return [...found, piece]
}
