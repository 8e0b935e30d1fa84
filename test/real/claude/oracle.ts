// The oracle: what our reader says the model has seen equals what the stand-in API really receives, when the session is resumed
// and before each of its turns. Every check is soft, so that one run shows all that is wrong with a session.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import type { ReadOptions, SessionSummary } from '../../../src/agents/reading.ts'
import { claudeVersions } from '../lib/agents.ts'
import { compareHistory, fromEntries, type SeenItem } from '../lib/history.ts'
import { describeSelection, everySecond, selectCells } from '../lib/matrix.ts'
import type { LoggedRequest } from './api.ts'
import { type Bench, createBench } from './bench.ts'
import { claudeRules, fromMessages } from './received.ts'
import type { Made, Scenario } from './scenarios/scenario.ts'
import { summaryText } from './script.ts'

const nextPrompt = 'what have we got so far?'

export function runOracle(title: string, scenarios: readonly Scenario[]): void {
  const selection = everySecond(selectCells(scenarios, claudeVersions), 1)
  console.log(describeSelection(title, selection))
  describe.each(selection.run)(`${title} $version: $scenario.name`, ({ scenario, version }) => {
    it('is read as the model sees it', { timeout: 120_000 }, async () => {
      const bench = await createBench(version, scenario.sandbox)
      try {
        await checkScenario(bench, scenario)
      } finally {
        await bench.sandbox.dispose()
      }
    })
  })
}

async function checkScenario(bench: Bench, scenario: Scenario): Promise<void> {
  const made = await scenario.make(bench)
  const { agentEnv } = bench.sandbox
  const path = bench.transcript(made.sessionId)
  const before = hash(path)
  const file = discover(bench, made.sessionId)
  expect.soft(file.path).toBe(path)
  const summary = await claude.summarise(file, agentEnv)
  const ours = await seen(bench, file)
  await checkEachTurn(bench, file, summary, made)
  expect.soft(hash(path), 'reading left the file as it was').toBe(before)
  checkSummary(summary, made, bench)
  expect.soft(await saidByUser(bench, file)).toEqual(made.said ?? made.turns.map(({ prompt }) => prompt))
  if (scenario.countsUsage)
    checkUsage(
      summary,
      bench.api.requests.filter(({ sessionId, kind }) => sessionId === made.sessionId && kind === 'turn'),
    )
  expect.soft(claude.live(agentEnv).map(({ sessionId }) => sessionId)).not.toContain(made.sessionId)

  const request = await resume(bench, made)
  checkHistory('on resume', ours, request, nextPrompt)
  const summaries = ours.filter(({ role, text }) => role === 'summary' && text.includes(summaryText))
  expect.soft(summaries).toHaveLength(made.turns.some(({ afterCompaction }) => afterCompaction) ? 1 : 0)

  const grown = discover(bench, made.sessionId)
  const readOn = await claude.summarise(grown, agentEnv, JSON.parse(JSON.stringify(summary)) as SessionSummary)
  const fresh = await claude.summarise(grown, agentEnv)
  expect.soft({ ...readOn, resume: null }, 'reading on equals reading anew').toEqual({ ...fresh, resume: null })
}

function discover(bench: Bench, sessionId: string): SessionFile {
  const file = [...claude.discover(bench.sandbox.agentEnv)].find(({ id }) => id === sessionId)
  if (file === undefined) throw new Error(`our reader does not find ${bench.transcript(sessionId)}`)
  return file
}

function seen(bench: Bench, file: SessionFile, options: ReadOptions = {}): Promise<SeenItem[]> {
  return fromEntries(claude.read(file, bench.sandbox.agentEnv, { view: 'context', ...options }), { withSystem: true })
}

async function saidByUser(bench: Bench, file: SessionFile): Promise<string[]> {
  const texts: string[] = []
  for await (const entry of claude.read(file, bench.sandbox.agentEnv)) {
    if (entry.kind === 'message' && entry.message.role === 'user') texts.push(entry.message.text)
  }
  return texts
}

async function resume(bench: Bench, made: Made): Promise<LoggedRequest> {
  const sent = bench.api.requests.length
  await bench.claude.print(nextPrompt, { flags: ['--resume', made.sessionId], cwd: made.resumeIn ?? bench.sandbox.work })
  const request = bench.api.requests.slice(sent).find(({ kind, prompt }) => kind === 'turn' && prompt.endsWith(nextPrompt))
  if (request === undefined) throw new Error('the resumed session asked the model nothing')
  expect.soft(request.sessionId).toBe(made.sessionId)
  return request
}

/** The session cut after a turn is what the model had seen when the next turn's prompt came: what a fork at that turn must hold. */
async function checkEachTurn(bench: Bench, file: SessionFile, summary: SessionSummary, made: Made): Promise<void> {
  for (const [index, turn] of summary.turns.entries()) {
    const next = made.turns[index + 1]
    // A compaction came in between: the model saw less than was said.
    if (next === undefined || next.afterCompaction || next.withheld) continue
    const request = bench.api.requests.find(({ kind, prompt }) => kind === 'turn' && prompt === next.prompt)
    if (request === undefined) throw new Error(`the model was never asked "${next.prompt}"`)
    checkHistory(`up to turn ${turn.number}`, await seen(bench, file, { upTo: { turnId: turn.id } }), request, next.prompt)
  }
}

function checkHistory(when: string, ours: readonly SeenItem[], request: LoggedRequest, prompt: string): void {
  const { diff } = compareHistory([...ours, { role: 'user', text: prompt }], fromMessages(request.messages), claudeRules)
  expect.soft(diff, when).toBe('')
}

function checkSummary(summary: SessionSummary, made: Made, bench: Bench): void {
  expect.soft(summary.id).toBe(made.sessionId)
  expect.soft(summary.cliVersion).toBe(bench.claude.version)
  expect
    .soft(summary.turns.map(({ number, prompt, state, afterCompaction }) => ({ number, prompt, state, afterCompaction })))
    .toEqual(
      made.turns.map(({ prompt, state = 'complete', afterCompaction = false }, index) => ({
        number: index + 1,
        prompt,
        state,
        afterCompaction,
      })),
    )
  expect
    .soft(summary.deadTurns.map(({ prompt, number }) => ({ prompt, number })))
    .toEqual((made.deadTurns ?? []).map((prompt) => ({ prompt, number: null })))
  for (const { id, prompt } of [...summary.turns, ...summary.deadTurns]) {
    const line = bench.lines(made.sessionId).find(({ uuid }) => uuid === id)
    expect.soft(JSON.stringify(line), `the line of turn ${id}`).toContain(JSON.stringify(prompt))
  }
  const { parentId, inheritedTurns = 0 } = made
  expect.soft(summary.inheritedTurns).toBe(inheritedTurns)
  expect.soft(summary.parent?.sessionId).toBe(parentId)
  if (parentId !== undefined) {
    const last = summary.turns[inheritedTurns - 1]
    expect.soft(summary.parent).toMatchObject({ agent: 'claude', kind: 'branch', turnId: last?.id, turnNumber: last?.number })
  }
  expect.soft(summary.copied).toBe(made.copied ?? false)
  expect.soft(summary.broken).toBeNull()
}

function checkUsage(summary: SessionSummary, requests: readonly LoggedRequest[]): void {
  const add = (pick: (request: LoggedRequest) => number) => requests.reduce((sum, request) => sum + pick(request), 0)
  expect.soft(summary.usage).toEqual({
    inputTokens: add(({ inputTokens }) => inputTokens),
    cachedInputTokens: 0,
    outputTokens: add(({ outputTokens }) => outputTokens),
  })
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
