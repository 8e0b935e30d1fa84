// Opens `offshoot.db`, safe for many processes at once: WAL, waiting instead of failing, migrations under the write lock.
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { errorMessage } from '../lib/error-message.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import { nameFullDisk, toStoreError } from './faults.ts'
import { cacheTableNames, cacheVersion, migrations } from './migrations.ts'

export type Database = Sqlite.Database

export const busyTimeoutMs = 10_000

export function databasePath(folder: string): string {
  return join(folder, 'offshoot.db')
}

/** Opens and migrates; a damaged file throws the driver's own error, for the caller to move aside. */
export function openDatabase(folder: string): Database {
  const path = databasePath(folder)
  refuseOtherThanFiles(path)
  createPrivately(folder, path)
  let db: Database | undefined
  try {
    db = new Sqlite(path, { timeout: busyTimeoutMs })
    switchToWal(db)
    db.pragma('synchronous = NORMAL')
    db.pragma('foreign_keys = ON')
    // What is deleted is overwritten, not left in free pages.
    db.pragma('secure_delete = ON')
    migrate(db, path)
    return db
  } catch (error) {
    db?.close()
    throw nameFullDisk(error, folder)
  }
}

/** A pipe would be waited for without end, and a link would have another file filled and closed to others; SQLite tells neither. */
function refuseOtherThanFiles(path: string): void {
  for (const each of ['', '-wal', '-shm', '-journal'].map((suffix) => `${path}${suffix}`)) {
    const stat = lookAt(each)
    if (stat === null || stat.isFile()) continue
    if (stat.isSymbolicLink()) {
      throw new AppError('store_failed', `${each} is a link.`, {
        hint: 'Put the file itself there, or point OFFSHOOT_HOME at the folder it is in; that folder may be a link.',
      })
    }
    throw new AppError('store_failed', `${each} is not a file.`, {
      hint: 'Move it away; what was in the database is made again.',
    })
  }
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null // absent, or opening it says better what is wrong
  }
}

/** SQLite gives its -wal and -shm files the mode of the database, so this file's mode is the one that counts. */
function createPrivately(folder: string, path: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
  } catch (error) {
    const fault = toMachineFault(error)
    if (fault?.code === 'disk_full' || fault?.code === 'machine_limit') throw fault
    throw new AppError('store_failed', `Cannot write to ${folder}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'Make the folder writable, or point OFFSHOOT_HOME somewhere else.',
    })
  }
}

/** The switch needs the file for itself and does not wait for it: with eight processes on a new file, some are told "busy". */
function switchToWal(db: Database): void {
  const attempts = 200
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (db.pragma('journal_mode = WAL', { simple: true }) === 'wal') return
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error
    }
    if (attempt === attempts) throw toStoreError(new Error('the journal could not be switched to WAL: the file stays busy'))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25)
  }
}

function migrate(db: Database, path: string): void {
  if (isCurrent(db)) return
  db.transaction(() => {
    if (isCurrent(db)) return // another process was first
    refuseNewer(db, path)
    const version = versionOf(db)
    for (const [index, step] of migrations.entries()) {
      if (index >= version) db.exec(step)
    }
    db.pragma(`user_version = ${migrations.length}`)
    emptyCache(db)
    db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('cache_version', ?)`).run(String(cacheVersion))
  }).immediate()
}

/** Of a session that was deleted and has no copy, what the cache holds is all there is. */
function emptyCache(db: Database): void {
  const kept = "SELECT key FROM sessions WHERE state = 'lost'"
  for (const table of cacheTableNames) {
    db.exec(`DELETE FROM ${table} WHERE ${table === 'sessions' ? 'key' : 'session_key'} NOT IN (${kept})`)
  }
}

function isCurrent(db: Database): boolean {
  return versionOf(db) === migrations.length && cacheVersionOf(db) === cacheVersion
}

/**
 * A newer offshoot may have migrated the file at any time, also while this process had it open. What this one writes after that would be
 * read as the newer one's.
 */
export function refuseNewer(db: Database, path: string): void {
  const version = versionOf(db)
  if (version > migrations.length) {
    throw new AppError('store_newer', `${path} has schema ${version}; this offshoot knows ${migrations.length}.`)
  }
  const cache = version === 0 ? 0 : cacheVersionOf(db)
  if (cache > cacheVersion) {
    throw new AppError('store_newer', `${path} has cache version ${cache}; this offshoot knows ${cacheVersion}.`)
  }
}

function cacheVersionOf(db: Database): number {
  return Number(db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'cache_version'`).get()?.value ?? 0)
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
