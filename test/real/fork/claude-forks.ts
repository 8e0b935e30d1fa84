// Forks every turn of a real Claude Code session by every strategy that applies, sends one prompt in each child, and holds what
// the model API received against the parent's prefix; then one more prompt in the parent.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import type { ReadOptions } from '../../../src/agents/reading.ts'
import type { Cut } from '../../../src/model/fork.ts'
import type { LoggedRequest } from '../claude/api.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { forkRules, fromMessages } from '../claude/received.ts'
import type { Scenario } from '../claude/scenarios/scenario.ts'
import { claudeVersions } from '../lib/agents.ts'
import { compareHistory, fromEntries, type SeenItem } from '../lib/history.ts'
import { describeSelection, everySecond, selectCells, turnsToFork, wholeMatrix } from '../lib/matrix.ts'
import { countFork } from './table.ts'

export function runClaudeForks(title: string, scenarios: readonly Scenario[]): void {
  const selection = everySecond(selectCells(scenarios, claudeVersions), 0)
  console.log(describeSelection(title, selection))
  describe.each(selection.run)(`${title} $version: $scenario.name`, ({ scenario, version }) => {
    it(`forks at ${wholeMatrix ? 'every turn' : 'its first turn and its end'}`, { timeout: 240_000 }, async () => {
      const bench = await createBench(version, scenario.sandbox)
      try {
        await forkAll(bench, scenario)
      } finally {
        await bench.sandbox.dispose()
      }
    })
  })
}

async function forkAll(bench: Bench, scenario: Scenario): Promise<void> {
  const made = await scenario.make(bench)
  const { agentEnv, work, root } = bench.sandbox
  const cwd = join(root, 'child')
  bench.sandbox.git(work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
  const file = discover(bench, made.sessionId)
  const before = hash(file.path)
  const { turns, deadTurns } = await claude.summarise(file, agentEnv)
  const tip = await seen(bench, file)
  for (const { id, number } of [...turnsToFork(turns), ...turnsToFork(deadTurns)]) {
    const expected = await seen(bench, file, { upTo: { turnId: id } })
    const cut: Cut = { kind: 'turn', turnId: id }
    await checkPrefix(bench, scenario, { file, cut, cwd, expected, where: `turn ${number ?? id}` })
  }
  await checkPrefix(bench, scenario, { file, cut: { kind: 'tip' }, cwd, expected: tip, where: 'tip' })
  await checkNative(bench, scenario, { file, cwd: made.resumeIn ?? work, expected: tip })
  expect(hash(file.path), 'the source as it was').toBe(before)
  const prompt = 'and the parent goes on'
  await bench.claude.print(prompt, { flags: ['--resume', made.sessionId], cwd: made.resumeIn ?? work })
  checkHistory('the parent afterwards', tip, requestFor(bench, prompt), prompt)
}

interface PrefixCase {
  readonly file: SessionFile
  readonly cut: Cut
  readonly cwd: string
  readonly expected: readonly SeenItem[]
  readonly where: string
}

async function checkPrefix(bench: Bench, scenario: Scenario, { file, cut, cwd, expected, where }: PrefixCase): Promise<void> {
  const { agentEnv } = bench.sandbox
  const target = { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: 0 }
  const child = await claude.writePrefix(file, agentEnv, cut, target)
  expect(child.path).not.toBeNull()
  const prompt = `a word in the child of ${where}`
  const [argv0, ...flags] = claude.command({ kind: 'resume', sessionId: child.sessionId, cwd }).argv
  expect(argv0).toBe('claude')
  await bench.claude.print(prompt, { flags, cwd })
  const request = requestFor(bench, prompt)
  expect.soft(request.sessionId).toBe(child.sessionId)
  checkHistory(`${where} by prefix`, expected, request, prompt)
  countFork({ agent: 'claude', version: bench.claude.version, strategy: 'prefix', scenario: scenario.name })
}

async function checkNative(
  bench: Bench,
  scenario: Scenario,
  { file, cwd, expected }: { file: SessionFile; cwd: string; expected: readonly SeenItem[] },
): Promise<void> {
  const sessionId = randomUUID()
  const [, ...flags] = claude.command({ kind: 'fork', sourceId: file.id, sessionId, cwd }).argv
  const prompt = 'a word in the native child'
  await bench.claude.print(prompt, { flags, cwd })
  const request = requestFor(bench, prompt)
  expect.soft(request.sessionId).toBe(sessionId)
  checkHistory('the tip natively', expected, request, prompt)
  countFork({ agent: 'claude', version: bench.claude.version, strategy: 'native', scenario: scenario.name })
}

export function discover(bench: Bench, sessionId: string): SessionFile {
  const file = [...claude.discover(bench.sandbox.agentEnv)].find(({ id }) => id === sessionId)
  if (file === undefined) throw new Error(`our reader does not find ${sessionId}`)
  return file
}

export function seen(bench: Bench, file: SessionFile, options: ReadOptions = {}): Promise<SeenItem[]> {
  return fromEntries(claude.read(file, bench.sandbox.agentEnv, { view: 'context', ...options }), { withSystem: true })
}

export function requestFor(bench: Bench, prompt: string): LoggedRequest {
  const request = bench.api.requests.find(({ kind, prompt: sent }) => kind === 'turn' && sent.endsWith(prompt))
  if (request === undefined) throw new Error(`the model was never asked "${prompt}"`)
  return request
}

function checkHistory(when: string, expected: readonly SeenItem[], request: LoggedRequest, prompt: string): void {
  expect.soft(historyDiff(expected, request, prompt), when).toBe('')
}

export function historyDiff(expected: readonly SeenItem[], request: LoggedRequest, prompt: string): string {
  return compareHistory([...expected, { role: 'user', text: prompt }], fromMessages(request.messages), forkRules).diff
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
