// Which files have a copy in our archive, and of which state of the file. The archive's own folders say the same.
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'

export interface ArchivedFile {
  readonly agent: AgentId
  readonly sessionId: string
  readonly path: string
  /** `live`: the file the agent appends to; `older`: an abandoned segment of it; `side`: what the agent keeps beside it. */
  readonly role: 'live' | 'older' | 'side'
  /** The file as it was when it was last copied. */
  readonly bytes: number
  readonly modifiedAt: number
  readonly inode: number
  readonly archivedAt: number
}

export function createArchiveTable(db: Database) {
  const columns = 'agent, session_id AS sessionId, path, role, bytes, modified_at AS modifiedAt, inode, archived_at AS archivedAt'
  const all = db.prepare<[], ArchivedFile>(`SELECT ${columns} FROM archive_files`)
  const at = db.prepare<[string, string], ArchivedFile>(
    `SELECT ${columns} FROM archive_files WHERE agent = ? AND path = ? ORDER BY archived_at DESC`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO archive_files (agent, session_id, path, role, bytes, modified_at, inode, archived_at)
     VALUES (@agent, @sessionId, @path, @role, @bytes, @modifiedAt, @inode, @archivedAt)`,
  )
  const stamp = db
    .prepare<[], string>("SELECT COUNT(*) || ' ' || TOTAL(bytes) || ' ' || TOTAL(archived_at) FROM archive_files")
    .pluck()
  return {
    /** Changes when a copy is made. */
    stamp: (): string => stamp.get() ?? '',
    all: (): ArchivedFile[] => all.all(),
    at: (agent: AgentId, path: string): ArchivedFile | null => at.get(agent, path) ?? null,
    put(file: ArchivedFile): void {
      put.run(file)
    },
  }
}
