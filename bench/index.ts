// Building the index from transcripts: rate with vectors and redaction, memory, and what redaction alone costs.
// OFFSHOOT_BENCH_2GB=1 adds a run over two gigabytes, where memory must stay bounded and the rate steady.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redactKnown } from '../src/redact/redact.ts'
import { manySessionsHome } from './generate/homes.ts'
import { createRandom } from './generate/random.ts'
import { createVocabulary } from './generate/vocabulary.ts'
import { report } from './measure.ts'
import { mb, ms, printTable, rate } from './table.ts'

interface Report {
  readonly ms: number
  readonly cpuMs: number
  readonly bytes: number
  readonly firstMs: number
  readonly againMs: number
  readonly rates: readonly number[]
  readonly peakBytes: number
  readonly databaseBytes: number
  readonly sessions: number
  readonly chunks: number
}

export async function run(): Promise<void> {
  redaction()
  await indexing(2000)
  if (process.env.OFFSHOOT_BENCH_2GB === '1') await indexing(17_500)
}

function redaction(): void {
  const random = createRandom(3)
  const vocabulary = createVocabulary(random)
  const texts = Array.from({ length: 8000 }, () => vocabulary.text(random, 1200))
  for (const text of texts.slice(0, 500)) redactKnown(text)
  const startedAt = performance.now()
  let bytes = 0
  for (const text of texts) bytes += redactKnown(text).length
  console.log(`\nindex: redaction alone ${rate(bytes, performance.now() - startedAt)}`)
}

async function indexing(count: number): Promise<void> {
  const home = manySessionsHome(count)
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const run = await report<Report>('index', [home, join(state, 'home')])
    if (run.sessions !== count) throw new Error(`${run.sessions} of ${count} sessions were indexed`)
    console.log(
      `\nindex: ${run.sessions} sessions, ${mb(run.bytes)} of transcripts, ${run.chunks} chunks: ${ms(run.ms)}, ${rate(run.bytes, run.ms)} (processor time ${ms(run.cpuMs)}); first session after ${ms(run.firstMs)}, nothing new ${ms(run.againMs)}; database ${mb(run.databaseBytes)}`,
    )
    if (run.rates.length > 1) console.log(`  MB/s per 100 MB: ${run.rates.join(' ')}`)
    printTable('index: memory', [
      { what: 'peak, beside 500 MB', ours: mb(run.peakBytes), peer: mb(500e6), ratio: 500e6 / run.peakBytes, wanted: 1 },
    ])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
