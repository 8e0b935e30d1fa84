import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from './log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const now = () => Date.UTC(2026, 10, 15)
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('nothing is made until something is written', () => {
  const log = createLog({ folder: join(folder, 'logs'), now })
  expect(existsSync(join(folder, 'logs'))).toBe(false)
  log.write('info', 'started', { sessions: 3 })
  expect(linesOf(log.file)).toEqual([expect.objectContaining({ at: '2026-11-15T00:00:00.000Z', msg: 'started', sessions: 3 })])
  expect(statSync(log.file).mode & 0o777).toBe(0o600)
})

test('a fault is logged with its frames; long text is cut', () => {
  const log = createLog({ folder, now })
  log.write('error', 'internal error', { error: new TypeError('x'.repeat(10_000)), long: 'y'.repeat(10_000) })
  const [line] = linesOf(log.file)
  const error = line?.error as { name: string; message: string; stack: string[] }
  expect(error.name).toBe('TypeError')
  expect(error.message.length).toBeLessThan(600)
  expect(error.stack[0]).toMatch(/^at .*log\.test/)
  expect(String(line?.long).length).toBeLessThan(600)
})

test('levels below the chosen one are left out', () => {
  const log = createLog({ folder, now, level: 'warn' })
  log.write('info', 'no')
  log.write('warn', 'yes')
  expect(linesOf(log.file).map((line) => line.msg)).toEqual(['yes'])
})

test('the log stays small: it rolls over and keeps three old files', () => {
  const log = createLog({ folder, now, maxBytes: 200 })
  for (let count = 0; count < 40; count += 1) log.write('info', `event ${count}`)
  expect(readdirSync(folder).sort()).toEqual(['offshoot.log', 'offshoot.log.1', 'offshoot.log.2', 'offshoot.log.3'])
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(400)
  expect(linesOf(log.file).at(-1)?.msg).toBe('event 39')
})

test('a log that cannot be written stops no one', () => {
  writeFileSync(join(folder, 'file'), '')
  const log = createLog({ folder: join(folder, 'file', 'logs'), now })
  log.write('info', 'lost')
  expect(existsSync(log.file)).toBe(false)
})
