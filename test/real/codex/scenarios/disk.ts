// Scenarios about where and how the file lies: archived, compressed, carried on by a newer CLI.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { startAppServer } from '../app-server.ts'
import { execFork, execResume, runCodex } from '../exec.ts'
import type { CodexHome } from '../home.ts'
import { rolloutsOf } from '../rollouts.ts'
import { execTurns } from './plain.ts'
import type { Scenario } from './scenario.ts'

async function mustRun(home: CodexHome, ...args: string[]): Promise<void> {
  const { code, stderr } = await runCodex(home, ...args)
  if (code !== 0) throw new Error(`codex ${args.join(' ')}: ${stderr}`)
}

export const diskScenarios: readonly Scenario[] = [
  {
    name: 'archived session',
    always: ['0.142.0'],
    make: async (home) => {
      const made = await execTurns(home, ['Put me away', 'For later'])
      await mustRun(home, 'archive', made.threadId)
      return { ...made, archived: true, beforeResume: () => mustRun(home, 'unarchive', made.threadId) }
    },
  },
  {
    name: 'fork of a session archived since',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const made = await execTurns(home, ['Parent one', 'Parent two'])
      const child = await execFork(home, made.threadId, 'Only here')
      await mustRun(home, 'archive', made.threadId)
      const turnId = home.api.requestsOf(made.threadId).at(-1)?.turnId ?? null
      const parent = { threadId: made.threadId, turnId, inherited: 2 }
      return { threadId: child, turns: [...made.turns, { prompt: 'Only here' }], parent }
    },
  },
  {
    // The feature that makes such files is off by default; the reader in 0.166 is not.
    name: 'compressed file',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const made = await execTurns(home, ['Squeeze me [[shell: seq 1 200]]', 'Again'])
      for (const path of rolloutsOf(home, made.threadId)) {
        execFileSync('zstd', ['-q', '-3', path, '-o', `${path}.zst`])
        rmSync(path)
      }
      return made
    },
  },
  {
    name: 'old session carried on by the new CLI',
    versions: ['0.142.0'],
    always: ['0.142.0'],
    make: async (home) => {
      const made = await execTurns(home, ['In the old days [[shell: echo old]]', 'Still old'])
      await execResume(home.as('0.166.0'), made.threadId, 'New times [[shell: echo new]]')
      return { ...made, turns: [...made.turns, { prompt: 'New times [[shell: echo new]]' }], resumeWith: '0.166.0' }
    },
  },
  {
    name: 'fork of an old session by the new CLI',
    versions: ['0.142.0'],
    always: ['0.142.0'],
    make: async (home) => {
      const made = await execTurns(home, ['In the old days', 'Still old', 'Never forked'])
      const server = await startAppServer(home.as('0.166.0'))
      const resumed = await server.request<{ thread: { turns: { id: string }[] } }>('thread/read', {
        threadId: made.threadId,
        includeTurns: true,
      })
      const turnId = resumed.thread.turns[1]?.id ?? null
      const child = await server.fork(made.threadId, { lastTurnId: turnId })
      await server.turn(child, 'Only here')
      await server.stop()
      return {
        threadId: child,
        turns: [...made.turns.slice(0, 2), { prompt: 'Only here' }],
        parent: { threadId: made.threadId, turnId, inherited: 2 },
        resumeWith: '0.166.0',
      }
    },
  },
]
