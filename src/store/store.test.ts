import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Turn } from '../model/session.ts'
import { takeLock } from './lock.ts'
import { databasePath } from './open.ts'
import type { SessionRecord } from './sessions.ts'
import { openStore, type Store } from './store.ts'

let folder: string
let store: Store
const open = () => openStore({ folder, now: () => 1 })
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'offshoot-store-')), 'home')
  store = open()
})
afterEach(() => {
  store.close()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

const record: SessionRecord = {
  agent: 'claude',
  path: '/p/a.jsonl',
  id: 'a',
  bytes: 10,
  modifiedAt: 1_700_000_000_123,
  inode: 2 ** 52 + 1,
  builtOn: [{ path: '/base.jsonl', isCopy: true }],
  olderPaths: ['/p/older.jsonl'],
  bornAt: 1.5,
  state: 'present',
  title: 'A title',
  titleFrom: 'ai',
  cwd: '/work',
  branch: 'main',
  model: 'm',
  cliVersion: '1',
  createdAt: 1,
  updatedAt: 2,
  usage: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 3 },
  recordedParent: { agent: 'claude', sessionId: 'b', turnId: null, turnNumber: 3, messageId: 'm', kind: 'branch' },
  inheritedTurns: 3,
  copied: true,
  broken: 'why',
  turns: 1,
  messages: 2,
  repoId: null,
  folders: [{ cwd: '/repo/a', repoId: null }],
  contextWindow: null,
}

const turn: Turn = {
  number: 1,
  id: 'turn-1',
  prompt: 'a prompt with \u2028 and 😀',
  startedAt: 1,
  endedAt: null,
  messages: 2,
  lastMessageId: null,
  state: 'running',
  afterCompaction: true,
  usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 4 },
}

