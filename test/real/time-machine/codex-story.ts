// Two conversations with Codex, told to versions of every storage format: commands, parallel commands, steering, compaction.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ExpectedTurn } from '../claude/scenarios/scenario.ts'
import { startExec } from '../codex/exec.ts'
import type { CodexHome } from '../codex/home.ts'
import { historyBefore } from '../codex/received.ts'
import { allRollouts } from '../codex/rollouts.ts'
import { openTerminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import type { RecordedTurn } from './recording.ts'

export interface CodexMade {
  readonly sessionId: string
  readonly turns: readonly ExpectedTurn[]
}

const steering = 'also look at this'

/** All that was typed, steering included. */
export function promptsOf(turns: readonly ExpectedTurn[]): ReadonlySet<string> {
  return new Set([...turns.map(({ prompt }) => prompt), steering])
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** `codex exec`, then `exec resume`; one prompt only where the version cannot resume. */
export async function execInTurn(home: CodexHome): Promise<CodexMade> {
  const prompts = [
    'hello one',
    'look [[shell: cat notes.txt]]',
    'two at once [[shell: sleep 0.3; cat notes.txt]] [[shell: cat README.md]]',
    'a patch [[patch: new.txt|line one]]',
    'and on',
  ]
  const [first = '', ...rest] = (await canResume(home))
    ? prompts
    : ['only one [[shell: cat notes.txt]] [[patch: new.txt|line one]]']
  await ran(home, [first])
  const sessionId = threadOf(home)
  for (const prompt of rest) await ran(home, ['resume', sessionId, prompt])
  return { sessionId, turns: [first, ...rest].map((prompt) => ({ prompt })) }
}

/** The terminal UI: steering while a command runs, and a compaction where the version stores it (bare files hold no trace of one). */
export async function typeIntoCodex(home: CodexHome, version: string): Promise<CodexMade> {
  const compacts = version !== '0.29.0'
  const daemon = await helpOf(home, []).then((text) => (text.includes('--no-daemon') ? ['--no-daemon'] : []))
  const terminal = openTerminal(home.sandbox, { argv: [home.binary, ...daemon], cwd: home.work, env: home.env })
  await terminal.waitFor(/^[›▌]/m)
  const recorded = (text: string) =>
    waitUntil(`"${text}" in the rollout`, () => allRollouts(home).some((path) => readFileSync(path, 'utf8').includes(text)), {
      describe: terminal.screen,
    })
  const isAsked = (prompt: string) =>
    home.api.requests.some(({ input }) => JSON.stringify(input).includes(JSON.stringify(prompt)))
  /** A busy machine loses an Enter now and then, and a person presses it again. */
  const send = async (prompt: string) => {
    await terminal.submit(prompt)
    await waitUntil('the request', () => isAsked(prompt), { timeoutMs: 8000 }).catch(() => terminal.key('Enter'))
    await waitUntil('the request', () => isAsked(prompt), { describe: terminal.screen })
  }
  const say = async (prompt: string) => {
    await send(prompt)
    await recorded(` to: ${prompt.slice(0, 30)}`)
    await terminal.waitWhile(/esc to interrupt/i)
  }
  await say('typed one')
  await say('typed two [[shell: cat notes.txt]]')
  const steered = `wait [[shell: until [ -e ${join(home.work, 'go')} ]; do sleep 0.1; done; cat notes.txt]]`
  await send(steered)
  await terminal.submit(steering)
  await terminal.waitFor(steering)
  writeFileSync(join(home.work, 'go'), '')
  await recorded(`to: ${steering}`)
  await terminal.waitWhile(/esc to interrupt/i)
  if (compacts) {
    await terminal.submit('/compact')
    await recorded('"type":"compacted"')
    await terminal.waitWhile(/esc to interrupt/i)
  }
  await say('after the compaction')
  await say('and at last [[shell: cat README.md]]')
  terminal.key('C-u')
  await terminal.leave('/quit')
  const behind = compacts ? { afterCompaction: true } : {}
  const turns = [
    { prompt: 'typed one' },
    { prompt: 'typed two [[shell: cat notes.txt]]' },
    { prompt: steered },
    ...(waitedForAnswer(home, steering) ? [{ prompt: steering }] : []),
    { prompt: 'after the compaction', ...behind },
    { prompt: 'and at last [[shell: cat README.md]]', ...behind },
  ]
  return { sessionId: threadOf(home), turns }
}

/** Up to 0.87 a prompt typed while a command runs waits for the end of the turn and becomes a turn of its own. */
function waitedForAnswer(home: CodexHome, prompt: string): boolean {
  return home.api.requests.some(({ input }) => {
    const at = input.findIndex((item) => item.role === 'user' && JSON.stringify(item).includes(JSON.stringify(prompt)))
    return at > 0 && input[at - 1]?.role === 'assistant'
  })
}

/** With each turn what the API received in front of its prompt. */
export function withCodexHistories(home: CodexHome, turns: readonly ExpectedTurn[]): RecordedTurn[] {
  const prompts = promptsOf(turns)
  return turns.map((turn) => {
    const request = home.api.requests.find(({ input }) => {
      const last = input.findLast((item) => item.role === 'user')
      return JSON.stringify(last ?? {}).includes(JSON.stringify(turn.prompt).slice(1, -1))
    })
    return request === undefined ? turn : { ...turn, history: historyBefore(request.input, prompts) }
  })
}

export function codexFiles(home: CodexHome): Record<string, string> {
  const { root } = home.sandbox
  const index = join(home.folder, 'session_index.jsonl')
  const paths = [...allRollouts(home), ...(existsSync(index) ? [index] : [])]
  return Object.fromEntries(paths.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
}

async function ran(home: CodexHome, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await startExec(home, args).ended
  if (code !== 0) throw new Error(`codex exec ${args.join(' ')} ended with ${code}\n${stdout}\n${stderr}`)
}

function threadOf(home: CodexHome): string {
  const [path = ''] = allRollouts(home)
  const id = uuid.exec(path)?.[0]
  if (id === undefined) throw new Error(`no rollout below ${home.folder}: ${readdirSync(home.folder).join(' ')}`)
  return id
}

async function canResume(home: CodexHome): Promise<boolean> {
  return (await helpOf(home, ['exec'])).includes('resume')
}

async function helpOf(home: CodexHome, args: readonly string[]): Promise<string> {
  return (await home.sandbox.processes.run([home.binary, ...args, '--help'], { cwd: home.work, env: home.env })).stdout
}
