// What the real interactive Codex does in a real terminal, as our look at its pane tells it; and what its composer makes of text.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { pane } from '../../../src/agents/codex/pane.ts'
import type { PaneLook } from '../../../src/agents/runs.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { envWith } from '../fork/codex-env.ts'
import { promptsIn } from '../headless/codex-bench.ts'
import { type CodexVersion, codexVersions } from '../lib/agents.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { openTerminal, type Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'

interface Pane extends Terminal {
  readonly sessionId: string | null
  see(): PaneLook
  /** Looks until it is so, and answers every state seen on the way. */
  until(state: PaneLook['state']): Promise<{ look: PaneLook; seen: PaneLook['state'][] }>
}

interface Bench {
  readonly home: CodexHome
  /** A session of ours, opened as a worker opens it. */
  open(flags?: readonly string[]): Promise<Pane>
  /** With just these words, as a person would. */
  openWith(words: readonly string[], sessionId?: string): Pane
}

async function withBench(version: CodexVersion, use: (bench: Bench) => Promise<void>): Promise<void> {
  const home = await createCodexHome(version)
  const env = { ...envWith(home), now: Date.now }
  const openWith = (words: readonly string[], sessionId: string | null = null): Pane => {
    const terminal = openTerminal(home.sandbox, { argv: [home.binary, ...words], cwd: home.work, env: home.env })
    const see = () => {
      const { lines, title } = terminal.look()
      return pane.look(env, { pid: terminal.pid, sessionId, screen: lines, title })
    }
    return {
      ...terminal,
      sessionId,
      see,
      until: async (state) => {
        const seen: PaneLook['state'][] = []
        const look = await waitUntil(
          `the state ${state}`,
          () => {
            const now = see()
            if (now.state !== seen.at(-1)) seen.push(now.state)
            return now.state === state && now
          },
          {
            everyMs: 20,
            describe: () => `seen ${seen}; ${JSON.stringify(see())}\n${terminal.look().title}\n${terminal.screen()}`,
          },
        )
        return { look, seen }
      },
    }
  }
  try {
    await use({
      home,
      openWith,
      open: async (flags = []) => {
        const { sessionId } = await codexStart(env, home.work)
        const [, ...words] = codex.command({ kind: 'resume', sessionId, cwd: home.work }).argv
        return openWith([words[0] ?? '', ...pane.flags, ...flags, ...words.slice(1)], sessionId)
      },
    })
  } finally {
    await home.dispose()
  }
}

function codexStart(env: Parameters<typeof codex.discover>[0], cwd: string) {
  if (codex.startSession === undefined) throw new Error('Codex cannot start a session')
  return codex.startSession(env, { cwd, title: 'In a pane' })
}

/** Does it until it is so: a key may come while the screen is being made anew, and is lost. */
async function again(talk: Pane, state: PaneLook['state'], act: () => unknown): Promise<void> {
  for (let left = 5; left > 0 && talk.see().state !== state; left -= 1) {
    await act()
    const endAt = Date.now() + 4000
    while (talk.see().state !== state && Date.now() < endAt) await pause(50)
  }
  await talk.until(state)
}

interface Scenario {
  readonly name: string
  readonly always: readonly CodexVersion[]
  run(bench: Bench): Promise<void>
}

