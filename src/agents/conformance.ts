// The suite every agent must pass: run it from `<agent>/conformance.test.ts` with a fixture of recorded session files. It knows
// the interface of agent.ts and nothing of any file format.
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../model/error.ts'
import type { Message } from '../model/session.ts'
import type { Agent, SessionFile } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import type { Entry, ReadOptions, SessionSummary } from './reading.ts'

export interface ConformanceSample {
  readonly name: string
  readonly content: Buffer
  /** Writes a session file with this content where the agent looks for it, and all it builds on; returns its path. */
  place(home: string, content: Buffer): string
}

export interface ConformanceFixture {
  env(home: string): AgentEnv
  readonly samples: readonly ConformanceSample[]
  /** A straight session of a few kilobytes: it is cut at every byte. */
  readonly small: ConformanceSample
}

const junkLines = ['{', 'null', '[]', '42', '"text"', '{}', '{"type":"offshoot_unknown","payload":{}}', '\u2028', '}{', '\u0000']

export function runAgentConformance(agent: Agent, fixture: ConformanceFixture): void {
  let home: string
  let env: AgentEnv
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), `offshoot-${agent.id}-`))
    env = fixture.env(home)
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  function find(path: string): SessionFile {
    const file = [...agent.discover(env)].find((candidate) => candidate.path === path)
    if (file === undefined) throw new Error(`${path} is not discovered`)
    return file
  }
  const summarise = (path: string, previous?: SessionSummary) => agent.summarise(find(path), env, previous)
  const read = (path: string, options?: ReadOptions) => collect(agent.read(find(path), env, options))

  describe('homes', () => {
    const inHome = async (prepare: (env: AgentEnv) => void, check: (env: AgentEnv) => void | Promise<void>) => {
      const odd = mkdtempSync(join(tmpdir(), `offshoot-${agent.id}-home-`))
      try {
        prepare(fixture.env(odd))
        await check(fixture.env(odd))
      } finally {
        rmSync(odd, { recursive: true, force: true })
      }
    }
    const nothingThere = (odd: AgentEnv) => {
      expect([...agent.discover(odd)]).toEqual([])
      expect(agent.live(odd)).toEqual([])
    }
    it('finds nothing where there is no folder', () => inHome(() => undefined, nothingThere))
    it('finds nothing in an empty folder', () =>
      inHome((odd) => mkdirSync(agent.sessionsFolder(odd), { recursive: true }), nothingThere))
    it('finds nothing where the folder is a file', () =>
      inHome((odd) => {
        mkdirSync(dirname(agent.sessionsFolder(odd)), { recursive: true })
        writeFileSync(agent.sessionsFolder(odd), 'no folder')
      }, nothingThere))
    it('passes over a folder named like a session, and lists the rest', () =>
      inHome(
        (odd) => {
          const path = fixture.small.place(odd.home, fixture.small.content)
          rmSync(path)
          mkdirSync(path)
        },
        (odd) => expect([...agent.discover(odd)].filter((file) => statSync(file.path).isDirectory())).toEqual([]),
      ))
    it('says that the agent is not installed where it is not on the PATH', () =>
      inHome(
        () => undefined,
        async (odd) => {
          const abilities = await agent.abilities({ home: odd.home, vars: { PATH: join(odd.home, 'nothing') } })
          expect(abilities).toMatchObject({ installed: false, version: null, fork: false, forkAtTurn: false })
          expect(abilities.problem).not.toBeNull()
        },
      ))
  })

  describe.each(fixture.samples.map((sample) => [sample.name, sample] as const))('%s', (_name, sample) => {
    let path: string
    let entries: Entry[]
    let summary: SessionSummary
    beforeAll(async () => {
      path = sample.place(home, sample.content)
      entries = await read(path)
      summary = await summarise(path)
    })

    it('reads the same every time', async () => {
      expect(await read(path)).toEqual(entries)
      expect(await summarise(path)).toEqual(summary)
      expect(await read(path, { view: 'context' })).toEqual(await read(path, { view: 'context' }))
    })

    it('numbers turns from 1 and names each but once', () => {
      expect(summary.turns.map((turn) => turn.number)).toEqual(summary.turns.map((_, index) => index + 1))
      const ids = [...summary.turns, ...summary.deadTurns].map((turn) => turn.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(summary.deadTurns.every((turn) => turn.number === null)).toBe(true)
      expect(summary.turns.slice(0, -1).filter((turn) => turn.state === 'running')).toEqual([])
    })

    it('tells the same of its turns in the summary and in reading', () => {
      expect(turnsOf(entries)).toEqual(summary.turns)
      checkTurns(entries)
      expect(messagesOf(entries)).toHaveLength(summary.messages)
    })

    it('gives messages ids of their own', () => {
      const ids = messagesOf(entries).map((message) => message.id)
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    })

    it('reads up to each turn exactly what stands before its end', async () => {
      for (const { id } of summary.turns) {
        const whole = upToTurn(entries, id)
        const branch = await read(path, { upTo: { turnId: id } })
        expect(turnsOf(branch).map((turn) => turn.id)).toEqual(turnsOf(whole).map((turn) => turn.id))
        // A compaction run after the turn's last answer may be told with the turn, but the turn ended before it.
        expect([said(whole), beforeCompaction(said(whole))]).toContainEqual(said(branch))
      }
    })

    it('reads up to each message what stands before it, and no more than the calls it made', async () => {
      const messages = messagesOf(entries)
      for (const [index, { id, turnId }] of messages.entries()) {
        const prefix = messagesOf(await read(path, { upTo: { messageId: id } }))
        expect(prefix, `up to ${id}`).toEqual(messages.slice(0, prefix.length))
        const beyond = prefix.slice(index)
        expect(beyond[0]?.id).toBe(id)
        // A cut inside a turn keeps a whole group of parallel calls with their results.
        expect(beyond.slice(1).every((message) => message.role === 'tool' && message.turnId === turnId)).toBe(true)
      }
    })

    it('reads the branch of every dead turn', async () => {
      for (const { id } of summary.deadTurns) {
        const branch = await read(path, { upTo: { turnId: id } })
        expect(turnsOf(branch).at(-1)?.id).toBe(id)
        checkTurns(branch)
      }
    })

    it('refuses an unknown turn or message by name', async () => {
      await expect(read(path, { upTo: { turnId: 'no-such-turn' } })).rejects.toMatchObject({ code: 'turn_not_found' })
      await expect(read(path, { upTo: { messageId: 'no-such-message' } })).rejects.toMatchObject({ code: 'message_not_found' })
      await expect(read(path, { upTo: { turnId: 'no-such-turn' } })).rejects.toBeInstanceOf(AppError)
    })

    it('summarises what was appended as it would the whole, at every line', async () => {
      const lines = linesOf(sample.content)
      let previous: SessionSummary | undefined
      for (let count = 0; count <= lines.length; count += 1) {
        writeFileSync(path, Buffer.concat(lines.slice(0, count)))
        const whole = await summarise(path)
        expect(withoutResume(await summarise(path, previous)), `after ${count} lines`).toEqual(withoutResume(whole))
        previous = stored(await summarise(path, previous))
      }
      expect(withoutResume(await summarise(path))).toEqual(withoutResume(summary))
    })

    it('starts over when the file was rewritten', async () => {
      const lines = linesOf(sample.content)
      writeFileSync(path, Buffer.concat(lines.slice(0, Math.ceil(lines.length / 2))))
      const previous = stored(await summarise(path))
      writeFileSync(path, Buffer.concat([Buffer.from('{"rewritten":true}\n'), ...lines]))
      expect(withoutResume(await summarise(path, previous))).toEqual(withoutResume(await summarise(path)))
      writeFileSync(path, sample.content)
    })

    it('leaves the file as it is', async () => {
      const before = statSync(path, { bigint: true })
      await read(path)
      await read(path, { view: 'context' })
      await summarise(path)
      const after = statSync(path, { bigint: true })
      expect([after.mtimeNs, after.ino, after.size]).toEqual([before.mtimeNs, before.ino, before.size])
      expect(await readFile(path)).toEqual(sample.content)
    })

    it('is not led astray by junk between the lines', async () => {
      const lines = linesOf(sample.content)
      const insertion = fc.tuple(fc.nat(lines.length), fc.constantFrom(...junkLines))
      const property = fc.asyncProperty(fc.array(insertion, { minLength: 1, maxLength: 5 }), async (insertions) => {
        const mixed = [...lines]
        for (const [position, junk] of insertions) mixed.splice(position, 0, Buffer.from(`${junk}\n`))
        writeFileSync(path, Buffer.concat(mixed))
        expect(messagesOf(await read(path))).toEqual(messagesOf(entries))
        expect((await summarise(path)).turns).toEqual(summary.turns)
      })
      await fc.assert(property, { numRuns: 30 }).finally(() => writeFileSync(path, sample.content))
    })

    it('stays consistent when values inside the lines are anything', async () => {
      const lines = linesOf(sample.content).map((line) => JSON.parse(line.toString()) as unknown)
      const change = fc.tuple(fc.nat(Math.max(0, lines.length - 1)), fc.nat(1000), fc.jsonValue({ maxDepth: 2 }))
      const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const changed = structuredClone(lines)
        for (const [at, where, value] of changes) changed[at] = replaceOne(changed[at], where, value)
        writeFileSync(path, changed.map((line) => `${JSON.stringify(line)}\n`).join(''))
        const seen = await read(path)
        const now = await summarise(path)
        expect(turnsOf(seen)).toEqual(now.turns)
        expect(messagesOf(seen)).toHaveLength(now.messages)
        checkTurns(seen)
        await read(path, { view: 'context' })
      })
      await fc.assert(property, { numRuns: 50 }).finally(() => writeFileSync(path, sample.content))
    })
  })

  describe(`${fixture.small.name}, damaged`, () => {
    let path: string
    beforeAll(() => {
      path = fixture.small.place(home, fixture.small.content)
    })
    afterAll(() => writeFileSync(path, fixture.small.content))

    it('cut at every byte, holds all complete lines and nothing else', async () => {
      const lines = linesOf(fixture.small.content)
      const expected: Message[][] = []
      for (let count = 0; count <= lines.length; count += 1) {
        writeFileSync(path, Buffer.concat(lines.slice(0, count)))
        expected.push(messagesOf(await read(path)))
      }
      const whole = new Map(expected.at(-1)?.map((message) => [message.id, message]))
      for (const message of expected.flat()) expect(withoutOutput(message)).toEqual(withoutOutput(whole.get(message.id)))

      writeFileSync(path, fixture.small.content)
      let start = fixture.small.content.length
      for (let count = lines.length - 1; count >= 0; count -= 1) {
        const end = start
        start -= lines[count]?.length ?? 0
        for (let size = end - 1; size >= start; size -= 1) {
          truncateSync(path, size)
          // A last line that only lacks its newline may be taken for whole.
          const allowed = size === end - 1 ? [expected[count], expected[count + 1]] : [expected[count]]
          expect(allowed, `cut at byte ${size}`).toContainEqual(messagesOf(await read(path)))
          if (size % 16 === 0 || size === end - 1)
            expect((await summarise(path)).messages).toBe(messagesOf(await read(path)).length)
        }
      }
    })

    it('empty, is a session without turns that says what is wrong', async () => {
      writeFileSync(path, '')
      expect(await summarise(path)).toMatchObject({ turns: [], messages: 0, deadTurns: [] })
      expect(await read(path)).toEqual([])
    })

    it('filled with anything, is read without a fault', async () => {
      const text = fc.array(fc.oneof(fc.string(), fc.json(), fc.constantFrom(...junkLines)), { maxLength: 30 })
      const property = fc.asyncProperty(text, fc.uint8Array({ maxLength: 200 }), async (rows, bytes) => {
        writeFileSync(path, Buffer.concat([Buffer.from(rows.join('\n')), bytes]))
        const seen = await read(path)
        expect(turnsOf(seen)).toEqual((await summarise(path)).turns)
        await read(path, { view: 'context' })
      })
      await fc.assert(property, { numRuns: 300 })
    })

    it('counts ten thousand lines of unknown types and says their number', async () => {
      const unknown = Array.from(
        { length: 10_000 },
        (_, index) => `{"type":"unknown_${index % 100}","n":${index},"payload":{"type":"x"}}\n`,
      )
      writeFileSync(path, Buffer.concat([fixture.small.content, Buffer.from(unknown.join(''))]))
      const { skipped } = await summarise(path)
      expect(Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(10_000)
      expect(skipped).toMatchObject({ 'unknown:unknown_7': 100 })
    })
  })
}

