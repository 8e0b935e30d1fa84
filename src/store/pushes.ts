// Where the branch of a workspace is pushed to, and how that went the last time.
import type { PushState } from '../model/capture.ts'
import type { Database } from './open.ts'

export type PushRecord = Omit<PushState, 'branch'>

const columns = `workspace_id AS workspaceId, remote, pushed_commit AS pushedCommit, attempts, next_at AS nextAt, problem,
  updated_at AS updatedAt`

export function createPushTable(db: Database) {
  const all = db.prepare<[], PushRecord>(`SELECT ${columns} FROM pushes ORDER BY workspace_id`)
  const one = db.prepare<[string], PushRecord>(`SELECT ${columns} FROM pushes WHERE workspace_id = ?`)
  const put = db.prepare(
    `INSERT OR REPLACE INTO pushes (workspace_id, remote, pushed_commit, attempts, next_at, problem, updated_at)
     VALUES (@workspaceId, @remote, @pushedCommit, @attempts, @nextAt, @problem, @updatedAt)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM pushes WHERE workspace_id = ?')
  return {
    all: (): PushRecord[] => all.all(),
    get: (workspaceId: string): PushRecord | null => one.get(workspaceId) ?? null,
    put(record: PushRecord): void {
      put.run(record)
    },
    remove(workspaceId: string): void {
      remove.run(workspaceId)
    },
  }
}
