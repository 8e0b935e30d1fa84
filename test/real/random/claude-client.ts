// The terminal UI of the real Claude Code. When it is idle is told by three witnesses together: its register of live processes,
// the stand-in API and the transcript.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../claude/bench.ts'
import { rewindTo } from '../claude/rewind.ts'
import { waitForLine } from '../claude/scenarios/scenario.ts'
import { killAlone } from '../lib/processes.ts'
import type { Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Client } from './cli.ts'

export function createClaudeClient(bench: Bench, terminal: Terminal): Client {
  const { api } = bench
  const describe = () => `the screen was:\n${terminal.screen()}`
  const register = () => readRegister(bench, terminal.pid)
  const sessionId = () => register().sessionId ?? null
  const isIdle = () => {
    const { sessionId: id, status } = register()
    return id !== undefined && status === 'idle' && !api.isAnswering(id) && !/esc to interrupt/.test(terminal.screen())
  }
  const idle = () => waitUntil('the agent to be idle', isIdle, { describe })

  /** A client that was resumed puts a compaction on disk only with the next prompt, so the API is asked. */
  const summaries = () => api.requests.filter(({ kind }) => kind === 'summary').length
  const input = () =>
    terminal
      .screen()
      .match(/^[❯>].*$/gm)
      ?.at(-1) ?? ''
  const isTakenBack = () => /^[❯>]\s+(?!Try ")\S/.test(input())

  /** A prompt that was taken back is in the input line, unsent. */
  async function emptyInput(): Promise<void> {
    const isEmpty = () => {
      if (!isTakenBack()) return true
      terminal.key('C-u')
      return false
    }
    await waitUntil('an empty input line', isEmpty, { describe })
  }

  /** The newest answer to this session is in one of its files. */
  async function settle(prompt: string): Promise<void> {
    await waitUntil(
      `the end of "${prompt}"`,
      () => {
        const id = sessionId()
        if (id === null || !isIdle()) return false
        const last = api.requests.findLast((request) => request.sessionId === id && isOurs(request))
        return last !== undefined && (last.outputTokens === 0 || textOf(bench, id).includes(`"${last.answerId}"`))
      },
      { describe },
    )
  }

  return {
    sessionId,
    settle,
    async submit(prompt) {
      await terminal.submit(prompt)
      await api.waitForPrompt(prompt, { describe })
    },
    async steer(prompt) {
      await terminal.submit(prompt)
      await waitForLine(
        bench,
        sessionId() ?? '',
        'the queued prompt',
        (line) => line.includes('enqueue') && line.includes(prompt),
      )
    },
    async interrupt(prompt) {
      const before = interruptions(bench, sessionId() ?? '')
      terminal.key('Escape')
      await idle()
      // With nothing answered yet the prompt is taken back; else a line says that it was stopped.
      await waitUntil(`"${prompt}" to be stopped`, () => interruptions(bench, sessionId() ?? '') > before || isTakenBack(), {
        describe,
      })
      await emptyInput()
    },
    async compact() {
      const before = summaries()
      await terminal.submit('/compact')
      const isOver = () => summaries() > before || /No(t enough)? messages to compact/.test(terminal.screen())
      await waitUntil('the compaction', isOver, { describe })
      await idle()
    },
    async rewind({ dropped }, withFiles) {
      await rewindTo(terminal, dropped, withFiles ? 'Restore code and conversation' : 'Restore conversation')
      await waitUntil('the prompt in the input line', isTakenBack, { describe })
      await emptyInput()
    },
    async summarise(prompt, part) {
      const before = summaries()
      await rewindTo(terminal, prompt, part === 'from' ? 'Summarize from here' : 'Summarize up to here')
      await waitUntil('the summary', () => summaries() > before, { describe })
      await idle()
      await emptyInput()
    },
    async branch() {
      const before = sessionId()
      await terminal.submit('/branch')
      await waitUntil('the branch', () => sessionId() !== before, { describe })
      await idle()
    },
    async clear() {
      const before = sessionId()
      await terminal.submit('/clear')
      await waitUntil('the new session', () => sessionId() !== before, { describe })
      await idle()
      await emptyInput()
    },
    async exit() {
      await terminal.leave('/exit')
      terminal.close()
    },
    async kill() {
      await killAlone(terminal.pid, waitUntil('the end', terminal.ended))
      terminal.close()
    },
  }
}

function isOurs({ kind, prompt }: { readonly kind: string; readonly prompt: string }): boolean {
  return kind === 'turn' && !prompt.startsWith('probe ')
}

function interruptions(bench: Bench, sessionId: string): number {
  return bench.lines(sessionId).filter((line) => JSON.stringify(line).includes('[Request interrupted by user')).length
}

/** The transcript and those of its subagents. */
function textOf(bench: Bench, sessionId: string): string {
  const path = bench.find(sessionId)
  if (path === undefined) return ''
  const folder = join(path.slice(0, -'.jsonl'.length), 'subagents')
  const others = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  return [path, ...others].map((file) => readFileSync(file, 'utf8')).join('\n')
}

/** What the CLI itself says of the process, in its register of live ones. */
function readRegister({ sandbox }: Bench, pid: number): { sessionId?: string; status?: string } {
  try {
    return JSON.parse(readFileSync(join(sandbox.home, '.claude', 'sessions', `${pid}.json`), 'utf8')) as object
  } catch {
    return {} // being written, or not there yet
  }
}
