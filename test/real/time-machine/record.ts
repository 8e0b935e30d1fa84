// Lets old CLIs talk to the stand-in APIs and keeps the sessions they write as samples. Run by hand when a story or the list of
// versions changes; docs/testing.md says how.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, createBenchWith } from '../claude/bench.ts'
import { createCodexHome } from '../codex/home.ts'
import { afterLastWrite, sessionFiles, tellInPrint, typeIntoTerminal, withHistories } from './claude-story.ts'
import { codexFiles, execInTurn, typeIntoCodex, withCodexHistories } from './codex-story.ts'
import { saveRecording } from './recording.ts'

const claudeVersions = ['1.0.128', '2.0.64', '2.0.76', '2.1.0', '2.1.42', '2.1.63', '2.1.112', '2.1.150', '2.1.250']
const codexVersions = ['0.20.0', '0.29.0', '0.36.0', '0.44.0', '0.63.0', '0.87.0', '0.106.0', '0.125.0', '0.150.0']
const installed = process.env.OFFSHOOT_OLD_AGENTS ?? fileURLToPath(new URL('../.work/old-agents/', import.meta.url))

const usage = `npm run record:old-agents -- [beginning of a name ...]     without a name all are made, in about 20 minutes

Needs Linux on x64, tmux, and the npm registry for versions that are not below ${installed}
(OFFSHOOT_OLD_AGENTS names another folder for them). Each version takes up to 360 MB.`

const claudeStories = { print: tellInPrint, typed: typeIntoTerminal }
const codexStories = { exec: execInTurn, typed: typeIntoCodex }

function install(name: string, spec: string): string {
  const folder = join(installed, name)
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true,"allowScripts":{"@anthropic-ai/claude-code":true}}')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', spec], { cwd: folder, stdio: 'inherit' })
  }
  return join(folder, 'node_modules')
}

/** Up to 2.1.112 the CLI is a script, later a native binary. */
function claudeCommand(version: string): string[] {
  const folder = join(install(`claude-${version}`, `@anthropic-ai/claude-code@${version}`), '@anthropic-ai', 'claude-code')
  const script = join(folder, 'cli.js')
  return existsSync(script) ? [process.execPath, script] : [join(folder, 'bin', 'claude.exe')]
}

/** The native binary, which has been in four places. */
function codexBinary(version: string): string {
  const modules = join(install(`codex-${version}`, `@openai/codex@${version}`), '@openai')
  const target = 'x86_64-unknown-linux-musl'
  const places = [
    join(modules, 'codex-linux-x64', 'vendor', target, 'bin', 'codex'),
    join(modules, 'codex-linux-x64', 'vendor', target, 'codex', 'codex'),
    join(modules, 'codex', 'vendor', target, 'codex', 'codex'),
    join(modules, 'codex', 'bin', `codex-${target}`),
  ]
  const found = places.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`no binary of Codex ${version} for Linux on x64 below ${modules}`)
  return found
}

async function recordClaude(
  version: string,
  story: string,
  tell: (bench: Bench) => ReturnType<typeof tellInPrint>,
): Promise<void> {
  const bench = await createBenchWith(version, claudeCommand(version))
  try {
    const { sessionId, turns } = await tell(bench)
    await afterLastWrite(bench, sessionId)
    const recording = {
      agent: 'claude',
      version,
      story,
      sessionId,
      turns: withHistories(bench, turns),
      files: sessionFiles(bench),
    }
    console.log(saveRecording(recording, bench.sandbox))
  } finally {
    await bench.sandbox.dispose()
  }
}

async function recordCodex(version: string, story: string, tell: typeof typeIntoCodex): Promise<void> {
  const home = { ...(await createCodexHome('0.166.0')), binary: codexBinary(version) }
  try {
    const { sessionId, turns } = await tell(home, version)
    const recording = {
      agent: 'codex',
      version,
      story,
      sessionId,
      turns: withCodexHistories(home, turns),
      files: codexFiles(home),
    }
    console.log(saveRecording(recording, home.sandbox))
  } finally {
    await home.dispose()
  }
}

function allRecordings(): Map<string, () => Promise<void>> {
  const recordings = new Map<string, () => Promise<void>>()
  for (const version of claudeVersions) {
    for (const [story, tell] of Object.entries(claudeStories))
      recordings.set(`claude-${version}-${story}`, () => recordClaude(version, story, tell))
  }
  for (const version of codexVersions) {
    for (const [story, tell] of Object.entries(codexStories)) {
      if (story === 'typed' && version === '0.20.0') continue // takes no prompt while it works
      recordings.set(`codex-${version}-${story}`, () => recordCodex(version, story, tell))
    }
  }
  return recordings
}

async function main(wanted: readonly string[]): Promise<void> {
  const recordings = allRecordings()
  const unknown = wanted.filter((part) => ![...recordings.keys()].some((name) => name.startsWith(part)))
  if (unknown.length > 0) {
    console.error(
      `No recording begins with ${unknown.join(', ')}.\n\n${usage}\n\nRecordings: ${[...recordings.keys()].join(' ')}`,
    )
    process.exitCode = 2
    return
  }
  for (const [name, record] of recordings) {
    if (wanted.length > 0 && !wanted.some((part) => name.startsWith(part))) continue
    try {
      await record()
    } catch (error) {
      console.error(`${name} FAILED: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
}

await main(process.argv.slice(2))
