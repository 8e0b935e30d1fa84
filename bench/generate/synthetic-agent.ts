// An agent whose sessions are made up when they are read: an index of any size without a transcript on disk. Their files are
// there, but empty: a session whose file is gone is looked for by everyone.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, SessionFile } from '../../src/agents/agent.ts'
import type { Entry } from '../../src/agents/reading.ts'
import type { Message, Turn } from '../../src/model/session.ts'
import { createRandom } from './random.ts'
import { createVocabulary } from './vocabulary.ts'

export interface SyntheticOptions {
  readonly sessions: number
  /** Each turn is about one chunk. */
  readonly turns: number
  /** Where the empty files are made. */
  readonly folder: string
}

const firstDay = Date.parse('2026-01-05T08:00:00Z')
const chunkCharacters = 1200

export function createSyntheticAgent({ sessions, turns, folder }: SyntheticOptions): Agent {
  mkdirSync(folder, { recursive: true })
  const files = Array.from({ length: sessions }, (_, at): SessionFile => {
    const id = `synthetic-${String(at + 1).padStart(6, '0')}`
    const path = join(folder, id)
    closeSync(openSync(path, 'a'))
    const bytes = turns * chunkCharacters
    return { agent: 'claude', id, path, bytes, modifiedAt: firstDay + at, inode: at + 1, archived: false, olderPaths: [] }
  })
  const vocabulary = createVocabulary(createRandom(1))
  const never = () => {
    throw new Error('the benchmark only reads')
  }
  const turnOf = (file: SessionFile, number: number, prompt: string): Turn => ({
    number,
    id: `${file.id}-${number}`,
    prompt,
    startedAt: file.modifiedAt + number * 60_000,
    endedAt: null,
    messages: 3,
    lastMessageId: null,
    state: 'complete',
    afterCompaction: false,
  })
  return {
    id: 'claude',
    label: 'Synthetic',
    sessionsFolder: () => folder,
    sessionsDepth: 0,
    discover: () => files,
    async summarise(file) {
      const made = Array.from({ length: turns }, (_, at) => turnOf(file, at + 1, 'prompt'))
      return {
        id: file.id,
        title: file.id,
        titleFrom: 'prompt',
        cwd: join(folder, `project-${file.inode % 25}`),
        branch: 'main',
        model: 'model',
        cliVersion: null,
        createdAt: file.modifiedAt,
        updatedAt: file.modifiedAt,
        usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
        parent: null,
        inheritedTurns: 0,
        copied: false,
        messages: turns * 3,
        turns: made,
        deadTurns: [],
        broken: null,
        skipped: {},
        mark: { inode: file.inode, offset: file.bytes, head: '', tail: '' },
        resume: null,
      }
    },
    async *read(file): AsyncGenerator<Entry> {
      const random = createRandom(file.inode)
      for (let number = 1; number <= turns; number += 1) {
        const turn = turnOf(file, number, vocabulary.text(random, 120))
        yield { kind: 'turn', turn }
        const base = { turnId: turn.id, at: null }
        const say = (role: Message['role'], text: string, more = {}): Entry => ({
          kind: 'message',
          message: { ...base, id: `${turn.id}.${role}`, role, text, ...more },
        })
        yield say('user', turn.prompt)
        yield say('assistant', vocabulary.text(random, chunkCharacters - 320))
        const command = vocabulary.text(random, 200)
        yield say('tool', '', { tool: { name: 'Bash', arguments: { command }, output: '', exitCode: 0, callId: turn.id } })
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
}
