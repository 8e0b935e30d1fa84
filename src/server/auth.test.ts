import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readToken } from './auth.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-token-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a token is made once, for its owner alone, and kept', async () => {
  const home = join(folder, 'home')
  const first = await readToken(home)
  expect(first.value).toMatch(/^[\w-]{43}$/)
  expect(first.replaced).toBe(false)
  expect(statSync(first.file).mode & 0o777).toBe(0o600)
  expect(statSync(home).mode & 0o077).toBe(0)
  expect(await readToken(home)).toEqual(first)
})

test('servers that start at once agree on one', async () => {
  const tokens = await Promise.all([readToken(folder), readToken(folder), readToken(folder)])
  expect(new Set(tokens.map(({ value }) => value)).size).toBe(1)
})

test('one that others could read, or that is none, is replaced', async () => {
  const first = await readToken(folder)
  chmodSync(first.file, 0o644)
  const second = await readToken(folder)
  expect(second.replaced).toBe(true)
  expect(second.value).not.toBe(first.value)
  expect(statSync(first.file).mode & 0o777).toBe(0o600)
  expect(readFileSync(first.file, 'utf8')).toBe(`${second.value}\n`)
  for (const text of ['', 'short', `${'x'.repeat(43)}\nmore`]) {
    writeFileSync(first.file, text, { mode: 0o600 })
    expect((await readToken(folder)).replaced).toBe(true)
  }
})

test('a token that cannot be read is said, with what to do', async () => {
  mkdirSync(join(folder, 'token'))
  await expect(readToken(folder)).rejects.toMatchObject({ code: 'unreadable', message: expect.stringContaining('token') })
})

test('a link in its place is not followed', async () => {
  const target = join(folder, 'elsewhere')
  writeFileSync(target, `${'a'.repeat(43)}\n`, { mode: 0o600 })
  symlinkSync(target, join(folder, 'token'))
  await expect(readToken(folder)).rejects.toMatchObject({ code: 'unreadable' })
})
