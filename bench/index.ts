// Building the index from transcripts, vectors and redaction included, beside `qmd collection add` on the same sessions' text
// (finished Markdown, words alone) in the same run; memory, and what redaction alone costs. OFFSHOOT_BENCH_2GB=1 adds a run over
// two gigabytes, where memory must stay bounded and the rate steady; OFFSHOOT_BENCH_SESSIONS makes it smaller.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redactKnown } from '../src/redact/redact.ts'
import { manySessionsHome } from './generate/homes.ts'
import { createRandom } from './generate/random.ts'
import { createVocabulary } from './generate/vocabulary.ts'
import { median, report } from './measure.ts'
import { createQmdPeer, type PeerText, type QmdPeer } from './peers-qmd.ts'
import { readRetrievalData } from './retrieval/data.ts'
import { writeTranscripts } from './retrieval/transcripts.ts'
import { indexedTexts, wholeTexts } from './same-text.ts'
import { mb, ms, printTable, type Row, rate } from './table.ts'

const sessions = Number(process.env.OFFSHOOT_BENCH_SESSIONS ?? 2000)
const runs = 3

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
  await beside(`${sessions} made-up sessions`, manySessionsHome(sessions))
  await besideRealText()
  if (process.env.OFFSHOOT_BENCH_2GB === '1') await alone(manySessionsHome(17_500))
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

/** Sessions people had, where the data is at hand: made-up words are easier on an index than language. */
async function besideRealText(): Promise<void> {
  const data = readRetrievalData()
  if (data === null) return
  const home = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    writeTranscripts(home, data.sessions)
    await beside(`${data.sessions.length} real sessions`, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs alternate between the two sides, so that whatever else the machine does hits both. */
async function beside(what: string, home: string): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const ours: Report[] = []
  const same: QmdPeer[] = []
  const whole: QmdPeer[] = []
  const add = async (to: QmdPeer[], texts: Iterable<PeerText> | AsyncIterable<PeerText>) => {
    const peer = await createQmdPeer(texts)
    peer.close()
    to.push(peer)
  }
  try {
    for (let run = 0; run < runs; run += 1) {
      const folder = join(state, String(run))
      ours.push(await report<Report>('index', [home, folder]))
      await add(same, indexedTexts(folder))
      await add(whole, wholeTexts(home, folder))
    }
    const first = ours[0] as Report
    tell(first)
    printTable(`index: ${what}, ${mb(first.bytes)} of transcripts, beside \`qmd collection add\``, [
      toRow('the text that we index of them', ours, same, 5),
      toRow('all the text in them', ours, whole, 5),
      {
        what: 'peak memory, beside 500 MB',
        ours: mb(Math.max(...ours.map(({ peakBytes }) => peakBytes))),
        peer: mb(500e6),
        ratio: 500e6 / Math.max(...ours.map(({ peakBytes }) => peakBytes)),
        wanted: 1,
      },
    ])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

function toRow(what: string, ours: readonly Report[], peers: readonly QmdPeer[], wanted: number | null): Row {
  const [oursMs, peerMs] = [median(ours.map((each) => each.ms)), median(peers.map(({ addMs }) => addMs))]
  const bytes = peers[0]?.bytes ?? 0
  const count = peers[0]?.files ?? 0
  const tell = (took: number) => `${ms(took)}, ${(bytes / 1000 / took).toFixed(1)} MB/s, ${Math.round((count * 1000) / took)}/s`
  return { what: `${what}: ${mb(bytes)}`, ours: tell(oursMs), peer: tell(peerMs), ratio: peerMs / oursMs, wanted }
}

async function alone(home: string): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const run = await report<Report>('index', [home, join(state, 'home')])
    tell(run)
    printTable('index: two gigabytes', [
      { what: 'peak, beside 500 MB', ours: mb(run.peakBytes), peer: mb(500e6), ratio: 500e6 / run.peakBytes, wanted: 1 },
    ])
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

function tell(run: Report): void {
  console.log(
    `\nindex: ${run.sessions} sessions, ${mb(run.bytes)} of transcripts, ${run.chunks} chunks: ${ms(run.ms)}, ${rate(run.bytes, run.ms)} (processor time ${ms(run.cpuMs)}); first session after ${ms(run.firstMs)}, nothing new ${ms(run.againMs)}; database ${mb(run.databaseBytes)}`,
  )
  if (run.rates.length > 1) console.log(`  MB/s per 100 MB: ${run.rates.join(' ')}`)
}
