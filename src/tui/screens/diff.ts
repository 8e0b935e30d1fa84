// A diff, coloured, as long as it is.
import { cleanText } from '../../lib/text/clean.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { Overlay } from '../state-overlay.ts'
import { styleDiff } from '../text/highlight.ts'

export function drawDiff({ title, patch, top }: Extract<Overlay, { kind: 'diff' }>, box: Box, paint: Paint): readonly Line[] {
  const head = [{ text: ` ${paint.bold(title)}` }, { text: '' }]
  if (patch === null) return [...head, { text: paint.dim('  Comparing ...') }]
  if (patch === '') return [...head, { text: paint.dim('  There is no difference.') }]
  const rows = box.rows - head.length
  const lines = cleanText(patch).trimEnd().split('\n')
  const start = Math.max(0, Math.min(top, lines.length - rows))
  return [
    ...head,
    ...lines.slice(start, start + rows).map((line) => ({ text: ` ${styleDiff(line.replaceAll('\t', '    '), paint)}` })),
  ]
}
