// Two conversations that touch what old versions of Claude Code stored differently: hooks (a slow one too), parallel tools,
// subagents, prompts typed while the agent works, and compaction. Screens differ between versions, so waiting is for the
// transcript and for what the API received.
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { LoggedRequest } from '../claude/api.ts'
import type { Bench } from '../claude/bench.ts'
import { withoutReminders } from '../claude/messages-api.ts'
import { fromMessages } from '../claude/received.ts'
import { type ExpectedTurn, waitForLine } from '../claude/scenarios/scenario.ts'
import type { SeenItem } from '../lib/history.ts'
import { waitUntil } from '../lib/wait.ts'
import type { RecordedTurn, Recording } from './recording.ts'

type Made = Pick<Recording, 'sessionId'> & { readonly turns: readonly ExpectedTurn[] }

/** The hooks of a careful user. While the file `slow` is there, those after a tool and at the end take longer than 5 s. */
function hookSettings(bench: Bench): object {
  const run = (command: string) => [{ hooks: [{ type: 'command', command }] }]
  const tools = (command: string) => [{ matcher: '*', hooks: [{ type: 'command', command }] }]
  const slowly = `if [ -e '${bench.file('slow')}' ]; then sleep 5.6; fi`
  return {
    hooks: {
      SessionStart: run('echo The session starts.'),
      UserPromptSubmit: run('echo A note from the prompt hook.'),
      PreToolUse: tools('true'),
      PostToolUse: tools(slowly),
      Stop: run(slowly),
    },
  }
}

async function slowly<T>(bench: Bench, work: () => Promise<T>): Promise<T> {
  writeFileSync(bench.file('slow'), '')
  try {
    return await work()
  } finally {
    rmSync(bench.file('slow'))
  }
}

/** Print mode. Versions up to 1.0.x go on in a new session file at each resume: the last one holds all. */
export async function tellInPrint(bench: Bench): Promise<Made> {
  const settings = hookSettings(bench)
  let sessionId: string | undefined
  const say = async (prompt: string) => {
    const flags = sessionId === undefined ? [] : ['--resume', sessionId]
    sessionId = (await bench.claude.print(prompt, { settings, flags })).sessionId
  }
  const prompts = [
    'hello one',
    'look [[bash:cat notes.txt]]',
    'all at once [[parallel:sleep 0.9 && cat notes.txt|sleep 0.5 && cat README.md|cat notes.txt README.md]]',
    'delegate [[task:count the notes]]',
    'and on [[bash:cat README.md]]',
  ]
  for (const prompt of prompts) {
    if (prompt.startsWith('look') || prompt.startsWith('and on')) await slowly(bench, () => say(prompt))
    else await say(prompt)
  }
  return { sessionId: sessionId ?? '', turns: prompts.map((prompt) => ({ prompt })) }
}

/** The terminal UI: a slow hook, a prompt typed while a tool runs, one typed while the answer comes, and a compaction. */
export async function typeIntoTerminal(bench: Bench): Promise<Made> {
  const sessionId = randomUUID()
  const terminal = await bench.claude.open({ flags: ['--session-id', sessionId], settings: hookSettings(bench) })
  const answered = (prompt: string) =>
    waitForLine(bench, sessionId, `the answer to "${prompt}"`, (line) => line.includes(`Answer to: ${prompt}`))
  const idle = () => terminal.waitWhile(/esc to interrupt|interrupt\)/)
  /** A busy machine loses an Enter now and then, and a person presses it again. */
  const send = async (prompt: string) => {
    await terminal.submit(prompt)
    await bench.api.waitForPrompt(prompt, { timeoutMs: 8000 }).catch(() => terminal.key('Enter'))
    await bench.api.waitForPrompt(prompt)
  }
  const say = async (prompt: string) => {
    await send(prompt)
    await answered(prompt)
    await idle()
  }
  await say('typed one')
  await slowly(bench, () => say('with a slow hook [[bash:cat notes.txt]]'))

  const steered = `wait for me [[bash:until [ -e ${bench.file('go')} ]; do sleep 0.1; done; cat notes.txt]]`
  await send(steered)
  await waitForLine(bench, sessionId, 'the call', (line) => line.includes('"tool_use"') && line.includes('until'))
  await terminal.submit('also look at this')
  await terminal.waitFor('also look at this')
  writeFileSync(bench.file('go'), '')
  await bench.api.waitForPrompt('also look at this', { timeoutMs: 60_000 }).catch(() => undefined)
  await idle()

  await send('take your time [[slow:2500]]')
  await terminal.submit('and then this')
  await answered('and then this')
  await idle()

  await terminal.submit('/compact')
  await waitForLine(bench, sessionId, 'the boundary', (line) => line.includes('"compact_boundary"'))
  await terminal.waitWhile(/Compacting/)
  await say('after the compaction')
  await say('and at last [[bash:cat README.md]]')
  await terminal.leave('/exit')
  const turns = [
    { prompt: 'typed one' },
    { prompt: 'with a slow hook [[bash:cat notes.txt]]' },
    { prompt: steered },
    { prompt: 'take your time [[slow:2500]]' },
    { prompt: 'and then this' },
    { prompt: 'after the compaction', afterCompaction: true },
    { prompt: 'and at last [[bash:cat README.md]]', afterCompaction: true },
  ]
  return { sessionId, turns }
}

/** With each turn what the API received in front of its prompt. */
export function withHistories(bench: Bench, turns: readonly ExpectedTurn[]): RecordedTurn[] {
  return turns.map((turn) => {
    const request = bench.api.requests.find(({ kind, prompt }) => kind === 'turn' && prompt === turn.prompt)
    return request === undefined ? turn : { ...turn, history: historyBefore(request, turn.prompt) }
  })
}

/** What a request carries besides its prompt, which need not be the last item: 2.1.250 sends what changed behind it. */
function historyBefore({ messages }: LoggedRequest, prompt: string): SeenItem[] {
  const items = fromMessages(messages)
  const promptAt = items.findLastIndex(({ role, text }) => role === 'user' && withoutReminders(text).endsWith(prompt))
  if (promptAt === -1) throw new Error(`the request does not hold its prompt "${prompt}"`)
  return items.filter((_, at) => at !== promptAt)
}

/** Everything Claude Code keeps of its sessions, by path below the sandbox. */
export function sessionFiles(bench: Bench): Record<string, string> {
  const { home, root } = bench.sandbox
  const projects = join(home, '.claude', 'projects')
  if (!existsSync(projects)) throw new Error(`nothing was written below ${projects}`)
  const names = readdirSync(projects, { recursive: true, encoding: 'utf8' }).map((name) => join(projects, name))
  const files = names.filter((path) => statSync(path).isFile())
  return Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
}

export async function afterLastWrite(bench: Bench, sessionId: string): Promise<void> {
  let size = -1
  await waitUntil(
    'the transcript to rest',
    () => {
      const now = statSync(bench.transcript(sessionId)).size
      const rests = now === size
      size = now
      return rests
    },
    { everyMs: 300 },
  )
}
