import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimHome, findServer, leaveHome, urlOf } from './server-file.ts'

let folder: string
let file: string
const details = { host: '127.0.0.1', instance: 'i', version: '1', startedAt: Date.UTC(2026, 10, 15) }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-server-'))
  file = join(folder, 'server.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** As another process would have left it. */
function edit(change: Record<string, unknown>): void {
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }))
}

test('it is written for its owner, found, and removed', async () => {
  expect(await findServer(folder)).toBeNull()
  const made = await claimHome(folder, details, async () => 4711)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await findServer(folder)).toEqual(made)
  expect(made).toMatchObject({ pid: process.pid, port: 4711, instance: 'i', startedAt: details.startedAt })
  await leaveHome(folder)
  expect(existsSync(file)).toBe(false)
  await leaveHome(folder)
})

test('a server that runs is named, and nothing is opened beside it', async () => {
  await claimHome(folder, details, async () => 4711)
  edit({ pid: process.ppid, process_started: '-' }) // a process that is there
  let listened = false
  const second = claimHome(folder, details, async () => {
    listened = true
    return 1
  })
  await expect(second).rejects.toMatchObject({
    code: 'server_running',
    message: expect.stringContaining('http://127.0.0.1:4711'),
    details: { url: 'http://127.0.0.1:4711', pid: process.ppid },
  })
  expect(listened).toBe(false)
  await leaveHome(folder)
  expect(existsSync(file)).toBe(true) // not ours
})

test('what a killed server left is recognised: gone, or its number is used again', async () => {
  await claimHome(folder, details, async () => 4711)
  edit({ pid: 2 ** 22 + 12_345 })
  expect(await findServer(folder)).toBeNull()
  edit({ pid: process.ppid, process_started: '1' })
  expect(await findServer(folder)).toBeNull()
  expect((await claimHome(folder, details, async () => 4712)).port).toBe(4712)
})

test('a file that is torn or of another shape counts as none', async () => {
  for (const text of ['', '{"pid": 12', 'null', '[]', '{"pid":"1","port":1}', '{"pid":-1,"port":1}', '{"pid":1}']) {
    writeFileSync(file, text)
    expect([text, await findServer(folder)]).toEqual([text, null])
  }
})

test('when listening fails nothing is left behind', async () => {
  await expect(claimHome(folder, details, async () => Promise.reject(new Error('taken')))).rejects.toThrow('taken')
  expect(existsSync(file)).toBe(false)
  expect((await claimHome(folder, details, async () => 1)).port).toBe(1)
})

test('where it is reached', () => {
  expect(urlOf({ host: '127.0.0.1', port: 1 })).toBe('http://127.0.0.1:1')
  expect(urlOf({ host: '::1', port: 1 })).toBe('http://[::1]:1')
  expect(urlOf({ host: '0.0.0.0', port: 1 })).toBe('http://127.0.0.1:1')
})
