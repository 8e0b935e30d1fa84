// A table of Markdown: columns as wide as they need to be; where that is too wide, the widest give way and their cells wrap.
import type { Paint } from '../draw.ts'
import { styleInline } from './inline.ts'
import { padStyled, styledWidth, wrapStyled } from './wrap-styled.ts'

const narrowest = 6
const gapWidth = 3

export function renderTable(lines: readonly string[], columns: number, paint: Paint): string[] {
  const rows = lines.map(cellsOf)
  const isRule = (row: readonly string[]) => row.every((cell) => /^:?-+:?$/.test(cell))
  const hasHead = rows[1] !== undefined && isRule(rows[1])
  const styled = rows.map((row, at) => row.map((cell) => (at === 0 && hasHead ? paint.bold(cell) : styleInline(cell, paint))))
  const shown = styled.filter((_, at) => !isRule(rows[at] ?? []))
  const count = shown.reduce((most, row) => Math.max(most, row.length), 0)
  const needed = Array.from({ length: count }, (_, at) =>
    shown.reduce((most, row) => Math.max(most, styledWidth(row[at] ?? '')), 1),
  )
  const widths = shrink(needed, columns - gapWidth * (count - 1))
  if (widths === null) return lines.flatMap((line) => wrapStyled(styleInline(line, paint), columns))
  const rule = paint.frame(widths.map((width) => '─'.repeat(width)).join('─┼─'))
  const gap = paint.frame(' │ ')
  return styled.flatMap((row, at) => {
    if (isRule(rows[at] ?? [])) return [rule]
    const cells = widths.map((width, each) => wrapStyled(row[each] ?? '', width))
    const height = cells.reduce((most, cell) => Math.max(most, cell.length), 1)
    return Array.from({ length: height }, (_, line) =>
      cells.map((cell, each) => padStyled(cell[line] ?? '', widths[each] ?? 1)).join(gap),
    )
  })
}

/** A bar inside of code, or behind a backslash, belongs to its cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** `null`: not even narrow columns fit. */
function shrink(needed: readonly number[], room: number): readonly number[] | null {
  const widths = [...needed]
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = widths.reduce((at, width, each) => (width > (widths[at] ?? 0) ? each : at), 0)
    const width = widths[widest] ?? 0
    if (width <= narrowest) return null
    // Down to the next widest at once: one cell at a time would take as long as the cell is.
    const next = widths.reduce((most, each) => (each < width ? Math.max(most, each) : most), narrowest)
    const less = Math.min(over, Math.max(1, width - next))
    widths[widest] = width - less
    over -= less
  }
  return widths
}
