// Sessions as the catalogue keeps them. The key is agent plus path: two folders may hold the same id. What was deleted while the
// search index still has its text stays as `lost`, so that a search can say whose words it found; nobody else sees it.
import type { ReadMark } from '../model/read-mark.ts'
import type { AgentId, ParentLink, Usage } from '../model/session.ts'
import type { Database } from './open.ts'
import { type SessionRow, selectColumns, toStoredSession } from './session-row.ts'

/** What discovery compares with. */
export interface StoredFile {
  readonly key: number
  readonly agent: AgentId
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: number
  readonly inode: number
  /** JSON, as stored: only compared. */
  readonly olderPaths: string
  readonly state: 'present' | 'archived' | 'gone'
  readonly broken: 0 | 1
  readonly linked: 0 | 1
  readonly recordedParentId: string | null
  /** JSON, as stored. */
  readonly builtOn: string
}

/** Everything one pass over a session's file gave. */
export interface SessionRecord {
  readonly agent: AgentId
  readonly path: string
  readonly id: string
  readonly bytes: number
  readonly modifiedAt: number
  readonly inode: number
  readonly olderPaths: readonly string[]
  /** Other files that were read for it; `isCopy`: they were gone, and the archive's copy was read. */
  readonly builtOn: readonly { readonly path: string; readonly isCopy: boolean }[]
  readonly bornAt: number | null
  readonly state: 'present' | 'archived' | 'gone'
  readonly title: string
  readonly titleFrom: 'custom' | 'ai' | 'prompt' | 'none'
  readonly cwd: string | null
  readonly branch: string | null
  readonly model: string | null
  readonly cliVersion: string | null
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly usage: Usage
  readonly recordedParent: ParentLink | null
  readonly inheritedTurns: number
  readonly copied: boolean
  readonly broken: string | null
  readonly turns: number
  readonly messages: number
  readonly repoId: string | null
  readonly contextWindow: number | null
  /** The folders in which it began and its prompts were given, where they are not all `cwd`; else empty. */
  readonly folders: readonly { readonly cwd: string; readonly repoId: string | null; readonly isStart?: boolean }[]
}

export interface StoredSession extends SessionRecord {
  readonly key: number
  readonly revision: number
  readonly linked: boolean
  readonly repoRoot: string | null
  readonly repoClaimed: boolean
  readonly ownTurns: number
  readonly ownMessages: number
  readonly ownUsage: Usage
  readonly parent: ParentLink | null
}

export interface Lineage {
  readonly parent: ParentLink | null
  readonly ownTurns: number
  readonly ownMessages: number
  readonly ownUsage: Usage
}

export interface ReadingState {
  readonly mark: ReadMark
  readonly resume: unknown
}

const recordColumns = [
  ...['agent', 'path', 'id', 'bytes', 'modified_at', 'inode', 'older_paths', 'born_at', 'state', 'title', 'title_from', 'cwd'],
  ...['branch', 'model', 'cli_version', 'created_at', 'updated_at', 'input_tokens', 'cached_input_tokens', 'output_tokens'],
  ...[
    'recorded_parent',
    'inherited_turns',
    'copied',
    'broken',
    'turns',
    'messages',
    'repo_id',
    'context_window',
    'built_on',
    'folders',
  ],
]

