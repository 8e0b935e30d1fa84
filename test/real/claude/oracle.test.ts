// The oracle: what our reader says the model has seen equals what the stand-in API really receives when the session is resumed.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { claudeVersions } from '../lib/agents.ts'
import { compareHistory, fromEntries } from '../lib/history.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { createBench } from './bench.ts'
import { claudeRules, fromMessages } from './received.ts'
import type { Made } from './scenarios/scenario.ts'
import { scenarios } from './scenarios.ts'

const selection = selectCells(scenarios, claudeVersions)
console.log(describeSelection('claude', selection))

const nextPrompt = 'what have we got so far?'

describe.each(selection.run)('claude $version: $scenario.name', ({ scenario, version }) => {
  it('is read as the model sees it', { timeout: 120_000 }, async () => {
    const bench = await createBench(version)
    try {
      const made = await scenario.make(bench)
      const { sandbox, api } = bench
      const path = bench.transcript(made.sessionId)
      const before = hash(path)
      const file = [...claude.discover(sandbox.agentEnv)].find(({ id }) => id === made.sessionId)
      if (file === undefined) throw new Error(`our reader does not find ${path}`)
      expect(file.path).toBe(path)
      const summary = await claude.summarise(file, sandbox.agentEnv)
      const ours = await fromEntries(claude.read(file, sandbox.agentEnv, { view: 'context' }), { withSystem: true })
      expect(hash(path)).toBe(before)
      checkSummary(summary, made, bench.lines(made.sessionId))

      const sent = api.requests.length
      await bench.claude.print(nextPrompt, { flags: ['--resume', made.sessionId], cwd: made.resumeIn ?? sandbox.work })
      const request = api.requests.slice(sent).find(({ kind, prompt }) => kind === 'turn' && prompt.endsWith(nextPrompt))
      if (request === undefined) throw new Error('the resumed session asked the model nothing')
      expect(request.sessionId).toBe(made.sessionId)
      const received = fromMessages(request.messages)
      const { diff } = compareHistory([...ours, { role: 'user', text: nextPrompt }], received, claudeRules)
      expect(diff).toBe('')
    } finally {
      await bench.sandbox.dispose()
    }
  })
})

function checkSummary(summary: Awaited<ReturnType<typeof claude.summarise>>, made: Made, lines: Record<string, unknown>[]): void {
  expect(summary.id).toBe(made.sessionId)
  expect(summary.turns.map(({ prompt, state, afterCompaction }) => ({ prompt, state, afterCompaction }))).toEqual(
    made.turns.map(({ prompt, state = 'complete', afterCompaction = false }) => ({ prompt, state, afterCompaction })),
  )
  expect(summary.turns.map(({ number }) => number)).toEqual(made.turns.map((_, index) => index + 1))
  expect(summary.deadTurns.map(({ prompt, number }) => ({ prompt, number }))).toEqual(
    (made.deadTurns ?? []).map((prompt) => ({ prompt, number: null })),
  )
  const uuids = new Set(lines.map(({ uuid }) => uuid))
  for (const turn of [...summary.turns, ...summary.deadTurns]) expect(uuids).toContain(turn.id)
  expect(summary.copied).toBe(made.copied ?? false)
  expect(summary.broken).toBeNull()
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
