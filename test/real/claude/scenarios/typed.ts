// Sessions typed into the terminal UI: what print mode cannot do.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Terminal } from '../../lib/tmux.ts'
import type { Bench } from '../bench.ts'
import { type RewindChoice, rewindTo } from '../rewind.ts'
import { both, newer, older, type Scenario, turns, waitForLine } from './scenario.ts'

export interface Typing {
  readonly sessionId: string
  readonly terminal: Terminal
  /** Submits a prompt and waits until it is answered and the agent is idle. */
  say(prompt: string): Promise<void>
  /** Opens the list of prompts (Escape Escape), goes up to this one and chooses what to do with it. */
  rewindTo(prompt: string, choice: RewindChoice): Promise<void>
  /** `/exit`, and waits for the process to end: everything is on disk then. */
  exit(): Promise<void>
}

export async function startTyping(bench: Bench, settings: object = {}): Promise<Typing> {
  const sessionId = randomUUID()
  const terminal = await bench.claude.open({ flags: ['--session-id', sessionId], settings })
  return {
    sessionId,
    terminal,
    async say(prompt) {
      await terminal.submit(prompt)
      await waitForLine(bench, sessionId, `the answer to "${prompt}"`, (line) => line.includes(`Answer to: ${prompt}`))
      await idle(terminal)
    },
    rewindTo: (prompt, choice) => rewindTo(terminal, prompt, choice),
    exit: () => terminal.leave('/exit'),
  }
}

async function idle(terminal: Terminal): Promise<void> {
  await terminal.waitWhile('esc to interrupt')
}

export const typedScenarios: readonly Scenario[] = [
  {
    name: 'typed turns',
    countsUsage: true,
    always: older,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('typed one')
      await typing.say('typed two [[bash:cat notes.txt]]')
      await typing.exit()
      return { sessionId: typing.sessionId, turns: turns('typed one', 'typed two [[bash:cat notes.txt]]') }
    },
  },
  {
    name: 'typed compaction',
    always: newer,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('before one')
      await typing.say('before two [[bash:cat notes.txt]]')
      await typing.terminal.submit('/compact')
      await typing.terminal.waitFor('Compacted (ctrl+o')
      await typing.say('after the compaction')
      await typing.exit()
      return {
        sessionId: typing.sessionId,
        turns: [
          ...turns('before one', 'before two [[bash:cat notes.txt]]'),
          { prompt: 'after the compaction', afterCompaction: true },
        ],
      }
    },
  },
  {
    name: 'stopped with Escape',
    always: older,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('before the stop')
      const prompt = 'work on [[bash:echo started; sleep 30]]'
      await typing.terminal.submit(prompt)
      await waitForLine(bench, typing.sessionId, 'the call', (line) => line.includes('"tool_use"'))
      typing.terminal.key('Escape')
      await waitForLine(bench, typing.sessionId, 'the stop', (line) => line.includes('[Request interrupted by user'))
      await typing.say('after the stop')
      await typing.exit()
      return {
        sessionId: typing.sessionId,
        turns: [{ prompt: 'before the stop' }, { prompt, state: 'interrupted' }, { prompt: 'after the stop' }],
      }
    },
  },
  {
    // A prompt typed while a tool runs is handed to the model with the tool's result: it belongs to the running turn.
    name: 'steered',
    always: both,
    async make(bench) {
      const typing = await startTyping(bench)
      const prompt = `wait for me [[bash:until [ -e ${bench.file('go')} ]; do sleep 0.1; done; cat notes.txt]]`
      await typing.terminal.submit(prompt)
      await waitForLine(bench, typing.sessionId, 'the call', (line) => line.includes('"tool_use"'))
      await typing.terminal.submit('also look at this')
      await waitForLine(
        bench,
        typing.sessionId,
        'the queued prompt',
        (line) => line.includes('enqueue') && line.includes('also look at this'),
      )
      writeFileSync(bench.file('go'), '')
      await waitForLine(bench, typing.sessionId, 'an answer', (line) => line.includes('Answer to:'))
      await typing.say('after the steering')
      await typing.exit()
      return {
        sessionId: typing.sessionId,
        turns: turns(prompt, 'after the steering'),
        said: [prompt, 'also look at this', 'after the steering'],
      }
    },
  },
  {
    // With no tool to ride on, a prompt typed meanwhile waits for the end of the turn and begins the next one.
    name: 'queued',
    always: older,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.terminal.submit('take your time [[slow:1500]]')
      await bench.api.waitForPrompt('take your time')
      await typing.terminal.submit('and then this')
      await waitForLine(bench, typing.sessionId, 'the answer', (line) => line.includes('Answer to: and then this'))
      await typing.exit()
      return { sessionId: typing.sessionId, turns: turns('take your time [[slow:1500]]', 'and then this') }
    },
  },
  {
    name: 'rewound with Escape Escape',
    always: newer,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('keep this')
      await typing.say('drop this')
      await typing.rewindTo('drop this', 'Restore conversation')
      typing.terminal.key('C-u') // the rewound prompt is offered for editing
      await typing.say('instead')
      await typing.exit()
      return { sessionId: typing.sessionId, turns: turns('keep this', 'instead'), deadTurns: ['drop this'] }
    },
  },
  {
    name: 'branched with /branch',
    always: newer,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('root one')
      await typing.say('root two [[bash:cat notes.txt]]')
      await typing.terminal.submit('/branch')
      const screen = await typing.terminal.waitFor(/new branch \(session [0-9a-f-]{36}\)/)
      const sessionId = /new branch \(session ([0-9a-f-]{36})\)/.exec(screen)?.[1] ?? ''
      await typing.terminal.submit('in the branch')
      await waitForLine(bench, sessionId, 'the answer', (line) => line.includes('Answer to: in the branch'))
      await typing.exit()
      return {
        sessionId,
        turns: turns('root one', 'root two [[bash:cat notes.txt]]', 'in the branch'),
        parentId: typing.sessionId,
        inheritedTurns: 2,
      }
    },
  },
  {
    // The boundary's logical parent is what stands before the kept part, so the kept turn is off the chain from the boundary.
    name: 'summarised up to a prompt',
    always: both,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('long ago')
      await typing.say('a while ago [[bash:cat notes.txt]]')
      await typing.say('just now')
      await typing.rewindTo('just now', 'Summarize up to here')
      await typing.terminal.waitFor('Summarized conversation')
      await typing.say('and on')
      await typing.exit()
      return {
        sessionId: typing.sessionId,
        turns: [
          ...turns('long ago', 'a while ago [[bash:cat notes.txt]]', 'just now'),
          { prompt: 'and on', afterCompaction: true },
        ],
      }
    },
  },
  {
    name: 'summarised from a prompt',
    always: newer,
    async make(bench) {
      const typing = await startTyping(bench)
      await typing.say('long ago')
      await typing.say('a while ago [[bash:cat notes.txt]]')
      await typing.say('just now')
      await typing.rewindTo('a while ago', 'Summarize from here')
      await typing.terminal.waitFor('Summarized conversation')
      typing.terminal.key('C-u') // the prompt it was summarised from is offered for editing
      await typing.say('and on')
      await typing.exit()
      return {
        sessionId: typing.sessionId,
        turns: [
          ...turns('long ago', 'a while ago [[bash:cat notes.txt]]', 'just now'),
          { prompt: 'and on', afterCompaction: true },
        ],
      }
    },
  },
]
