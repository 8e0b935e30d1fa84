// Scenarios only a person at the terminal can make: the TUI's own compaction, rewind, interruption, fork and shell command.
import { basename } from 'node:path'
import { waitUntil } from '../../lib/wait.ts'
import { execNew, execResume } from '../exec.ts'
import type { CodexHome } from '../home.ts'
import { allRollouts } from '../rollouts.ts'
import { openCodexTerminal } from '../terminal.ts'
import type { Scenario } from './scenario.ts'

/** Ids of the threads on disk, oldest first. */
function threadIds(home: CodexHome): string[] {
  const ids = allRollouts(home).map((path) => /rollout-.{19}-([0-9a-f-]{36})/.exec(basename(path))?.[1] ?? '')
  return [...new Set(ids)].sort()
}

function newestThread(home: CodexHome): string {
  return threadIds(home).at(-1) ?? ''
}

export const terminalScenarios: readonly Scenario[] = [
  {
    name: 'compaction in the terminal',
    always: ['0.166.0'],
    make: async (home) => {
      const terminal = await openCodexTerminal(home)
      await terminal.ask('Before the summary')
      await terminal.command('/compact')
      await terminal.ask('After the summary')
      await terminal.quit()
      return {
        threadId: newestThread(home),
        turns: [{ prompt: 'Before the summary' }, { prompt: '' }, { prompt: 'After the summary', afterCompaction: true }],
      }
    },
  },
  {
    name: 'rewind in the terminal',
    always: ['0.142.0', '0.166.0'],
    make: async (home) => {
      const terminal = await openCodexTerminal(home)
      await terminal.ask('Keep this')
      await terminal.ask('Take this back')
      await terminal.ask('And this')
      await terminal.rewind(2)
      await terminal.waitFor(/^› Take this back/m)
      terminal.key('C-u')
      await terminal.ask('This instead')
      await terminal.quit()
      return {
        threadId: newestThread(home),
        turns: [{ prompt: 'Keep this' }, { prompt: 'This instead' }],
        deadTurns: [{ prompt: 'Take this back' }, { prompt: 'And this' }],
      }
    },
  },
  {
    name: 'interrupted in the terminal',
    always: ['0.166.0'],
    make: async (home) => {
      const terminal = await openCodexTerminal(home)
      await terminal.ask('Before')
      await terminal.submit('Half of it [[shell: echo half]] [[hang]]')
      await terminal.waitFor(/Ran .*echo half/)
      await terminal.waitFor('esc to interrupt')
      terminal.key('Escape')
      await terminal.waitFor('Conversation interrupted')
      await terminal.ask('After')
      await terminal.quit()
      const [before, stopped, after] = ['Before', 'Half of it [[shell: echo half]] [[hang]]', 'After']
      return {
        threadId: newestThread(home),
        turns: [{ prompt: before }, { prompt: stopped, state: 'interrupted' }, { prompt: after }],
      }
    },
  },
  {
    // With nothing answered yet, 0.142 also takes the prompt back: it appends an abort and a rollback. 0.166 keeps the turn.
    name: 'interrupted before any answer',
    always: ['0.142.0'],
    make: async (home) => {
      const terminal = await openCodexTerminal(home)
      await terminal.ask('Before')
      const requests = home.api.requests.length
      await terminal.submit('Stop me [[hang]]')
      await waitUntil('the request', () => home.api.requests.length > requests)
      await terminal.waitFor('esc to interrupt')
      terminal.key('Escape')
      await terminal.waitWhile('esc to interrupt')
      await terminal.waitFor(/^› (Stop me \[\[hang\]\]|Ask Codex to do anything)/m)
      terminal.key('C-u')
      await terminal.ask('After')
      await terminal.quit()
      const stopped = { prompt: 'Stop me [[hang]]', state: 'interrupted' } as const
      const threadId = newestThread(home)
      return home.version === '0.142.0'
        ? { threadId, turns: [{ prompt: 'Before' }, { prompt: 'After' }], deadTurns: [stopped] }
        : { threadId, turns: [{ prompt: 'Before' }, stopped, { prompt: 'After' }] }
    },
  },
  {
    name: 'shell command in the terminal',
    always: ['0.166.0'],
    make: async (home) => {
      const terminal = await openCodexTerminal(home)
      await terminal.ask('Before')
      await terminal.command('!echo by hand')
      await terminal.ask('After')
      await terminal.quit()
      return { threadId: newestThread(home), turns: ['Before', '', 'After'].map((prompt) => ({ prompt })) }
    },
  },
  {
    name: 'fork in the terminal',
    always: ['0.142.0'],
    make: async (home) => {
      const parent = await execNew(home, 'Parent one')
      await execResume(home, parent, 'Parent two')
      const terminal = await openCodexTerminal(home, ['fork', parent])
      await terminal.ask('Only here')
      await terminal.quit()
      return {
        threadId: newestThread(home),
        turns: ['Parent one', 'Parent two', 'Only here'].map((prompt) => ({ prompt })),
        parent: { threadId: parent, turnId: home.api.requestsOf(parent).at(-1)?.turnId ?? null, inherited: 2 },
      }
    },
  },
]
