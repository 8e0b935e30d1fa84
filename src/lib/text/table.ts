// Aligned columns. One column may shrink so that a row fits the terminal; without a terminal nothing is cut.
import { cutToWidth, widthOf } from './width.ts'

export interface Column<Row> {
  readonly title: string
  /** Clean text (see clean.ts), without colour. */
  readonly cell: (row: Row) => string
  readonly paint?: (text: string, row: Row) => string
  readonly side?: 'left' | 'right'
  /** The column that gives way when the terminal is narrow. */
  readonly flexible?: boolean
}

const gap = '  '
const leastFlexible = 12

export interface TableOptions {
  readonly columns: number
  readonly paintTitle: (text: string) => string
}

export function formatTable<Row>(rows: readonly Row[], layout: readonly Column<Row>[], options: TableOptions): string[] {
  const cells = rows.map((row) => layout.map((column) => column.cell(row)))
  const widths = layout.map((column, at) => Math.max(widthOf(column.title), ...cells.map((row) => widthOf(row[at] ?? ''))))
  const flexibleAt = layout.findIndex((column) => column.flexible === true)
  const total = widths.reduce((sum, width) => sum + width, 0) + gap.length * (layout.length - 1)
  const flexible = widths[flexibleAt]
  if (flexible !== undefined && total > options.columns) {
    widths[flexibleAt] = Math.max(Math.min(leastFlexible, flexible), flexible - (total - options.columns))
  }
  const line = (texts: readonly string[], paint: (text: string, at: number) => string) =>
    texts
      .map((text, at) => {
        const width = widths[at] ?? 0
        const fitted = cutToWidth(text, width)
        const last = at === texts.length - 1 && layout[at]?.side !== 'right'
        const blanks = last ? '' : ' '.repeat(Math.max(0, width - widthOf(fitted)))
        const painted = paint(fitted, at)
        return layout[at]?.side === 'right' ? blanks + painted : painted + blanks
      })
      .join(gap)
      .trimEnd()
  const heading = line(
    layout.map((column) => column.title),
    (text) => options.paintTitle(text),
  )
  const body = rows.map((row, index) => line(cells[index] ?? [], (text, at) => layout[at]?.paint?.(text, row) ?? text))
  return [heading, ...body]
}