async function collect(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

const messagesOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
const turnsOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))

/** Every message stands behind the mark of its turn, and the marks say how many there are. */
function checkTurns(entries: readonly Entry[]): void {
  let current = ''
  const counts = new Map<string, { messages: number; lastMessageId: string | null }>()
  for (const entry of entries) {
    if (entry.kind === 'turn') current = entry.turn.id
    if (entry.kind !== 'message') continue
    expect(entry.message.turnId).toBe(current)
    counts.set(current, { messages: (counts.get(current)?.messages ?? 0) + 1, lastMessageId: entry.message.id })
  }
  for (const { id, messages, lastMessageId } of turnsOf(entries)) {
    expect({ messages, lastMessageId }, `turn ${id}`).toEqual(counts.get(id) ?? { messages: 0, lastMessageId: null })
  }
}

function upToTurn(entries: readonly Entry[], turnId: string): Entry[] {
  const from = entries.findIndex((entry) => entry.kind === 'turn' && entry.turn.id === turnId)
  const to = entries.findIndex((entry, index) => index > from && entry.kind === 'turn')
  return entries.slice(0, to === -1 ? entries.length : to)
}

const said = (entries: readonly Entry[]) => entries.filter(({ kind }) => kind === 'message' || kind === 'compaction')

/** Without a compaction that no answer follows. */
function beforeCompaction(entries: readonly Entry[]): readonly Entry[] {
  const isAnswer = (entry: Entry) => entry.kind === 'message' && ['assistant', 'tool'].includes(entry.message.role)
  const at = entries.findIndex((entry, i) => entry.kind === 'compaction' && i > entries.findLastIndex(isAnswer))
  return at === -1 ? entries : entries.slice(0, at)
}

function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(0x0a, start)
    const end = newline === -1 ? content.length : newline + 1
    lines.push(content.subarray(start, end))
    start = end
  }
  return lines
}

/** As it comes back from the catalogue. */
const stored = (summary: SessionSummary): SessionSummary => JSON.parse(JSON.stringify(summary)) as SessionSummary

const withoutResume = ({ resume: _, ...rest }: SessionSummary) => rest

function withoutOutput(message: Message | undefined) {
  if (message === undefined) return undefined
  const { tool, ...rest } = message
  return tool === undefined ? rest : { ...rest, tool: { ...tool, output: null, exitCode: null } }
}

/** Puts `value` in place of one of the values inside, counted in reading order. */
function replaceOne(node: unknown, where: number, value: unknown): unknown {
  let left = where % (countValues(node) + 1)
  const walk = (inner: unknown): unknown => {
    left -= 1
    if (left === -1) return value
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, child]) => [key, walk(child)]))
  }
  return walk(node)
}

function countValues(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1
  return Object.values(node).reduce<number>((sum, child) => sum + countValues(child), 1)
}
