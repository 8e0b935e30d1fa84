// Scenarios in which history is not a straight line: forks of every kind, rewinds, and forks of what was rewound.
import { rmSync } from 'node:fs'
import { type AppServer, startAppServer } from './app-server.ts'
import { execFork, execResume } from './exec.ts'
import type { CodexHome } from './home.ts'
import { rolloutsOf } from './rollouts.ts'
import type { ExpectedTurn, Made, Scenario } from './scenario.ts'

const both = ['0.142.0', '0.166.0'] as const
const numbered = ['One', 'Two', 'Three', 'Four']

interface Opened {
  readonly server: AppServer
  readonly threadId: string
  readonly turns: readonly (ExpectedTurn & { readonly id: string })[]
}

/** A thread of `count` turns, its app-server still open. */
async function openThread(home: CodexHome, count: number): Promise<Opened> {
  const server = await startAppServer(home)
  const threadId = await server.startThread(home.work)
  return { server, threadId, turns: await addTurns(server, threadId, numbered.slice(0, count)) }
}

async function addTurns(
  server: AppServer,
  threadId: string,
  prompts: readonly string[],
): Promise<{ id: string; prompt: string }[]> {
  const turns: { id: string; prompt: string }[] = []
  for (const prompt of prompts) turns.push({ id: (await server.turn(threadId, prompt)).turnId, prompt })
  return turns
}

/** Compacts; this is a turn of its own, without a prompt. */
async function compact(server: AppServer, threadId: string, turns: Opened['turns']): Promise<{ id: string; prompt: string }> {
  await server.request('thread/compact/start', { threadId })
  return { id: await server.otherTurnEnd(turns), prompt: '' }
}

/** Drops the last `count` turns in place: 0.142 appends a mark to the file, 0.166 goes on in a new segment. */
async function rewind(home: CodexHome, { server, threadId, turns }: Opened, count: number): Promise<void> {
  if (home.version === '0.142.0') await server.request('thread/rollback', { threadId, numTurns: count })
  else await server.request('thread/revert', { threadId, beforeTurnId: turns.at(-count)?.id })
}

/** Forks after `kept` turns. 0.142 knows no fork point: there the whole thread is forked and the child rolled back. */
async function forkAt(
  home: CodexHome,
  server: AppServer,
  threadId: string,
  turns: readonly ExpectedTurn[],
  kept: number,
): Promise<Made> {
  const turnId = turns[kept - 1]?.id ?? null
  const old = home.version === '0.142.0'
  const child = await server.fork(threadId, old ? {} : { lastTurnId: turnId })
  if (old && kept < turns.length) await server.request('thread/rollback', { threadId: child, numTurns: turns.length - kept })
  return { threadId: child, turns: turns.slice(0, kept), parent: { threadId, turnId, inherited: kept } }
}

export const branchScenarios: readonly Scenario[] = [
  {
    name: 'compaction',
    always: both,
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const compacted = await compact(server, threadId, turns)
      const after = await addTurns(server, threadId, ['After the summary'])
      await server.stop()
      return { threadId, turns: [...turns, compacted, ...after] }
    },
  },
  {
    name: 'rewind in place',
    always: both,
    make: async (home) => {
      const opened = await openThread(home, 3)
      await rewind(home, opened, 2)
      const after = await addTurns(opened.server, opened.threadId, ['Another second'])
      await opened.server.stop()
      return { threadId: opened.threadId, turns: [...opened.turns.slice(0, 1), ...after], deadTurns: opened.turns.slice(1) }
    },
  },
  {
    name: 'rewound twice',
    always: ['0.166.0'],
    make: async (home) => {
      const opened = await openThread(home, 3)
      const { server, threadId, turns } = opened
      await rewind(home, opened, 1)
      const again = await addTurns(server, threadId, ['Third again'])
      const now = [...turns.slice(0, 2), ...again]
      await rewind(home, { ...opened, turns: now }, 2)
      await server.stop()
      return { threadId, turns: turns.slice(0, 1), deadTurns: [...turns.slice(1), ...again] }
    },
  },
  {
    name: 'rewound to nothing',
    always: ['0.166.0'],
    make: async (home) => {
      const opened = await openThread(home, 2)
      await rewind(home, opened, 2)
      await opened.server.stop()
      return { threadId: opened.threadId, turns: [], deadTurns: opened.turns }
    },
  },
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
  {
    // 0.142 cannot: it drops the turn from its list, but the model keeps what stood in front of the second prompt.
    name: 'rewind of a steered turn',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 1)
      const steered = await server.startTurn(threadId, 'Set out [[hold]]')
      await server.notified(({ method, params }) => method === 'item/agentMessage/delta' && params.turnId === steered)
      await server.request('turn/steer', { threadId, expectedTurnId: steered, input: [{ type: 'text', text: 'Turn left' }] })
      home.api.release()
      await server.turnEnd(steered)
      const all = [...turns, { id: steered, prompt: 'Set out [[hold]]' }]
      await rewind(home, { server, threadId, turns: all }, 1)
      const after = await addTurns(server, threadId, ['Instead'])
      await server.stop()
      return { threadId, turns: [...turns, ...after], deadTurns: all.slice(1) }
    },
  },
  {
    // thread/rollback counts prompts; the list of 0.142 counts turns and so still shows one that the model no longer sees.
    name: 'rewind past a turn without a prompt',
    always: ['0.142.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      await server.request('thread/shellCommand', { threadId, command: 'echo by hand' })
      const shell = { id: await server.otherTurnEnd(turns), prompt: '' }
      const dead = [...turns.slice(1), shell, ...(await addTurns(server, threadId, ['Three']))]
      await rewind(home, { server, threadId, turns: [...turns.slice(0, 1), ...dead.filter(({ prompt }) => prompt !== '')] }, 2)
      const after = await addTurns(server, threadId, ['Instead'])
      await server.stop()
      const listed = home.version !== '0.142.0'
      return { threadId, turns: [...turns.slice(0, 1), ...after], deadTurns: dead, listed }
    },
  },
  {
    name: 'rewind after a compaction',
    always: ['0.142.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const compacted = await compact(server, threadId, turns)
      const after = await addTurns(server, threadId, ['Three', 'Four'])
      await rewind(home, { server, threadId, turns: [...turns, ...after] }, 1)
      const own = await addTurns(server, threadId, ['Instead'])
      await server.stop()
      return { threadId, turns: [...turns, compacted, ...after.slice(0, 1), ...own], deadTurns: after.slice(1) }
    },
  },
  {
    // 0.142 loses everything in front of the compaction then, and newer ones read its file differently: no truth to compare with.
    name: 'rewind across a compaction',
    versions: ['0.166.0'],
    always: ['0.166.0'],
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const compacted = await compact(server, threadId, turns)
      const after = await addTurns(server, threadId, ['Three'])
      const dead = [...turns.slice(1), compacted, ...after]
      await server.request('thread/revert', { threadId, beforeTurnId: turns[1]?.id })
      const own = await addTurns(server, threadId, ['Instead'])
      await server.stop()
      return { threadId, turns: [...turns.slice(0, 1), ...own], deadTurns: dead }
    },
  },
]
