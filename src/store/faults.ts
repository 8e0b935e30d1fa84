// SQLite's errors told apart: damage we repair ourselves, a busy file, and the rest.
import Sqlite from 'better-sqlite3'
import { errorMessage } from '../lib/error-message.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'

/** The file is not a database, or its pages contradict each other. A full or failing disk is neither: nothing is moved then. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

export function toStoreError(error: unknown): AppError {
  return toMachineFault(error) ?? new AppError('store_failed', `The database failed: ${errorMessage(error)}.`, { cause: error })
}

export function isStoreFault(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError
}