describe('store', () => {
  it('is private', () => {
    store.meta.set('a', 'b')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder).sort()).toEqual(['offshoot.db', 'offshoot.db-shm', 'offshoot.db-wal'])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('gives back what was put in', () => {
    const { key } = store.sessions.put(record)
    store.turns.replace(key, [turn, { ...turn, id: 'turn-2', number: null }])
    store.sessions.setReadingState(key, { mark: { inode: 1, offset: 2, head: 'h', tail: 't' }, resume: { deep: [1, null] } })
    store.skipped.replace(key, { torn: 1, 'unknown:x': 3 })
    expect(store.sessions.at('claude', '/p/a.jsonl')).toMatchObject(record)
    expect(store.turns.of(key)).toEqual([turn, { ...turn, id: 'turn-2', number: null }])
    expect(store.turns.holdersOf('turn-2')).toEqual([key])
    expect(store.sessions.readingState(key)?.resume).toEqual({ deep: [1, null] })
    expect(store.skipped.of(key)).toEqual({ torn: 1, 'unknown:x': 3 })
    const lines = { agent: 'claude', sessionId: record.id, deadTurns: 1 }
    expect(store.skipped.all()).toEqual([
      { ...lines, reason: 'unknown:x', count: 3 },
      { ...lines, reason: 'torn', count: 1 },
    ])
    expect(store.sessions.files()).toMatchObject([{ key, recordedParentId: 'b', broken: 1, linked: 0 }])
  })

  it('forgets a session with everything that hangs on it', () => {
    const { key } = store.sessions.put(record)
    store.turns.replace(key, [turn])
    store.skipped.replace(key, { torn: 1 })
    store.sessions.remove(key)
    expect(store.turns.holdersOf('turn-1')).toEqual([])
    expect(store.skipped.all()).toEqual([])
    expect(store.sessions.count()).toBe(0)
  })

  it('replaces turns from a position on', () => {
    const { key } = store.sessions.put(record)
    const turns = ['a', 'b', 'c'].map((id, index) => ({ ...turn, id, number: index + 1 }))
    store.turns.replace(key, turns)
    store.turns.replace(key, [...turns.slice(0, 2), { ...turn, id: 'new', number: 3 }], 2)
    expect(store.turns.of(key).map(({ id }) => id)).toEqual(['a', 'b', 'new'])
    expect(store.turns.marksOf(key).map(({ outputTokens }) => outputTokens)).toEqual([4, 4, 4])
  })

  it('is opened a second time without writing to it', () => {
    store.sessions.put(record)
    const second = open()
    expect(second.sessions.count()).toBe(1)
    expect(second.schemaVersion()).toBe(store.schemaVersion())
    expect(second.check()).toBe('ok')
    second.close()
  })

  it('empties the cache, and nothing else, when readers have learnt more', () => {
    store.sessions.put(record)
    store.repositories.put({ id: 'r', root: '/r', commonDir: '/r/.git', commonBirth: '1', rootCommit: null, claimed: false })
    store.meta.set('cache_version', '0')
    store.close()
    store = open()
    expect(store.sessions.count()).toBe(0)
    expect(store.repositories.all()).toHaveLength(1)
  })

  it('keeps what it knows of a session that was deleted and has no copy', () => {
    const { key } = store.sessions.put(record)
    store.search.index.addSession(record.agent, record.path, record.id)
    store.sessions.remove(key)
    expect(store.sessions.lost()).toMatchObject([{ id: record.id }])
    store.meta.set('cache_version', '0')
    store.close()
    store = open()
    expect(store.sessions.lost()).toMatchObject([{ id: record.id }])
  })

  it('rolls back what was not finished', () => {
    const attempt = () =>
      store.write(() => {
        store.sessions.put(record)
        throw new Error('stop')
      })
    expect(attempt).toThrow('stop')
    expect(store.sessions.count()).toBe(0)
  })

  it('lets one holder at a time have a lock', () => {
    const path = join(folder, 'some.lock')
    const first = takeLock(path, 0)
    expect(first).not.toBeNull()
    expect(takeLock(path, 0)).toBeNull()
    first?.release()
    const second = takeLock(path, 0)
    expect(second).not.toBeNull()
    second?.release()
  })

  it('takes a lock whose file was damaged, and lets one holder at a time have it', () => {
    const path = join(folder, 'some.lock')
    writeFileSync(path, '{}')
    const first = takeLock(path, 0)
    expect(first).not.toBeNull()
    expect(takeLock(path, 0)).toBeNull()
    // Damaged while it is held: whoever comes still finds it taken.
    execFileSync('sh', ['-c', 'printf %5000d 1 > "$0"', path])
    expect(takeLock(path, 0)).toBeNull()
    first?.release()
    const second = takeLock(path, 0)
    expect(second).not.toBeNull()
    second?.release()
    expect(statSync(path).size).toBe(0)
  })

  it.each<[what: string, put: (path: string) => void]>([
    ['a directory', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync(join(folder, 'elsewhere'), path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('names the file where %s is in the place of a lock', (what, put) => {
    const path = join(folder, 'some.lock')
    put(path)
    const message = `${path} is ${what}, and offshoot keeps a lock file there.`
    expect(() => takeLock(path, 0)).toThrow(expect.objectContaining({ code: 'unreadable', message }))
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
  })

  it('does not empty a damaged lock that is another file too', () => {
    const other = join(folder, 'precious')
    writeFileSync(other, '{}')
    linkSync(other, join(folder, 'some.lock'))
    expect(() => takeLock(join(folder, 'some.lock'), 0)).toThrow(join(folder, 'some.lock'))
    expect(readFileSync(other, 'utf8')).toBe('{}')
  })

  describe('while a newer offshoot uses the same home', () => {
    const migrate = (change: (db: Sqlite.Database) => void) => {
      const db = new Sqlite(databasePath(folder))
      change(db)
      db.close()
    }

    it.each([
      ['schema', (db: Sqlite.Database) => db.pragma('user_version = 99')],
      ['cache', (db: Sqlite.Database) => db.exec("UPDATE meta SET value = '99' WHERE key = 'cache_version'")],
    ])('with a newer %s it can neither be opened nor written through a handle opened before', (_, change) => {
      migrate(change)
      const newer = expect.objectContaining({ code: 'store_newer' })
      expect(open).toThrow(newer)
      expect(() => store.write(() => store.sessions.put(record))).toThrow(newer)
      expect(store.sessions.count()).toBe(0)
      const db = new Sqlite(databasePath(folder))
      const { value } = db.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'cache_version'").get() ?? {}
      expect([db.pragma('user_version', { simple: true }), value]).toContain(_ === 'schema' ? 99 : '99')
      db.close()
    })
  })

  it('says so when its folder cannot be written', () => {
    const path = join(folder, 'offshoot.db-is-not-a-folder')
    takeLock(path, 0)?.release()
    expect(() => openStore({ folder: join(path, 'x'), now: () => 1 })).toThrow(expect.objectContaining({ code: 'store_failed' }))
  })
})