const scenarios: readonly Scenario[] = [
  {
    name: 'starts, is idle, works, asks, and ends',
    always: codexVersions,
    async run({ home, open }) {
      const talk = await open(['--ask-for-approval=on-request', '--sandbox=read-only'])
      const { look, seen } = await talk.until('idle')
      // Who looks late does not see it start.
      expect([look.composer, seen.filter((state) => state !== 'starting')]).toEqual(['', ['idle']])

      talk.pasteText('some draft')
      await waitUntil('the draft', () => talk.see().composer === 'some draft')
      talk.key('C-u')
      await waitUntil('nothing', () => talk.see().composer === '')
      talk.pasteText('one\n\n1. three')
      await waitUntil('three lines', () => talk.see().composer === 'one\n\n1. three')
      expect(talk.see().state).toBe('idle')
      for (const _ of [1, 2, 3, 4, 5]) talk.key('C-u')
      await waitUntil('nothing', () => talk.see().composer === '')
      talk.pasteText('x'.repeat(2000))
      await waitUntil('the sign of a paste', () => talk.see().composer === '[Pasted Content 2000 chars]')
      talk.key('C-u')
      await waitUntil('nothing', () => talk.see().composer === '')

      talk.pasteText('Take your time [[hold]]')
      await waitUntil('the prompt', () => Boolean(talk.see().composer))
      talk.key('Enter')
      expect((await talk.until('busy')).seen).not.toContain('waiting')
      await waitUntil(
        'the answer to begin',
        () => talk.screen().includes('• Answer') || talk.screen().includes('esc to interrupt'),
      )
      await waitUntil('the file to say so too', () => talk.see().from === 'registry')
      expect(talk.see()).toEqual({ state: 'busy', question: null, composer: '', from: 'registry' })
      const over = await waitUntil('the end of the turn', () => {
        home.api.release() // again and again: the answer may not have come to where it waits
        return [talk.see()].find(({ state, from }) => state === 'idle' && from === 'registry')
      })
      expect(over).toEqual({ state: 'idle', question: null, composer: '', from: 'registry' })

      talk.pasteText('Now [[ask: touch made]]')
      await waitUntil('the prompt', () => Boolean(talk.see().composer))
      talk.key('Enter')
      const asked = await talk.until('waiting')
      await waitUntil('the question', () => talk.see().question?.includes('touch made'))
      expect([asked.seen.includes('dialog'), asked.look.composer]).toEqual([false, null])
      talk.key('Escape')
      expect((await talk.until('idle')).seen).toEqual(expect.not.arrayContaining(['dialog', 'ended']))

      // Its hint goes after a moment, and on a busy machine before the second Escape is there: then that was a first one.
      let whileHinted: PaneLook['state'] | undefined
      await again(talk, 'dialog', async () => {
        talk.key('Escape')
        const hinted = () => talk.screen().includes('esc again to edit previous message')
        for (let looks = 0; looks < 20 && whileHinted === undefined && talk.see().state === 'idle'; looks += 1) {
          const { state } = talk.see()
          if (hinted()) whileHinted = state
          await pause(50)
        }
      })
      expect(whileHinted ?? 'idle').toBe('idle')
      expect(talk.see().question).toContain('transcript')
      talk.key(home.version === '0.142.0' ? 'q' : 'Escape')
      await talk.until('idle')
      await again(talk, 'dialog', async () => {
        talk.key('C-u')
        await talk.submit('/model')
      })
      talk.key('Escape')
      await talk.until('idle')
      await again(talk, 'ended', async () => {
        talk.key('C-u')
        await talk.submit('/quit')
      })
      expect(talk.see()).toEqual({ state: 'ended', question: null, composer: null, from: 'registry' })
    },
  },
  {
    name: 'is never idle before it has asked about hooks or the folder',
    always: ['0.166.0'],
    async run({ home, open, openWith }) {
      const hooks = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true', timeout: 5 }] }] } }
      writeFileSync(join(home.folder, 'hooks.json'), JSON.stringify(hooks))
      for (const reviewed of [await open(), openWith([])]) {
        const { look, seen } = await reviewed.until('dialog')
        expect(look.question).toMatch(/^Hooks need review\n/)
        expect(seen.filter((state) => state !== 'starting')).toEqual(['dialog'])
        await again(reviewed, 'idle', () => {
          if (reviewed.see().state === 'dialog') reviewed.key('3')
          if (reviewed.see().state === 'dialog') reviewed.key('Enter')
        })
        await waitUntil('an empty composer', () => reviewed.see().composer === '')
        reviewed.close()
      }
      const stranger = openWith([
        `--cd=${home.sandbox.folder('stranger')}`,
        '--ask-for-approval=on-request',
        '--sandbox=read-only',
      ])
      const { look, seen } = await stranger.until('dialog')
      expect(look.question).toMatch(/trust|review/i)
      expect(seen).not.toContain('idle')
    },
  },
  {
    name: 'takes prompts as text, and refuses what it would run',
    always: ['0.166.0'],
    async run({ home, open }) {
      const talk = await open()
      await talk.until('idle')
      const prompts = [
        '/status',
        '/review all of it\nplease',
        '/',
        'see @notes.txt',
        '@notes.txt',
        '#x',
        '-x',
        'end \\',
        'a $HOME b',
        '?',
        'x '.repeat(900),
      ]
      for (const prompt of prompts) {
        const sent = home.api.requestsOf(talk.sessionId ?? '').length
        talk.pasteText(pane.literal(prompt))
        await waitUntil(`"${prompt}" in the composer`, () => Boolean(talk.see().composer))
        talk.key('Enter')
        const request = await waitUntil(`"${prompt}" to be sent`, () => home.api.requestsOf(talk.sessionId ?? '')[sent], {
          describe: talk.screen,
        })
        expect(promptsIn(request.input).at(-1)).toBe(prompt.trim())
        await talk.until('idle')
      }
      for (const prompt of ['!ls', ' !ls', '\n!ls', ' '])
        expect(() => pane.literal(prompt)).toThrow(expect.objectContaining({ code: 'usage' }))
    },
  },
  {
    name: 'is idle again when it was killed in the middle of a turn and resumed',
    always: ['0.166.0'],
    async run({ open, openWith }) {
      const talk = await open()
      await talk.until('idle')
      await talk.submit('Wait [[hang]]')
      await waitUntil('the turn', () => talk.see().state === 'busy' && talk.see().from === 'registry')
      process.kill(talk.pid, 'SIGKILL')
      await talk.until('ended')
      const again = openWith(['resume', ...pane.flags, talk.sessionId ?? ''], talk.sessionId ?? '')
      expect((await again.until('idle')).look.composer).toBe('')
      await again.submit('Go on')
      await again.waitFor('to: Go on')
      expect((await again.until('idle')).look.from).toBe('registry')
    },
  },
]

const selection = selectCells(scenarios, codexVersions)
console.log(describeSelection('codex, in a pane', selection))

describe.each(selection.run)('Codex $version in a pane', ({ scenario, version }) => {
  it(scenario.name, { timeout: 120_000 }, () => withBench(version, (bench) => scenario.run(bench)))
})
