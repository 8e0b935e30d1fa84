// `npm run fork-table [-- <counts file>]`: makes docs/fork-matrix.md out of what the last test run counted (test/real/fork/table.ts),
// one line per fork whose child's request to the API was compared.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repoRoot } from './prepare.mjs'

const given = process.argv[2]
const counts = given ?? join(repoRoot, 'test', 'real', '.work', 'fork-runs.jsonl')
const origin =
  given === undefined ? 'the last test run' : 'a file of counts named by hand, which may hold several or partial runs'
const strategies = ['native', 'prefix', 'seed', 'SDK']

if (existsSync(counts)) writeTable(readRuns())
else {
  console.error(`No counts yet: ${counts} is not there. The tests write it: npm run test:matrix`)
  process.exitCode = 1
}

/** A run that was killed may have left half a line. */
function readRuns() {
  return readFileSync(counts, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line)]
      } catch {
        console.error(`Left out, not a count: ${line}`)
        return []
      }
    })
}

function writeTable(runs) {
  const text = `# The fork matrix

Forks made with the real CLIs whose child was sent one prompt, and the history the API then received compared, message by message,
with the parent's up to the cut. \`SDK\` is the official \`forkSession\`, held against the same expectation; \`seed\` is checked by its
own rules. A dot means that none was counted: the strategy does not apply there, or the whole matrix was not run.

Made by \`npm run fork-table\` from ${origin}.

${[...distinct(runs, ({ agent }) => agent)].map((agent) => section(agent, runs)).join('\n')}
${runs.length} forks in all.
`
  writeFileSync(join(repoRoot, 'docs', 'fork-matrix.md'), text)
  console.log(text)
}

function section(agent, all) {
  const runs = all.filter((run) => run.agent === agent)
  const columns = [...distinct(runs, ({ version }) => version)].flatMap((version) => {
    const used = distinct(
      runs.filter((run) => run.version === version),
      ({ strategy }) => strategy,
    )
    return strategies.filter((strategy) => used.has(strategy)).map((strategy) => ({ version, strategy }))
  })
  const count = (wanted) => runs.filter((run) => Object.entries(wanted).every(([key, value]) => run[key] === value)).length
  const rows = [
    ['scenario', ...columns.map(({ version, strategy }) => `${version} ${strategy}`)],
    ['---', ...columns.map(() => '---:')],
    ...[...distinct(runs, (run) => run.scenario)].map((scenario) => [
      scenario,
      ...columns.map((column) => count({ ...column, scenario }) || '·'),
    ]),
    ['**all**', ...columns.map((column) => `**${count(column)}**`)],
  ]
  return `## ${agent}\n\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`
}

function distinct(runs, key) {
  return new Set(runs.map(key).sort((a, b) => a.localeCompare(b)))
}
