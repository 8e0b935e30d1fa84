// Reads some turns of a session, the last ones as a rule, without reading all of its file and without looking at other files.
import { agentOf } from '../agents/agent-of.ts'
import { readStretch } from '../agents/read-stretch.ts'
import type { Stretch, StretchOptions } from '../agents/reading.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Message, Turn } from '../model/session.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'
import { requireStored, toSessionFile } from './list.ts'
import { openSession } from './open-session.ts'
import type { Readings } from './turn-readings.ts'
import { settleTurns } from './turn-state.ts'

export interface TurnRange {
  /** The last so many; without anything: all. */
  readonly last?: number
  /** Numbers, both inclusive; `to` absent: up to the end. */
  readonly from?: number
  readonly to?: number
}

export interface TurnsRead {
  /** Number of the first turn whose messages these are; with turn 1 comes what stands before it. */
  readonly from: number
  readonly messages: readonly Message[]
  /** All turns of the live chain, those included that were written since the catalogue was brought up to date. */
  readonly turns: readonly Turn[]
}

export async function readTurns(
  context: CatalogContext,
  readings: Readings,
  session: CatalogSession,
  { last, from = 1, to }: TurnRange,
): Promise<TurnsRead> {
  const row = requireStored(context, session)
  const reading = readings(row)
  const { turns } = reading
  const first = Math.min(Math.max(1, last === undefined ? from : turns.length - last + 1), Math.max(1, turns.length))
  const stop = to === undefined || to >= turns.length ? undefined : turns[to]
  const before = stop && { turnId: stop.id, notBehind: reading.after(stop.number ?? 0) }
  const known = turns.slice(first - 1, stop === undefined ? turns.length : to)
  const { entries, firstEnd } = await readKnown(context, row, { known, ...(before && { before }) })
  reading.note(first, firstEnd)
  const found = entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))
  const all = stop === undefined ? [...turns.slice(0, first - 1), ...merge(known, found)] : turns
  const shown = settleTurns(context, row, all)
  const start = last === undefined ? first : Math.max(first, all.length - last + 1)
  const dropped = new Set(found.filter(({ number }) => number !== null && number < start).map(({ id }) => id))
  const messages = entries.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
  const wanted = start > first ? messages.filter(({ turnId }) => turnId !== '' && !dropped.has(turnId)) : messages
  return { from: start, messages: wanted, turns: shown }
}

/** As they stand in the file now, with prompts as the catalogue keeps them. */
function merge(known: readonly Turn[], found: readonly Turn[]): Turn[] {
  const prompts = new Map(known.map(({ id, prompt }) => [id, prompt]))
  return found.map((turn) => ({ ...turn, prompt: prompts.get(turn.id) ?? turn.prompt }))
}

async function readKnown(context: CatalogContext, row: StoredSession, options: StretchOptions): Promise<Stretch> {
  const opened = await openSession(context, toSessionFile(row), row.builtOn)
  try {
    return await readStretch(agentOf(context, row.agent), opened.file, opened.env, options)
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error && 'code' in error)) throw error
    throw new AppError('unreadable', `Cannot read ${row.path}: ${error.message}`, { cause: error })
  } finally {
    opened.close()
  }
}
