// npm run test:real-data -- <folder> [--only ID]: every session of a corpus, read, forked at every turn and resumed, each time
// held against somebody else: the official SDK, and the real CLIs.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createApp } from '../../src/app.ts'
import { createSandbox } from '../real/lib/sandbox.ts'
import { unpackCorpus } from './corpus.ts'
import { forkAt, forkKinds } from './forks.ts'
import { checkReading, readingKinds } from './reading.ts'
import { createReport } from './report.ts'
import { startSdk } from './sdk.ts'
import { checkTitle, titleKinds } from './titles.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string', default: '' } } })
const folder = positionals[0] ?? process.env.OFFSHOOT_REAL_SESSIONS
if (folder === undefined || !existsSync(folder)) {
  console.error(
    folder === undefined
      ? 'No corpus: name a folder with Claude Code sessions (.jsonl or .jsonl.gz), or set OFFSHOOT_REAL_SESSIONS.'
      : `${folder} does not exist.`,
  )
  process.exit(2)
}

const sandbox = createSandbox()
try {
  const { sessions, passedOver } = unpackCorpus(folder, sandbox, values.only)
  console.log(`${sessions.length} sessions in ${folder}`)
  for (const each of passedOver) console.log(`  passed over: ${each}`)
  const sdk = startSdk(sandbox)
  const app = createApp({ home: sandbox.home, vars: sandbox.env, cwd: sandbox.work, now: Date.now })
  sandbox.onDispose(() => {
    sdk.close()
    app.close()
  })
  const report = createReport([...readingKinds, ...titleKinds, ...forkKinds])
  const listed = new Map((await sdk.sessions()).map((each) => [each.sessionId, each]))
  for (const session of await app.listSessions()) {
    await checkReading(app, sdk, session, report)
    await checkTitle(app, session, listed.get(session.id), report)
    for (const turn of await app.listTurns(session, { deadBranches: true })) await forkAt({ app, sdk, report }, session, turn)
  }
  report.print()
  if (report.unexplained > 0) process.exitCode = 1
} finally {
  await sandbox.dispose()
}
