// Turns of every session: the live chain in order, then the turns of dead branches (their number is NULL).
import type { Turn, TurnState } from '../model/session.ts'
import type { Database } from './open.ts'

interface Row {
  number: number | null
  id: string
  prompt: string
  startedAt: number | null
  endedAt: number | null
  messages: number
  lastMessageId: string | null
  state: TurnState
  afterCompaction: number
  inputTokens: number | null
  cachedInputTokens: number | null
  outputTokens: number | null
  contextTokens: number | null
  cwd: string | null
}

const columns = `number, id, prompt, started_at AS startedAt, ended_at AS endedAt, messages, last_message_id AS lastMessageId,
  state, after_compaction AS afterCompaction, input_tokens AS inputTokens, cached_input_tokens AS cachedInputTokens,
  output_tokens AS outputTokens, context_tokens AS contextTokens, cwd`

/** What the lineage pass needs of a turn; prompts stay on disk. */
export interface TurnMark {
  readonly id: string
  readonly number: number | null
  readonly startedAt: number | null
  readonly messages: number
  readonly lastMessageId: string | null
  /** 0 where the agent reports none. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

export function createTurnTable(db: Database) {
  const select = db.prepare<[number], Row>(`SELECT ${columns} FROM turns WHERE session_key = ? ORDER BY position`)
  const live = db
    .prepare<[number], LiveRow>(`SELECT ${columns} FROM turns WHERE session_key = ? AND number IS NOT NULL ORDER BY position`)
    .raw()
  const marks = db.prepare<[number], TurnMark>(
    `SELECT id, number, started_at AS startedAt, messages, last_message_id AS lastMessageId,
       COALESCE(input_tokens, 0) AS inputTokens, COALESCE(cached_input_tokens, 0) AS cachedInputTokens,
       COALESCE(output_tokens, 0) AS outputTokens
     FROM turns WHERE session_key = ? ORDER BY position`,
  )
  const holders = db.prepare<[string], { sessionKey: number }>(
    'SELECT DISTINCT session_key AS sessionKey FROM turns WHERE id = ? AND (number IS NULL OR number = 1)',
  )
  const clear = db.prepare<[number, number]>('DELETE FROM turns WHERE session_key = ? AND position >= ?')
  const insert = db.prepare(
    `INSERT INTO turns (session_key, position, number, id, prompt, started_at, ended_at, messages, last_message_id, state,
       after_compaction, input_tokens, cached_input_tokens, output_tokens, context_tokens, cwd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    of: (sessionKey: number): Turn[] => withFolders(select.all(sessionKey), toTurn, ({ cwd }) => cwd),
    /** Without those of dead branches. */
    live: (sessionKey: number): Turn[] => withFolders(live.all(sessionKey), toLiveTurn, (row) => row[13]),
    marksOf: (sessionKey: number): TurnMark[] => marks.all(sessionKey),
    /** Keys of the sessions whose live chain begins with this turn, or that have it on a dead branch. */
    holdersOf: (id: string): number[] => holders.all(id).map(({ sessionKey }) => sessionKey),
    /** Writes turns from position `from` on; what stood there before goes. */
    replace(sessionKey: number, turns: readonly Turn[], from = 0): void {
      clear.run(sessionKey, from)
      for (let position = from; position < turns.length; position += 1) {
        const turn = turns[position]
        if (turn === undefined) break
        insert.run(
          sessionKey,
          position,
          turn.number,
          turn.id,
          turn.prompt,
          turn.startedAt,
          turn.endedAt,
          turn.messages,
          turn.lastMessageId,
          turn.state,
          turn.afterCompaction ? 1 : 0,
          turn.usage?.inputTokens ?? null,
          turn.usage?.cachedInputTokens ?? null,
          turn.usage?.outputTokens ?? null,
          turn.contextTokens ?? null,
          turn.cwd === turns[position - 1]?.cwd ? null : (turn.cwd ?? ''),
        )
      }
    },
  }
}

/** A turn without a folder of its own has that of the turn before; '': none is recorded. */
function withFolders<R>(rows: readonly R[], read: (row: R) => Mutable<Turn>, cwdOf: (row: R) => string | null): Turn[] {
  let cwd = ''
  return rows.map((row) => {
    cwd = cwdOf(row) ?? cwd
    const turn = read(row)
    if (cwd !== '') turn.cwd = cwd
    return turn
  })
}

/** Field by field: a session of thousands of turns is listed by every fork of it, and spreading rows took twice as long. */
function toTurn(row: Row): Mutable<Turn> {
  const { number, id, prompt, startedAt, endedAt, messages, lastMessageId, state, contextTokens, inputTokens } = row
  const afterCompaction = row.afterCompaction === 1
  const turn: Mutable<Turn> = { number, id, prompt, startedAt, endedAt, messages, lastMessageId, state, afterCompaction }
  if (contextTokens !== null) turn.contextTokens = contextTokens
  if (inputTokens !== null) {
    turn.usage = { inputTokens, cachedInputTokens: row.cachedInputTokens ?? 0, outputTokens: row.outputTokens ?? 0 }
  }
  return turn
}

/** The columns in their order: as objects, the thousands of turns of a long session take twice as long. */
type LiveRow = [
  ...[number: number, id: string, prompt: string, startedAt: number | null, endedAt: number | null, messages: number],
  ...[lastMessageId: string | null, state: TurnState, afterCompaction: number, inputTokens: number | null],
  ...[cachedInputTokens: number | null, outputTokens: number | null, contextTokens: number | null, cwd: string | null],
]

function toLiveTurn(row: LiveRow): Mutable<Turn> {
  const [number, id, prompt, startedAt, endedAt, messages, lastMessageId, state] = row
  const [inputTokens, cachedInputTokens, outputTokens, contextTokens] = [row[9], row[10] ?? 0, row[11] ?? 0, row[12]]
  const afterCompaction = row[8] === 1
  const turn: Mutable<Turn> = { number, id, prompt, startedAt, endedAt, messages, lastMessageId, state, afterCompaction }
  if (contextTokens !== null) turn.contextTokens = contextTokens
  if (inputTokens !== null) turn.usage = { inputTokens, cachedInputTokens, outputTokens }
  return turn
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
