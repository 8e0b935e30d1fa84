// npm run test:real-data -- <folder> [--only ID] [--resume N]: every session of a corpus, read and forked at every turn, and some of
// them resumed, each time held against somebody else: the official SDK, and the real CLIs.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensurePeers } from '../../bench/peers.ts'
// @ts-expect-error a plain script without types
import { ensureAgents } from '../../scripts/test-setup.mjs'
import { createApp } from '../../src/app.ts'
import type { Turn } from '../../src/model/session.ts'
import { createSandbox, type Sandbox } from '../real/lib/sandbox.ts'
import { unpackCorpus } from './corpus.ts'
import { checkFork, forkKinds } from './forks.ts'
import { checkGrowing, checkStretch } from './growing.ts'
import { checkReading, readingKinds } from './reading.ts'
import { createReport } from './report.ts'
import { createResumer, resumeKinds } from './resume.ts'
import { startSdk } from './sdk.ts'
import { checkTitle, titleKinds } from './titles.ts'

const usage = `npm run test:real-data -- <folder> [--only ID] [--resume N]
  <folder>     Claude Code sessions, .jsonl or .jsonl.gz, at any depth; or set OFFSHOOT_REAL_SESSIONS
  --only ID    only the sessions whose id begins so
  --resume N   resume about N sessions and a fork of each with the real CLIs (default 20; 0: none)`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, resume: { type: 'string', default: '20' } },
})
const folder = positionals[0] ?? process.env.OFFSHOOT_REAL_SESSIONS
const resumed = Number(values.resume)
if (folder === undefined || !existsSync(folder) || !Number.isInteger(resumed) || resumed < 0) {
  console.error(folder !== undefined && !existsSync(folder) ? `${folder} does not exist.\n${usage}` : usage)
  process.exit(2)
}
await ensurePeers()
if (resumed > 0) await ensureAgents(fileURLToPath(new URL('../real/agents', import.meta.url)))
const sandbox = createSandbox()
try {
  process.exitCode = (await checkCorpus(sandbox, folder)) ? 0 : 1
} finally {
  await sandbox.dispose()
}

async function checkCorpus(place: Sandbox, corpus: string): Promise<boolean> {
  const { sessions, passedOver } = unpackCorpus(corpus, place, values.only)
  console.log(`${sessions.length} sessions in ${corpus}`)
  for (const each of passedOver) console.log(`  passed over: ${each}`)
  const sdk = startSdk(place)
  place.onDispose(() => sdk.close())
  const app = createApp({ home: place.home, vars: place.env, cwd: place.work, now: Date.now })
  place.onDispose(() => app.close())
  const report = createReport([...readingKinds, ...titleKinds, ...forkKinds, ...resumeKinds])
  const resumer = await createResumer(app, place, report)
  const listed = new Map((await sdk.sessions()).map((each) => [each.sessionId, each]))
  const all = await app.listSessions()
  const stride = Math.max(1, Math.floor(all.length / Math.max(1, resumed)))
  for (const [at, session] of all.entries()) {
    if (at % 10 === 0) console.error(`  ${at} of ${all.length}, ${report.unexplained} unexplained`)
    const { hasGap } = await checkReading(app, sdk, session, report)
    await checkTitle(app, session, listed.get(session.id), report)
    await checkGrowing(place, session, report)
    await checkStretch(app, session, report)
    const turns = await app.listTurns(session, { deadBranches: true })
    for (const turn of turns) await checkFork({ app, sdk, report }, session, turn)
    // Where a gap was found it matters most who is right.
    if (resumed === 0 || (at % stride !== 0 && !hasGap)) continue
    await resumer.source(session)
    const turn = pick(turns, at / stride)
    if (turn !== undefined) await resumer.fork(session, turn)
  }
  report.print()
  return report.unexplained === 0
}

/** Over the sample: the last turn, one in the middle, the first. */
function pick(turns: readonly Turn[], number: number): Turn | undefined {
  return turns[[turns.length - 1, Math.floor(turns.length / 2), 0][Math.floor(number) % 3] ?? 0]
}
