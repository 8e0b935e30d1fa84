// Two sessions compared, row by row: what they cost, the files that differ, the code. Rows are plain data, so that moving among
// them and drawing them agree on where everything stands.
import { cleanLine } from '../../lib/text/clean.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { DiffResult } from '../../model/capture.ts'
import type { SessionCost } from '../../model/catalog.ts'
import type { Size } from '../state.ts'
import type { CompareOverlay } from '../state-overlay.ts'
import { type Pair, type PatchLine, pairUp, parsePatch } from './patch.ts'

export type CompareRow =
  | { readonly kind: 'blank' }
  | { readonly kind: 'heading' | 'note' | 'problem' | 'hunk'; readonly text: string }
  | { readonly kind: 'cost_head' }
  | { readonly kind: 'cost'; readonly side: 0 | 1; readonly cost: SessionCost }
  /** In the list of files; `index`: which of them. */
  | { readonly kind: 'listed'; readonly index: number; readonly file: DiffResult['files'][number] }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'pair'; readonly pair: Pair }
  | { readonly kind: 'line'; readonly line: PatchLine }

/** Below this two columns of code are too narrow to read. */
const twoColumns = 100

export function isWide({ columns }: Pick<Size, 'columns'>): boolean {
  return columns >= twoColumns
}

/** Whose code stands where: one row, or one for each. */
function compareHeadRows(size: Size): number {
  return isWide(size) ? 2 : 3
}

/** Rows that scroll: below the tabs and the head, above the footer. */
export function comparePage(size: Size): number {
  return Math.max(1, size.rows - 4 - compareHeadRows(size))
}

export function compareRows(overlay: CompareOverlay, size: Size): readonly CompareRow[] {
  const { costs, diff, problem } = overlay
  const rows: CompareRow[] = []
  if (costs !== null) {
    rows.push({ kind: 'heading', text: costTitle(costs.sharedTurns) }, { kind: 'cost_head' })
    costs.sides.forEach((cost, side) => {
      rows.push({ kind: 'cost', side: side === 0 ? 0 : 1, cost })
    })
    rows.push({ kind: 'blank' })
  }
  if (problem !== null) {
    const lines = wrapText(cleanLine(problem), size.columns - 4)
    rows.push(...lines.map((text): CompareRow => ({ kind: 'problem', text })))
  }
  if (problem === null && diff === null) rows.push({ kind: 'note', text: 'Comparing ...' })
  if (problem === null && diff !== null) rows.push(...listRows(diff), ...codeRows(diff, isWide(size)))
  return rows
}

function costTitle(shared: number | null): string {
  if (shared === null) return 'What they cost (they are no relatives: all of it)'
  return shared === 0 ? 'What they cost' : `What they cost after turn ${shared}, where they part`
}

function listRows({ files, added, removed, leftOut = [], from, to }: DiffResult): CompareRow[] {
  if (files.length === 0) return [{ kind: 'note', text: 'Their code is the same.' }]
  const notes = [
    ...leftOut.map((path) => `too large to show: ${path}`),
    ...[from, to].flatMap(({ name, notCovered }) => notCovered.map(({ path, reason }) => `not in ${name}: ${path} (${reason})`)),
  ]
  return [
    { kind: 'heading', text: `${files.length} ${files.length === 1 ? 'file differs' : 'files differ'}, +${added} -${removed}` },
    ...files.map((file, index): CompareRow => ({ kind: 'listed', index, file })),
    ...notes.map((text): CompareRow => ({ kind: 'note', text })),
  ]
}

const laidOut = new WeakMap<DiffResult, { readonly wide: boolean; readonly rows: readonly CompareRow[] }>()

/** A patch may have a hundred thousand lines, and is drawn with every key. */
function codeRows(diff: DiffResult, wide: boolean): readonly CompareRow[] {
  const known = laidOut.get(diff)
  if (known?.wide === wide) return known.rows
  const rows = parsePatch(diff.patch).flatMap((part): CompareRow[] => {
    if (part.kind === 'file') return [{ kind: 'blank' }, part]
    if (part.kind !== 'lines') return [part]
    return wide ? pairUp(part.lines).map((pair) => ({ kind: 'pair', pair })) : part.lines.map((line) => ({ kind: 'line', line }))
  })
  laidOut.set(diff, { wide, rows })
  return rows
}

/** Where each file begins, in rows. */
export function fileStarts(rows: readonly CompareRow[]): number[] {
  return rows.flatMap(({ kind }, at) => (kind === 'file' ? [at] : []))
}
