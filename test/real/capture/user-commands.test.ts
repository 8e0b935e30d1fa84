// `!` commands typed into the real Claude Code: the turn they stand behind has their files and those of the answer, in its conversation and
// in its code. 2.1.325 names them by a prompt id of their own, 2.1.197 by that of the turn.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type RewindChoice, rewindTo } from '../claude/rewind.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { type CaptureBench, newest, oldest, withBench } from './bench.ts'
import { askedDifference, type Child } from './conversation.ts'

interface Listed {
  readonly id: string
  readonly snapshot: { readonly by: string; readonly files: string[] } | null
}

const shellMode = /! for (bash|shell) mode|bash mode|shell mode/i

const inputLine = (screen: string) => screen.match(/^❯.*$/gm)?.at(-1) ?? ''

const open = async (bench: CaptureBench, resumed?: string) => {
  const id = resumed ?? randomUUID()
  const terminal = await bench.claude.claude.open({ flags: [resumed === undefined ? '--session-id' : '--resume', id] })
  const lines = () => JSON.stringify(bench.claude.lines(id))
  const count = (text: string) => lines().split(text).length - 1
  const idle = () => terminal.waitWhile('esc to interrupt')
  /** Waits for the line Claude writes once all Stop hooks have ended. */
  const stops = async (act: () => Promise<void>) => {
    const before = count('"stop_hook_summary"')
    await act()
    await waitUntil('the hooks to end', () => count('"stop_hook_summary"') > before, { describe: () => terminal.scrollback() })
    await idle()
  }
  const command = async (line: string) => {
    terminal.key('!')
    await terminal.waitFor(shellMode)
    await terminal.submit(line)
  }
  /** A rewind puts the prompt back into the input line. */
  const rewind = async (prompt: string, choice: RewindChoice) => {
    await rewindTo(terminal, prompt, choice)
    if (choice === 'Summarize from here')
      await waitUntil('the summary', () => count('"compact_boundary"') > 0, { describe: () => terminal.scrollback() })
    await idle()
    // On the way back it may come after the menu has gone: emptied until it stays so.
    const isEmpty = async () => {
      terminal.key('C-u')
      await pause(400)
      return !inputLine(terminal.screen()).includes(prompt)
    }
    await waitUntil('an empty input line', async () => (await isEmpty()) && (await isEmpty()), { describe: terminal.scrollback })
  }
  return { id, terminal, stops, command, rewind, count, idle }
}
const turnsOf = async (bench: CaptureBench, id: string) =>
  (JSON.parse((await bench.offshoot('turns', id, '--dead', '--json')).stdout) as { turns: Listed[] }).turns
const filesOfFork = async (bench: CaptureBench, id: string, at: string) => {
  const done = await bench.offshoot('fork', id, '--at', at, '--yes', '--json')
  const { fork } = JSON.parse(done.stdout) as { fork: { workspace: { path: string } } }
  return readdirSync(fork.workspace.path).filter((name) => /^m\d$/.test(name))
}
const versionsHere = wholeMatrix ? [newest, oldest] : [newest]
const show = ({ snapshot }: Listed) => (snapshot === null ? 'not captured' : `${snapshot.by} ${snapshot.files.join(' ')}`)

it.each(versionsHere)(
  'the answer to a ! command is part of the turn before, its files too ($claude)',
  { timeout: 120_000 },
  (versions) =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', 'claude')
      const { id, terminal, stops, command } = await open(bench)
      const writing = (name: string) => `[[write:${join(bench.work, name)}:${name}]]`
      await stops(() => terminal.submit(`one ${writing('m1')}`))
      await stops(() => command(`echo '${writing('m2')}'`))
      await stops(() => command('echo by hand > m3'))
      await stops(() => terminal.submit(`two ${writing('m4')}`))
      await terminal.leave('/exit')

      const turns = await turnsOf(bench, id)
      expect(turns.map(show)).toEqual(['hook m1 m2 m3', 'hook m4'])
      const done = await bench.offshoot('fork', id, '--at', '1', '--yes', '--json')
      const { fork } = JSON.parse(done.stdout) as {
        fork: { session_id: string; workspace: { path: string }; command: Child['command'] }
      }
      expect(readdirSync(fork.workspace.path).filter((name) => /^m\d$/.test(name))).toEqual(['m1', 'm2', 'm3'])
      const child = { sessionId: fork.session_id, command: fork.command }
      const parent = { agent: 'claude', sessionId: id, prompts: ['one', 'two'] } as const
      expect(await askedDifference(bench, parent, turns[0]?.id ?? null, child, 'go on')).toBe('')
      const asked = JSON.stringify(bench.claude.api.requests.at(-1)?.messages)
      expect(asked).toContain('by hand')
      expect(asked).toContain(join(bench.work, 'm2'))
    }),
)

