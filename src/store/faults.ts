// SQLite's errors told apart: damage we repair ourselves, a busy file, and the rest.
import Sqlite from 'better-sqlite3'
import { errorMessage } from '../lib/error-message.ts'
import { AppError } from '../model/error.ts'

/** The file is not a database, or its pages contradict each other. A full or failing disk is neither: nothing is moved then. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

/** Also where it was made an error for people already. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof AppError) return isDiskFull(error.cause)
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_FULL')
}

export function toStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isDiskFull(error)) {
    const hint = 'Free some space on the disk with the home folder of offshoot, then try again.'
    return new AppError('store_failed', 'The disk is full: offshoot cannot write to its database.', { cause: error, hint })
  }
  const reason = errorMessage(error)
  const code = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY') ? 'store_busy' : 'store_failed'
  return new AppError(code, `The database failed: ${reason}.`, { cause: error })
}

export function isStoreFault(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError
}
