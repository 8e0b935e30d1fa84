// A lock between processes that the kernel gives back when its holder dies, however it dies: SQLite's own, on an empty file.
import Sqlite from 'better-sqlite3'

export interface Lock {
  release(): void
}

/** Waits up to `waitMs`; `null` when another process still holds it. */
export function takeLock(path: string, waitMs: number): Lock | null {
  const db = new Sqlite(path, { timeout: waitMs })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return { release: () => db.close() }
  } catch (error) {
    db.close()
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null
    throw error
  }
}
