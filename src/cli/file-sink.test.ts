import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFileSink } from './file-sink.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-sink-'))
  file = join(folder, 'out.md')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('nothing is there until all of it is', () => {
  const sink = createFileSink(file, { force: false, mode: 0o644 })
  sink.write('héllo')
  expect(existsSync(file)).toBe(false)
  sink.commit()
  expect(readFileSync(file, 'utf8')).toBe('héllo')
  expect(sink.bytes).toBe(6)
  sink.discard()
  expect(readdirSync(folder)).toEqual(['out.md'])
})

test('given up, it leaves nothing behind', () => {
  const sink = createFileSink(file, { force: false, mode: 0o644 })
  sink.write('half')
  sink.discard()
  expect(readdirSync(folder)).toEqual([])
})

test('a file that appears meanwhile is not replaced', () => {
  const sink = createFileSink(file, { force: false, mode: 0o644 })
  writeFileSync(file, 'theirs')
  expect(() => sink.commit()).toThrow(/is there already/)
  sink.discard()
  expect(readFileSync(file, 'utf8')).toBe('theirs')
  expect(readdirSync(folder)).toEqual(['out.md'])
})

test('with force the old file stays until the new one is whole', () => {
  writeFileSync(file, 'old')
  const sink = createFileSink(file, { force: true, mode: 0o644 })
  sink.write('new')
  expect(readFileSync(file, 'utf8')).toBe('old')
  sink.commit()
  expect(readFileSync(file, 'utf8')).toBe('new')
})
