import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
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
  const sink = createFileSink(file, { force: false })
  sink.write('héllo')
  expect(existsSync(file)).toBe(false)
  sink.commit()
  expect(readFileSync(file, 'utf8')).toBe('héllo')
  expect(sink.bytes).toBe(6)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  sink.discard()
  expect(readdirSync(folder)).toEqual(['out.md'])
})

test('given up, it leaves nothing behind', () => {
  const sink = createFileSink(file, { force: false })
  sink.write('half')
  sink.discard()
  expect(readdirSync(folder)).toEqual([])
})

test('a file that appears meanwhile is not replaced', () => {
  const sink = createFileSink(file, { force: false })
  writeFileSync(file, 'theirs')
  expect(() => sink.commit()).toThrow(/is there already/)
  sink.discard()
  expect(readFileSync(file, 'utf8')).toBe('theirs')
  expect(readdirSync(folder)).toEqual(['out.md'])
})

test('with force the old file stays until the new one is whole', () => {
  writeFileSync(file, 'old')
  const sink = createFileSink(file, { force: true })
  sink.write('new')
  expect(readFileSync(file, 'utf8')).toBe('old')
  sink.commit()
  expect(readFileSync(file, 'utf8')).toBe('new')
})

test('removes what killed writers of the same file left, and nothing else', () => {
  const left = ['.out.md.4194999.tmp', `.out.md.${process.pid}.tmp`]
  const kept = ['.other.md.4194999.tmp', '.out.md.x.tmp', `.out.md.${process.ppid}.tmp`]
  for (const name of [...left, ...kept]) writeFileSync(join(folder, name), 'half')
  for (const name of left) utimesSync(join(folder, name), 1, 1)
  mkdirSync(join(folder, '.out.md.4194998.tmp'))
  const sink = createFileSink(file, { force: false })
  sink.commit()
  expect(readdirSync(folder).sort()).toEqual(['out.md', ...kept, '.out.md.4194998.tmp'].sort())
})
