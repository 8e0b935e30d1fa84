// The real Codex as the driver uses it: exec and the app-server here, the terminal UI in codex-client.ts.
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { removeFolder } from '../../setup/remove-folder.ts'
import type { LoggedRequest } from '../codex/api.ts'
import { type AppServer, startAppServer } from '../codex/app-server.ts'
import { execFork, startExec } from '../codex/exec.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { allRollouts, rolloutsOf } from '../codex/rollouts.ts'
import { openCodexTerminal } from '../codex/terminal.ts'
import type { CodexVersion } from '../lib/agents.ts'
import { compareHistory, type Rule } from '../lib/history.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Cli, HeldPrompt, Hold, Probe, ProbeKind, PromptKind } from './cli.ts'
import { createCodexClient } from './codex-client.ts'
import { joinedTurn, requestWith } from './codex-requests.ts'

const directives: Readonly<Record<PromptKind, (variant: number) => string>> = {
  plain: () => '',
  tool: () => '[[shell: cat notes.txt]]',
  parallel: (variant) => ['cat notes.txt', 'cat README.md', 'echo three'].map(delayed(variant)).join(' '),
  failing: () => '[[shell: echo before; exit 3]]',
  long: () => '[[shell: seq 1 20000]]',
  think: () => '[[reason]] [[shell: cat notes.txt]]',
  edit: (variant) => `[[patch: made-${variant}.txt|a line]]`,
  subagent: () => '[[agent: Count the files]]',
  refused: () => '[[fail: 400]]',
}

function delayed(variant: number): (command: string, at: number) => string {
  return (command, at) => `[[shell: ${at === variant % 3 ? 'sleep 0.2; ' : ''}${command}]]`
}

export async function createCodexCli(version: CodexVersion): Promise<Cli> {
  const home = await createCodexHome(version)
  const { sandbox } = home
  const isOld = version === '0.142.0'
  const bin = sandbox.folder('bin')
  symlinkSync(home.binary, join(bin, 'codex'))

  /** Does something to a thread through the app-server. */
  async function onThread(threadId: string, work: (server: AppServer) => Promise<unknown>): Promise<void> {
    const server = await startAppServer(home)
    await server.request('thread/resume', { threadId, cwd: home.work })
    await work(server)
    await server.stop()
  }

  return {
    name: `codex-${version}`,
    agent: 'codex',
    sandbox,
    vars: { ...home.env, PATH: `${bin}${delimiter}${home.env.PATH}` },
    rewindsPastCompaction: !isOld,
    steeringEndsAnswer: !isOld,
    refusedState: isOld ? 'complete' : 'failed', // 0.142 records no error, and lists the turn as completed
    prompt: (kind, words, variant) => `${words} ${directives[kind](variant)}`.trim(),
    heldPrompt: (hold, words) => heldPrompt(home, hold, words),
    async underway(sessionId, prompt, hold) {
      const recorded = hold === 'tool' ? `cmd\\":\\"until [ -e ${pathOf(home, prompt)}` : JSON.stringify(prompt)
      const isRecorded = () => rolloutsOf(home, sessionId).some((path) => readFileSync(path, 'utf8').includes(recorded))
      await waitUntil('the turn to be on disk', isRecorded)
    },
    isTold: (prompt) => requestWith(home, prompt) !== undefined,
    joinedTurn: (prompt) => joinedTurn(home, prompt),

    async start(sessionId, prompt) {
      const run = startExec(home, sessionId === null ? [prompt] : ['resume', sessionId, prompt])
      await Promise.race([run.ended, waitUntil('the model to be asked', () => requestWith(home, prompt))])
      return {
        sessionId: sessionId ?? requestWith(home, prompt)?.threadId ?? null,
        kill: run.killHard,
        async interrupt() {
          run.child.kill('SIGINT')
          await run.ended
        },
        async ended() {
          await run.ended
        },
      }
    },
    async open(sessionId) {
      const terminal = await openCodexTerminal(home, sessionId === null ? [] : ['resume', sessionId])
      return createCodexClient(home, terminal, sessionId)
    },
    async fork(sessionId, prompt) {
      if (!isOld) return execFork(home, sessionId, prompt)
      const server = await startAppServer(home)
      const child = await server.fork(sessionId)
      await server.turn(child, prompt)
      await server.stop()
      return child
    },
    async openFork(sessionId) {
      const before = new Set(allRollouts(home))
      const terminal = await openCodexTerminal(home, ['fork', sessionId])
      const made = await waitUntil('the file of the fork', () => allRollouts(home).find((path) => !before.has(path)))
      return createCodexClient(home, terminal, /rollout-.{19}-([0-9a-f-]{36})/.exec(basename(made))?.[1] ?? null)
    },
    compact: (sessionId) =>
      onThread(sessionId, async (server) => {
        await server.request('thread/compact/start', { threadId: sessionId })
        await server.otherTurnEnd([])
      }),
    rewind: (sessionId, { dropped, back }, prompt) =>
      onThread(sessionId, async (server) => {
        const beforeTurnId = requestWith(home, dropped)?.turnId
        if (isOld) await server.rollback(sessionId, back)
        else await server.request('thread/revert', { threadId: sessionId, beforeTurnId })
        await server.turn(sessionId, prompt)
      }),

    files: (sessionId) => rolloutsOf(home, sessionId),
    holds: () => true, // a compacted thread keeps its lines, and a fork its parent's or a reference to them
    probe: (sessionId, how, prompts) => probe(home, sessionId, isOld ? 'resume' : how, prompts),
    toldBefore(sessionId, prompt, prompts) {
      const request = requestWith(home, prompt)
      return request?.threadId === sessionId ? toProbe(request, prompts, codexRules) : null
    },
    seen: fromReader,
  }
}

