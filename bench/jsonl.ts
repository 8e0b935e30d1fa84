// The scanner beside Node's own ways to go through the lines of a file.
import { largeClaudeSession } from './generate/homes.ts'
import { median, report } from './measure.ts'
import { printTable, type Row, rate } from './table.ts'

interface Report {
  readonly times: readonly number[]
  readonly bytes: number
}

export async function run(): Promise<void> {
  const { path } = largeClaudeSession(77)
  const measure = async (how: string): Promise<{ ms: number; bytes: number }> => {
    const { times, bytes } = await report<Report>('lines', [how, path, '8'])
    return { ms: median(times.slice(1)), bytes }
  }
  const ours = await measure('ours')
  const rows: Row[] = []
  for (const [peer, wanted] of [
    ['readline', 1],
    ['split', 1],
  ] as const) {
    const { ms } = await measure(peer)
    const what = peer === 'split' ? 'lines as text, beside readFile + split' : 'lines as text, beside readline'
    rows.push({ what, ours: rate(ours.bytes, ours.ms), peer: rate(ours.bytes, ms), ratio: ms / ours.ms, wanted })
  }
  const bytes = await measure('ours-bytes')
  rows.push({
    what: 'byte ranges, beside lines as text',
    ours: rate(bytes.bytes, bytes.ms),
    peer: rate(ours.bytes, ours.ms),
    ratio: ours.ms / bytes.ms,
    wanted: null,
  })
  printTable('jsonl: 77 MB', rows)
}
