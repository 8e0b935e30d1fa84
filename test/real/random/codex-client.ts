// The terminal UI of the real Codex. A turn is over when its end is on disk: the ids of turns are those the API was sent.
import { readFileSync } from 'node:fs'
import type { CodexHome } from '../codex/home.ts'
import { allRollouts } from '../codex/rollouts.ts'
import type { CodexTerminal } from '../codex/terminal.ts'
import { killAlone } from '../lib/processes.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Client } from './cli.ts'
import { requestWith } from './codex-requests.ts'

/** Codex drops a key now and then when it has just drawn something; a person presses it again. */
const againMs = 4000

export function createCodexClient(home: CodexHome, terminal: CodexTerminal, threadId: string | null): Client {
  let thread = threadId
  const describe = () => `the screen was:\n${terminal.screen()}`
  const input = () => terminal.screen().match(/^›.*$/gm)?.at(-1) ?? ''
  const isTyped = () => /^›\s(ask|steer) \d/.test(input())

  /** Presses the key, and again while nothing comes of it. */
  async function press(key: string, what: string, isDone: () => boolean): Promise<void> {
    let pressedAt = 0
    await waitUntil(
      what,
      () => {
        if (pressedAt > 0 && isDone()) return true
        if (Date.now() - pressedAt < againMs) return false
        pressedAt = Date.now()
        terminal.key(key)
        return false
      },
      { describe },
    )
  }
  async function emptyInput(): Promise<void> {
    if (isTyped()) await press('C-u', 'an empty input line', () => !isTyped())
  }
  /** An interrupted prompt may come back into the input line while the next one is typed: then both are taken out again. */
  async function type(prompt: string): Promise<void> {
    const isAlone = () =>
      input().trimEnd() === `› ${prompt}` || (prompt.length > 100 && input().startsWith(`› ${prompt.slice(0, 100)}`))
    for (let tries = 1; ; tries += 1) {
      await emptyInput()
      await terminal.type(prompt)
      if (await waitUntil('the prompt', isAlone, { timeoutMs: againMs }).catch(() => false)) return
      if (tries === 5) throw new Error(`"${prompt}" is not alone in the input line; ${describe()}`)
    }
  }
  const isEnded = (prompt: string) => hasEnd(home, requestWith(home, prompt)?.turnId ?? '')

  return {
    sessionId: () => thread,
    async submit(prompt) {
      await type(prompt)
      await press('Enter', `the model to be asked "${prompt}"`, () => requestWith(home, prompt) !== undefined)
      thread = requestWith(home, prompt)?.threadId ?? null
    },
    async steer(prompt) {
      await type(prompt)
      await press('Enter', `"${prompt}" to be taken`, () => !isTyped())
    },
    async settle(prompt) {
      await waitUntil(`the end of "${prompt}"`, () => isEnded(prompt), { describe })
      await terminal.waitWhile('esc to interrupt')
      return true
    },
    async interrupt(prompt) {
      await press('Escape', `"${prompt}" to be stopped`, () => isEnded(prompt))
      await emptyInput()
    },
    compact: () => terminal.command('/compact'),
    async rewind({ back }) {
      await terminal.rewind(back)
      await waitUntil('the prompt in the input line', isTyped, { describe })
      await emptyInput()
      return true
    },
    async clear() {
      await terminal.submit('/clear')
      await waitUntil('a new conversation', () => !/Answer \d|\/clear/.test(terminal.screen()), { describe })
      thread = null
    },
    async exit() {
      await terminal.quit()
      terminal.close()
    },
    async kill() {
      await killAlone(terminal.pid, waitUntil('the end', terminal.ended))
      terminal.close()
    },
  }
}

function hasEnd(home: CodexHome, turnId: string): boolean {
  const end = new RegExp(`"type":"(task_complete|turn_aborted)",.*"turn_id":"${turnId}"`)
  return turnId !== '' && allRollouts(home).some((path) => end.test(readFileSync(path, 'utf8')))
}
