// The interactive Codex in a real terminal. Always --no-daemon on 0.166: else the TUI copies itself into CODEX_HOME and leaves
// a background server that keeps the thread locked for a minute.
import { readFileSync } from 'node:fs'
import { openTerminal, type Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import type { CodexHome } from './home.ts'
import { allRollouts } from './rollouts.ts'

export interface CodexTerminal extends Terminal {
  /** Sends it and waits until the turn is over, on the screen and on disk. */
  ask(prompt: string): Promise<void>
  /** Sends a command that makes a turn of its own, e.g. `/compact`. */
  command(text: string): Promise<void>
  /** Goes back in place to before the prompt `back` prompts ago; its text is then in the input line, unsent. */
  rewind(back: number): Promise<void>
  quit(): Promise<void>
}

export async function openCodexTerminal(home: CodexHome, args: readonly string[] = []): Promise<CodexTerminal> {
  const noDaemon = home.version === '0.142.0' ? [] : ['--no-daemon']
  return openCodexWith(home, [...noDaemon, ...args], home.work)
}

/** With just these words, for command lines that are under test themselves. */
export async function openCodexWith(home: CodexHome, args: readonly string[], cwd: string): Promise<CodexTerminal> {
  const terminal = openTerminal(home.sandbox, { argv: [home.binary, ...args], cwd, env: home.env })
  await terminal.waitFor(/^› .*\n(.*\n)*.*(gpt-5\.5|GPT-5\.5) default/m)
  const describe = () => `the screen was:\n${terminal.screen()}`

  async function endOfTurn(send: () => Promise<void>): Promise<void> {
    const before = endedTurns(home)
    await send()
    await waitUntil('the turn to end', () => endedTurns(home) > before, { describe })
    await terminal.waitWhile('esc to interrupt')
  }
  /** Codex drops a key now and then when it has just drawn the end of a turn; a person presses it again. */
  async function press(key: string, shows: string | RegExp): Promise<void> {
    for (let tries = 1; tries < 3; tries += 1) {
      terminal.key(key)
      try {
        await terminal.waitFor(shows, { timeoutMs: 10_000 })
        return
      } catch {
        // not yet: pressed again
      }
    }
    terminal.key(key)
    await terminal.waitFor(shows)
  }
  return {
    ...terminal,
    ask: (prompt) =>
      endOfTurn(async () => {
        await terminal.type(prompt)
        await press('Enter', `to: ${prompt}`)
      }),
    command: (text) => endOfTurn(() => terminal.submit(text)),
    rewind: async (back) => {
      await press('Escape', 'esc again to edit previous message')
      await press('Escape', /enter to edit message|↵ rewind/)
      for (let step = 1; step < back; step += 1) terminal.key('Left')
      terminal.key('Enter')
      await terminal.waitWhile(/enter to edit message|↵ rewind/)
    },
    quit: async () => {
      terminal.key('C-u')
      await terminal.leave('/quit')
    },
  }
}

function endedTurns(home: CodexHome): number {
  const ends = /"type":"(task_complete|turn_aborted)"/g
  return allRollouts(home).reduce((sum, path) => sum + (readFileSync(path, 'utf8').match(ends)?.length ?? 0), 0)
}
