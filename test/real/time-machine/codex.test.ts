// The same for Codex: recorded threads of every storage format are read as they were told, and a fork at any turn, resumed by the
// newest CLI, sends what the old one had sent.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { execResume } from '../codex/exec.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { envWith } from '../fork/codex-env.ts'
import { codexVersions } from '../lib/agents.ts'
import { compareHistory, type Rule, type SeenItem } from '../lib/history.ts'
import { turnsToFork, wholeMatrix } from '../lib/matrix.ts'
import { loadRecordings, type Recording, unpack } from './recording.ts'

const newest = codexVersions.at(-1) ?? '0.166.0'

describe.each(loadRecordings('codex'))('Codex $version, $story', (recording) => {
  it('is read as it was told', async () => {
    await withRecording(recording, async (home, { sessionId, turns }) => {
      const env = envWith(home)
      const file = find(home, sessionId)
      const summary = await codex.summarise(file, env)
      const prompted = summary.turns.filter(({ prompt }) => prompt !== '')
      const told = turns.map(({ prompt, state = 'complete', afterCompaction = false }) => ({ prompt, state, afterCompaction }))
      expect(prompted.map(({ prompt, state, afterCompaction }) => ({ prompt, state, afterCompaction }))).toEqual(told)
      expect(summary.deadTurns).toEqual([])
      for (const [index, { id, number }] of prompted.entries()) {
        const next = turns[index + 1]
        if (next?.history === undefined || next.afterCompaction !== turns[index]?.afterCompaction) continue
        const ours = await fromReader(codex.read(file, env, { view: 'context', upTo: { turnId: id } }))
        expect.soft(compareHistory(ours, next.history, codexRules).diff, `up to turn ${number}`).toBe('')
      }
    })
  })

  it(`is forked at ${wholeMatrix ? 'every turn' : 'its first and its last turn'} for the newest version`, {
    timeout: 240_000,
  }, async () => {
    await withRecording(recording, async (home, { sessionId, turns }) => {
      const env = envWith(home)
      const file = find(home, sessionId)
      const summary = await codex.summarise(file, env)
      const prompted = summary.turns.filter(({ prompt }) => prompt !== '')
      const cwd = join(home.sandbox.root, 'child')
      home.sandbox.git(home.work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
      const last = prompted.at(-1)
      const prompts = new Set([...turns.map(({ prompt }) => prompt), 'also look at this'])
      for (const turn of new Set([...turnsToFork(prompted), ...(last === undefined ? [] : [last])])) {
        const index = prompted.indexOf(turn)
        const next = turns[index + 1]
        const received = await resumeFork(home, file, turn.id, { cwd, prompts })
        const ours = await fromReader(codex.read(file, env, { view: 'context', upTo: { turnId: turn.id } }))
        expect.soft(compareHistory(ours, received, codexRules).diff, `turn ${turn.number} as read`).toBe('')
        if (next?.history === undefined || next.afterCompaction !== turns[index]?.afterCompaction) continue
        expect.soft(diffReceived(next.history, received), `turn ${turn.number} as it was sent then`).toBe('')
      }
    })
  })
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

/** What the API receives in front of the next prompt of a fork at this turn. */
async function resumeFork(
  home: CodexHome,
  file: SessionFile,
  turnId: string,
  { cwd, prompts }: { readonly cwd: string; readonly prompts: ReadonlySet<string> },
): Promise<SeenItem[]> {
  const target = { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: Date.now() }
  const child = await codex.writePrefix(file, envWith(home), { kind: 'turn', turnId }, target)
  const sent = home.api.requests.length
  await execResume(home, child.sessionId, 'a word in the child', { cwd })
  const request = home.api.requests.slice(sent).find(({ threadId }) => threadId === child.sessionId)
  if (request === undefined) throw new Error('the model was asked nothing')
  return historyBefore(request.input, prompts)
}

/** Both sides were received by the API: what the rules take out of a request is taken out of both. */
function diffReceived(then: readonly SeenItem[], now: readonly SeenItem[]): string {
  const rules = codexRules.filter(({ side }) => side !== 'ours').map((rule): Rule => ({ ...rule, side: 'both' }))
  return compareHistory(then, now, rules).diff
}
