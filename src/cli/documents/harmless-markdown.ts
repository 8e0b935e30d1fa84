// Markdown that somebody else wrote, without raw HTML, links that run something and pictures from elsewhere. Code stays as it is wherever every reader takes
// it for code; where that is not certain, `<` is escaped all the same.

export function harmlessMarkdown(text: string): string {
  const lines = text.split('\n')
  const fenced = findFenced(lines)
  return paragraphs(lines, fenced)
    .map(({ from, to }) => (fenced[from] ? lines.slice(from, to) : disarm(lines.slice(from, to))).join('\n'))
    .join('\n')
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** Stretches of fenced lines, and of lines between blank ones: code in a line never reaches beyond one. */
function paragraphs(lines: readonly string[], fenced: readonly boolean[]): Stretch[] {
  const found: Stretch[] = []
  let from = 0
  for (let at = 1; at <= lines.length; at += 1) {
    const isSame =
      at < lines.length && fenced[at] === fenced[from] && (fenced[at] || isBlank(lines[at - 1]) === isBlank(lines[at]))
    if (isSame) continue
    found.push({ from, to: at })
    from = at
  }
  return found
}

function isBlank(line = ''): boolean {
  return line.trim() === ''
}

/**
 * True for the lines of fenced code. Readers differ about fences in lists, quotes and above tables: from the first one on that may be taken
 * either way, nothing is.
 */
function findFenced(lines: readonly string[]): boolean[] {
  let open: { readonly mark: string; readonly indent: number } | null = null
  let isLost = false
  return lines.map((line, at) => {
    if (isLost) return false
    const indent = / */.exec(line)?.[0].length ?? 0
    if (open !== null) {
      const close = /^ *(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
      isLost = indent < open.indent && !isBlank(line)
      if (isLost) return false
      if (close !== undefined && close[0] === open.mark[0] && close.length >= open.mark.length && indent - open.indent <= 3)
        open = null
      return true
    }
    if (!/^[\s>*+\-\d.)]*(?:```|~~~)/.test(line)) return false
    const mark = /^ *(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line)
    isLost = mark === null || indent > 3 || isBorder(lines[at + 1])
    if (isLost) return false
    open = { mark: mark?.[1] ?? mark?.[2] ?? '', indent }
    return true
  })
}

/** Below a line like this the line above heads a table, whatever it looks like. */
function isBorder(line = ''): boolean {
  return /^[\s|:>-]*-[\s|:-]*$/.test(line)
}

/** The lines of one paragraph, list or table. Entities, because a backslash in front of one that is there already would undo it. */
function disarm(lines: readonly string[]): string[] {
  const isUncertain = lines.length > mostLines || confusesReaders(lines)
  return lines.map((line, at) => {
    const isCode = isUncertain ? () => false : codeAt(lines, at)
    return line.replace(/<(?=[a-z/!?])(?!https?:\/\/[^\s<>]*>)|\](?=[(:])|!(?=\[)/gi, (mark, index: number) => {
      if (isCode(index)) return mark
      if (mark === '<') return '&lt;'
      // A picture is loaded by being looked at, which tells its server; it becomes a link.
      if (mark === '!') return '&#33;'
      return isHarmless(line.slice(index + 1)) ? mark : '&#93;'
    })
  })
}

/** Where a paragraph is longer, nothing in it is taken for code. */
const mostLines = 60

/**
 * A run of backticks that has no other end, or a backslash in front of one: readers then differ about what is code. Where the paragraph
 * begins for them, and whether `|` is the border of a cell, is not known here: so each way is looked at.
 */
function confusesReaders(lines: readonly string[]): boolean {
  if (lines.some((line) => line.includes('\\`'))) return true
  const paragraphs = lines.map((_, from) => lines.slice(from).join('\n'))
  const cells = lines.filter((line) => line.includes('|')).flatMap((line) => line.split('|'))
  return [...paragraphs, ...cells].some((text) =>
    spansOf(text)
      .reduceRight((rest, span) => rest.slice(0, span.from) + rest.slice(span.to), text)
      .includes('`'),
  )
}

/** What a link leads to can be spelt in many ways (`&#106;`, `\:`): only what is plainly harmless stays one. */
function isHarmless(rest: string): boolean {
  return harmlessLink.test(rest) || harmlessDefinition.test(rest)
}

// Without backticks: whether those of a link begin code is not the same to all readers.
const harmlessLink = /^\([ \t]*(?:(?:https?:\/\/|mailto:)[^\s`<>()\\]*|[^\s:&\\<>()`]*)(?:[ \t]+"[^"`\\]*")?[ \t]*\)/i
const harmlessDefinition = /^:[ \t]*(?:https?:\/\/|mailto:)[^\s`<>\\]*(?:[ \t]+"[^"`\\]*")?[ \t]*$/i

/**
 * Which places of a line are code for every reader: where the paragraph begins for it, and whether it takes `|` for the border of a cell,
 * are not known here.
 */
function codeAt(lines: readonly string[], at: number): (index: number) => boolean {
  const line = lines[at] ?? ''
  if (!line.includes('`')) return () => false
  const readings = Array.from({ length: at + 1 }, (_, from) => {
    const before = lines.slice(from, at).join('\n')
    const start = from === at ? 0 : before.length + 1
    return spansOf(from === at ? line : `${before}\n${line}`).map(({ from: a, to }) => ({ from: a - start, to: to - start }))
  })
  let cell = 0
  const cells = line.split('|').flatMap((text) => {
    const start = cell
    cell += text.length + 1
    return spansOf(text).map(({ from, to }) => ({ from: from + start, to: to + start }))
  })
  return (index) => [...readings, cells].every((spans) => spans.some(({ from, to }) => from >= 0 && from <= index && index < to))
}

/** Code spans: a run of backticks up to the next run of the same length. */
function spansOf(text: string): Stretch[] {
  const runs = [...text.matchAll(/`+/g)]
  const spans: Stretch[] = []
  for (let at = 0; at < runs.length; at += 1) {
    const [open, index] = [runs[at]?.[0] ?? '', runs[at]?.index ?? 0]
    const close = runs.findIndex(([run], place) => place > at && run === open)
    if (close === -1) continue
    spans.push({ from: index, to: (runs[close]?.index ?? 0) + open.length })
    at = close
  }
  return spans
}
