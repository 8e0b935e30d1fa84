// What Claude Code does in a real terminal, as the pane driver sees it: from its registry, and where that says nothing, from the
// screen.
import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import type { PaneLook } from '../../../src/agents/runs.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { acceptDialogs, claudeVars } from '../claude/run.ts'
import { type ClaudeVersion, claudeCommand, claudeVersions } from '../lib/agents.ts'
import { describeSelection, type Planned, selectCells } from '../lib/matrix.ts'
import { openTerminal, type Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'

interface Pane {
  readonly bench: Bench
  readonly terminal: Terminal
  /** Every state seen, in order, each once in a row. */
  readonly seen: string[]
  look(): PaneLook
  until(what: string, is: (look: PaneLook) => boolean, everyMs?: number): Promise<PaneLook>
}

interface Scenario extends Planned<ClaudeVersion> {
  readonly cwd?: string
  readonly flags?: readonly string[]
  /** Run by a shell, as a command of the person's own is: the pane's process is not Claude Code, its session is not known. */
  readonly shell?: true
  run(pane: Pane): Promise<void>
}

async function openPane(version: ClaudeVersion, { cwd, flags = [], shell }: Scenario): Promise<Pane> {
  const bench = await createBench(version)
  const { sandbox, api } = bench
  const env = {
    ...sandbox.env,
    ...claudeVars(api),
  }
  acceptDialogs(sandbox, sandbox.work)
  const folder = cwd === undefined ? sandbox.work : sandbox.folder(cwd)
  const sessionId = randomUUID()
  const argv = [...claudeCommand(version), `--session-id=${sessionId}`, ...flags]
  const terminal = openTerminal(sandbox, { argv: shell ? ['sh', '-c', `${argv.join(' ')}; true`] : argv, cwd: folder, env })
  const { pane } = await claude.runs()
  const agentEnv: AgentEnv = { ...sandbox.agentEnv, now: Date.now }
  const seen: string[] = []
  const look = () => {
    const found = pane.look(agentEnv, {
      pid: terminal.pid,
      sessionId: shell ? null : sessionId,
      screen: terminal.screen().split('\n'),
      title: '',
    })
    if (seen.at(-1) !== found.state) seen.push(found.state)
    return found
  }
  const until = (what: string, is: (found: PaneLook) => boolean, everyMs = 40) =>
    waitUntil(what, () => [look()].find(is), { everyMs, describe: () => `${JSON.stringify(look())}\n${terminal.screen()}` })
  return { bench, terminal, seen, look, until }
}

const isState = (state: PaneLook['state']) => (look: PaneLook) => look.state === state

const scenarios: readonly Scenario[] = [
  {
    name: 'from start to end',
    always: claudeVersions,
    flags: ['--permission-mode=default'],
    async run({ terminal, bench, seen, until }) {
      const ready = ({ state, from, composer }: PaneLook) => state === 'idle' && from === 'registry' && composer === ''
      expect((await until('idle, by its registry', ready)).question).toBeNull()
      await terminal.type('hello there')
      await until('the text in the composer', ({ composer }) => composer === 'hello there')
      terminal.key('C-u')
      await until('an empty composer', ({ composer }) => composer === '')
      await terminal.submit('answer never [[hang]]')
      // The screen may be ahead by a moment.
      const busy = await until('busy, by its registry', ({ state, from }) => state === 'busy' && from === 'registry')
      expect(busy.question).toBeNull()
      terminal.key('Escape')
      // It puts the prompt back into the composer when nothing was answered yet.
      await until('idle again', ({ state, composer }) => state === 'idle' && composer === 'answer never [[hang]]')
      terminal.key('C-u')
      await until('an empty composer again', ({ composer }) => composer === '')

      await terminal.submit('ask me [[bash:touch x.txt]]')
      const isAsked = ({ state, from, question }: PaneLook) =>
        state === 'waiting' && from === 'registry' && question !== 'permission prompt'
      const waiting = await until('waiting, and the dialog drawn', isAsked)
      expect(waiting.composer).toBeNull()
      expect(waiting.question).toMatch(/touch x\.txt.*Do you want to proceed\?$/)
      // 2.1.325 heeds no key for the first seconds of a dialog.
      const answered = ({ state }: PaneLook) => {
        if (state === 'waiting') terminal.key('Enter')
        return state === 'idle'
      }
      await until('idle after the answer', answered, 700)
      expect(existsSync(bench.file('x.txt'))).toBe(true)
      // 2.1.197 loses an Enter now and then while it lists the commands.
      const entered = (state: PaneLook['state']) => (look: PaneLook) => {
        if (look.composer?.startsWith('/')) terminal.key('Enter')
        return look.state === state
      }
      await terminal.type('/status')
      expect(await until('a dialog', entered('dialog'), 700)).toMatchObject({ composer: null })
      terminal.key('Escape')
      await until('idle after the dialog', isState('idle'))
      await terminal.type('/exit')
      expect(await until('the end', entered('ended'), 700)).toEqual({
        state: 'ended',
        question: null,
        composer: null,
        from: 'registry',
      })
      // A look may come too late for a short state, and the entry goes a moment before the process does.
      expect(seen.filter((state) => state !== 'busy').join(' ')).toMatch(
        /^(starting )?(idle )+(waiting )+(idle )+(dialog )+(idle )+(starting )?ended$/,
      )
      expect(seen).toContain('busy')
    },
  },
  {
    name: 'a folder that is not trusted yet',
    always: claudeVersions,
    cwd: 'untrusted',
    async run({ until }) {
      const look = await until('the trust dialog', isState('dialog'))
      expect(look).toMatchObject({ composer: null, from: 'screen', question: expect.stringContaining('Accessing workspace') })
    },
  },
  {
    name: 'below a shell',
    always: ['2.1.325'],
    shell: true,
    async run({ terminal, until }) {
      await until('idle', ({ state, from }) => state === 'idle' && from === 'registry')
      await terminal.submit('answer never [[hang]]')
      await until('busy', ({ state, from }) => state === 'busy' && from === 'registry')
    },
  },
  {
    name: 'what stands in the composer',
    always: ['2.1.325'],
    async run({ terminal, bench, until }) {
      await until('idle', isState('idle'))
      const typed = 'one line'
      await terminal.type(typed)
      terminal.key('\\')
      terminal.key('Enter')
      await terminal.type('  and another')
      await until('both lines', ({ composer }) => composer === 'one line\n  and another')
      terminal.key('C-c')
      await until('nothing', ({ composer }) => composer === '')
      const file = join(bench.sandbox.root, 'pasted')
      writeFileSync(file, Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n'))
      terminal.paste(file)
      await until('a pasted text', ({ composer }) => /^\[Pasted text #1 \+\d+ lines\]$/.test(composer ?? ''))
      terminal.key('Enter')
      await bench.api.waitForPrompt('line 29')
    },
  },
  {
    name: 'literal prompts',
    always: ['2.1.197'],
    async run({ terminal, bench, until }) {
      const { pane } = await claude.runs()
      const file = join(bench.sandbox.root, 'pasted')
      for (const prompt of ['!touch by-bang', '-p --resume', 'ends with \\', '/etc/hosts is wrong', '# note', 'a\n/status\nb']) {
        await until('idle', ({ state, composer }) => state === 'idle' && composer === '')
        writeFileSync(file, pane.literal(prompt))
        terminal.paste(file)
        await until('the text', ({ composer }) => Boolean(composer))
        const taken = ({ composer, state }: PaneLook) => {
          if (composer) terminal.key('Enter') // it loses one now and then
          return composer === '' || state === 'busy'
        }
        await until('it to be taken', taken, 700)
        const start = prompt.slice(0, 10)
        expect((await bench.api.waitForPrompt(start)).prompt.trim()).toBe(prompt)
      }
      for (const refused of ['/status', ' /clear now', '\n/x', 'exit', ' QUIT ', ':q', ' '])
        expect(() => pane.literal(refused)).toThrow()
    },
  },
]

const selection = selectCells(scenarios, claudeVersions)
console.log(describeSelection('claude in a pane', selection))

describe.each(selection.run)('claude $version in a pane', ({ scenario, version }) => {
  it(scenario.name, { timeout: 120_000 }, async () => {
    const pane = await openPane(version, scenario)
    try {
      await scenario.run(pane)
    } finally {
      await pane.bench.sandbox.dispose()
    }
  })
})
