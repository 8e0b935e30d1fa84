// Text with marked places (what a search matched), made safe for a terminal and broken into lines with the marks in place.
import type { Snippet } from '../../model/search.ts'
import { cleanText } from './clean.ts'
import { cutToWidth } from './width.ts'
import { wrapText } from './wrap.ts'

type Mark = Snippet['marks'][number]

/** One line of clean text. Cleaned piece by piece, since what is taken out moves the marks behind it. */
export function cleanMarked({ text, marks }: Snippet): Snippet {
  let clean = ''
  const moved: Mark[] = []
  let at = 0
  const add = (to: number) => {
    clean += cleanText(text.slice(at, to)).replace(/\s/g, ' ')
    at = to
  }
  for (const [from, to] of marks) {
    if (from < at || to <= from || to > text.length) continue
    add(from)
    const start = clean.length
    add(to)
    if (clean.length > start) moved.push([start, clean.length])
  }
  add(text.length)
  return { text: clean, marks: moved }
}

/** Lines of at most `width` cells, and no more than `most` of them: the last then ends in an ellipsis. */
export function wrapMarked({ text, marks }: Snippet, width: number, most: number): Snippet[] {
  const lines: Snippet[] = []
  let from = 0
  for (const line of wrapText(text, width)) {
    const start = text.indexOf(line, from) // only blanks are lost where a line is broken
    from = start + line.length
    lines.push({ text: line, marks: within(marks, start, from) })
  }
  const last = lines[most - 1]
  if (last === undefined || lines.length <= most) return lines
  const cut = last.text.endsWith('…') ? last.text : cutToWidth(`${last.text}…`, width)
  return [...lines.slice(0, most - 1), { text: cut, marks: within(last.marks, 0, cut.length - 1) }]
}

export function paintMarked({ text, marks }: Snippet, paint: (text: string) => string, rest = (text: string) => text): string {
  let painted = ''
  let at = 0
  const plain = (to: number) => {
    if (to > at) painted += rest(text.slice(at, to))
  }
  for (const [from, to] of marks) {
    plain(from)
    painted += paint(text.slice(from, to))
    at = to
  }
  plain(text.length)
  return painted
}

function within(marks: readonly Mark[], start: number, end: number): Mark[] {
  return marks
    .map(([from, to]): Mark => [Math.max(from, start) - start, Math.min(to, end) - start])
    .filter(([from, to]) => to > from)
}
