// The real Claude Code as the driver uses it: print mode, and the terminal UI in tmux.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type Bench, createBench } from '../claude/bench.ts'
import { claudeRules, fromMessages } from '../claude/received.ts'
import { claudeVars, createClaude } from '../claude/run.ts'
import { waitForLine } from '../claude/scenarios/scenario.ts'
import { summaryText } from '../claude/script.ts'
import { type ClaudeVersion, claudeCommand } from '../lib/agents.ts'
import { compareHistory, fromEntries, receivedAlone } from '../lib/history.ts'
import { killAlone } from '../lib/processes.ts'
import type { Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Cli, Client, Headless, Hold, Probe, ProbeKind, PromptKind } from './cli.ts'

const directives: Readonly<Record<PromptKind, (variant: number, work: string) => string>> = {
  plain: () => '',
  tool: () => '[[bash:cat notes.txt]]',
  // Which of the three ends last decides what the next line hangs on.
  parallel: (variant) => `[[parallel:${['cat notes.txt', 'cat README.md', 'echo three'].map(delayed(variant)).join('|')}]]`,
  failing: () => '[[bash:echo before; exit 3]]',
  long: () => '[[bash:seq 1 20000]]',
  think: () => '[[think]] [[bash:cat notes.txt]]',
  edit: (variant, work) => `[[write:${work}/made-${variant}.txt:a line]]`,
  subagent: () => '[[task:count the notes]]',
  refused: () => '[[error:400]]',
}

function delayed(variant: number): (command: string, at: number) => string {
  return (command, at) => (at === variant % 3 ? `sleep 0.2 && ${command}` : command)
}

export async function createClaudeCli(version: ClaudeVersion): Promise<Cli> {
  const bench = await createBench(version)
  const { sandbox, api, claude } = bench
  const bin = sandbox.folder('bin')
  symlinkSync(claudeCommand(version)[0] ?? '', join(bin, 'claude'))
  let copies = 0

  function files(sessionId: string): string[] {
    const path = bench.transcript(sessionId)
    const folder = path.slice(0, -'.jsonl'.length)
    return existsSync(folder) ? [path, folder] : [path]
  }

  async function start(sessionId: string | null, prompt: string): Promise<Headless> {
    const id = sessionId ?? randomUUID()
    const run = claude.startPrint(prompt, { flags: sessionId === null ? ['--session-id', id] : ['--resume', id] })
    await Promise.race([run.ended, waitUntil('the model to be asked', () => isAsked(bench, prompt))])
    return {
      sessionId: id,
      kill: run.killHard,
      async ended() {
        await run.ended
      },
    }
  }

  async function open(sessionId: string | null): Promise<Client> {
    const id = sessionId ?? randomUUID()
    const terminal = await claude.open({ flags: sessionId === null ? ['--session-id', id] : ['--resume', id] })
    return createClient(bench, terminal)
  }

  async function probe(sessionId: string, how: ProbeKind, prompts: ReadonlySet<string>): Promise<Probe> {
    copies += 1
    const home = join(sandbox.root, `copy-${copies}`)
    execFileSync('cp', ['-a', sandbox.home, home])
    rmSync(join(home, '.claude', 'sessions'), { recursive: true, force: true }) // the register of live processes
    const copied = { ...sandbox, home, env: { ...sandbox.env, HOME: home, OFFSHOOT_INTERNAL: '1' } }
    const prompt = `probe ${copies}: what have we got so far?`
    const fork = how === 'fork' ? ['--fork-session', '--session-id', randomUUID()] : []
    const done = await createClaude(copied, api, version).tryPrint(prompt, {
      flags: ['--resume', sessionId, ...fork],
      settings: { disableAllHooks: true },
    })
    rmSync(home, { recursive: true, force: true })
    const request = api.requests.findLast((each) => each.kind === 'turn' && each.prompt.endsWith(prompt))
    if (request === undefined) return { refused: done.stderr || done.stdout, prompts: [], summaries: [], diff: () => '' }
    const received = fromMessages(request.messages)
    const texts = receivedAlone(received, claudeRules).flatMap(({ role, text }) => (role === 'user' ? [text] : []))
    return {
      refused: null,
      prompts: texts.filter((text) => prompts.has(text)),
      summaries: texts.flatMap((text) => new RegExp(`${summaryText} \\w{8}`).exec(text)?.[0] ?? []),
      diff: (ours) => compareHistory([...ours, { role: 'user', text: prompt }], received, claudeRules).diff,
    }
  }

  return {
    name: `claude-${version}`,
    agent: 'claude',
    sandbox,
    vars: { ...sandbox.env, ...claudeVars(api), PATH: `${bin}${delimiter}${sandbox.env.PATH}` },
    refusedState: 'failed',
    prompt: (kind, words, variant) => `${words} ${directives[kind](variant, sandbox.work)}`.trim(),
    heldPrompt: (hold, words) => heldPrompt(bench, hold, words),
    isAsked: (prompt) => isAsked(bench, prompt),
    start,
    open,
    files,
    probe,
    seen: (entries) => fromEntries(entries, { withSystem: true }),
  }
}

function isAsked({ api }: Bench, prompt: string): boolean {
  return api.requests.some((request) => request.kind === 'turn' && request.prompt.includes(prompt))
}

function heldPrompt({ sandbox, api }: Bench, hold: Hold, words: string) {
  if (hold === 'answer') return { prompt: `${words} [[hold]]`, release: api.release }
  const go = join(sandbox.root, words.replaceAll(' ', '-'))
  const prompt = `${words} [[bash:until [ -e ${go} ]; do sleep 0.05; done; cat notes.txt]]`
  return { prompt, release: () => writeFileSync(go, '') }
}

function createClient(bench: Bench, terminal: Terminal): Client {
  const register = () => readRegister(bench, terminal.pid)
  const idle = () => waitUntil('the agent to be idle', () => register().status === 'idle', { describe: terminal.screen })
  const sessionId = () => register().sessionId ?? null
  return {
    sessionId,
    async submit(prompt) {
      await terminal.submit(prompt)
      await bench.api.waitForPrompt(prompt)
    },
    async settle(prompt, answered) {
      if (answered) {
        await waitForLine(bench, sessionId() ?? '', `the answer to "${prompt}"`, (line) => line.includes(`Answer to: ${prompt}`))
      }
      await idle()
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

/** What the CLI itself says of the process, in its register of live ones. */
function readRegister({ sandbox }: Bench, pid: number): { sessionId?: string; status?: string } {
  try {
    return JSON.parse(readFileSync(join(sandbox.home, '.claude', 'sessions', `${pid}.json`), 'utf8')) as object
  } catch {
    return {} // being written, or not there yet
  }
}
