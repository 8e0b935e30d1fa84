// The sessions offshoot made: forks, with what they came from and what was proven of them, and sessions started afresh, which
// have no parent. Kept after they are undone.
import type { CommandSpec, Proof, Strategy } from '../model/fork.ts'
import type { AgentId, ParentLink } from '../model/session.ts'
import type { Database } from './open.ts'

/** `making` and `undoing` are unfinished: the journal tells how to go on. */
export type ForkState = 'making' | 'made' | 'undoing' | 'undone'

export interface ForkRecord {
  readonly id: string
  readonly state: ForkState
  readonly agent: AgentId
  readonly sessionId: string | null
  readonly strategy: Strategy | 'start'
  readonly title: string
  readonly file: string | null
  readonly fileBytes: number | null
  /** Everything the agent made for it, its file included. */
  readonly createdPaths: readonly string[]
  readonly cwd: string
  readonly command: CommandSpec
  readonly workspaceId: string | null
  /** `null` for a session that was started afresh. */
  readonly parent: ParentLink | null
  /** What proving it later needs. JSON. */
  readonly source: unknown
  readonly proof: Proof | null
  readonly createdAt: number
  readonly undoneAt: number | null
}

/** What a listing needs of a fork, and of a started session that was given a title. */
export interface ForkName {
  readonly agent: AgentId
  readonly sessionId: string
  readonly title: string
  readonly cwd: string
  /** Of the workspace that was made for it; `null`: none was. */
  readonly branch: string | null
}

/** A fork that its agent has not written yet. */
export interface UnwrittenFork extends ForkName {
  readonly parent: ParentLink
  readonly createdAt: number
}

type Row = Omit<ForkRecord, 'createdPaths' | 'command' | 'parent' | 'source' | 'proof'> &
  Record<'createdPaths' | 'command' | 'parent' | 'source', string> & { proof: string | null }

const columns = `id, state, agent, session_id AS sessionId, strategy, title, file, file_bytes AS fileBytes,
  created_paths AS createdPaths, cwd, command, workspace_id AS workspaceId, parent, source, proof, created_at AS createdAt,
  undone_at AS undoneAt`

export function createForkTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM forks ORDER BY created_at DESC, id`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM forks WHERE id = ?`)
  const bySession = db.prepare<[string, string], Row>(`SELECT ${columns} FROM forks WHERE agent = ? AND session_id = ?`)
  const waiting = db.prepare<[], Row>(
    `SELECT ${columns} FROM forks WHERE state = 'made' AND strategy <> 'start' AND (file IS NULL OR proof ->> '$.prefixVerified' IS NULL)`,
  )
  const names = db.prepare<[], ForkName>(
    `SELECT agent, session_id AS sessionId, title, cwd, workspaces.branch AS branch
     FROM forks LEFT JOIN workspaces ON workspaces.id = workspace_id
     WHERE state IN ('making', 'made') AND session_id IS NOT NULL AND (strategy <> 'start' OR source ->> '$.titled')`,
  )
  const unwritten = db.prepare<[], Omit<UnwrittenFork, 'parent'> & { parent: string }>(
    `SELECT forks.agent, session_id AS sessionId, title, cwd, workspaces.branch AS branch, parent, forks.created_at AS createdAt
     FROM forks LEFT JOIN workspaces ON workspaces.id = workspace_id
     WHERE state = 'made' AND file IS NULL AND session_id IS NOT NULL AND strategy = 'native' AND parent <> 'null'
       AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent = forks.agent AND s.id = session_id)`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO forks (id, state, agent, session_id, strategy, title, file, file_bytes, created_paths, cwd, command,
       workspace_id, parent, source, proof, created_at, undone_at)
     VALUES (@id, @state, @agent, @sessionId, @strategy, @title, @file, @fileBytes, @createdPaths, @cwd, @command,
       @workspaceId, @parent, @source, @proof, @createdAt, @undoneAt)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM forks WHERE id = ?')
  const readMaybe = (row: Row | undefined) => (row === undefined ? null : toRecord(row))
  return {
    /** Newest first. */
    all: (): ForkRecord[] => all.all().map(toRecord),
    get: (id: string): ForkRecord | null => readMaybe(one.get(id)),
    ofSession: (agent: AgentId, sessionId: string): ForkRecord | null => readMaybe(bySession.get(agent, sessionId)),
    /** Made, but what they hold could not be looked at yet. */
    waitingForProof: (): ForkRecord[] => waiting.all().map(toRecord),
    names: (): ForkName[] => names.all(),
    unwritten: (): UnwrittenFork[] => unwritten.all().map((row) => ({ ...row, parent: JSON.parse(row.parent) as ParentLink })),
    put(record: ForkRecord): void {
      put.run(toRow(record))
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}

function toRecord(row: Row): ForkRecord {
  return {
    ...row,
    createdPaths: JSON.parse(row.createdPaths) as string[],
    command: JSON.parse(row.command) as CommandSpec,
    parent: JSON.parse(row.parent) as ParentLink | null,
    source: JSON.parse(row.source) as unknown,
    proof: row.proof === null ? null : (JSON.parse(row.proof) as Proof),
  }
}

function toRow(record: ForkRecord): Row {
  return {
    ...record,
    createdPaths: JSON.stringify(record.createdPaths),
    command: JSON.stringify(record.command),
    parent: JSON.stringify(record.parent),
    source: JSON.stringify(record.source ?? null),
    proof: record.proof === null ? null : JSON.stringify(record.proof),
  }
}
