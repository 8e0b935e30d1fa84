// Users have sessions of every version and resume them with the newest one. Each recorded session is read, forked at every turn,
// and some forks (with OFFSHOOT_MATRIX=1 all) are resumed by the newest CLI, which must send what the old one had sent.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { fromMessages } from '../claude/received.ts'
import { discover, requestFor, seen } from '../fork/claude-forks.ts'
import { claudeVersions } from '../lib/agents.ts'
import type { SeenItem } from '../lib/history.ts'
import { diffWithNow, diffWithThen, sentHistory, unusedRules } from './claude-rules.ts'
import { historyAfter, loadRecordings, type Recording, showRead, showTold, turnsToResume, unpack } from './recording.ts'

const newest = claudeVersions.at(-1) ?? '2.1.325'

describe.each(loadRecordings('claude'))('Claude Code $version, $story', (recording) => {
  it('is read as it was held, and so is a fork at every turn', async () => {
    await withRecording(recording, async (bench, { sessionId, turns, version }) => {
      const file = discover(bench, sessionId)
      const summary = await claude.summarise(file, bench.sandbox.agentEnv)
      expect(summary.turns.map(showRead)).toEqual(turns.map(showTold))
      expect({ dead: summary.deadTurns, version: summary.cliVersion }).toEqual({ dead: [], version })
      for (const [index, { id, number }] of summary.turns.entries()) {
        const ours = await seen(bench, file, { upTo: { turnId: id } })
        const child = await fork(bench, file, id, bench.sandbox.work)
        expect.soft(await seen(bench, child), `a fork at turn ${number}`).toEqual(ours)
        const then = historyAfter(turns, index)
        if (then !== undefined) expect.soft(diffWithThen(ours, then, version), `up to turn ${number}`).toBe('')
      }
    })
  })

  it('is sent by the newest version as it was sent then', { timeout: 240_000 }, async () => {
    await withRecording(recording, async (bench, { sessionId, turns, version }) => {
      const file = discover(bench, sessionId)
      const summary = await claude.summarise(file, bench.sandbox.agentEnv)
      const cwd = join(bench.sandbox.root, 'child')
      bench.sandbox.git(bench.sandbox.work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
      for (const turn of turnsToResume(summary.turns)) {
        const prompt = `a word after turn ${turn.number}`
        const now = await resumeFork(bench, await fork(bench, file, turn.id, cwd), prompt, cwd)
        const ours = await seen(bench, file, { upTo: { turnId: turn.id } })
        expect.soft(diffWithNow(ours, now, prompt), `turn ${turn.number} as read`).toBe('')
        const then = historyAfter(turns, summary.turns.indexOf(turn))
        if (then === undefined) continue
        expect.soft(diffWithThen(sentHistory(now), then, version), `turn ${turn.number} as sent then`).toBe('')
      }
    })
  })
})

it('needs every rule', () => {
  expect(unusedRules()).toEqual([])
})

async function withRecording(recording: Recording, check: (bench: Bench, placed: Recording) => Promise<void>): Promise<void> {
  const bench = await createBench(newest)
  try {
    await check(bench, unpack(recording, bench.sandbox))
  } finally {
    await bench.sandbox.dispose()
  }
}

async function fork(bench: Bench, file: SessionFile, turnId: string, cwd: string): Promise<SessionFile> {
  const target = { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: 0 }
  const { sessionId } = await claude.writePrefix(file, bench.sandbox.agentEnv, { kind: 'turn', turnId }, target)
  return discover(bench, sessionId)
}

/** What the API receives with the next prompt of a fork. */
async function resumeFork(bench: Bench, child: SessionFile, prompt: string, cwd: string): Promise<SeenItem[]> {
  const [, ...flags] = claude.command({ kind: 'resume', sessionId: child.id, cwd }).argv
  await bench.claude.print(prompt, { flags, cwd })
  return fromMessages(requestFor(bench, prompt).messages)
}
