import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { markFile, stillHolds } from './file-mark.ts'

let folder: string
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-mark-'))
  path = join(folder, 'session.jsonl')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => 97 + (index % 26)))

it('holds for the same file, however it grows', () => {
  fc.assert(
    fc.property(fc.nat(content.length), fc.string(), (offset, more) => {
      writeFileSync(path, content)
      const mark = markFile(path, offset)
      expect(stillHolds(path, mark)).toBe(true)
      appendFileSync(path, more)
      expect(stillHolds(path, mark)).toBe(true)
    }),
  )
})

it('does not hold once a byte near either edge of what was read is another', () => {
  fc.assert(
    fc.property(fc.nat(255), fc.boolean(), (distance, atHead) => {
      writeFileSync(path, content)
      const mark = markFile(path, 900)
      const changed = Buffer.from(content)
      changed[atHead ? distance : 899 - distance] = 0x21
      writeFileSync(path, changed)
      expect(stillHolds(path, mark)).toBe(false)
    }),
  )
})

it('does not hold for a file that was cut below the mark, and does for one cut behind it', () => {
  writeFileSync(path, content)
  const mark = markFile(path, 500)
  truncateSync(path, 500)
  expect(stillHolds(path, mark)).toBe(true)
  truncateSync(path, 499)
  expect(stillHolds(path, mark)).toBe(false)
})

it('does not hold for another file with the same bytes: an editor that saves by renaming may have changed the middle', () => {
  writeFileSync(path, content)
  const mark = markFile(path, 900)
  writeFileSync(`${path}.new`, readFileSync(path))
  renameSync(`${path}.new`, path)
  expect(stillHolds(path, mark)).toBe(false)
})

it('never holds when the file was replaced between reading and marking', () => {
  writeFileSync(path, content)
  const readInode = statSync(path).ino
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
  expect(stillHolds(path, markFile(path, 900, readInode))).toBe(false)
})

it('a mark at the start holds for any bytes: nothing was read', () => {
  writeFileSync(path, content)
  const mark = markFile(path, 0)
  writeFileSync(path, 'other')
  expect(stillHolds(path, mark)).toBe(true)
})
