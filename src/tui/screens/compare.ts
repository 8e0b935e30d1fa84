// Two sessions beside each other: what they cost and where their code differs; one under the other where there is no room.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import type { SessionCost } from '../../model/catalog.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { CompareOverlay } from '../state-overlay.ts'
import { clusters } from '../text/clusters.ts'
import { type CompareRow, comparePage, compareRows, isWide } from '../text/comparison.ts'
import type { PatchLine } from '../text/patch.ts'
import { clipStyled, padStyled } from '../text/wrap-styled.ts'

const marks = ['◀', '▶'] as const
const numberWidth = 5

export function drawCompare({ size }: TuiState, overlay: CompareOverlay, { columns }: Box, paint: Paint): readonly Line[] {
  const rows = compareRows(overlay, size)
  const page = comparePage(size)
  const top = Math.max(0, Math.min(overlay.top, rows.length - page))
  return [
    ...drawSides(overlay, columns, paint),
    ...rows.slice(top, top + page).map((row) => drawRow(row, overlay, columns, paint)),
  ]
}

/** Always in sight: whose code stands on which side. */
function drawSides({ sides }: CompareOverlay, columns: number, paint: Paint): Line[] {
  const name = (side: 0 | 1, width: number) => cutToWidth(` ${marks[side]} ${cleanLine(sides[side])}`, width)
  if (!isWide({ columns }))
    return [
      { text: paint.removed(name(0, columns)) },
      { text: paint.added(name(1, columns)) },
      { text: paint.frame('─'.repeat(columns)) },
    ]
  const half = halfOf(columns)
  const left = paint.removed(padToWidth(name(0, half), half))
  return [
    { text: `${left}${paint.frame('│')}${paint.added(name(1, half))}` },
    { text: paint.frame(`${'─'.repeat(half)}┼${'─'.repeat(half)}`) },
  ]
}

function halfOf(columns: number): number {
  return Math.floor((columns - 1) / 2)
}

function drawRow(row: CompareRow, overlay: CompareOverlay, columns: number, paint: Paint): Line {
  switch (row.kind) {
    case 'blank':
      return { text: '' }
    case 'heading':
      return { text: paint.bold(` ${cleanLine(row.text)}`) }
    case 'note':
      return { text: paint.dim(`   ${cleanLine(row.text)}`) }
    case 'problem':
      return { text: paint.warn(`   ${cleanLine(row.text)}`) }
    case 'hunk':
      return { text: paint.accent(` ${cleanLine(row.text)}`) }
    case 'cost_head':
      return { text: paint.dim(costRow('', costTitles, columns)) }
    case 'cost':
      return { text: costRow(`${marks[row.side]} ${cleanLine(overlay.sides[row.side])}`, costCells(row.cost), columns) }
    case 'listed': {
      const { path, status, added, removed } = row.file
      const counts =
        added === null || removed === null ? paint.dim('binary') : `${paint.added(`+${added}`)} ${paint.removed(`-${removed}`)}`
      return { text: `   ${paint.dim(status)} ${cleanLine(path)}  ${counts}`, target: { kind: 'row', index: row.index } }
    }
    case 'file': {
      const name = ` ${cutToWidth(cleanLine(row.path), columns - 6)} `
      return {
        text: `${paint.frame('──')}${paint.bold(name)}${paint.frame('─'.repeat(Math.max(0, columns - widthOf(name) - 2)))}`,
      }
    }
    case 'line':
      return { text: drawLine(row.line, row.line.after ?? row.line.before, overlay.shift, columns, paint) }
    case 'pair': {
      const { left, right } = row.pair
      const half = halfOf(columns)
      const one = left === null ? '' : drawLine(left, left.before, overlay.shift, half, paint)
      const other = right === null ? '' : drawLine(right, right.after, overlay.shift, half, paint)
      return { text: `${padStyled(one, half)}${paint.frame('│')}${other}` }
    }
  }
}

function drawLine({ kind, text }: PatchLine, number: number | null, shift: number, columns: number, paint: Paint): string {
  const sign = kind === 'removed' ? '-' : kind === 'added' ? '+' : ' '
  const shown = `${sign} ${shifted(cleanText(text).replaceAll('\t', '    '), shift)}`
  const styled = kind === 'removed' ? paint.removed(shown) : kind === 'added' ? paint.added(shown) : shown
  return clipStyled(`${paint.dim(String(number ?? '').padStart(numberWidth))} ${styled}`, columns)
}

/** Without its first cells. */
function shifted(text: string, cells: number): string {
  if (cells === 0) return text
  let gone = 0
  let at = 0
  for (const cluster of clusters(text)) {
    if (gone >= cells) break
    gone += widthOf(cluster)
    at += cluster.length
  }
  return text.slice(at)
}

const costTitles = ['turns', 'tokens in', 'cached', 'out', 'time']
const costWidths = [7, 11, 8, 8, 9]

function costCells({ turns, usage, workedMs }: SessionCost): string[] {
  const tokens =
    usage === null ? ['?', '?', '?'] : [usage.inputTokens, usage.cachedInputTokens, usage.outputTokens].map(shortCount)
  return [String(turns), ...tokens, workedMs === null ? '?' : shortTime(workedMs)]
}

function costRow(name: string, cells: readonly string[], columns: number): string {
  const width = Math.max(8, Math.min(60, columns - costWidths.reduce((sum, each) => sum + each, 0) - 3))
  const right = cells.map((cell, at) => cell.padStart(costWidths[at] ?? 0)).join('')
  return `   ${padToWidth(cutToWidth(name, width), width)}${right}`
}

function shortCount(count: number): string {
  if (count < 1000) return String(count)
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`
}

function shortTime(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
