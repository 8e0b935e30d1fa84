// A lock between processes that the kernel gives back when its holder dies, however it dies: SQLite's own, on an empty file.
import { lstatSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { explainMachine } from '../lib/machine-fault.ts'
import { oddKind } from '../lib/odd-kind.ts'
import { AppError } from '../model/error.ts'
import { isDamage, nameFullDisk } from './faults.ts'

export interface Lock {
  release(): void
}

/** Waits up to `waitMs`; `null` when another process still holds it. Errors name the file: it is not the database. */
export function takeLock(path: string, waitMs: number): Lock | null {
  const kind = oddKind(path)
  if (kind !== null) throw notALock(path, kind)
  try {
    return openLock(path, waitMs)
  } catch (error) {
    if (!isDamage(error)) throw explainMachine(nameFullDisk(error, dirname(path)), { path })
  }
  empty(path)
  try {
    return openLock(path, waitMs)
  } catch (error) {
    throw isDamage(error) ? notALock(path, 'damaged') : explainMachine(nameFullDisk(error, dirname(path)), { path })
  }
}

/**
 * A damaged lock that is held is busy, not damaged: the lock is looked at before the content. It is emptied and not replaced, so that two
 * processes that do so at once still lock the same file.
 */
function empty(path: string): void {
  if (lstatSync(path).nlink > 1) throw notALock(path, 'damaged') // it is another file too
  try {
    truncateSync(path)
  } catch (error) {
    throw explainMachine(error, { path })
  }
}

function notALock(path: string, kind: string): AppError {
  return new AppError('unreadable', `${path} is ${kind}, and offshoot keeps a lock file there.`, {
    hint: 'Run `offshoot doctor --fix`, which moves it aside. A lock file has no content.',
  })
}

function openLock(path: string, waitMs: number): Lock | null {
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
