// An agent whose sessions are the benchmark's, so that they go the same way as anyone's: discovered, catalogued, read, indexed.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, SessionFile } from '../../src/agents/agent.ts'
import type { Entry, SessionSummary } from '../../src/agents/reading.ts'
import type { Message, Turn } from '../../src/model/session.ts'
import type { BenchSession } from './data.ts'

/** What Claude Code begins the summary of a compacted conversation with; its reader gives such a message the role `summary`. */
const summaryStart = 'This session is being continued from a previous conversation'

/** `folder` gets an empty file for each session: one whose file is gone is looked for by everyone. */
export function createBenchAgent(sessions: readonly BenchSession[], folder: string): Agent {
  mkdirSync(folder, { recursive: true })
  const byPath = new Map(sessions.map((session) => [join(folder, `${session.session_id}.jsonl`), session]))
  for (const path of byPath.keys()) closeSync(openSync(path, 'a'))
  const never = () => {
    throw new Error('the benchmark only reads')
  }
  return {
    id: 'claude',
    label: 'Bench',
    sessionsFolder: () => folder,
    sessionsDepth: 0,
    *discover() {
      for (const [path, { session_id: id, messages }] of byPath) {
        const bytes = messages.reduce((sum, { text }) => sum + text.length, 0)
        yield { agent: 'claude', id, path, bytes, modifiedAt: 1, inode: 1, archived: false, olderPaths: [] }
      }
    },
    async summarise(file) {
      return summarise(file, readTurns(sessionAt(file)))
    },
    async *read(file): AsyncGenerator<Entry> {
      for (const { turn, messages } of readTurns(sessionAt(file))) {
        yield { kind: 'turn', turn }
        for (const message of messages) yield { kind: 'message', message }
      }
    },
    live: () => [],
    tellsLive: () => true,
    abilities: never,
    chooseFork: never,
    writePrefix: never,
    command: never,
    withoutHarness: (message) => message,
    inert: never,
    defaultModel: never,
    readEdits: never,
    runs: () => Promise.reject(new Error('is only read')),
    hooks: { install: never, uninstall: never, status: never, forRun: never },
  }

  function sessionAt({ path }: SessionFile): BenchSession {
    const session = byPath.get(path)
    if (session === undefined) throw new Error(`no session at ${path}`)
    return session
  }
}

interface ReadTurn {
  readonly turn: Turn
  readonly messages: readonly Message[]
}

function readTurns({ session_id, messages }: BenchSession): ReadTurn[] {
  const turns: { turn: Turn; messages: Message[] }[] = []
  for (const [at, { role, text }] of messages.entries()) {
    const isSummary = role === 'user' && text.startsWith(summaryStart)
    if (turns.length === 0 || (role === 'user' && !isSummary))
      turns.push({ turn: makeTurn(session_id, turns.length + 1, text), messages: [] })
    const open = turns.at(-1)
    const id = `${session_id}.${at}`
    const base = { id, turnId: open?.turn.id ?? '', at: null }
    if (role === 'tool') open?.messages.push({ ...base, role, text: '', tool: makeCall(id, text) })
    else open?.messages.push({ ...base, role: isSummary ? 'summary' : role, text })
  }
  return turns
}

function makeTurn(session: string, number: number, prompt: string): Turn {
  const id = `${session}-turn-${number}`
  return {
    number,
    id,
    prompt,
    startedAt: null,
    endedAt: null,
    messages: 1,
    lastMessageId: null,
    state: 'complete',
    afterCompaction: false,
  }
}

/** The data has a call as its name and main argument. */
export function makeCall(callId: string, text: string) {
  const blank = text.indexOf(' ')
  const name = blank === -1 ? text : text.slice(0, blank)
  const about = blank === -1 ? '' : text.slice(blank + 1)
  const field = /^(?:Read|Edit|Write|MultiEdit|NotebookEdit)$/.test(name) ? 'file_path' : name === 'Bash' ? 'command' : 'query'
  return { name, arguments: { [field]: about }, output: '', exitCode: 0, failed: false, callId }
}

function summarise(file: SessionFile, turns: readonly ReadTurn[]): SessionSummary {
  return {
    id: file.id,
    title: turns[0]?.turn.prompt.slice(0, 80) ?? '',
    titleFrom: 'prompt',
    cwd: null,
    branch: null,
    model: null,
    cliVersion: null,
    createdAt: 1,
    updatedAt: 1,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    parent: null,
    inheritedTurns: 0,
    copied: false,
    messages: turns.length,
    turns: turns.map(({ turn }) => turn),
    deadTurns: [],
    broken: null,
    skipped: {},
    mark: { inode: 1, offset: file.bytes, head: '', tail: '' },
    resume: null,
  }
}