function heldPrompt(home: CodexHome, hold: Hold, words: string): HeldPrompt {
  if (hold === 'answer') return { prompt: `${words} [[hold]]`, release: home.api.release }
  const go = pathOf(home, words)
  const prompt = `${words} [[wait: until [ -e ${go} ]; do sleep 0.05; done; cat notes.txt]]`
  return { prompt, release: () => writeFileSync(go, '') }
}

/** The file a held tool waits for. */
function pathOf({ sandbox }: CodexHome, prompt: string): string {
  return join(sandbox.root, prompt.split(' ', 2).join('-'))
}

/** A fork of a thread whose turn has no end is given one; the source gets it only when it is resumed. */
const endOfOpenTurn: Rule = {
  name: 'end of an open turn',
  reason: 'Codex closes a turn that was running with <turn_aborted> when it forks the thread.',
  side: 'received',
  apply(item, index, all, other) {
    const isAdded = item.text.startsWith('<turn_aborted>') && index === all.length - 1
    return isAdded && !other.at(-1)?.text.startsWith('<turn_aborted>') ? undefined : item
  },
}

let copies = 0

async function probe(home: CodexHome, sessionId: string, how: ProbeKind, prompts: ReadonlySet<string>): Promise<Probe> {
  copies += 1
  const folder = join(home.sandbox.root, `copy-${copies}`)
  copyHome(home.folder, folder)
  const copied = { ...home, folder, env: { ...home.env, CODEX_HOME: folder, OFFSHOOT_INTERNAL: '1' } }
  const prompt = `probe ${copies}: what have we got so far?`
  const done = await startExec(copied, [how, sessionId, prompt], { options: ['-c', 'features.hooks=false'] }).ended
  removeFolder(folder)
  const request = requestWith(home, prompt)
  if (request === undefined) return { ...nothing, refused: done.stderr || done.stdout }
  return toProbe(request, prompts, how === 'fork' ? [...codexRules, endOfOpenTurn] : codexRules)
}

const nothing: Probe = { refused: null, prompts: [], summaries: [], diff: () => '' }

function toProbe({ input }: LoggedRequest, prompts: ReadonlySet<string>, rules: readonly Rule[]): Probe {
  const received = historyBefore(input, prompts)
  return {
    refused: null,
    prompts: received.flatMap(({ role, text }) => (role === 'user' && prompts.has(text) ? [text] : [])),
    summaries: received.flatMap(({ role, text }) => (role === 'summary' ? [text] : [])),
    diff: (ours) => compareHistory(ours, received, rules).diff,
  }
}

/** The databases name files by absolute path: in the copy they must name the copied ones. */
function copyHome(from: string, to: string): void {
  const isDatabase = (path: string) => /\.sqlite(-wal|-shm)?$/.test(path)
  cpSync(from, to, { recursive: true, filter: (path) => !isDatabase(path) })
  for (const name of readdirSync(from).filter((each) => each.endsWith('.sqlite') && !each.startsWith('logs_'))) {
    const source = new Sqlite(join(from, name), { readonly: true })
    writeFileSync(join(to, name), source.serialize())
    source.close()
    if (!name.startsWith('state_')) continue
    const copy = new Sqlite(join(to, name))
    copy.prepare('UPDATE threads SET rollout_path = replace(rollout_path, ?, ?)').run(from, to)
    copy.close()
  }
}
