// `npm run bench -- <name> ...`, or all of them. Ends with 0 unless a benchmark broke: a missed ratio is a number, not a crash.
import { readFileSync } from 'node:fs'
// @ts-expect-error a plain script without types
import { prepare } from '../scripts/prepare.mjs'

const benchmarks = {
  version: () => import('./version.ts'),
  start: () => import('./start.ts'),
  jsonl: () => import('./jsonl.ts'),
  read: () => import('./read.ts'),
  redact: () => import('./redact.ts'),
  sessions: () => import('./sessions.ts'),
  carry: () => import('./carry.ts'),
  fork: () => import('./fork.ts'),
  snapshots: () => import('./snapshots.ts'),
  hook: () => import('./hook.ts'),
  retrieval: () => import('./retrieval.ts'),
  search: () => import('./search.ts'),
  index: () => import('./index.ts'),
  serve: () => import('./serve.ts'),
  tui: () => import('./tui.ts'),
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`)
  process.exit(2)
}

await prepare()
const build = readBuild()
for (const [name, load] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue
  await (await load()).run()
  if (readBuild() !== build)
    throw new Error(`the build was replaced while ${name} ran: what it printed means nothing, run it again`)
}

/** The stamp of what is in dist: someone working in the same checkout may build at any time. */
function readBuild(): string {
  return readFileSync(new URL('../dist/.offshoot-stamp', import.meta.url), 'utf8')
}
