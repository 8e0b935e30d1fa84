// Counts what the fork matrix really ran, for the table kept in docs/fork-matrix.md.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface ForkRun {
  readonly agent: string
  readonly version: string
  readonly strategy: string
  readonly scenario: string
}

/** One line per fork whose child's request was compared; scripts/fork-table.mjs makes the table of it. */
const runsFile = join(dirname(fileURLToPath(import.meta.url)), '..', '.work', 'fork-runs.jsonl')

export function countFork(run: ForkRun): void {
  mkdirSync(dirname(runsFile), { recursive: true })
  appendFileSync(runsFile, `${JSON.stringify(run)}\n`)
}
