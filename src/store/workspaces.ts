// The workspaces offshoot made, and how each was when it was made. Kept after they are removed: a session that ran in one
// still names its folder.
import type { Database } from './open.ts'

export interface WorkspaceRecord {
  readonly id: string
  readonly path: string
  readonly branch: string
  readonly baseCommit: string | null
  readonly commonDir: string
  /** The work tree's fingerprint. JSON; `null` while it is being made. */
  readonly made: unknown
  readonly createdAt: number
  readonly removedAt: number | null
}

type Row = Omit<WorkspaceRecord, 'made'> & { made: string | null }

const columns = `id, path, branch, base_commit AS baseCommit, common_dir AS commonDir, made, created_at AS createdAt,
  removed_at AS removedAt`

export function createWorkspaceTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM workspaces ORDER BY created_at DESC, id`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM workspaces WHERE id = ?`)
  const put = db.prepare(
    `INSERT OR REPLACE INTO workspaces (id, path, branch, base_commit, common_dir, made, created_at, removed_at)
     VALUES (@id, @path, @branch, @baseCommit, @commonDir, @made, @createdAt, @removedAt)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM workspaces WHERE id = ?')
  return {
    all: (): WorkspaceRecord[] => all.all().map(toRecord),
    get(id: string): WorkspaceRecord | null {
      const row = one.get(id)
      return row === undefined ? null : toRecord(row)
    },
    put(record: WorkspaceRecord): void {
      put.run({ ...record, made: record.made === null ? null : JSON.stringify(record.made) })
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}

function toRecord(row: Row): WorkspaceRecord {
  return { ...row, made: row.made === null ? null : (JSON.parse(row.made) as unknown) }
}
