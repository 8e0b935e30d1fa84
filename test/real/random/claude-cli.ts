// The real Claude Code as the driver uses it: print mode here, the terminal UI in claude-client.ts.
import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { removeFolder } from '../../setup/remove-folder.ts'
import type { LoggedRequest } from '../claude/api.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { forkRules, fromMessages } from '../claude/received.ts'
import { type ClaudeOptions, claudeVars, createClaude } from '../claude/run.ts'
import { answerTo, waitForLine } from '../claude/scenarios/scenario.ts'
import { summaryOf, summaryText } from '../claude/script.ts'
import { type ClaudeVersion, claudeCommand } from '../lib/agents.ts'
import { compareHistory, fromEntries, type Rule, receivedAlone } from '../lib/history.ts'
import { waitUntil } from '../lib/wait.ts'
import { createClaudeClient } from './claude-client.ts'
import type { Cli, Headless, HeldPrompt, Hold, Probe, ProbeKind, PromptKind } from './cli.ts'

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

  async function print(prompt: string, options: ClaudeOptions): Promise<void> {
    const { code, stdout, stderr } = await claude.tryPrint(prompt, options)
    if (code !== 0) throw new Error(`claude ended with ${code}: ${stdout} ${stderr}`)
  }

  return {
    name: `claude-${version}`,
    agent: 'claude',
    sandbox,
    vars: { ...sandbox.env, ...claudeVars(api), PATH: `${bin}${delimiter}${sandbox.env.PATH}` },
    rewindsPastCompaction: true,
    steeringEndsAnswer: false,
    refusedState: 'failed',
    prompt: (kind, words, variant) => `${words} ${directives[kind](variant, sandbox.work)}`.trim(),
    heldPrompt: (hold, words) => heldPrompt(bench, hold, words),
    async underway(sessionId, prompt, hold) {
      await waitForLine(bench, sessionId, 'the prompt', (line) => line.includes('"type":"user"') && line.includes(prompt))
      const isCall = (line: string) => line.includes('"tool_use"') && line.includes(pathOf(bench, prompt))
      if (hold === 'tool') await waitForLine(bench, sessionId, 'the call', isCall)
    },
    isTold: (prompt) => api.requests.some(({ messages }) => JSON.stringify(messages).includes(prompt)),
    joinedTurn: (prompt) => {
      const envelope = `The user sent a new message while you were working:\\n${prompt}`
      return api.requests.some(({ messages }) => JSON.stringify(messages).includes(envelope))
    },

    async start(sessionId, prompt) {
      const id = sessionId ?? randomUUID()
      const run = claude.startPrint(prompt, { flags: sessionId === null ? ['--session-id', id] : ['--resume', id] })
      await Promise.race([run.ended, waitUntil('the model to be asked', () => isAsked(bench, prompt))])
      return {
        sessionId: id,
        kill: run.killHard,
        async interrupt() {
          run.child.kill('SIGINT')
          await run.ended
        },
        async ended() {
          await run.ended
        },
      } satisfies Headless
    },
    async open(sessionId) {
      const flags = sessionId === null ? ['--session-id', randomUUID()] : ['--resume', sessionId]
      return createClaudeClient(bench, await claude.open({ flags }))
    },
    async fork(sessionId, prompt) {
      const id = randomUUID()
      await print(prompt, { flags: ['--resume', sessionId, '--fork-session', '--session-id', id] })
      return id
    },
    async openFork(sessionId) {
      const flags = ['--resume', sessionId, '--fork-session', '--session-id', randomUUID()]
      return createClaudeClient(bench, await claude.open({ flags }))
    },
    compact: (sessionId) => print('/compact', { flags: ['--resume', sessionId] }),
    rewind: (sessionId, { kept }, prompt) =>
      print(prompt, { flags: ['--resume', sessionId, '--resume-session-at', answerTo(bench, sessionId, kept)] }),

    files(sessionId) {
      const path = bench.find(sessionId)
      if (path === undefined) return []
      const folder = path.slice(0, -'.jsonl'.length)
      return existsSync(folder) ? [path, folder] : [path]
    },
    ...(version === '2.1.197'
      ? { isReadOtherwise: (sessionId: string) => isWrittenBackwards(bench, sessionId) || namesOtherCall(bench, sessionId) }
      : {}),
    holds: (sessionId, prompt) =>
      bench
        .lines(sessionId)
        .some(({ type, message }) => type === 'user' && JSON.stringify(message).includes(JSON.stringify(prompt))),
    probe: (sessionId, how, prompts) => probe(bench, version, sessionId, how, prompts),
    toldBefore(sessionId, prompt, prompts) {
      const isFirst = (each: LoggedRequest) => each.kind === 'turn' && each.sessionId === sessionId && each.prompt === prompt
      const request = api.requests.find(isFirst)
      return request === undefined ? null : toProbe(request, prompt, prompts, [...forkRules, passingOutput])
    },
    summarised(summary, prompts) {
      const request = api.requests.find(({ kind, messages }) => kind === 'summary' && summaryOf(messages) === summary)
      return request === undefined ? null : toProbe(request, '', prompts)
    },
    seen: (entries) => fromEntries(entries, { withSystem: true }),
  }
}

