// A damaged database is moved aside, never deleted, and a new one begun. What no agent's file can give back is copied over
// as far as the old file can still be read. One process repairs at a time; the lock dies with its holder.
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError } from '../model/error.ts'
import { isDamage } from './faults.ts'
import { takeLock } from './lock.ts'
import { factTableNames } from './migrations.ts'
import { type Database, databasePath, openDatabase } from './open.ts'

export interface Repair {
  readonly db: Database
  /** Where the damaged file went; `null` when another process had repaired it already. */
  readonly movedTo: string | null
}

export function repairDatabase(folder: string, now: () => number): Repair {
  const lock = takeLock(join(folder, 'repair.lock'), 60_000)
  if (lock === null) throw new AppError('store_busy', `Another process has been repairing ${databasePath(folder)} for a minute.`)
  try {
    const healthy = openIfHealthy(folder)
    if (healthy !== null) return { db: healthy, movedTo: null }
    const movedTo = moveAside(databasePath(folder), now())
    const db = openDatabase(folder)
    salvageFacts(db, movedTo)
    return { db, movedTo }
  } finally {
    lock.release()
  }
}

function openIfHealthy(folder: string): Database | null {
  let db: Database | undefined
  try {
    db = openDatabase(folder)
    if (db.pragma('quick_check(1)', { simple: true }) === 'ok') return db
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  db?.close()
  return null
}

/** The journal goes first: left behind, it would be replayed into the new database. */
function moveAside(path: string, at: number): string {
  const movedTo = `${path}.damaged-${at}`
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${movedTo}${suffix}`)
  }
  return movedTo
}

function salvageFacts(db: Database, from: string): void {
  for (const table of factTableNames) {
    try {
      const old = new Sqlite(from, { readonly: true, fileMustExist: true })
      try {
        copyRows(db, table, old.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).iterate())
      } finally {
        old.close()
      }
    } catch (error) {
      // Unreadable there as well: the archive's own files still tell, and folders are looked up anew.
      if (!(error instanceof Sqlite.SqliteError)) throw error
    }
  }
}

/** Row by row, so that those before the damage are kept. */
function copyRows(db: Database, table: string, rows: Iterable<Record<string, unknown>>): void {
  for (const row of rows) {
    const columns = Object.keys(row)
    const sql = `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    db.prepare(sql).run(...Object.values(row))
  }
}
