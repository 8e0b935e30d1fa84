// Markdown as agents write it, as styled lines of a given width: headings, lists, quotes, tables, fenced code, and inline marks.
// Not a whole parser: what it does not know stays as it was written.
import { widthOf } from '../../lib/text/width.ts'
import type { Paint } from '../draw.ts'
import { highlight } from './highlight.ts'
import { styleInline } from './inline.ts'
import { renderTable } from './table.ts'
import { wrapStyled } from './wrap-styled.ts'

interface Block {
  readonly kind: 'text' | 'code' | 'table'
  readonly lines: readonly string[]
  readonly language: string
}

/** Clean text in (no control characters but line breaks and tabs), styled lines out. */
export function renderMarkdown(text: string, columns: number, paint: Paint): string[] {
  return blocksOf(text.replaceAll('\t', '    ')).flatMap((block) => {
    if (block.kind === 'code') return renderCode(block, columns, paint)
    if (block.kind === 'table') return renderTable(block.lines, columns, paint)
    return block.lines.flatMap((line) => renderLine(line, columns, paint))
  })
}

const fenceStart = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/

function isFenceEnd(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text.replaceAll(fence[0] ?? '`', '') === ''
}

/** The line that opened the code one is in behind these lines, or `null`; `open`: the one that was open before them. */
export function openFence(lines: readonly string[], open: string | null): string | null {
  let fence = open
  for (const line of lines) {
    if (fence === null) fence = fenceStart.test(line) ? line : null
    else if (isFenceEnd(line, fenceStart.exec(fence)?.[1] ?? '```')) fence = null
  }
  return fence
}

export function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line)
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: { kind: Block['kind']; lines: string[]; language: string; fence: string } | null = null
  const close = () => {
    if (open !== null) blocks.push(open)
    open = null
  }
  for (const line of text.split('\n')) {
    const current = open as { kind: Block['kind']; lines: string[]; language: string; fence: string } | null
    if (current?.kind === 'code') {
      if (isFenceEnd(line, current.fence)) close()
      else current.lines.push(line)
      continue
    }
    const fence = fenceStart.exec(line)
    const kind = fence !== null ? 'code' : isTableRow(line) ? 'table' : 'text'
    if (kind === 'code') {
      close()
      open = { kind, lines: [], language: fence?.[2] ?? '', fence: fence?.[1] ?? '```' }
    } else if (current?.kind === kind) current.lines.push(line)
    else {
      close()
      open = { kind, lines: [line], language: '', fence: '' }
    }
  }
  close()
  return blocks
}

function renderLine(line: string, columns: number, paint: Paint): string[] {
  if (line.trim() === '') return ['']
  const heading = /^(#{1,6})\s+(.*)$/.exec(line)
  if (heading !== null)
    return wrapStyled(styleInline(heading[2] ?? '', paint), columns).map((each) => paint.bold(paint.accent(each)))
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [paint.frame('─'.repeat(columns))]
  const quote = /^\s*>\s?(.*)$/.exec(line)
  if (quote !== null) return hang(paint.frame('│ '), '│ ', quote[1] ?? '', columns, paint, paint.dim)
  const item = /^(\s*)([-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line)
  if (item !== null) {
    const [, deep = '', mark = '-', box, rest = ''] = item
    const indent = ' '.repeat(Math.min(deep.length, Math.floor(columns / 2)))
    const bullet = /\d/.test(mark) ? `${mark} ` : box === undefined ? '• ' : box === ' ' ? '☐ ' : '☑ '
    return hang(`${indent}${paint.accent(bullet)}`, `${indent}${' '.repeat(widthOf(bullet))}`, rest, columns, paint)
  }
  return wrapStyled(styleInline(line, paint), columns)
}

/** A first line behind a mark, the others below its text. `rest` says how wide the mark is, and what stands there further down. */
function hang(
  first: string,
  rest: string,
  text: string,
  columns: number,
  paint: Paint,
  style = (each: string) => each,
): string[] {
  const lines = wrapStyled(styleInline(text, paint), Math.max(1, columns - widthOf(rest)))
  const below = rest.trim() === '' ? rest : paint.frame(rest)
  return lines.map((line, at) => `${at === 0 ? first : below}${style(line)}`)
}

function renderCode({ lines, language }: Block, columns: number, paint: Paint): string[] {
  const edge = paint.frame('▏')
  return highlight(lines, language, paint).flatMap((line) =>
    wrapStyled(line, Math.max(1, columns - 2)).map((each) => `${edge} ${each}`),
  )
}
