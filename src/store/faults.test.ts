import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { isDiskFull } from '../lib/machine-fault.ts'
import { isDamage, toStoreError } from './faults.ts'

/** What SQLite throws when it can have no more pages. */
function fillUp(): unknown {
  const db = new Sqlite(':memory:')
  db.pragma('max_page_count = 2')
  db.exec('CREATE TABLE t (x)')
  try {
    db.prepare('INSERT INTO t VALUES (zeroblob(100000))').run()
  } catch (error) {
    return error
  } finally {
    db.close()
  }
  throw new Error('it was to be full')
}

test('a full disk is told in words, with what to do, and known as such ever after', () => {
  const full = fillUp()
  const told = toStoreError(full)
  expect(told).toMatchObject({ code: 'disk_full', message: 'The disk is full: offshoot cannot write to its database.' })
  expect(told.hint).toContain('Free some space')
  expect([full, told].map(isDiskFull)).toEqual([true, true])
  expect(isDamage(full)).toBe(false)
})

test('other faults are no full disk', () => {
  const other = new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR')
  expect([other, toStoreError(other), new Error('full'), null].some(isDiskFull)).toBe(false)
  expect(toStoreError(other).message).toBe('The disk reports an error: offshoot cannot use its database (disk I/O error).')
})
