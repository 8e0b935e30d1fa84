// SQLite's errors told apart: damage we repair ourselves, a busy file, and the rest.
import { statfsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { errorMessage } from '../lib/error-message.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'

/** The file is not a database, or its pages contradict each other. A full or failing disk is neither: nothing is moved then. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

/** Beside the database SQLite makes files of at least this size. */
const leastBytes = 64 * 1024

/** SQLite reports an I/O error where it cannot make its log or its shared memory; on a full disk that is the reason. */
export function nameFullDisk(error: unknown, folder: string): unknown {
  if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(IOERR|CANTOPEN)/.test(error.code)) return error
  return freeBytes(folder) < leastBytes ? new Sqlite.SqliteError(error.message, 'SQLITE_FULL') : error
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY // then nothing is known of it
  }
}

export function toStoreError(error: unknown): AppError {
  return toMachineFault(error) ?? new AppError('store_failed', `The database failed: ${errorMessage(error)}.`, { cause: error })
}

export function isStoreFault(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError
}
