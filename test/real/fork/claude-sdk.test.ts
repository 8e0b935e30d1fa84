// Agreement with the official SDK's forkSession(upToMessageId): what the API receives from its fork and from ours. Both are
// held to what the parent's model had seen by then (ours by claude-forks.ts); no difference is known.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import type { Scenario } from '../claude/scenarios/scenario.ts'
import { printScenarios } from '../claude/scenarios.ts'
import { type ClaudeVersion, claudeVersions } from '../lib/agents.ts'
import { type Cell, describeSelection, type Selection, selectCells, wholeMatrix } from '../lib/matrix.ts'
import { discover, historyDiff, requestFor, seen } from './claude-forks.ts'
import { countFork } from './table.ts'

const subject = fileURLToPath(new URL('./sdk-fork.mjs', import.meta.url))
const uuid = /^[0-9a-f-]{36}$/

/** Where the two could most easily disagree; the rest is left to the whole matrix. */
const covering = ['three parallel tools', 'compaction in print mode', 'a fork of a fork']
const selection = choose()
console.log(describeSelection('The SDK beside us', selection))

describe.each(selection.run)('The SDK beside us $version: $scenario.name', ({ scenario, version }) => {
  it('forks to the same history', { timeout: 240_000 }, async () => {
    const bench = await createBench(version, scenario.sandbox)
    try {
      expect(await compareForks(bench, scenario)).toEqual([])
    } finally {
      await bench.sandbox.dispose()
    }
  })
})

function choose(): Selection<Scenario, ClaudeVersion> {
  const scenarios = printScenarios.map((scenario) => ({ ...scenario, always: scenario.always.slice(-1) }))
  const { run, leftOut } = selectCells<ClaudeVersion, Scenario>(scenarios, claudeVersions)
  if (wholeMatrix) return { run, leftOut }
  const isCovering = ({ scenario }: Cell<Scenario, ClaudeVersion>) => covering.includes(scenario.name)
  return { run: run.filter(isCovering), leftOut: [...leftOut, ...run.filter((cell) => !isCovering(cell))] }
}

async function compareForks(bench: Bench, scenario: Scenario): Promise<string[]> {
  const made = await scenario.make(bench)
  const { agentEnv, work, env } = bench.sandbox
  const file = discover(bench, made.sessionId)
  const { turns } = await claude.summarise(file, agentEnv)
  const differences: string[] = []
  for (const { id, number } of turns.filter((_, at) => wholeMatrix || at === 0 || at === turns.length - 1)) {
    const expected = await seen(bench, file, { upTo: { turnId: id } })
    const last = await lastMessageOf(bench, file, id)
    // A turn that ends in an open call has no message of its own the SDK could be told.
    if (!uuid.test(last)) continue
    const out = execFileSync(process.execPath, [subject, file.id, work, last], { env, encoding: 'utf8' })
    const { sessionId } = JSON.parse(out) as { sessionId: string }
    const prompt = `a word in the SDK's child of turn ${number}`
    await bench.claude.print(prompt, { flags: ['--resume', sessionId], cwd: work })
    const diff = historyDiff(expected, requestFor(bench, prompt), prompt)
    if (diff !== '') differences.push(`turn ${number}: ${diff}`)
    countFork({ agent: 'claude', version: bench.claude.version, strategy: 'SDK', scenario: scenario.name })
  }
  return differences
}

async function lastMessageOf(bench: Bench, file: SessionFile, turnId: string): Promise<string> {
  let last = ''
  for await (const entry of claude.read(file, bench.sandbox.agentEnv, { upTo: { turnId } })) {
    if (entry.kind === 'message') last = entry.message.id
  }
  return last
}
