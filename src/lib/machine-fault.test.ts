import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../model/error.ts'
import { explainMachine, isDiskFull, machineWords, toMachineFault } from './machine-fault.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-machine-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** As Node makes them. */
function systemError(code: string, fields: object = { path: '/x/y' }): Error {
  return Object.assign(new Error(`${code}: something, open '/x/y'`), { code, syscall: 'open', ...fields })
}

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('an error of the system', () => {
  it('names the path, the reason and the remedy', () => {
    expect(toMachineFault(systemError('ENOSPC'))).toMatchObject({
      code: 'disk_full',
      message: 'The disk is full: offshoot cannot write to /x/y (open: ENOSPC).',
      hint: 'Free some space and try again.',
    })
    expect(toMachineFault(systemError('EMFILE'))).toMatchObject({
      code: 'machine_limit',
      message: 'This process has too many open files: offshoot cannot use /x/y (open: EMFILE).',
      hint: expect.stringContaining('ulimit -n'),
    })
  })

  it('is recognised as Node throws it', () => {
    const path = join(folder, 'file')
    writeFileSync(path, '')
    const error = thrownBy(() => openSync(join(path, 'below'), 'r'))
    expect(toMachineFault(error)).toMatchObject({ code: 'unreadable', message: expect.stringContaining(join(path, 'below')) })
    const { error: unstarted } = spawnSync('/nowhere/program')
    expect(toMachineFault(unstarted)?.message).toContain('/nowhere/program')
  })

  it('names what the caller says, or nothing where the path is secret', () => {
    expect(toMachineFault(systemError('EIO'), { path: 'the settings' })?.message).toBe(
      'The disk reports an error: offshoot cannot use the settings (open: EIO).',
    )
    expect(toMachineFault(systemError('EIO'), { path: null })?.message).toBe(
      'The disk reports an error: offshoot cannot use a file.',
    )
  })

  it('without a path says what was tried', () => {
    const error = systemError('EIO', { syscall: 'fsync' })
    expect(toMachineFault(error)?.message).toBe('The disk reports an error: offshoot cannot use a file (fsync: EIO).')
  })

  it('is found as the cause of another error', () => {
    expect(isDiskFull(new Error('could not save', { cause: systemError('EDQUOT') }))).toBe(true)
  })
})

describe('an error of SQLite', () => {
  it.each([
    ['SQLITE_FULL', 'disk_full'],
    ['SQLITE_IOERR_WRITE', 'store_failed'],
    ['SQLITE_IOERR', 'store_failed'],
    ['SQLITE_READONLY_DBMOVED', 'store_failed'],
    ['SQLITE_CANTOPEN', 'store_failed'],
    ['SQLITE_CORRUPT_VTAB', 'store_failed'],
    ['SQLITE_BUSY_SNAPSHOT', 'store_busy'],
    ['SQLITE_NOMEM', 'machine_limit'],
  ])('%s is %s', (code, expected) => {
    expect(toMachineFault(new Sqlite.SqliteError('said so', code))).toMatchObject({ code: expected })
  })
})

it.each([
  new TypeError('x is not a function'),
  new Error('ENOSPC'),
  Object.assign(new Error('no call'), { code: 'EACCES' }),
  systemError('EBADF'),
  systemError('EINVAL'),
  new Sqlite.SqliteError('UNIQUE', 'SQLITE_CONSTRAINT_UNIQUE'),
  new Sqlite.SqliteError('no such column', 'SQLITE_ERROR'),
  'text',
  null,
])('a mistake of the program stays one: %s', (error) => {
  expect(toMachineFault(error)).toBeNull()
  expect(explainMachine(error)).toBe(error)
})

it('an error with a remedy stays as it is', () => {
  const error = new AppError('busy', 'It runs')
  expect(toMachineFault(error)).toBe(error)
})

it.each([
  ['fatal: write error: No space left on device', 'disk_full'],
  ["fatal: Unable to create '/x/index.lock': Permission denied", 'unreadable'],
  ["error: open('x'): Too many open files", 'machine_limit'],
  ['spawn git EMFILE', 'machine_limit'],
  ['fatal: not a git repository', undefined],
  ['git@host: Permission denied (publickey).', undefined],
])('%s, as git says it, is %s', (text, code) => {
  expect(machineWords(text)?.code).toBe(code)
})
