// Sessions that come from others, or move between folders.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { answerTo, both, newer, older, type Scenario, turns } from './scenario.ts'

async function fork(bench: Bench, sourceId: string, prompt: string, ...flags: string[]): Promise<string> {
  const id = randomUUID()
  await bench.claude.print(prompt, { flags: ['--resume', sourceId, '--fork-session', '--session-id', id, ...flags] })
  return id
}

export const forkedScenarios: readonly Scenario[] = [
  {
    name: 'a native fork',
    always: both,
    async make(bench) {
      const source = await bench.talk(['root one', 'root two [[bash:cat notes.txt]]'])
      const sessionId = await fork(bench, source, 'in the fork')
      return {
        sessionId,
        turns: turns('root one', 'root two [[bash:cat notes.txt]]', 'in the fork'),
        copied: true,
        inheritedTurns: 2,
      }
    },
  },
  {
    name: 'a native fork at an earlier turn',
    always: newer,
    async make(bench) {
      const source = await bench.talk(['root one', 'root two'])
      const sessionId = await fork(bench, source, 'in the fork', '--resume-session-at', answerTo(bench, source, 'root one'))
      return { sessionId, turns: turns('root one', 'in the fork'), copied: true, inheritedTurns: 1 }
    },
  },
  {
    name: 'a fork of a fork',
    always: older,
    async make(bench) {
      const source = await bench.talk(['root one'])
      const child = await fork(bench, source, 'child two')
      const sessionId = await fork(bench, child, 'grandchild three')
      return { sessionId, turns: turns('root one', 'child two', 'grandchild three'), copied: true, inheritedTurns: 2 }
    },
  },
  {
    name: 'a source that was forked',
    always: newer,
    async make(bench) {
      const sessionId = await bench.talk(['root one'])
      await fork(bench, sessionId, 'in the fork')
      return { sessionId, turns: turns('root one') }
    },
  },
  {
    name: 'resumed in a worktree',
    always: older,
    async make(bench) {
      const sessionId = await bench.talk(['at home'])
      const worktree = join(bench.sandbox.root, 'worktree')
      bench.sandbox.git(bench.sandbox.work, 'worktree', 'add', '--quiet', '-b', 'side', worktree)
      await bench.claude.print('in the worktree [[bash:pwd]]', { cwd: worktree, flags: ['--resume', sessionId] })
      return { sessionId, resumeIn: worktree, turns: turns('at home', 'in the worktree [[bash:pwd]]') }
    },
  },
  {
    name: 'resumed in an unrelated folder',
    versions: newer, // 2.1.197 finds a session only from its own repository
    always: newer,
    async make(bench) {
      const sessionId = await bench.talk(['at home'])
      const elsewhere = bench.sandbox.folder('elsewhere')
      await bench.claude.print('far away [[bash:pwd]]', { cwd: elsewhere, flags: ['--resume', sessionId] })
      return { sessionId, resumeIn: elsewhere, turns: turns('at home', 'far away [[bash:pwd]]') }
    },
  },
]
