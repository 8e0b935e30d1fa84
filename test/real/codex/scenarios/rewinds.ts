// Scenarios that go back in place, or lose their past to a summary.
import type { Scenario } from './scenario.ts'
import { addTurns, afterCompaction, compact, openThread, rewind } from './threads.ts'

const both = ['0.142.0', '0.166.0'] as const

export const rewindScenarios: readonly Scenario[] = [
  {
    name: 'compaction',
    always: both,
    make: async (home) => {
      const { server, threadId, turns } = await openThread(home, 2)
      const compacted = await compact(server, threadId, turns)
      const after = afterCompaction(await addTurns(server, threadId, ['After the summary']))
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
      const after = afterCompaction(await addTurns(server, threadId, ['Three', 'Four']))
      await rewind(home, { server, threadId, turns: [...turns, ...after] }, 1)
      const own = afterCompaction(await addTurns(server, threadId, ['Instead']))
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
      const after = afterCompaction(await addTurns(server, threadId, ['Three']))
      const dead = [...turns.slice(1), compacted, ...after]
      await server.request('thread/revert', { threadId, beforeTurnId: turns[1]?.id })
      const own = await addTurns(server, threadId, ['Instead'])
      await server.stop()
      return { threadId, turns: [...turns.slice(0, 1), ...own], deadTurns: dead }
    },
  },
]
