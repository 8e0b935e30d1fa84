// Scenarios of one session that goes its way: turns, tools, edits, thinking, and everything that can end a turn early.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../../lib/wait.ts'
import { startAppServer } from '../app-server.ts'
import { execNew, execResume, startExec } from '../exec.ts'
import type { CodexHome } from '../home.ts'
import { rolloutsOf } from '../rollouts.ts'
import type { Made, Scenario } from './scenario.ts'

/** Runs the prompts one `codex exec` after the other, as one session. */
export async function execTurns(home: CodexHome, prompts: readonly string[]): Promise<Made> {
  const [first = '', ...rest] = prompts
  const threadId = await execNew(home, first)
  for (const prompt of rest) await execResume(home, threadId, prompt)
  return { threadId, turns: prompts.map((prompt) => ({ prompt })) }
}

/** Kills a run with SIGKILL, as a crash would, once `underway` holds and `recorded` is on disk. */
async function killedTurn(home: CodexHome, prompt: string, recorded: string, underway: () => boolean): Promise<Made> {
  const before = await execTurns(home, ['A quiet start'])
  const run = startExec(home, ['resume', before.threadId, prompt])
  const isRecorded = () => rolloutsOf(home, before.threadId).some((path) => readFileSync(path, 'utf8').includes(recorded))
  await waitUntil('the turn to be under way', () => underway() && isRecorded())
  await run.killHard()
  return { ...before, turns: [...before.turns, { prompt, state: 'running' }] }
}

const both = ['0.142.0', '0.166.0'] as const

export const plainScenarios: readonly Scenario[] = [
  {
    name: 'several turns',
    always: both,
    make: (home) => execTurns(home, ['First question', 'Second question\nof two lines', 'Third: “unicode” \u2028 and 🙂']),
  },
  {
    name: 'tool calls',
    always: ['0.166.0'],
    make: (home) => execTurns(home, ['Look [[shell: echo seen; echo to-stderr >&2]]', 'Fail [[shell: exit 3]]', 'Go on']),
  },
  {
    name: 'three parallel tools',
    always: both,
    make: (home) => execTurns(home, ['Three at once [[shell: echo a]] [[shell: echo b]] [[shell: echo c]]', 'And then']),
  },
  {
    name: 'file edits',
    always: ['0.142.0'],
    make: (home) =>
      execTurns(home, [
        'Add [[patch: made.txt|hello]]',
        'Change [[edit: made.txt|hello|hello again]]',
        'Not possible [[edit: absent.txt|a|b]]',
      ]),
  },
  {
    name: 'reasoning',
    always: ['0.166.0'],
    make: (home) => execTurns(home, ['Think [[reason]] [[shell: echo thought]]', 'More [[reason]]']),
  },
  {
    name: 'API failure',
    always: ['0.166.0'],
    make: async (home) => {
      const { threadId } = await execTurns(home, ['All is well'])
      const failed = await startExec(home, ['resume', threadId, 'Now it breaks [[fail: 400]]']).ended
      if (failed.code === 0) throw new Error('a refused turn must fail')
      await execResume(home, threadId, 'Well again')
      const [one, two, three] = ['All is well', 'Now it breaks [[fail: 400]]', 'Well again']
      const state = home.version === '0.142.0' ? 'complete' : 'failed' // 0.142 records no error, and lists the turn as completed
      return { threadId, turns: [{ prompt: one }, { prompt: two, state }, { prompt: three }] }
    },
  },
  {
    name: 'killed in mid turn',
    always: ['0.166.0'],
    make: (home) => killedTurn(home, 'Never answered [[hang]]', 'Never answered', () => home.api.requests.length === 2),
  },
  {
    name: 'killed in mid tool',
    always: both,
    make: (home) => {
      const started = join(home.work, 'started')
      const prompt = 'Two tools [[shell: echo quick]] [[shell: touch started; sleep 60]]'
      return killedTurn(home, prompt, '"call_2_2"', () => existsSync(started))
    },
  },
  {
    name: 'interrupted turn',
    always: ['0.142.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      const first = await server.turn(threadId, 'Before the interruption')
      const stopped = await server.startTurn(threadId, 'To be stopped [[hold]]')
      await server.notified(({ method, params }) => method === 'item/agentMessage/delta' && params.turnId === stopped)
      await server.request('turn/interrupt', { threadId, turnId: stopped })
      const { status } = await server.turnEnd(stopped)
      if (status !== 'interrupted') throw new Error(`the turn ended as ${status}`)
      await server.stop()
      const turns = [
        { id: first.turnId, prompt: 'Before the interruption' },
        { id: stopped, prompt: 'To be stopped [[hold]]', state: 'interrupted' as const },
      ]
      return { threadId, turns }
    },
  },
  {
    name: 'steered turn',
    always: ['0.166.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      const turnId = await server.startTurn(threadId, 'Set out [[hold]]')
      await server.notified(({ method }) => method === 'item/agentMessage/delta')
      await server.request('turn/steer', {
        threadId,
        expectedTurnId: turnId,
        input: [{ type: 'text', text: 'Turn left instead' }],
      })
      home.api.release()
      await server.turnEnd(turnId)
      const second = await server.turn(threadId, 'Where are we?')
      await server.stop()
      return {
        threadId,
        turns: [
          { id: turnId, prompt: 'Set out [[hold]]' },
          { id: second.turnId, prompt: 'Where are we?' },
        ],
      }
    },
  },
  {
    name: 'turn without a prompt',
    always: ['0.142.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      const first = await server.turn(threadId, 'First')
      await server.request('thread/shellCommand', { threadId, command: 'echo by hand' })
      const id = await server.otherTurnEnd([{ id: first.turnId }])
      const last = await server.turn(threadId, 'Did you see?')
      await server.stop()
      return {
        threadId,
        turns: [
          { id: first.turnId, prompt: 'First' },
          { id, prompt: '' },
          { id: last.turnId, prompt: 'Did you see?' },
        ],
      }
    },
  },
  {
    name: 'resumed from another folder',
    always: ['0.166.0'],
    make: async (home) => {
      const made = await execTurns(home, ['Here', 'Still here'])
      const elsewhere = home.sandbox.folder('elsewhere')
      await execResume(home, made.threadId, 'Now there [[shell: pwd]]', { cwd: elsewhere })
      return { ...made, turns: [...made.turns, { prompt: 'Now there [[shell: pwd]]' }], resumeIn: elsewhere }
    },
  },
]
