// One session of either agent, headless or typed: the same few verbs, each of which returns once the turn is over for the agent
// and for the hook.
import { randomUUID } from 'node:crypto'
import type { AgentId } from '../../../src/model/session.ts'
import { waitForLine } from '../claude/scenarios/scenario.ts'
import { startExec } from '../codex/exec.ts'
import { allRollouts } from '../codex/rollouts.ts'
import { openCodexTerminal } from '../codex/terminal.ts'
import type { RunResult } from '../lib/processes.ts'
import type { Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import { type CaptureBench, snapshotRefs } from './bench.ts'

export type Mode = 'headless' | 'typed'

export interface Talker {
  readonly agent: AgentId
  readonly mode: Mode
  sessionId(): string
  say(prompt: string): Promise<void>
  /** A prompt the model's API will refuse, after whatever tools it asks for. */
  fail(prompt: string): Promise<void>
  /** Typed only: Escape once the model hangs after its tools. */
  stop(prompt: string): Promise<void>
  end(): Promise<void>
}

export async function openTalker(bench: CaptureBench, agent: AgentId, mode: Mode): Promise<Talker> {
  if (mode === 'headless') return headless(bench, agent)
  return agent === 'claude' ? typedClaude(bench) : typedCodex(bench)
}

/** One process a turn. The hook has ended with it. */
export function headless(bench: CaptureBench, agent: AgentId, cwd = bench.work): Talker {
  let id: string | null = null
  const ask = async (prompt: string): Promise<RunResult> => {
    const { id: known, done } = await askOnce(bench, agent, prompt, id, cwd)
    id = known
    return done
  }
  const expectCode = async (prompt: string, code: number) => {
    const done = await ask(prompt)
    if (done.code !== code) throw new Error(`"${prompt}" ended with ${done.code}, not ${code}\n${done.stdout}\n${done.stderr}`)
  }
  return {
    agent,
    mode: 'headless',
    sessionId: () => id ?? '',
    say: (prompt) => expectCode(prompt, 0),
    fail: (prompt) => expectCode(prompt, 1),
    stop: () => Promise.reject(new Error('nobody can press Escape')),
    end: async () => undefined,
  }
}

/** A new session when no id is given. */
export async function askOnce(
  { claude, codex }: CaptureBench,
  agent: AgentId,
  prompt: string,
  sessionId: string | null,
  cwd: string,
): Promise<{ readonly id: string; readonly done: RunResult }> {
  if (agent === 'claude') {
    const id = sessionId ?? randomUUID()
    const flags = sessionId === null ? ['--session-id', id] : ['--resume', id]
    return { id, done: await claude.claude.tryPrint(prompt, { flags, cwd }) }
  }
  const done = await startExec(codex, [...(sessionId === null ? [] : ['resume', sessionId]), prompt], { cwd }).ended
  const opened = /"thread_id":"([^"]+)"/.exec(done.stdout)?.[1] ?? ''
  if (sessionId !== null && opened !== sessionId) throw new Error(`asked to resume ${sessionId}, the CLI opened ${opened}`)
  return { id: opened, done }
}

async function typedClaude(bench: CaptureBench): Promise<Talker> {
  const id = randomUUID()
  const terminal = await bench.claude.claude.open({ flags: ['--session-id', id] })
  const isIdle = () => terminal.waitWhile('esc to interrupt')
  return {
    ...typed(bench, 'claude', terminal, () => id, isIdle),
    async fail(prompt) {
      await terminal.submit(prompt)
      await terminal.waitFor('The stand-in was asked to fail')
      await isIdle()
    },
    async stop(prompt) {
      await terminal.submit(prompt)
      await waitUntil('the model to hang', () => hangs(bench))
      terminal.key('Escape')
      await waitForLine(bench.claude, id, 'the stop', (line) => line.includes('[Request interrupted by user'))
      await isIdle()
    },
  }
}

/** The last request carries the result of a tool and will not be answered. */
export function hangs({ claude }: CaptureBench): boolean {
  const last = claude.api.requests.findLast(({ kind }) => kind === 'turn')
  if (last === undefined) return false
  return last.prompt.includes('[[hang]]') && JSON.stringify(last.messages.at(-1)).includes('tool_result')
}

async function typedCodex(bench: CaptureBench): Promise<Talker> {
  const { codex } = bench
  const before = new Set(allRollouts(codex))
  const terminal = await openCodexTerminal(codex)
  const id = () => {
    const [path = ''] = allRollouts(codex).filter((each) => !before.has(each))
    return /([0-9a-f-]{36})\.jsonl/.exec(path)?.[1] ?? ''
  }
  const isIdle = () => terminal.waitWhile('esc to interrupt')
  return {
    ...typed(bench, 'codex', terminal, id, isIdle),
    async fail(prompt) {
      await terminal.submit(prompt)
      await terminal.waitFor('refused by the stand-in')
      await isIdle()
    },
    async stop(prompt) {
      const asked = codex.api.requestsOf(id()).length
      await terminal.submit(prompt)
      await waitUntil('the model to hang', () => codex.api.requestsOf(id()).length > asked + 1)
      await terminal.waitFor('esc to interrupt')
      terminal.key('Escape')
      await terminal.waitFor('Conversation interrupted')
      await isIdle()
    },
  }
}

function typed(
  bench: CaptureBench,
  agent: AgentId,
  terminal: Terminal,
  id: () => string,
  isIdle: () => Promise<unknown>,
): Pick<Talker, 'agent' | 'mode' | 'sessionId' | 'say' | 'end'> {
  const describe = () => `${snapshotRefs(bench).join('\n')}\n${terminal.scrollback()}`
  return {
    agent,
    mode: 'typed',
    sessionId: id,
    async say(prompt) {
      const before = new Set(ends(bench, agent, id()))
      await terminal.submit(prompt)
      // A turn that ended without a word is captured first, at this very prompt.
      await waitUntil('the turn to be captured', () => captured(bench, agent, id(), before, prompt), { describe })
      await isIdle()
    },
    async end() {
      if (agent === 'codex') terminal.key('C-u')
      await terminal.leave(agent === 'codex' ? '/quit' : '/exit')
    },
  }
}

function ends(bench: CaptureBench, agent: AgentId, id: string): string[] {
  return id === '' ? [] : snapshotRefs(bench, agent, id).filter((ref) => ref.endsWith('/end'))
}

function captured(bench: CaptureBench, agent: AgentId, id: string, before: ReadonlySet<string>, prompt: string): boolean {
  const words = prompt.slice(0, 20)
  return ends(bench, agent, id)
    .filter((ref) => !before.has(ref))
    .some((ref) => (JSON.parse(bench.git('cat-file', '-p', `${ref}:meta`)) as { prompt: string }).prompt.startsWith(words))
}
