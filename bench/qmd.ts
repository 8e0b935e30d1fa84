// offshoot beside qmd on the same text in the same run: building the index (ours from the transcripts, vectors and redaction
// included; theirs from the finished text, words alone), and one search as a whole process.
// OFFSHOOT_BENCH_SESSIONS makes it smaller.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/store/open.ts'
import { manySessionsHome } from './generate/homes.ts'
import { createRandom } from './generate/random.ts'
import { createVocabulary } from './generate/vocabulary.ts'
import { type Command, compare, median, offshoot, report } from './measure.ts'
import { createQmdPeer, type PeerText, type QmdPeer } from './peers-qmd.ts'
import { createBenchAgent } from './retrieval/agent.ts'
import { readRetrievalData } from './retrieval/data.ts'
import { mb, ms, printTable } from './table.ts'

const sessions = Number(process.env.OFFSHOOT_BENCH_SESSIONS ?? 2000)
const queries = 5
const runs = 3

interface Indexed {
  readonly ms: number
  readonly bytes: number
}

export async function run(): Promise<void> {
  await indexRealText()
  const home = manySessionsHome(sessions)
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const folder = join(state, 'home')
  let qmd: QmdPeer | undefined
  try {
    const ours = await report<Indexed>('index', [home, folder])
    const whole = await createQmdPeer(wholeTexts(home, folder))
    whole.close()
    qmd = await createQmdPeer(indexedTexts(folder))
    printTable(`qmd: ${qmd.files} sessions, ${mb(ours.bytes)} of transcripts`, [
      toRow(`index them (qmd: all ${mb(whole.bytes)} of text in them)`, ours, whole, 5),
      toRow(`index them (qmd: the ${mb(qmd.bytes)} that we index)`, ours, qmd, null),
      await compareSearches(home, folder, qmd),
    ])
  } finally {
    qmd?.close()
    rmSync(state, { recursive: true, force: true })
  }
}

/** Sessions people had, where the data is at hand: made-up words are easier on an index than language. */
async function indexRealText(): Promise<void> {
  const data = readRetrievalData()
  if (data === null) return
  const home = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const agents = [createBenchAgent(data.sessions, join(home, 'sessions'))]
  const app = createApp({ home, vars: { PATH: process.env.PATH }, cwd: home, now: Date.now, agents })
  try {
    await app.refresh()
    const startedAt = performance.now()
    const { sessions: count } = await app.updateIndex()
    const tookMs = performance.now() - startedAt
    if (count !== data.sessions.length) throw new Error(`${count} of ${data.sessions.length} sessions were indexed`)
    const texts = data.sessions.map(({ session_id: id, messages }) => ({
      id,
      text: messages.map(({ text }) => text).join('\n\n'),
    }))
    const qmd = await createQmdPeer(texts)
    qmd.close()
    printTable(`qmd: ${qmd.files} real sessions, ${mb(qmd.bytes)} of text`, [toRow('index them', { ms: tookMs }, qmd, 5)])
  } finally {
    app.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function toRow(what: string, ours: Pick<Indexed, 'ms'>, { addMs }: QmdPeer, wanted: number | null) {
  return { what, ours: ms(ours.ms), peer: ms(addMs), ratio: addMs / ours.ms, wanted }
}

async function compareSearches(home: string, folder: string, qmd: QmdPeer) {
  const vocabulary = createVocabulary(createRandom(1))
  const random = createRandom(7)
  const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] }
  for (let count = 0; count < queries; count += 1) {
    const query = [vocabulary.word(random), vocabulary.word(random)].join(' ')
    const { ours, peer } = await compare(searchCommand(home, folder, query), qmd.searchCommand(query), runs)
    times.ours.push(ours)
    times.peer.push(peer)
  }
  const [ours, peer] = [median(times.ours), median(times.peer)]
  return { what: 'one search, whole process', ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted: 2 }
}

function searchCommand(home: string, folder: string, query: string): Command {
  return {
    argv: [process.execPath, offshoot, 'search', query, '--all', '--json', '-n', '10'],
    cwd: home,
    env: { HOME: home, OFFSHOOT_HOME: folder, CLAUDE_CONFIG_DIR: join(home, '.claude'), CODEX_HOME: join(home, '.codex') },
    check: (stdout) => {
      if (!(JSON.parse(stdout) as { index: { complete: boolean } }).index.complete) throw new Error('the index is not complete')
    },
  }
}

/** Everything said, called and printed, inherited turns too: what we read. */
async function* wholeTexts(home: string, folder: string): AsyncGenerator<PeerText> {
  const app = createApp({ home, vars: { PATH: process.env.PATH, OFFSHOOT_HOME: folder }, cwd: home, now: Date.now })
  try {
    for (const session of await app.listSessions()) {
      const parts: string[] = []
      for await (const entry of app.readSession(session)) {
        if (entry.kind !== 'message') continue
        const { text, tool } = entry.message
        parts.push(tool === undefined ? text : `${tool.name} ${JSON.stringify(tool.arguments)}\n${tool.output ?? ''}`)
      }
      yield { id: session.id, text: `# ${session.id}\n\n${parts.join('\n\n')}` }
    }
  } finally {
    app.close()
  }
}

/** Just what our own index holds of each session. */
function* indexedTexts(folder: string): Generator<PeerText> {
  const db = openDatabase(folder)
  try {
    const all = db.prepare<[], { id: string; text: string }>(
      `SELECT s.id, GROUP_CONCAT(c.prompt || char(10) || c.body || char(10) || c.tools, char(10)) AS text
       FROM search_chunks c JOIN search_turns t ON t.key = c.turn_key JOIN search_sessions s ON s.key = t.session_key GROUP BY s.key`,
    )
    for (const { id, text } of all.iterate()) yield { id, text: `# ${id}\n\n${text}` }
  } finally {
    db.close()
  }
}
