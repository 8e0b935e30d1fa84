// What must hold of every short way to some turns: it says exactly what reading the whole says, or nothing.
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Turn } from '../model/session.ts'
import type { Agent, AgentEnv, Entry, SessionFile, StretchOptions } from './agent.ts'
import { readStretch } from './read-stretch.ts'

export interface Tally {
  /** How often the short way gave the answer, and how often there was none. */
  short: number
  whole: number
}

/** Beginning with this few bytes, a part holds less than a line at first; the last holds all of any sample. */
const sizes = [1, 5000, 1 << 20]

export interface StretchSubject {
  readonly agent: Agent
  readonly env: AgentEnv
  readonly path: string
}

export function findFile({ agent, env, path }: StretchSubject): SessionFile {
  const file = [...agent.discover(env)].find((each) => each.path === path)
  if (file === undefined) throw new Error(`${path} is not discovered`)
  return file
}

export async function readWhole({ agent, env }: StretchSubject, file: SessionFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of agent.read(file, env)) if (entry.kind !== 'skipped') entries.push(entry)
  return entries
}

export const turnsOf = (entries: readonly Entry[]): Turn[] =>
  entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))

/** Every stretch of the turns of a file at rest. */
export async function checkAllStretches(subject: StretchSubject, firstBytes = sizes): Promise<Tally> {
  const tally = { short: 0, whole: 0 }
  const file = findFile(subject)
  const whole = await readWhole(subject, file)
  const turns = turnsOf(whole)
  const places = new Map<number, number>()
  for (const bytes of firstBytes) {
    for (let start = turns.length - 1; start >= 0; start -= 1) {
      for (let stop = turns.length; stop > start; stop -= 1) {
        const next = turns[stop]
        for (const notBehind of next === undefined || !places.has(stop) ? [null] : [null, places.get(stop) ?? null]) {
          const before = next && { before: { turnId: next.id, notBehind } }
          const options = { known: turns.slice(start, stop), ...before, firstBytes: bytes }
          const offset = await checkStretch(subject, file, options, whole, tally)
          if (offset !== null) places.set(start, offset)
        }
      }
    }
  }
  return tally
}

/** The turns that were known when the file was shorter, in the file as it is now. */
export async function checkGrown(
  subject: StretchSubject,
  content: Buffer,
  cut: number,
  firstBytes: number,
  tally: Tally,
): Promise<void> {
  writeFileSync(subject.path, content)
  truncateSync(subject.path, cut)
  const file = findFile(subject)
  const known = turnsOf(await readWhole(subject, file))
  appendFileSync(subject.path, content.subarray(cut))
  const whole = await readWhole(subject, file)
  const live = new Map(turnsOf(whole).map(({ id, number }) => [id, number]))
  for (const [start, first] of known.entries()) {
    const options = { known: known.slice(start), firstBytes }
    if (live.get(first.id) === first.number) await checkStretch(subject, file, options, whole, tally)
    else expect(await subject.agent.readStretch?.(file, subject.env, options), `${first.id} is no longer live`).toBeNull()
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
  const what = `${options.known[0]?.number} to ${options.before?.turnId ?? 'the end'}, ${options.firstBytes} bytes at first`
  if (short) expect(short.entries, what).toEqual(expected)
  else expect((await readStretch(agent, file, env, options)).entries, what).toEqual(expected)
  return short?.offset ?? null
}

function sliceOf(whole: readonly Entry[], { known, before }: StretchOptions): Entry[] {
  const at = (id: string | undefined) => whole.findIndex((entry) => entry.kind === 'turn' && entry.turn.id === id)
  const end = before === undefined ? whole.length : at(before.turnId)
  return whole.slice(known[0]?.number === 1 ? 0 : at(known[0]?.id), end)
}