export function createSessionTable(db: Database) {
  const files = db.prepare<[], StoredFile>(
    `SELECT key, agent, id, path, bytes, modified_at AS modifiedAt, inode, older_paths AS olderPaths, state,
       broken IS NOT NULL AS broken, linked, recorded_parent ->> '$.sessionId' AS recordedParentId,
       built_on AS builtOn FROM sessions WHERE state <> 'lost'`,
  )
  const all = 'FROM sessions s LEFT JOIN repositories r ON r.id = s.repo_id WHERE s.state'
  const from = `${all} <> 'lost'`
  const list = db.prepare<[], SessionRow>(`SELECT ${selectColumns} ${from}`).raw()
  const lost = db.prepare<[], SessionRow>(`SELECT ${selectColumns} ${all} = 'lost'`).raw()
  const lostAt = db
    .prepare<[string, string], SessionRow>(`SELECT ${selectColumns} ${all} = 'lost' AND s.agent = ? AND s.path = ?`)
    .raw()
  // As `newness` in the catalogue has it, without reading thousands of rows for the first ones.
  const newest = db
    .prepare<[number], SessionRow>(
      `SELECT ${selectColumns} ${from} ORDER BY CASE WHEN s.updated_at IS NULL OR (s.parent_session_id IS NOT NULL AND s.own_turns = 0)
         THEN s.modified_at ELSE s.updated_at END DESC, s.id DESC LIMIT ?`,
    )
    .raw()
  const byRepo = db.prepare<[string], SessionRow>(`SELECT ${selectColumns} ${from} AND s.repo_id = ?`).raw()
  const byKey = db.prepare<[number], SessionRow>(`SELECT ${selectColumns} ${from} AND s.key = ?`).raw()
  const byPath = db.prepare<[string, string], SessionRow>(`SELECT ${selectColumns} ${from} AND s.agent = ? AND s.path = ?`).raw()
  const byId = db.prepare<[string, string], SessionRow>(`SELECT ${selectColumns} ${from} AND s.agent = ? AND s.id = ?`).raw()
  const unlinked = db.prepare<[], SessionRow>(`SELECT ${selectColumns} ${from} AND s.linked = 0`).raw()
  const upsert = db.prepare<unknown[], { key: number; revision: number }>(
    `INSERT INTO sessions (${recordColumns.join(', ')}) VALUES (${recordColumns.map(() => '?').join(', ')})
     ON CONFLICT (agent, path) DO UPDATE SET ${recordColumns.map((name) => `${name} = excluded.${name}`).join(', ')},
       revision = revision + 1, linked = 0
     RETURNING key, revision`,
  )
  const remove = db.prepare<[number]>('DELETE FROM sessions WHERE key = ?')
  const isIndexed = 'EXISTS (SELECT 1 FROM search_sessions i WHERE i.agent = sessions.agent AND i.path = sessions.path)'
  const lose = db.prepare<[number]>(`UPDATE sessions SET state = 'lost' WHERE key = ? AND ${isIndexed}`)
  const forget = ['turns', 'skipped', 'reading_states'].map((table) =>
    db.prepare<[number]>(`DELETE FROM ${table} WHERE session_key = ?`),
  )
  const dropLost = db.prepare(`DELETE FROM sessions WHERE state = 'lost' AND NOT ${isIndexed}`)
  const move = db.prepare<[string, string, number]>(
    'UPDATE OR REPLACE sessions SET path = ?, state = ?, revision = revision + 1 WHERE key = ?',
  )
  const setState = db.prepare<[string, number]>('UPDATE sessions SET state = ? WHERE key = ?')
  const setRepo = db.prepare<[string | null, number]>('UPDATE sessions SET repo_id = ? WHERE key = ?')
  const unlink = db.prepare<[number]>('UPDATE sessions SET linked = 0 WHERE key = ?')
  const link = db.prepare(
    `UPDATE sessions SET linked = 1, parent_agent = ?, parent_session_id = ?, parent_turn_id = ?, parent_turn_number = ?,
       parent_message_id = ?, parent_kind = ?, own_turns = ?, own_messages = ?, own_input_tokens = ?,
       own_cached_input_tokens = ?, own_output_tokens = ? WHERE key = ?`,
  )
  // In SQL, because on a first scan this is nearly every session: none of its first turns stands anywhere else.
  const linkAlone = db.prepare(
    `UPDATE sessions SET linked = 1, own_turns = turns, own_messages = messages, own_input_tokens = input_tokens,
       own_cached_input_tokens = cached_input_tokens, own_output_tokens = output_tokens
     WHERE linked = 0 AND state <> 'lost' AND recorded_parent IS NULL AND parent_session_id IS NULL AND inherited_turns = 0
       AND NOT EXISTS (SELECT 1 FROM forks WHERE forks.agent = sessions.agent AND forks.session_id = sessions.id)
       AND NOT EXISTS (
       SELECT 1 FROM turns mine JOIN turns other ON other.id = mine.id AND other.session_key <> mine.session_key
       WHERE mine.session_key = sessions.key AND (mine.number IS NULL OR mine.number = 1)
         AND (other.number IS NULL OR other.number = 1))`,
  )
  const reading = db.prepare<[number], { mark: string; resume: string }>(
    'SELECT mark, resume FROM reading_states WHERE session_key = ?',
  )
  const setReading = db.prepare<[number, string, string]>(
    'INSERT OR REPLACE INTO reading_states (session_key, mark, resume) VALUES (?, ?, ?)',
  )
  const homeless = db.prepare<[], { key: number; cwd: string }>(
    "SELECT key, cwd FROM sessions WHERE repo_id IS NULL AND cwd IS NOT NULL AND state <> 'lost'",
  )
  const count = db.prepare<[], { count: number }>("SELECT COUNT(*) AS count FROM sessions WHERE state <> 'lost'")
  const signature = db.prepare<[], { signature: string }>(
    `SELECT COUNT(*) || ' ' || TOTAL(bytes) || ' ' || TOTAL(modified_at) || ' ' || TOTAL(own_turns) || ' ' || TOTAL(revision)
       AS signature FROM sessions WHERE state <> 'lost'`,
  )
  const stamp = db
    .prepare<[], string>(
      `SELECT COUNT(*) || ' ' || COALESCE(MAX(key), 0) || ' ' || TOTAL(revision) || ' ' || TOTAL(linked) || ' ' || TOTAL(bytes)
         || ' ' || TOTAL(modified_at) || ' ' || TOTAL(state = 'present') || ' ' || TOTAL(state = 'gone') FROM sessions
       WHERE state <> 'lost'`,
    )
    .pluck()
  const readMaybe = (row: SessionRow | undefined) => (row === undefined ? null : toStoredSession(row))

  return {
    files: (): StoredFile[] => files.all(),
    list: (repoId?: string): StoredSession[] => (repoId === undefined ? list.all() : byRepo.all(repoId)).map(toStoredSession),
    newest: (limit: number): StoredSession[] => newest.all(limit).map(toStoredSession),
    get: (key: number): StoredSession | null => readMaybe(byKey.get(key)),
    at: (agent: AgentId, path: string): StoredSession | null => readMaybe(byPath.get(agent, path)),
    withId: (agent: AgentId, id: string): StoredSession[] => byId.all(agent, id).map(toStoredSession),
    unlinked: (): StoredSession[] => unlinked.all().map(toStoredSession),
    /** Sessions outside every repository known so far. */
    homeless: () => homeless.all(),
    /** Changes when any session does. */
    signature: (): string => signature.get()?.signature ?? '',
    /** Changes when a session is added, removed, read again, linked or not, there or gone. */
    stamp: (): string => stamp.get() ?? '',
    count: (): number => count.get()?.count ?? 0,
    put(record: SessionRecord): { key: number; revision: number } {
      const row = upsert.get(...toValues(record))
      if (row === undefined) throw new Error('an upsert returned no row')
      return row
    },
    /** Its row stays as lost while the search index has it. */
    remove(key: number): void {
      if (lose.run(key).changes === 0) remove.run(key)
      else for (const each of forget) each.run(key)
    },
    /** Deleted sessions that the search index still has. */
    lost: (): StoredSession[] => lost.all().map(toDeleted),
    lostAt(agent: AgentId, path: string): StoredSession | null {
      const row = lostAt.get(agent, path)
      return row === undefined ? null : toDeleted(row)
    },
    /** Once they have left the index. */
    dropLost(): void {
      dropLost.run()
    },
    move(key: number, path: string, state: SessionRecord['state']): void {
      move.run(path, state, key)
    },
    setState(key: number, state: SessionRecord['state']): void {
      setState.run(state, key)
    },
    setRepo(key: number, repoId: string | null): void {
      setRepo.run(repoId, key)
    },
    unlink(key: number): void {
      unlink.run(key)
    },
    /** Links every session that has no parent and no one to share a beginning with. */
    linkAlone(): void {
      linkAlone.run()
    },
    link(key: number, { parent, ownTurns, ownMessages, ownUsage }: Lineage): void {
      const { agent = null, sessionId = null, turnId = null, turnNumber = null, messageId = null, kind = null } = parent ?? {}
      const { inputTokens, cachedInputTokens, outputTokens } = ownUsage
      const own = [ownTurns, ownMessages, inputTokens, cachedInputTokens, outputTokens]
      link.run(agent, sessionId, turnId, turnNumber, messageId, kind, ...own, key)
    },
    readingState(key: number): ReadingState | null {
      const row = reading.get(key)
      if (row === undefined) return null
      return { mark: JSON.parse(row.mark) as ReadMark, resume: JSON.parse(row.resume) as unknown }
    },
    setReadingState(key: number, { mark, resume }: ReadingState): void {
      setReading.run(key, JSON.stringify(mark), JSON.stringify(resume ?? null))
    },
  }
}

/** As it was listed last; that its file is gone shows by looking. */
function toDeleted(row: SessionRow): StoredSession {
  return { ...toStoredSession(row), state: 'present' }
}

function toValues(record: SessionRecord): unknown[] {
  const { usage, recordedParent } = record
  return [
    ...[record.agent, record.path, record.id, record.bytes, record.modifiedAt, record.inode, JSON.stringify(record.olderPaths)],
    ...[record.bornAt, record.state, record.title, record.titleFrom, record.cwd, record.branch, record.model, record.cliVersion],
    ...[record.createdAt, record.updatedAt, usage.inputTokens, usage.cachedInputTokens, usage.outputTokens],
    ...[recordedParent === null ? null : JSON.stringify(recordedParent), record.inheritedTurns, record.copied ? 1 : 0],
    ...[record.broken, record.turns, record.messages, record.repoId, record.contextWindow, JSON.stringify(record.builtOn)],
    JSON.stringify(record.folders),
  ]
}
