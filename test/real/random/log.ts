// What the driver has run so far. Every script is one line of a log that git ignores; every run of `npm run test:random` is one
// line of `runs.jsonl`, which is kept, so that runs add up.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentName } from './drive.ts'

const here = dirname(fileURLToPath(import.meta.url))
const scriptsFile = join(here, '..', '.work', 'random-scripts.jsonl')
const runsFile = join(here, 'runs.jsonl')

export interface ScriptRecord {
  readonly run: string
  readonly agent: AgentName
  readonly seed: number
  readonly steps: number
  readonly ms: number
  /** The kind of a disagreement, `driver` where the script could not be driven on, else `null`. */
  readonly fault: string | null
  readonly message?: string
  readonly script?: string
}

export interface RunRecord {
  readonly at: string
  readonly commit: string
  readonly scripts: Readonly<Record<string, number>>
  readonly steps: number
  readonly faults: Readonly<Record<string, number>>
}

export function logScript(record: ScriptRecord): void {
  mkdirSync(dirname(scriptsFile), { recursive: true })
  appendFileSync(scriptsFile, `${JSON.stringify(record)}\n`)
}

export function logRun(run: string): RunRecord {
  const scripts = readLines<ScriptRecord>(scriptsFile).filter((record) => record.run === run)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: here, encoding: 'utf8' }).trim()
  const record: RunRecord = {
    at: new Date().toISOString(),
    commit,
    // One of which nothing could be done counts for nothing.
    scripts: count(scripts.filter(({ steps }) => steps > 0).map(({ agent }) => agent)),
    steps: scripts.reduce((sum, { steps }) => sum + steps, 0),
    faults: count(scripts.flatMap(({ fault }) => fault ?? [])),
  }
  appendFileSync(runsFile, `${JSON.stringify(record)}\n`)
  return record
}

/** All runs together. */
export function totals(): Pick<RunRecord, 'scripts' | 'steps' | 'faults'> & { readonly runs: number } {
  const runs = readLines<RunRecord>(runsFile)
  return {
    runs: runs.length,
    scripts: sum(runs.map(({ scripts }) => scripts)),
    steps: runs.reduce((all, { steps }) => all + steps, 0),
    faults: sum(runs.map(({ faults }) => faults)),
  }
}

function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
}

function count(names: readonly string[]): Record<string, number> {
  return sum(names.map((name) => ({ [name]: 1 })))
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const each of counts) for (const [name, value] of Object.entries(each)) all[name] = (all[name] ?? 0) + value
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b)))
}
