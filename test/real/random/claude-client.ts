// The terminal UI of the real Claude Code. When it is idle is told by three witnesses together: its register of live processes,
// the stand-in API and the transcript.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoggedRequest } from '../claude/api.ts'
import type { Bench } from '../claude/bench.ts'
import { NotOffered, type RewindChoice, rewindTo } from '../claude/rewind.ts'
import { killAlone } from '../lib/processes.ts'
import type { Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Client } from './cli.ts'

/** 2.1.197 drops an Enter now and then; a user presses it again. */
const againMs = 4000
/** How long an idle client may take to write an answer down. */
const heldBackMs = 5000
const leftoverMs = 8000

export function createClaudeClient(bench: Bench, terminal: Terminal): Client {
  const { api } = bench
  const describe = () => `the screen was:\n${terminal.screen()}`
  const register = () => readRegister(bench, terminal.pid)
  const sessionId = () => register().sessionId ?? null
  let quietSince = 0
  /** 2.1.197 draws its screen badly behind `/branch`: what stands there for long though the agent says it is idle is a leftover. */
  const isIdle = () => {
    const { sessionId: id, status } = register()
    if (id === undefined || status !== 'idle' || api.isAnswering(id)) {
      quietSince = 0
      return false
    }
    if (quietSince === 0) quietSince = Date.now()
    return !/esc to interrupt/.test(terminal.screen()) || Date.now() - quietSince > leftoverMs
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

  /** Types the text and sends it; presses Enter again only while the text is still in the input line. */
  async function send(text: string, what: string, isTaken: () => boolean): Promise<void> {
    const isStillThere = () => input().slice(2).startsWith(text.slice(0, 40))
    await terminal.type(text)
    // An earlier prompt on the screen may end in the same words.
    await waitUntil(`"${text}" in the input line`, isStillThere, { describe })
    let pressedAt = 0
    await waitUntil(
      what,
      () => {
        if (isTaken()) return true
        if (pressedAt > 0 && (Date.now() - pressedAt < againMs || !isStillThere())) return false
        pressedAt = Date.now()
        terminal.key('Enter')
        return false
      },
      { describe },
    )
  }

  /** 2.1.197 has written no more than it had before the conversation became shorter: the last answer waits for the next prompt. */
  let holdsBack = false

  /** The newest answer to this session is in one of its files. */
  async function settle(prompt: string): Promise<boolean> {
    let idleSince = 0
    return waitUntil(
      `the end of "${prompt}"`,
      () => {
        const id = sessionId()
        const last = api.requests.findLast((request) => request.sessionId === id && isOurs(request))
        if (id === null || last === undefined || !isIdle()) {
          idleSince = 0
          return false
        }
        const isWritten = last.outputTokens === 0 ? hasError(bench, id, prompt) : textOf(bench, id).includes(`"${last.answerId}"`)
        if (isWritten) return 'on disk'
        if (idleSince === 0) idleSince = Date.now()
        return holdsBack && Date.now() - idleSince > heldBackMs && 'held back'
      },
      { describe },
    ).then((end) => end === 'on disk')
  }

  async function choose(prompt: string, choice: RewindChoice): Promise<boolean> {
    try {
      await rewindTo(terminal, prompt, choice)
    } catch (error) {
      if (!(error instanceof NotOffered)) throw error
      terminal.key('Escape')
      await terminal.waitWhile('Rewind')
      return false
    }
    holdsBack = bench.claude.version === '2.1.197'
    return true
  }

  /** The last command on the screen, and what it printed. */
  const lastCommand = () =>
    terminal
      .screen()
      .split(/^(?=[❯>])/m)
      .at(-2) ?? ''

  return {
    sessionId,
    settle,
    async submit(prompt) {
      await send(prompt, `the model to be asked "${prompt}"`, () => api.requests.some((each) => isAsked(each, prompt)))
    },
    async steer(prompt) {
      const isQueued = (line: object) => ['enqueue', prompt].every((each) => JSON.stringify(line).includes(each))
      await send(prompt, `"${prompt}" to be queued`, () => bench.lines(sessionId() ?? '').some(isQueued))
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
      // The model is asked before the screen and the register say that the agent is at work.
      const isOver = () => {
        const said = isTakenBack() ? '' : lastCommand()
        return /^. \/compact\s+⎿/.test(said) && (summaries() > before || /No(t enough)? messages to compact/.test(said))
      }
      await send('/compact', 'the compaction', isOver)
      await idle()
    },
    async rewind({ dropped }, withFiles) {
      const isOffered = await choose(dropped, withFiles ? 'Restore code and conversation' : 'Restore conversation')
      if (isOffered) await waitUntil('the prompt in the input line', isTakenBack, { describe })
      await emptyInput()
      return isOffered
    },
    async summarise(prompt, part) {
      const before = summaries()
      const isOffered = await choose(prompt, part === 'from' ? 'Summarize from here' : 'Summarize up to here')
      if (isOffered) await waitUntil('the summary', () => summaries() > before, { describe })
      await idle()
      await emptyInput()
      return isOffered
    },
    async branch() {
      const before = sessionId()
      const isRefused = () => lastCommand().includes('Failed to branch')
      await send('/branch', 'the branch', () => sessionId() !== before || isRefused())
      await idle()
      return sessionId() !== before
    },
    async clear() {
      const before = sessionId()
      await send('/clear', 'the new session', () => sessionId() !== before)
      holdsBack = bench.claude.version === '2.1.197'
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

function isAsked({ kind, prompt }: LoggedRequest, wanted: string): boolean {
  return kind === 'turn' && prompt.includes(wanted)
}

function isOurs({ kind, prompt }: { readonly kind: string; readonly prompt: string }): boolean {
  return kind === 'turn' && !prompt.startsWith('probe ')
}

function interruptions(bench: Bench, sessionId: string): number {
  return bench.lines(sessionId).filter((line) => JSON.stringify(line).includes('[Request interrupted by user')).length
}

/** The API's refusal of the prompt; 2.1.197 may write it in front of the prompt. */
function hasError(bench: Bench, sessionId: string, prompt: string): boolean {
  const lines = bench.lines(sessionId)
  const asked = lines.findLast(({ type, message }) => type === 'user' && JSON.stringify(message ?? '').includes(prompt))
  const isBehind = ({ timestamp }: Record<string, unknown>) => String(timestamp) >= String(asked?.timestamp)
  return asked !== undefined && lines.some((line) => line.isApiErrorMessage === true && isBehind(line))
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
