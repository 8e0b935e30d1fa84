// Users have sessions of every version and resume them with the newest: recorded sessions of old versions are read as they were
// told, and a fork at any turn, resumed by the newest CLI, sends what the old one had sent.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { claudeRules } from '../claude/received.ts'
import { discover, requestFor, seen } from '../fork/claude-forks.ts'
import { claudeVersions } from '../lib/agents.ts'
import { compareHistory, type Rule, type SeenItem } from '../lib/history.ts'
import { turnsToFork, wholeMatrix } from '../lib/matrix.ts'
import { historyBefore } from './claude-story.ts'
import { loadRecordings, type Recording, unpack } from './recording.ts'

const newest = claudeVersions.at(-1) ?? '2.1.325'

describe.each(loadRecordings('claude'))('Claude Code $version, $story', (recording) => {
  it('is read as it was told', async () => {
    await withRecording(recording, async (bench, { sessionId, turns }) => {
      const file = discover(bench, sessionId)
      const summary = await claude.summarise(file, bench.sandbox.agentEnv)
      const told = turns.map(({ prompt, state = 'complete', afterCompaction = false }) => ({ prompt, state, afterCompaction }))
      expect(summary.turns.map(({ prompt, state, afterCompaction }) => ({ prompt, state, afterCompaction }))).toEqual(told)
      expect(summary.deadTurns).toEqual([])
      expect(summary.cliVersion).toBe(recording.version)
      for (const [index, { id, number }] of summary.turns.entries()) {
        const next = turns[index + 1]
        if (next?.history === undefined || next.afterCompaction !== turns[index]?.afterCompaction) continue
        const ours = await seen(bench, file, { upTo: { turnId: id } })
        expect.soft(compareHistory(ours, next.history, claudeRules).diff, `up to turn ${number}`).toBe('')
      }
    })
  })

  it(`is forked at ${wholeMatrix ? 'every turn' : 'its first and its last turn'} for the newest version`, {
    timeout: 240_000,
  }, async () => {
    await withRecording(recording, async (bench, { sessionId, turns }) => {
      const file = discover(bench, sessionId)
      const summary = await claude.summarise(file, bench.sandbox.agentEnv)
      const cwd = join(bench.sandbox.root, 'child')
      bench.sandbox.git(bench.sandbox.work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
      const last = summary.turns.at(-1)
      const chosen = new Set([...turnsToFork(summary.turns), ...(last === undefined ? [] : [last])])
      for (const turn of chosen) {
        const index = summary.turns.indexOf(turn)
        const next = turns[index + 1]
        const isSplit = next === undefined || next.afterCompaction !== turns[index]?.afterCompaction
        const received = await resumeFork(bench, file, turn.id, cwd)
        const ours = await seen(bench, file, { upTo: { turnId: turn.id } })
        expect.soft(compareHistory(ours, received, claudeRules).diff, `turn ${turn.number} as read`).toBe('')
        if (isSplit || next.history === undefined) continue
        expect.soft(diffReceived(next.history, received), `turn ${turn.number} as it was sent then`).toBe('')
      }
    })
  })
})

async function withRecording(recording: Recording, check: (bench: Bench, placed: Recording) => Promise<void>): Promise<void> {
  const bench = await createBench(newest)
  try {
    await check(bench, unpack(recording, bench.sandbox))
  } finally {
    await bench.sandbox.dispose()
  }
}

/** What the API receives in front of the next prompt of a fork at this turn. */
async function resumeFork(bench: Bench, file: SessionFile, turnId: string, cwd: string): Promise<SeenItem[]> {
  const target = { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: 0 }
  const child = await claude.writePrefix(file, bench.sandbox.agentEnv, { kind: 'turn', turnId }, target)
  const prompt = `a word in ${child.sessionId}`
  const [, ...flags] = claude.command({ kind: 'resume', sessionId: child.sessionId, cwd }).argv
  await bench.claude.print(prompt, { flags, cwd })
  return historyBefore(requestFor(bench, prompt), prompt)
}

/** Both sides were received by the API: what the rules take out of a request is taken out of both. */
function diffReceived(then: readonly SeenItem[], now: readonly SeenItem[]): string {
  const rules = claudeRules.filter(({ side }) => side !== 'ours').map((rule): Rule => ({ ...rule, side: 'both' }))
  return compareHistory(then, now, rules).diff
}
