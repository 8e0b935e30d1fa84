// The same for Codex: recorded threads of every storage format are read, forked at every turn and resumed by the newest CLI.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { ReadOptions } from '../../../src/agents/reading.ts'
import { execResume, startExec } from '../codex/exec.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { fromReader, historyBefore } from '../codex/received.ts'
import { envWith } from '../fork/codex-env.ts'
import { codexVersions } from '../lib/agents.ts'
import type { SeenItem } from '../lib/history.ts'
import { diffWithSent, sentHistory, unusedRules } from './codex-rules.ts'
import { promptsOf } from './codex-story.ts'
import { historyAfter, loadRecordings, type Recording, showRead, showTold, turnsToResume, unpack } from './recording.ts'

const newest = codexVersions.at(-1) ?? '0.166.0'
const recordings = loadRecordings('codex')

describe.each(recordings)('Codex $version, $story', (recording) => {
  it('is read as it was held, and so is a fork at every turn', async () => {
    await withRecording(recording, async (home, { sessionId, turns, version }) => {
      const file = find(home, sessionId)
      const summary = await codex.summarise(file, envWith(home))
      const prompted = summary.turns.filter(({ prompt }) => prompt !== '')
      expect(prompted.map(showRead)).toEqual(turns.map(showTold))
      const cwd = version === '0.20.0' ? null : home.work // 0.20 does not store it
      expect({ dead: summary.deadTurns, skipped: summary.skipped, cwd: summary.cwd }).toEqual({ dead: [], skipped: {}, cwd })
      for (const [index, { id, number }] of prompted.entries()) {
        const ours = await seen(home, file, { upTo: { turnId: id } })
        const child = await fork(home, file, id, home.work)
        expect.soft(await seen(home, child), `a fork at turn ${number}`).toEqual(ours)
        const then = historyAfter(turns, index)
        if (then !== undefined) expect.soft(diffWithSent(ours, then), `up to turn ${number}`).toBe('')
      }
    })
  })

  it('is sent by the newest version as it was sent then', { timeout: 240_000 }, async () => {
    await withRecording(recording, async (home, { sessionId, turns }) => {
      const file = find(home, sessionId)
      const summary = await codex.summarise(file, envWith(home))
      const prompted = summary.turns.filter(({ prompt }) => prompt !== '')
      const cwd = join(home.sandbox.root, 'child')
      home.sandbox.git(home.work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
      for (const turn of turnsToResume(prompted)) {
        const child = await fork(home, file, turn.id, cwd)
        const now = historyBefore(await resumeFork(home, child, cwd), promptsOf(turns))
        const ours = await seen(home, file, { upTo: { turnId: turn.id } })
        expect.soft(diffWithSent(ours, now), `turn ${turn.number} as read`).toBe('')
        const then = historyAfter(turns, prompted.indexOf(turn))
        if (then === undefined) continue
        expect.soft(diffWithSent(sentHistory(now), then), `turn ${turn.number} as sent then`).toBe('')
      }
    })
  })
})

describe.each(recordings.filter(({ version }) => version === '0.20.0'))('Codex $version, $story', (recording) => {
  it('is continued by a fork only: the newest version cannot resume the session itself', async () => {
    await withRecording(recording, async (home, { sessionId }) => {
      const { code, stderr } = await startExec(home, ['resume', sessionId, 'go on']).ended
      expect(code).not.toBe(0)
      expect(stderr).toContain('is empty')
      expect(home.api.requests).toEqual([])
    })
  })
})

it('needs every rule', () => {
  expect(unusedRules()).toEqual([])
})

async function withRecording(recording: Recording, check: (home: CodexHome, placed: Recording) => Promise<void>): Promise<void> {
  const home = await createCodexHome(newest)
  try {
    await check(home, unpack(recording, home.sandbox))
  } finally {
    await home.dispose()
  }
}

function find(home: CodexHome, sessionId: string): SessionFile {
  const file = [...codex.discover(home.sandbox.agentEnv)].find(({ id }) => id === sessionId)
  if (file === undefined) throw new Error(`our reader does not find ${sessionId}`)
  return file
}

function seen(home: CodexHome, file: SessionFile, options: ReadOptions = {}): Promise<SeenItem[]> {
  return fromReader(codex.read(file, envWith(home), { view: 'context', ...options }))
}

async function fork(home: CodexHome, file: SessionFile, turnId: string, cwd: string): Promise<SessionFile> {
  const target = { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: Date.now() }
  const { sessionId } = await codex.writePrefix(file, envWith(home), { kind: 'turn', turnId }, target)
  return find(home, sessionId)
}

/** What the API receives with the next prompt of a fork. */
async function resumeFork(home: CodexHome, child: SessionFile, cwd: string) {
  const sent = home.api.requests.length
  await execResume(home, child.id, 'a word in the child', { cwd })
  const request = home.api.requests.slice(sent).find(({ threadId }) => threadId === child.id)
  if (request === undefined) throw new Error('the model was asked nothing')
  return request.input
}
