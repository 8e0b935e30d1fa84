// One row per comparison: what was measured on both sides in the same run, the ratio, and the ratio that is wanted.

export interface Row {
  readonly what: string
  readonly ours: string
  readonly peer: string
  /** Better is larger. */
  readonly ratio: number
  readonly wanted: number | null
}

export function printTable(title: string, rows: readonly Row[]): void {
  const cells = [
    ['', 'offshoot', 'beside it', 'ratio', 'wanted', ''],
    ...rows.map(({ what, ours, peer, ratio, wanted }) => [
      what,
      ours,
      peer,
      ratio.toFixed(2),
      wanted === null ? '-' : `>= ${wanted}`,
      wanted === null ? '' : ratio >= wanted ? 'PASS' : 'MISS',
    ]),
  ]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  console.log(`\n${title}`)
  for (const row of cells) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

export const ms = (value: number): string => (value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(0)} ms`)
export const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
export const rate = (bytes: number, milliseconds: number): string => `${(bytes / 1000 / milliseconds).toFixed(0)} MB/s`

export function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
}