it.each(versionsHere)(
  'a ! command behind a rewind leaves the turn that was rewound as it was captured ($claude)',
  { timeout: 120_000 },
  (versions) =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', 'claude')
      const { id, terminal, stops, command, rewind } = await open(bench)
      const writing = (name: string) => `[[write:${join(bench.work, name)}:${name}]]`
      await stops(() => terminal.submit(`one ${writing('m1')}`))
      await stops(() => terminal.submit(`two ${writing('m2')}`))
      await stops(() => terminal.submit(`three ${writing('m3')}`))
      const rewound = (await turnsOf(bench, id))[2]?.id
      const end = () => bench.git('for-each-ref', '--format=%(objectname) %(refname)', `refs/offshoot/claude/${id}/`).split('\n')
      const before = end()
      await rewind('three', 'Restore code and conversation')
      await stops(() => command('echo by hand > m4'))
      await terminal.leave('/exit')

      const turns = await turnsOf(bench, id)
      expect(turns.map(show)).toEqual(['hook m1', 'hook m2 m4', 'hook m3'])
      expect(turns[2]?.id).toBe(rewound)
      // Of all that was captured before, the turn that goes on is captured anew, and nothing else.
      expect(before.filter((line) => !end().includes(line))).toHaveLength(1)
      await bench.offshoot('restore', `${id}@${rewound}`, 'm3', '--yes')
      expect(readFileSync(join(bench.work, 'm3'), 'utf8')).toBe('m3')
      expect(await filesOfFork(bench, id, '2')).toEqual(['m1', 'm2', 'm4'])
    }),
)

it.each(versionsHere)(
  'a ! command behind "Summarize from here" belongs to the last turn ($claude)',
  { timeout: 120_000 },
  (versions) =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', 'claude')
      const { id, terminal, stops, command, rewind } = await open(bench)
      for (const at of ['1', '2', '3']) await stops(() => terminal.submit(`prompt ${at} [[bash:echo ${at} > m${at}]]`))
      await rewind('prompt 2', 'Summarize from here')
      await stops(() => command('echo by hand > m4'))
      await terminal.leave('/exit')
      expect((await turnsOf(bench, id)).map(show)).toEqual(['hook m1', 'hook m2', 'hook m3 m4'])
      expect(await filesOfFork(bench, id, '1')).toEqual(['m1'])
      expect(await filesOfFork(bench, id, '3')).toEqual(['m1', 'm2', 'm3', 'm4'])
    }),
)

it.each(versionsHere)(
  'a ! command that is the first thing after a resume belongs to the last turn ($claude)',
  { timeout: 120_000 },
  (versions) =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', 'claude')
      const first = await open(bench)
      for (const at of ['1', '2']) await first.stops(() => first.terminal.submit(`prompt ${at} [[bash:echo ${at} > m${at}]]`))
      await first.terminal.leave('/exit')
      const { id, terminal, stops, command } = await open(bench, first.id)
      await stops(() => command('echo by hand > m3'))
      await terminal.leave('/exit')
      expect((await turnsOf(bench, id)).map(show)).toEqual(['hook m1', 'hook m2 m3'])
      expect(await filesOfFork(bench, id, '2')).toEqual(['m1', 'm2', 'm3'])
    }),
)

it('a ! command that Claude does not answer is captured with the next prompt, and said until then', { timeout: 120_000 }, () =>
  withBench(newest, async (bench) => {
    const settings = join(bench.claude.sandbox.home, '.claude')
    mkdirSync(settings, { recursive: true })
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({ respondToBashCommands: false }))
    await bench.offshoot('hooks', 'install', '--agent', 'claude')
    const { id, terminal, stops, command, count } = await open(bench)
    await stops(() => terminal.submit(`one [[write:${join(bench.work, 'm1')}:1]]`))
    await command('echo by hand > m2')
    await waitUntil('the command to run', () => count('<bash-stdout>') > 0, { describe: () => terminal.scrollback() })
    expect((await turnsOf(bench, id)).map(show)).toEqual(['hook m1'])
    const plan = async () => (await bench.offshoot('fork', id, '--at', '1', '--dry-run', '--json')).stdout
    expect(await plan()).toContain('A command was run by hand')
    await stops(() => terminal.submit('two'))
    await terminal.leave('/exit')
    expect((await turnsOf(bench, id)).map(show)).toEqual(['late m1 m2', 'hook '])
    expect(await plan()).not.toContain('A command was run by hand')
  }),
)
