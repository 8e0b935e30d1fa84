// Asking the search index: chunks, blocks, sessions by what the catalogue says of them, and files touched.
import type { Database } from './open.ts'
import type { Block } from './search-blocks.ts'
import type { ChunkTexts } from './search-index.ts'

export interface ChunkRow extends ChunkTexts {
  readonly key: number
  readonly part: number
  readonly turnId: string
  readonly turnNumber: number | null
}

export interface SessionLengths {
  readonly key: number
  readonly promptTerms: number
  readonly bodyTerms: number
  readonly toolTerms: number
}

export interface SessionCounts {
  /** `agent:path`. */
  readonly place: string
  readonly complete: 0 | 1
  readonly turns: number
  readonly chunks: number
}

export interface FileRow {
  readonly sessionKey: number
  readonly path: string
  readonly edited: 0 | 1
  readonly turnId: string
  readonly turnNumber: number | null
}

export interface SessionFilter {
  readonly repoId: string | null
  readonly agent?: string
  readonly repo?: string
  readonly branch?: string
  readonly model?: string
  readonly before?: number
  readonly after?: number
}

export function createSearchLookup(db: Database) {
  const chunk = db.prepare<[number], ChunkRow>(
    `SELECT c.key, c.part, c.prompt, c.body, c.tools, t.id AS turnId, t.number AS turnNumber
     FROM search_chunks c JOIN search_turns t ON t.key = c.turn_key WHERE c.key = ?`,
  )
  const blocks = db.prepare<[number], Block>('SELECT block, sessions, terms, generation FROM search_blocks WHERE generation > ?')
  const lengths = db
    .prepare<[number], [number, number, number, number]>(
      'SELECT key, prompt_terms, body_terms, tool_terms FROM search_sessions WHERE generation > ?',
    )
    .raw()
  const place = db.prepare<[number], { agent: string; path: string }>('SELECT agent, path FROM search_sessions WHERE key = ?')
  const places = db.prepare<[], [number, string]>("SELECT key, agent || ':' || path FROM search_sessions").raw()
  const files = db.prepare<[string], FileRow>(
    `SELECT f.session_key AS sessionKey, f.path, f.edited, t.id AS turnId, t.number AS turnNumber
     FROM search_files f JOIN search_turns t ON t.key = f.turn_key WHERE f.name = ? COLLATE BINARY`,
  )
  const lastTurn = db.prepare<[number], { id: string; number: number | null }>(
    "SELECT id, number FROM search_turns WHERE session_key = ? AND id <> '' ORDER BY number DESC LIMIT 1",
  )
  // A fork without turns of its own has none in the index: there it is the turn it was forked at.
  const lastInherited = db.prepare<[number], { id: string; number: number | null }>(
    `SELECT t.id, t.number FROM search_sessions i JOIN sessions s ON s.agent = i.agent AND s.path = i.path
     JOIN turns t ON t.session_key = s.key WHERE i.key = ? AND t.number IS NOT NULL ORDER BY t.number DESC LIMIT 1`,
  )

  const chunksOf = db.prepare<[number], { key: number; turnId: string }>(
    `SELECT c.key, t.id AS turnId FROM search_turns t JOIN search_chunks c ON c.turn_key = t.key WHERE t.session_key = ?`,
  )
  // By the indexes alone: the texts of the chunks are gigabytes.
  const counts = db.prepare<[], SessionCounts>(
    `SELECT i.agent || ':' || i.path AS place, i.mark IS NOT NULL AS complete, COUNT(t.key) AS turns,
       COALESCE(SUM((SELECT COUNT(*) FROM search_chunks c WHERE c.turn_key = t.key)), 0) AS chunks
     FROM search_sessions i LEFT JOIN search_turns t ON t.session_key = i.key GROUP BY i.key`,
  )

  return {
    chunk: (key: number): ChunkRow | null => chunk.get(key) ?? null,
    blocksSince: (generation: number): Block[] => blocks.all(generation),
    lengthsSince: (generation: number): SessionLengths[] =>
      lengths.all(generation).map(([key, promptTerms, bodyTerms, toolTerms]) => ({ key, promptTerms, bodyTerms, toolTerms })),
    place: (sessionKey: number) => place.get(sessionKey) ?? null,
    counts: (): SessionCounts[] => counts.all(),
    /** Every chunk of a session with the id of its turn. */
    chunksOf: (sessionKey: number) => chunksOf.all(sessionKey),
    /** Keys of the sessions that are among these, each named as `agent:path`. */
    keysOf: (among: ReadonlySet<string>): Set<number> =>
      new Set(places.all().flatMap(([key, place]) => (among.has(place) ? [key] : []))),
    /** Keys of the sessions of which the catalogue says all this. Names are found by any part of them. */
    sessionsWith({ repoId, agent, repo, branch, model, before, after }: SessionFilter): number[] {
      const wanted = {
        's.repo_id = ?': repoId ?? undefined,
        's.agent = ?': agent,
        'instr(lower(COALESCE(r.root, s.cwd)), lower(?)) > 0': repo,
        'instr(lower(s.branch), lower(?)) > 0': branch,
        'instr(lower(s.model), lower(?)) > 0': model,
        'COALESCE(s.created_at, s.updated_at, s.modified_at) < ?': before,
        'COALESCE(s.updated_at, s.modified_at) >= ?': after,
      }
      const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
      return db
        .prepare<unknown[], number>(
          `SELECT i.key FROM sessions s JOIN search_sessions i ON i.agent = s.agent AND i.path = s.path
           LEFT JOIN repositories r ON r.id = s.repo_id WHERE ${given.map(([condition]) => condition).join(' AND ') || '1'}`,
        )
        .pluck()
        .all(...given.map(([, value]) => value))
    },
    /** Every turn that touched a file of this name. */
    filesNamed: (name: string): FileRow[] => files.all(name),
    lastTurn: (sessionKey: number) => lastTurn.get(sessionKey) ?? lastInherited.get(sessionKey) ?? null,
  }
}
