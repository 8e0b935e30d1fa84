// `npm test [-- --matrix] [filter ...]`: sets up everything the tests need, runs every check one after another, and ends with
// one plain line of counts. A filter (anything vitest takes) runs just those tests, without lint and types.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countResults } from './count-results.mjs'
import { checkNode, ensureBuilt, ensureInstalled, repoRoot, SetupError } from './prepare.mjs'
import { ensureAgents, ensurePeers, ensureQmd, ensureSystemPackages } from './test-setup.mjs'

const filter = process.argv.slice(2).filter((argument) => argument !== '--matrix')
const matrix = process.argv.includes('--matrix')
const bin = (name) => join(repoRoot, 'node_modules', '.bin', name)
const failedSteps = []
let counts = { passed: 0, failed: 0, skipped: 0 }

async function step(title, work) {
  const startedAt = performance.now()
  console.log(`\n== ${title}`)
  let ok = false
  try {
    ok = (await work()) !== false
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.log(error.message)
  }
  if (!ok) failedSteps.push(title)
  console.log(`== ${title}: ${ok ? 'ok' : 'FAILED'} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  return ok
}

function runTool(command, args, env = {}) {
  return new Promise((done, fail) => {
    const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' }
    const options = { cwd: repoRoot, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...plain, ...env } }
    const child = spawn(command, args, options)
    child.on('error', fail)
    child.on('close', (code) => done(code === 0))
  })
}

async function runVitest() {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-results-'))
  const report = join(folder, 'results.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filter]
    const ok = await runTool(bin('vitest'), args, matrix ? { OFFSHOOT_MATRIX: '1' } : {})
    counts = countResults(report, ok)
    return ok && counts.failed === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ready = await step('set-up', async () => {
  checkNode()
  await ensureInstalled(repoRoot)
  await ensureSystemPackages(['tmux', 'zstd'])
  await ensureAgents(join(repoRoot, 'test', 'real', 'agents'))
  await ensureQmd(join(repoRoot, 'test', 'real', 'qmd-agent'))
  await ensurePeers(join(repoRoot, 'bench', 'peers'))
})

if (ready) {
  if (filter.length === 0) {
    await step('lint: style', () => runTool(bin('biome'), ['check', '--error-on-warnings', '.']))
    await step('lint: imports', () => runTool(process.execPath, [join(repoRoot, 'scripts', 'check-imports.mjs')]))
    await step('lint: unused code', () => runTool(bin('knip'), []))
    await step('types', () => runTool(bin('tsc'), ['-p', 'tsconfig.json', '--noEmit']))
  }
  const built = await step('build', () => ensureBuilt(repoRoot).then(() => true))
  if (built && filter.length === 0) await step('package', () => runTool(bin('publint'), ['--strict']))
  // What docs/fork-matrix.md is made of: the counts of one whole run, never of several.
  if (filter.length === 0) rmSync(join(repoRoot, 'test', 'real', '.work', 'fork-runs.jsonl'), { force: true })
  await step(matrix ? 'tests, whole matrix' : 'tests', runVitest)
}

const otherFailures = failedSteps.filter((title) => !title.startsWith('tests'))
if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`)
console.log(`\n${counts.passed} passed, ${counts.failed + otherFailures.length} failed, ${counts.skipped} skipped`)
process.exitCode = failedSteps.length > 0 ? 1 : 0
