// Writing the search index: sessions, turns, chunks and files touched. Everything here is called inside one transaction per
// portion, which ends with the new generation: a reader sees a portion whole or not at all. The words stand in search-segments.ts.
import type { Database } from './open.ts'
import { createBlockTable } from './search-blocks.ts'

export interface ChunkTexts {
  readonly prompt: string
  readonly body: string
  readonly tools: string
}

export interface StoredChunk extends ChunkTexts {
  /** Terms per field. */
  readonly counts: { readonly prompt: number; readonly body: number; readonly tools: number }
}

export interface TouchedFile {
  readonly path: string
  readonly edited: boolean
}

export interface IndexedTurn {
  readonly id: string
  readonly number: number | null
  readonly mark: string
}

export interface Totals {
  readonly sessions: number
  readonly turns: number
  readonly chunks: number
}

export interface IndexedSession {
  readonly key: number
  readonly agent: string
  readonly path: string
  readonly id: string
  readonly mark: string | null
}

/** What a chunk counts in the length of its own document: commands and paths are many and say little. */
export const toolWeight = 0.2

export function createSearchIndexTable(db: Database) {
  const blocks = createBlockTable(db)
  const sessions = db.prepare<[], IndexedSession>('SELECT key, agent, path, id, mark FROM search_sessions')
  const addSession = db.prepare<[string, string, string], { key: number }>(
    `INSERT INTO search_sessions (agent, path, id) VALUES (?, ?, ?)
     ON CONFLICT (agent, path) DO UPDATE SET id = excluded.id RETURNING key`,
  )
  const moveSession = db.prepare<[string, number]>('UPDATE OR REPLACE search_sessions SET path = ? WHERE key = ?')
  const setMark = db.prepare<[string | null, number]>('UPDATE search_sessions SET mark = ? WHERE key = ?')
  const removeSession = db.prepare<[number]>('DELETE FROM search_sessions WHERE key = ?')
  const count = db.prepare<[number], never>(
    `UPDATE search_sessions SET generation = (SELECT value FROM meta WHERE key = 'search_generation'),
       (prompt_terms, body_terms, tool_terms) = (SELECT COALESCE(SUM(prompt_terms), 0), COALESCE(SUM(body_terms), 0),
         COALESCE(SUM(tool_terms), 0) FROM search_chunks c JOIN search_turns t ON t.key = c.turn_key
         WHERE t.session_key = search_sessions.key) WHERE key = ?`,
  )
  const turns = db.prepare<[number], IndexedTurn>('SELECT id, number, mark FROM search_turns WHERE session_key = ?')
  const addTurn = db.prepare<[number, string, number | null, string], { key: number }>(
    'INSERT INTO search_turns (session_key, id, number, mark) VALUES (?, ?, ?, ?) RETURNING key',
  )
  const setNumber = db.prepare<[number | null, number, string]>(
    'UPDATE search_turns SET number = ? WHERE session_key = ? AND id = ?',
  )
  const findTurn = db.prepare<[number, string], { key: number }>('SELECT key FROM search_turns WHERE session_key = ? AND id = ?')
  const removeTurn = db.prepare<[number]>('DELETE FROM search_turns WHERE key = ?')
  const chunksOf = db.prepare<[number], ChunkTexts & { key: number; part: number }>(
    'SELECT key, part, prompt, body, tools FROM search_chunks WHERE turn_key = ?',
  )
  const addDropped = db.prepare<[number]>('INSERT INTO search_dropped (chunk_key) VALUES (?)')
  const addChunk = db.prepare(
    `INSERT INTO search_chunks (key, session_key, turn_key, part, prompt_terms, body_terms, tool_terms, prompt, body, tools)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const lastChunk = db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'search_chunks'`).pluck()
  const removeVectors = db.prepare<[number]>(
    'DELETE FROM search_vectors WHERE chunk_key = ? AND model IN (SELECT key FROM search_models)',
  )
  const removeChunk = db.prepare<[number]>('DELETE FROM search_chunks WHERE key = ?')
  const addFile = db.prepare<[string, number, number, string, number]>(
    `INSERT INTO search_files (name, session_key, turn_key, path, edited) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET edited = MAX(edited, excluded.edited)`,
  )
  const removeFiles = db.prepare<[number]>('DELETE FROM search_files WHERE turn_key = ?')
  const generation = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'search_generation'`)
  const nextGeneration = db.prepare(
    `INSERT INTO meta (key, value) VALUES ('search_generation', 1)
     ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  )
  const keptTotals = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'search_totals'`)
  const keepTotals = db.prepare<[string]>(`INSERT OR REPLACE INTO meta (key, value) VALUES ('search_totals', ?)`)
  const countTotals = db.prepare<[], Totals>(
    `SELECT (SELECT COUNT(*) FROM search_sessions WHERE mark IS NOT NULL) AS sessions,
       (SELECT COUNT(*) FROM search_turns) AS turns, (SELECT COUNT(*) FROM search_chunks) AS chunks`,
  )

  function readGeneration(): number {
    return Number(generation.get()?.value ?? 0)
  }

  /** `stays` is what takes the turn's place: a chunk that is still said in there leaves no words to be erased. */
  function dropTurn(turnKey: number, stays: readonly ChunkTexts[]): void {
    for (const { key, part, ...texts } of chunksOf.all(turnKey)) {
      if (!isSaidIn(texts, stays[part])) addDropped.run(key)
      removeVectors.run(key)
      removeChunk.run(key)
      blocks.drop(key)
    }
    removeFiles.run(turnKey)
    removeTurn.run(turnKey)
  }

  return {
    sessions: (): IndexedSession[] => sessions.all(),
    turns: (sessionKey: number): IndexedTurn[] => turns.all(sessionKey),
    totals(): Totals {
      const kept = JSON.parse(keptTotals.get()?.value ?? 'null') as (Totals & { generation: number }) | null
      if (kept !== null && kept.generation === readGeneration()) return kept
      return countTotals.get() ?? { sessions: 0, turns: 0, chunks: 0 }
    },
    /** A fresh process takes 200 ms to count a quarter of a million chunks: kept until the next portion is written. */
    keepTotals(): void {
      keepTotals.run(JSON.stringify({ ...countTotals.get(), generation: readGeneration() }))
    },
    generation: readGeneration,
    /** Begins a batch: what is written from here on carries this number. */
    begin(): void {
      nextGeneration.run()
    },
    /** Ends it: blocks touched on the way are written, and the sessions' lengths brought up to date. */
    finish(sessionKeys: Iterable<number>): void {
      blocks.flush(readGeneration())
      for (const key of sessionKeys) count.run(key)
    },
    /** Drops what a failed transaction left in memory. */
    forget(): void {
      blocks.forget()
    },
    addSession(agent: string, path: string, id: string): number {
      const row = addSession.get(agent, path, id)
      if (row === undefined) throw new Error('an upsert returned no row')
      return row.key
    },
    moveSession(key: number, path: string): void {
      moveSession.run(path, key)
    },
    setMark(key: number, mark: string | null): void {
      setMark.run(mark, key)
    },
    removeSession(key: number): void {
      removeSession.run(key)
    },
    setNumber(sessionKey: number, turnId: string, number: number | null): void {
      setNumber.run(number, sessionKey, turnId)
    },
    dropTurn(sessionKey: number, turnId: string): void {
      const row = findTurn.get(sessionKey, turnId)
      if (row !== undefined) dropTurn(row.key, [])
    },
    /** The key of the next chunk: keys are never used again. */
    nextChunk: (): number => (lastChunk.get() ?? 0) + 1,
    /** Takes the place of what there was of this turn; its chunks follow, by its key. */
    addTurn(sessionKey: number, turn: IndexedTurn, files: readonly TouchedFile[], chunks: readonly ChunkTexts[]): number {
      const before = findTurn.get(sessionKey, turn.id)
      if (before !== undefined) dropTurn(before.key, chunks)
      const turnKey = addTurn.get(sessionKey, turn.id, turn.number, turn.mark)?.key ?? 0
      for (const { path, edited } of files) {
        addFile.run(path.slice(path.lastIndexOf('/') + 1), sessionKey, turnKey, path, edited ? 1 : 0)
      }
      return turnKey
    },
    addChunk(key: number, sessionKey: number, turnKey: number, part: number, chunk: StoredChunk): void {
      const { prompt, body, tools, counts } = chunk
      addChunk.run(key, sessionKey, turnKey, part, counts.prompt, counts.body, counts.tools, prompt, body, tools)
      blocks.put(key, sessionKey, Math.round(counts.prompt + counts.body + toolWeight * counts.tools))
    },
    /** Empties everything but the vectors' models: the rows are dropped with their tables' pages, not one by one. */
    clear(): void {
      db.exec(`DELETE FROM search_chunks; DELETE FROM search_turns; DELETE FROM search_sessions; DELETE FROM search_files;
        DELETE FROM search_vectors; DELETE FROM search_codes; DELETE FROM search_blocks;
        DELETE FROM search_segments; DELETE FROM search_postings;
        DELETE FROM search_dropped; INSERT INTO search_dropped (chunk_key) VALUES (0); -- no chunk has this key: the log is left
        UPDATE search_models SET embedded_to = 0; DELETE FROM meta WHERE key = 'search_totals';
        DELETE FROM sqlite_sequence WHERE name LIKE 'search_%'`)
    },
  }
}

/** A turn that goes on begins as it was. */
function isSaidIn(before: ChunkTexts, now: ChunkTexts | undefined): boolean {
  if (now === undefined) return false
  return now.prompt.startsWith(before.prompt) && now.body.startsWith(before.body) && now.tools.startsWith(before.tools)
}
