// Searching a large index: 10,000 sessions, 250,000 chunks. Times of single queries inside one process, and its memory; then one
// search as a whole process beside `qmd search` on the same text. OFFSHOOT_BENCH_SESSIONS makes it smaller.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manySessionsHome } from './generate/homes.ts'
import { createRandom } from './generate/random.ts'
import { createSyntheticAgent } from './generate/synthetic-agent.ts'
import { createVocabulary } from './generate/vocabulary.ts'
import { type Command, compare, median, offshoot, report } from './measure.ts'
import { createQmdPeer, type QmdPeer } from './peers-qmd.ts'
import { installOnQmdNode } from './same-node.ts'
import { indexedTexts } from './same-text.ts'
import { mb, ms, percentile, printTable, type Row } from './table.ts'

const sessions = Number(process.env.OFFSHOOT_BENCH_SESSIONS ?? 10_000)
const turns = 25
/** Of the comparison of whole processes, which reads transcripts. */
const processSessions = Math.min(sessions, 2000)
const processQueries = 5
const processRuns = 5
const wantedMs = 50
const wantedBytes = 400e6

interface Report {
  readonly times: readonly number[]
  readonly cpuTimes: readonly number[]
  readonly found: number
  readonly peakBytes: number
}

export async function run(): Promise<void> {
  await inOneProcess()
  await asWholeProcess()
}

async function inOneProcess(): Promise<void> {
  const home = await makeIndex()
  const queries = join(home, 'queries.json')
  writeFileSync(queries, JSON.stringify(makeQueries(220)))
  const { times, cpuTimes, found, peakBytes } = await report<Report>('search', [home, queries])
  // The first loads what the process keeps.
  const p95 = percentile(times.slice(1), 0.95)
  const one = (value: number) => `${value.toFixed(1)} ms`
  console.log(
    `\nsearch: ${found} of ${times.length} queries found something; first query ${one(times[0] ?? 0)}, processor time p50 ${one(median(cpuTimes))}, p95 ${one(percentile(cpuTimes.slice(1), 0.95))}`,
  )
  printTable(`search: ${sessions} sessions, ${sessions * turns} chunks, one process`, [
    { what: 'p50', ours: one(median(times.slice(1))), peer: '-', ratio: wantedMs / median(times.slice(1)), wanted: null },
    { what: `p95, beside ${wantedMs} ms`, ours: one(p95), peer: one(wantedMs), ratio: wantedMs / p95, wanted: 1 },
    { what: 'peak memory', ours: mb(peakBytes), peer: mb(wantedBytes), ratio: wantedBytes / peakBytes, wanted: 1 },
  ])
}

async function asWholeProcess(): Promise<void> {
  const home = manySessionsHome(processSessions)
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const folder = join(state, 'home')
  let qmd: QmdPeer | undefined
  try {
    await report('index', [home, folder])
    qmd = await createQmdPeer(indexedTexts(folder))
    const vocabulary = createVocabulary(createRandom(1))
    const random = createRandom(7)
    const queries = Array.from({ length: processQueries }, () => [vocabulary.word(random), vocabulary.word(random)].join(' '))
    const sameNode = await installOnQmdNode(join(state, 'installed'))
    const ways = [
      { what: `one search, both on Node ${sameNode.version}`, program: [sameNode.node, sameNode.program], wanted: 2 },
      { what: `one search, offshoot on Node ${process.versions.node}`, program: [process.execPath, offshoot], wanted: null },
    ]
    const rows: Row[] = []
    for (const { what, program, wanted } of ways) {
      const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] }
      for (const query of queries) {
        const { ours, peer } = await compare(searchCommand(program, home, folder, query), qmd.searchCommand(query), processRuns)
        times.ours.push(ours)
        times.peer.push(peer)
      }
      const [ours, peer] = [median(times.ours), median(times.peer)]
      rows.push({ what, ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted })
    }
    printTable(`search: ${qmd.files} sessions, ${mb(qmd.bytes)} of text, whole process, beside \`qmd search\``, rows)
  } finally {
    qmd?.close()
    rmSync(state, { recursive: true, force: true })
  }
}

function searchCommand(program: readonly string[], home: string, folder: string, query: string): Command {
  return {
    argv: [...program, 'search', query, '--all', '--json', '-n', '10'],
    cwd: home,
    env: { HOME: home, OFFSHOOT_HOME: folder, CLAUDE_CONFIG_DIR: join(home, '.claude'), CODEX_HOME: join(home, '.codex') },
    check: (stdout) => {
      if (!(JSON.parse(stdout) as { index: { complete: boolean } }).index.complete) throw new Error('the index is not complete')
    },
  }
}

/** Two to nine words as people use them: common ones and rare ones, names now and then. */
function makeQueries(count: number): string[] {
  const vocabulary = createVocabulary(createRandom(1))
  const random = createRandom(99)
  return Array.from({ length: count }, () => Array.from({ length: random.int(2, 9) }, () => vocabulary.word(random)).join(' '))
}

/** Made once, for this size and these sources: it takes minutes. */
async function makeIndex(): Promise<string> {
  const folder = fileURLToPath(new URL('./.data', import.meta.url))
  const home = join(folder, `search-${sessions}-${sourcesVersion()}`)
  if (existsSync(join(home, '.done'))) return home
  mkdirSync(folder, { recursive: true })
  for (const old of readdirSync(folder).filter((name) => name.startsWith(`search-${sessions}-`))) {
    rmSync(join(folder, old), { recursive: true, force: true })
  }
  process.stderr.write(`indexing ${sessions} sessions ...\n`)
  const { createApp } = (await import('../dist/app.js' as string)) as typeof import('../src/app.ts')
  const agents = [createSyntheticAgent({ sessions, turns, folder: join(home, 'sessions') })]
  const app = createApp({ home, vars: { PATH: process.env.PATH }, cwd: folder, now: Date.now, agents })
  await app.updateIndex({ onProgress: ({ filesDone }) => process.stderr.isTTY && process.stderr.write(`\r${filesDone}`) })
  app.close()
  writeFileSync(join(home, '.done'), '')
  return home
}

function sourcesVersion(): string {
  const hash = createHash('sha256')
  for (const folder of ['../src/search/index', '../src/search/text', '../src/store', './generate']) {
    const path = fileURLToPath(new URL(folder, import.meta.url))
    for (const name of readdirSync(path).sort()) if (name.endsWith('.ts')) hash.update(readFileSync(join(path, name)))
  }
  return hash.digest('hex').slice(0, 8)
}
