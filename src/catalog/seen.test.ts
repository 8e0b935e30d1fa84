import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, test } from 'vitest'
import type { SessionFile } from '../agents/agent.ts'
import { openStore, type Store } from '../store/store.ts'
import { forgetSeen, isSeen, setSeen, stampOf } from './seen.ts'

const file: SessionFile = {
  agent: 'claude',
  id: 'a',
  path: '/p/a.jsonl',
  bytes: 10,
  modifiedAt: 1_790_000_000_000,
  inode: 5,
  archived: false,
  olderPaths: ['/p/old.jsonl'],
}
let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-seen-'))
  store = openStore({ folder, now: () => 1 })
  setSeen(store, [file])
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

it('knows the same files again, until it is told to forget', () => {
  expect(isSeen(store, stampOf(store), [{ ...file }])).toBe(true)
  forgetSeen(store)
  expect(isSeen(store, stampOf(store), [file])).toBe(false)
})

test.each<Partial<SessionFile>>([
  { agent: 'codex' },
  { path: '/p/b.jsonl' },
  { bytes: 11 },
  { bytes: 10 + 2 ** 32 },
  { modifiedAt: file.modifiedAt + 1 },
  { inode: 6 },
  { archived: true },
  { olderPaths: [] },
  { olderPaths: ['/p/older.jsonl'] },
])('notices %j', (change) => {
  expect(isSeen(store, stampOf(store), [{ ...file, ...change }])).toBe(false)
})

it('notices one file more, one less, and another order', () => {
  const other = { ...file, path: '/p/c.jsonl' }
  expect(isSeen(store, stampOf(store), [])).toBe(false)
  expect(isSeen(store, stampOf(store), [file, other])).toBe(false)
  setSeen(store, [file, other])
  expect(isSeen(store, stampOf(store), [other, file])).toBe(false)
})

it('notices that something else is stored', () => {
  const copy = { agent: 'claude', sessionId: 'a', path: file.path, role: 'live', bytes: 1, modifiedAt: 1, inode: 1 } as const
  store.archive.put({ ...copy, archivedAt: 2 })
  expect(isSeen(store, stampOf(store), [file])).toBe(false)
})