/** An open 2.1.197 may write its first answer in front of the prompt, and names no leaf before it ends. */
function isWrittenBackwards(bench: Bench, sessionId: string): boolean {
  const lines = bench.lines(sessionId)
  if (lines.some(({ type }) => type === 'last-prompt')) return false
  const places = new Map(lines.map(({ uuid }, at) => [uuid, at]))
  return lines.some(({ parentUuid }, at) => typeof parentUuid === 'string' && (places.get(parentUuid) ?? 0) > at)
}

/**
 * An open 2.1.197 may name the last of parallel calls as the place to go on from, and hang the answer on the result of another. Newer
 * versions go on from the answer.
 */
function namesOtherCall(bench: Bench, sessionId: string): boolean {
  const lines = bench.lines(sessionId)
  const byUuid = new Map(lines.map((line) => [line.uuid, line]))
  const named = byUuid.get(lines.findLast(({ type }) => type === 'last-prompt')?.leafUuid)
  const messageId = (line: Record<string, unknown> | undefined) => (line?.message as { id?: string } | undefined)?.id
  if (named === undefined || messageId(named) === undefined) return false
  const above: Record<string, unknown>[] = []
  const last = lines.findLast(({ parentUuid }) => typeof parentUuid === 'string')
  for (let at = last; at !== undefined; at = byUuid.get(at.parentUuid)) above.push(at)
  return !above.includes(named) && above.some((line) => messageId(line) === messageId(named))
}

function isAsked({ api }: Bench, prompt: string): boolean {
  return api.requests.some((request) => request.kind === 'turn' && request.prompt.includes(prompt))
}

function heldPrompt(bench: Bench, hold: Hold, words: string): HeldPrompt {
  if (hold === 'answer') return { prompt: `${words} [[hold]]`, release: bench.api.release }
  const go = pathOf(bench, words)
  const prompt = `${words} [[bash:until [ -e ${go} ]; do sleep 0.05; done; cat notes.txt]]`
  return { prompt, release: () => writeFileSync(go, '') }
}

/** The file a held tool waits for. */
function pathOf({ sandbox }: Bench, prompt: string): string {
  return join(sandbox.root, prompt.split(' ', 2).join('-'))
}

let copies = 0

async function probe(
  { sandbox, api }: Bench,
  version: ClaudeVersion,
  sessionId: string,
  how: ProbeKind,
  prompts: ReadonlySet<string>,
): Promise<Probe> {
  copies += 1
  const home = join(sandbox.root, `copy-${copies}`)
  copyHome(sandbox.home, home)
  const copied = { ...sandbox, home, env: { ...sandbox.env, HOME: home, OFFSHOOT_INTERNAL: '1' } }
  const prompt = `probe ${copies}: what have we got so far?`
  const fork = how === 'fork' ? ['--fork-session', '--session-id', randomUUID()] : []
  const done = await createClaude(copied, api, version, claudeCommand(version)).tryPrint(prompt, {
    flags: ['--resume', sessionId, ...fork],
    settings: { disableAllHooks: true },
  })
  removeFolder(home)
  const request = api.requests.findLast((each) => each.kind === 'turn' && each.prompt.endsWith(prompt))
  return request === undefined ? { ...nothing, refused: done.stderr || done.stdout } : toProbe(request, prompt, prompts)
}

const nothing: Probe = { refused: null, prompts: [], summaries: [], diff: () => '' }

/** Of what was told at the time: a resume of today would not tell it. */
const passingOutput: Rule = {
  name: 'output of a local command',
  reason: 'What a local command printed last is told with the next prompt, which does not hang on it (2.1.197).',
  side: 'received',
  apply: (item, _index, _all, other) =>
    item.text.startsWith('<local-command-stdout>') && !other.some(({ text }) => text === item.text) ? undefined : item,
}

function toProbe({ messages }: LoggedRequest, prompt: string, prompts: ReadonlySet<string>, rules = forkRules): Probe {
  const received = fromMessages(messages)
  const texts = receivedAlone(received, forkRules).flatMap(({ role, text }) => (role === 'user' ? [text] : []))
  return {
    refused: null,
    prompts: texts.filter((text) => prompts.has(text) && text !== prompt),
    summaries: texts.flatMap((text) => new RegExp(`${summaryText} \\w{8}`).exec(text)?.[0] ?? []),
    diff: (ours) => compareHistory([...ours, { role: 'user', text: prompt }], received, rules).diff,
  }
}

/** Without the register of live processes, and the plugins, which the terminal UI is loading in the background. */
function copyHome(from: string, to: string): void {
  const left = ['sessions', 'plugins'].map((name) => join(from, '.claude', name))
  for (const name of ['.claude', '.claude.json']) {
    cpSync(join(from, name), join(to, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !left.includes(path),
    })
  }
}
