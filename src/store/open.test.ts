import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from './open.ts'

let scratch: string
let folder: string
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'offshoot-open-'))
  folder = join(scratch, 'home')
  mkdirSync(folder)
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

describe.each(['offshoot.db', 'offshoot.db-wal', 'offshoot.db-shm', 'offshoot.db-journal'])(
  'a link in the place of %s',
  (name) => {
    test.each(['', 'somebody else’s text\n'])('is refused, and the file behind it stays as it is: %j', (text) => {
      const file = join(scratch, 'file')
      writeFileSync(file, text)
      chmodSync(file, 0o644)
      symlinkSync(file, join(folder, name))
      const refused = {
        code: 'store_failed',
        message: `${join(folder, name)} is a link.`,
        hint: expect.stringContaining('OFFSHOOT_HOME'),
      }
      expect(() => openDatabase(folder)).toThrow(expect.objectContaining(refused))
      expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([text, 0o644])
    })

    test('is refused where it leads nowhere', () => {
      symlinkSync(join(scratch, 'nowhere'), join(folder, name))
      expect(() => openDatabase(folder)).toThrow('is a link')
    })
  },
)

test('the folder itself may be a link', () => {
  renameSync(folder, join(scratch, 'elsewhere'))
  symlinkSync(join(scratch, 'elsewhere'), folder)
  openDatabase(folder).close()
  expect(statSync(join(scratch, 'elsewhere', 'offshoot.db')).isFile()).toBe(true)
})
