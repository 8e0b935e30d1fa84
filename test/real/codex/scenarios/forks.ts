// Scenarios of forks: at the tip, at earlier turns, of forks, of what was rewound, of what is still running or gone.
import { rmSync } from 'node:fs'
import { execFork, execResume } from '../exec.ts'
import { rolloutsOf } from '../rollouts.ts'
import type { Scenario } from './scenario.ts'
import { addTurns, afterCompaction, compact, forkAt, openThread, rewind } from './threads.ts'

const both = ['0.142.0', '0.166.0'] as const

export const forkScenarios: readonly Scenario[] = [
  {
    name: 'native fork',
    always: both,
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const parent = { threadId, turnId: turns.at(-1)?.id ?? null, inherited: 2 }
      if (home.version === '0.142.0') {
        const child = await server.fork(threadId)
        const own = await addTurns(server, child, ['Only here'])
        await addTurns(server, threadId, ['Only in the parent'])
        await server.stop()
        return { threadId: child, turns: [...turns, ...own], parent }
      }
      await server.stop()
      const child = await execFork(home, threadId, 'Only here')
      await execResume(home, threadId, 'Only in the parent')
      return { threadId: child, turns: [...turns, { prompt: 'Only here' }], parent }
    },
  },
  {
    name: 'fork without a prompt of its own',
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const made = await forkAt(home, server, threadId, turns, 2)
      await server.stop()
      return made
    },
  },
  {
    name: 'fork at an earlier turn',
    always: both,
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 4)
      const made = await forkAt(home, server, threadId, turns, 2)
      const own = await addTurns(server, made.threadId, ['Another third'])
      await server.stop()
      return { ...made, turns: [...made.turns, ...own] }
    },
  },
  {
    name: 'fork before the first turn',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const child = await server.fork(threadId, { beforeTurnId: turns[0]?.id })
      const own = await addTurns(server, child, ['A fresh start'])
      await server.stop()
      return { threadId: child, turns: own, parent: { threadId, turnId: null, inherited: 0 } }
    },
  },
  {
    name: 'fork of a fork',
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const child = await forkAt(home, server, threadId, turns, 2)
      const own = await addTurns(server, child.threadId, ['Child one', 'Child two'])
      const grandchild = await forkAt(home, server, child.threadId, [...turns, ...own], 3)
      const last = await addTurns(server, grandchild.threadId, ['Grandchild one'])
      await server.stop()
      return { ...grandchild, turns: [...grandchild.turns, ...last] }
    },
  },
  {
    name: 'fork of a fork at a turn of the grandparent',
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 3)
      const child = await forkAt(home, server, threadId, turns, 2)
      const own = await addTurns(server, child.threadId, ['Child one'])
      const made = await forkAt(home, server, child.threadId, [...turns.slice(0, 2), ...own], 1)
      await server.stop()
      return made
    },
  },
  {
    name: 'fork of a rewound thread',
    always: ['0.166.0'],
    make: async (home) => {
      const opened = await openThread(home, 3)
      const { server, threadId, turns } = opened
      await rewind(home, opened, 1)
      const after = await addTurns(server, threadId, ['Another third'])
      const made = await forkAt(home, server, threadId, [...turns.slice(0, 2), ...after], 3)
      const own = await addTurns(server, made.threadId, ['Only here'])
      await server.stop()
      return { ...made, turns: [...made.turns, ...own] }
    },
  },
  {
    name: 'fork before a compaction',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      await compact(server, threadId, turns)
      const made = await forkAt(home, server, threadId, turns, 1)
      await server.stop()
      return made
    },
  },
  {
    name: 'fork of a compacted thread',
    always: ['0.142.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const compacted = await compact(server, threadId, turns)
      const made = await forkAt(home, server, threadId, [...turns, compacted], 3)
      const own = afterCompaction(await addTurns(server, made.threadId, ['Only here']))
      await server.stop()
      return { ...made, turns: [...made.turns, ...own] }
    },
  },
  {
    name: 'fork while a turn runs',
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 1)
      const running = await server.startTurn(threadId, 'Still at it [[hold]]')
      await server.notified(({ method, params }) => method === 'item/agentMessage/delta' && params.turnId === running)
      const child = await server.fork(threadId)
      home.api.release()
      await server.turnEnd(running)
      await server.stop()
      return {
        threadId: child,
        turns: [...turns, { id: running, prompt: 'Still at it [[hold]]', state: 'interrupted' }],
        parent: { threadId, turnId: running, inherited: 2 },
      }
    },
  },
  {
    name: 'parent of a fork deleted',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const made = await forkAt(home, server, threadId, turns, 1)
      const own = await addTurns(server, made.threadId, ['Only here'])
      await server.stop()
      for (const path of rolloutsOf(home, threadId)) rmSync(path)
      return { ...made, turns: own, broken: true }
    },
  },
]
