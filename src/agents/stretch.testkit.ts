// What must hold of every short way to some turns: it says exactly what reading the whole says, or nothing.
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Agent, SessionFile } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import { readStretch } from './read-stretch.ts'
import { findFile, turnsOf } from './reading.testkit.ts'
import type { Entry, StretchOptions } from './reading.ts'

export interface Tally {
  /** How often the short way gave the answer, and how often there was none. */
  short: number
  whole: number
}

/** Beginning with this few bytes, a part holds less than a line at first. */
const reaches = [
  { firstBytes: 1, marginBytes: 0 },
  { firstBytes: 5000, marginBytes: 0 },
  { firstBytes: 3000, marginBytes: 20_000 },
]

export interface StretchSubject {
  readonly agent: Agent
  readonly env: AgentEnv
  readonly path: string
}

async function readWhole({ agent, env }: StretchSubject, file: SessionFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of agent.read(file, env)) if (entry.kind !== 'skipped') entries.push(entry)
  return entries
}

/** Every stretch of the turns of a file at rest. */
export async function checkAllStretches(subject: StretchSubject, each = reaches): Promise<Tally> {
  const tally = { short: 0, whole: 0 }
  const file = findFile(subject.agent, subject.env, subject.path)
  const whole = await readWhole(subject, file)
  const turns = turnsOf(whole)
  const places = new Map<number, number>()
  for (const reach of each) {
    for (let start = turns.length - 1; start >= 0; start -= 1) {
      for (let stop = turns.length; stop > start; stop -= 1) {
        const next = turns[stop]
        for (const notBehind of next === undefined || !places.has(stop) ? [null] : [null, places.get(stop) ?? null]) {
          const before = next && { before: { turnId: next.id, notBehind } }
          const options = { known: turns.slice(start, stop), ...before, reach }
          const offset = await checkStretch(subject, file, options, whole, tally)
          if (offset !== null) places.set(start, offset)
        }
      }
    }
  }
  return tally
}

/** The turns that were known when the file was shorter, in the file as it is now. */
export async function checkGrown(subject: StretchSubject, content: Buffer, cut: number, tally: Tally): Promise<void> {
  writeFileSync(subject.path, content)
  truncateSync(subject.path, cut)
  const file = findFile(subject.agent, subject.env, subject.path)
  const known = turnsOf(await readWhole(subject, file))
  appendFileSync(subject.path, content.subarray(cut))
  const whole = await readWhole(subject, file)
  const live = new Map(turnsOf(whole).map(({ id, number }) => [id, number]))
  for (const [start, first] of known.entries()) {
    const options = { known: known.slice(start), reach: { firstBytes: 4000, marginBytes: 0 } }
    if (live.get(first.id) === first.number) await checkStretch(subject, file, options, whole, tally)
    else expect(await subject.agent.readStretch?.(file, subject.env, options), `${first.id} is no longer live`).toBeNull()
  }
}

/** Line by line, each appended while the last turns are being read: what is told is the file before or after. */
export async function checkGrowing(subject: StretchSubject, content: Buffer): Promise<void> {
  const { agent, env, path } = subject
  const ends = lineEnds(content)
  const middle = ends[Math.floor(ends.length / 2)] ?? 0
  writeFileSync(path, content.subarray(0, middle))
  const file = findFile(subject.agent, subject.env, subject.path)
  let before = await readWhole(subject, file)
  const known = turnsOf(before).slice(-1)
  const options = { known, reach: { firstBytes: 2000, marginBytes: 0 } }
  for (let [at, end] = [middle, ends.find((each) => each > middle)]; end !== undefined; ) {
    const reading = readStretch(agent, file, env, options)
    appendFileSync(path, content.subarray(at, end))
    const { entries } = await reading
    const after = await readWhole(subject, file)
    expect([sliceOf(before, options), sliceOf(after, options)]).toContainEqual(entries)
    before = after
    at = end
    end = ends.find((each) => each > at)
  }
}

/** Offsets behind each newline. */
export function lineEnds(content: Buffer): number[] {
  const ends: number[] = []
  for (let at = content.indexOf(0x0a); at !== -1; at = content.indexOf(0x0a, at + 1)) ends.push(at + 1)
  return ends
}

async function checkStretch(
  { agent, env }: StretchSubject,
  file: SessionFile,
  options: StretchOptions,
  whole: readonly Entry[],
  tally: Tally,
): Promise<number | null> {
  const expected = sliceOf(whole, options)
  const short = await agent.readStretch?.(file, env, options)
  tally[short ? 'short' : 'whole'] += 1
  const what = `${options.known[0]?.number} to ${options.before?.turnId ?? 'the end'}, ${JSON.stringify(options.reach)}`
  if (short) expect(short.entries, what).toEqual(expected)
  else expect((await readStretch(agent, file, env, options)).entries, what).toEqual(expected)
  return short?.firstEnd ?? null
}

function sliceOf(whole: readonly Entry[], { known, before }: StretchOptions): Entry[] {
  const at = (id: string | undefined) => whole.findIndex((entry) => entry.kind === 'turn' && entry.turn.id === id)
  const end = before === undefined ? whole.length : at(before.turnId)
  return whole.slice(known[0]?.number === 1 ? 0 : at(known[0]?.id), end)
}

/**
 * Lines lost, doubled, moved, cut off; ids and times exchanged between lines: what damage and odd writers do. Doubled, moved and
 * exchanged only within the margin: no part of a file can tell what a line far away makes of it.
 */
export function damaged(content: Buffer): fc.Arbitrary<Buffer> {
  const lines = content
    .toString()
    .split('\n')
    .filter((line) => line !== '')
  const place = fc.nat(Math.max(0, lines.length - 1))
  const change = fc.record({
    how: fc.constantFrom('drop', 'double', 'move', 'tear', 'exchange'),
    at: place,
    by: fc.integer({ min: -3, max: 3 }),
    name: fc.nat(30),
  })
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const made = [...lines]
    for (const { how, at, by, name } of changes) {
      const line = made[at] ?? '{}'
      const to = Math.max(0, at + by)
      if (made.slice(Math.min(at, to), Math.max(at, to) + 1).join('').length > nearBytes) continue
      if (how === 'drop') made.splice(at, 1)
      else if (how === 'double') made.splice(to, 0, line)
      else if (how === 'move') made.splice(to, 0, ...made.splice(at, 1))
      else if (how === 'tear') made[at] = line.slice(0, Math.floor((line.length * name) / 30))
      else made[at] = exchange(line, made[to] ?? '{}', name)
    }
    return Buffer.from(made.map((line) => `${line}\n`).join(''))
  })
}

const nearBytes = 6000

/** One field of a line with the value it has in another one. */
function exchange(line: string, other: string, name: number): string {
  try {
    const [a, b] = [line, other].map((each) => JSON.parse(each) as Record<string, unknown>)
    const names = Object.keys(a ?? {})
    const field = names[name % Math.max(1, names.length)] ?? 'type'
    return JSON.stringify({ ...a, [field]: b?.[field] ?? null })
  } catch {
    return line // torn before
  }
}
