// A lock between processes that the kernel gives back when its holder dies, however it dies: SQLite's own, on an empty file.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

export interface LockOptions {
  /**
   * Leaves the empty file: a name that is used again and again could else be held twice, by one who opened the file just before it
   * went and one who made it anew.
   */
  readonly keepFile?: boolean
}

/** Held while `work` is done; `null` when another process is at it. */
export async function withLock<T>(
  folder: string,
  name: string,
  work: () => Promise<T>,
  { keepFile = false }: LockOptions = {},
): Promise<T | null> {
  const locks = join(folder, 'locks')
  mkdirSync(locks, { recursive: true, mode: 0o700 })
  const path = join(locks, `${name}.lock`)
  const lock = takeLock(path, 0)
  if (lock === null) return null
  try {
    return await work()
  } finally {
    if (!keepFile) rmSync(path, { force: true })
    lock.release()
  }
}
