// What must hold of a recorded session: however it is read, the same is told of it, and bad values change no more than they must.
import { statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { AppError } from '../model/error.ts'
import { type ConformanceSample, type ConformanceSessions, junkLines, linesOf } from './conformance-fixture.testkit.ts'
import { checkTurns, messagesOf, turnsOf } from './reading.testkit.ts'
import type { Entry, SessionSummary } from './reading.ts'

export function checkSample({ place, summarise, read }: ConformanceSessions, sample: ConformanceSample): void {
  let path: string
  let entries: Entry[]
  let summary: SessionSummary
  beforeAll(async () => {
    path = place(sample)
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

/** As it comes back from the catalogue. */
const stored = (summary: SessionSummary): SessionSummary => JSON.parse(JSON.stringify(summary)) as SessionSummary

const withoutResume = ({ resume: _, ...rest }: SessionSummary) => rest

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
