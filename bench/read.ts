// Reading to neutral messages against a bare scan with JSON.parse of the same files, and the memory a very large session takes.
import { largeClaudeSession, largeCodexSession, manySessionsHome } from './generate/homes.ts'
import { median, report } from './measure.ts'
import { mb, printTable, type Row, rate } from './table.ts'

interface Report {
  readonly times: readonly number[]
  readonly bytes: number
  readonly peakBytes: number
}

export async function run(): Promise<void> {
  const rows: Row[] = []
  const cases: [what: string, agent: string, home: string][] = [
    ['Claude, 2,000 sessions', 'claude', manySessionsHome()],
    ['Claude, one of 77 MB', 'claude', largeClaudeSession(77).home],
    ['Codex, one of 77 MB', 'codex', largeCodexSession(77).home],
  ]
  for (const [what, agent, home] of cases) {
    const neutral: number[] = []
    const bare: number[] = []
    let bytes = 0
    for (let round = 0; round < 3; round += 1) {
      const ours = await report<Report>('read', ['neutral', agent, home, '4'])
      const limit = await report<Report>('read', ['bare', agent, home, '4'])
      // The first pass of each process warms it up.
      neutral.push(...ours.times.slice(1))
      bare.push(...limit.times.slice(1))
      bytes = ours.bytes
    }
    const ratio = median(bare) / median(neutral)
    rows.push({ what, ours: rate(bytes, median(neutral)), peer: rate(bytes, median(bare)), ratio, wanted: 0.5 })
  }
  printTable('read: to neutral messages, beside a bare scan + JSON.parse', rows)

  const limitBytes = 200e6
  const memory: Row[] = []
  for (const [what, agent, home] of [
    ['Claude, one of 500 MB', 'claude', largeClaudeSession(500).home],
    ['Codex, one of 500 MB', 'codex', largeCodexSession(500).home],
  ] as const) {
    const { peakBytes } = await report<Report>('read', ['neutral', agent, home, '1'])
    memory.push({ what, ours: mb(peakBytes), peer: mb(limitBytes), ratio: limitBytes / peakBytes, wanted: 1 })
  }
  printTable('read: peak memory of the whole process, beside the limit', memory)
}
