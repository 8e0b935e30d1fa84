import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from '../../model/catalog.ts'
import { createSandbox, minuteMs, type Sandbox, startAt } from '../sandbox.testkit.ts'

const dayMs = 86_400_000
let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

const find = (checks: readonly Check[], id: string) => checks.find((check) => check.id === id)

describe('doctor', () => {
  it('has nothing to complain about in an empty home', async () => {
    const checks = await sandbox.catalog().doctor()
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(find(checks, 'git')?.message).toMatch(/^git version \d/)
    expect(find(checks, 'index')?.message).toContain('0 sessions')
    expect(find(checks, 'claude.sessions')?.message).toContain('does not exist')
  })

  it('finds the tools where there is no home folder', async () => {
    rmSync(join(sandbox.root, 'home'), { recursive: true, force: true })
    const checks = await sandbox.catalog().doctor()
    expect(find(checks, 'git')?.message).toMatch(/^git version \d/)
  })

  it('names missing tools with their fix', async () => {
    const vars = { PATH: '/nonexistent' }
    const checks = await sandbox.catalog({ vars }).doctor()
    expect(find(checks, 'git')).toMatchObject({
      state: 'fail',
      message: 'git is not on PATH',
      fix: expect.stringContaining('Install git'),
    })
  })

  it('says what a git that is too old cannot do', async () => {
    const folder = join(sandbox.root, 'old')
    mkdirSync(folder)
    writeFileSync(join(folder, 'git'), '#!/bin/sh\necho git version 2.35.8\n', { mode: 0o755 })
    const checks = await sandbox.catalog({ vars: { PATH: folder } }).doctor()
    expect(find(checks, 'git')).toEqual({
      id: 'git',
      state: 'warn',
      message: 'git version 2.35.8: too old for snapshots and for forks with code',
      fix: 'Update git to 2.36 or newer.',
    })
  })

  it('warns of an agent whose sessions are there but whose program is not', async () => {
    sandbox.session({ turns: 1 })
    const checks = await sandbox.catalog({ vars: { PATH: '/nonexistent' } }).doctor()
    expect(find(checks, 'claude')).toMatchObject({ state: 'warn', message: expect.stringContaining('not installed') })
    expect(find(checks, 'claude.sessions')?.message).toMatch(/^1 session in /)
  })

  it('counts and names the lines it does not know, and the files it cannot read', async () => {
    const session = sandbox.session({ turns: 1 })
    const odd = [{ type: 'tomorrows-news' }, { type: 'tomorrows-news' }].map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(session.path, odd.join(''), { flag: 'a' })
    mkdirSync(join(dirname(session.path), '11111111-2222-4333-8444-555555555555.jsonl'))
    const checks = await sandbox.catalog().doctor()
    expect(find(checks, 'claude.lines')).toMatchObject({
      state: 'warn',
      message: `left out or mended while reading: 2 lines of the unknown type "tomorrows-news" in claude:${session.id.slice(0, 8)}`,
    })
    expect(find(checks, 'claude.files')).toMatchObject({ state: 'warn', message: expect.stringContaining('11111111-2222') })
  })

  it('says which sessions the agent resumes behind a gap, and how to get at the turns before it', async () => {
    const session = sandbox.session({ turns: 2 })
    const line = { type: 'user', uuid: randomUUID(), message: { role: 'user', content: 'go on' }, sessionId: session.id }
    const orphan = { parentUuid: randomUUID(), ...line, timestamp: new Date(startAt + 60 * minuteMs).toISOString() }
    writeFileSync(session.path, `${JSON.stringify(orphan)}\n`, { flag: 'a' })
    const checks = await sandbox.catalog().doctor()
    expect(find(checks, 'claude.lines')).toBeUndefined()
    expect(find(checks, 'claude.gaps')).toEqual({
      id: 'claude.gaps',
      state: 'warn',
      message: `1 session misses a line, so Claude Code starts behind the gap when it resumes: claude:${session.id.slice(0, 8)} (2 turns not reached)`,
      fix: expect.stringContaining('offshoot turns <session> --dead'),
    })
  })

  it('says of other lines what they are and in which sessions', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `${n}1111111-2222-4333-8444-555555555555`)
    for (const id of ids) writeFileSync(sandbox.session({ id, turns: 1 }).path, '{"broken\n', { flag: 'a' })
    writeFileSync(sandbox.session({ id: ids[0]?.replaceAll('1', '8') ?? '', turns: 1 }).path, '{"type":', { flag: 'a' })
    const named = ids.slice(0, 5).map((id) => `claude:${id.slice(0, 8)}`)
    expect(find(await sandbox.catalog().doctor(), 'claude.lines')).toEqual({
      id: 'claude.lines',
      state: 'ok',
      message:
        `left out or mended while reading: 7 unreadable lines in 7 sessions (${named.join(', ')} and 2 more); ` +
        '1 incomplete last line (being written, or cut off by a crash) in claude:08888888',
      fix: null,
    })
  })

  it('warns before sessions are purged, until they are archived', async () => {
    const old = sandbox.session({ turns: 1 })
    const at = (startAt - 26 * dayMs) / 1000
    utimesSync(old.path, at, at)
    const catalog = sandbox.catalog()
    expect(find(await catalog.doctor(), 'claude.retention')).toMatchObject({
      state: 'warn',
      message: 'Claude Code deletes sessions untouched for 30 days; not in our archive: 1, of which within a week: 1',
    })
    await catalog.archive()
    expect(find(await catalog.doctor(), 'claude.retention')?.state).toBe('ok')
  })

  it("reads the person's own limit", async () => {
    sandbox.session({ turns: 1 })
    writeFileSync(join(dirname(sandbox.projects), 'settings.json'), JSON.stringify({ cleanupPeriodDays: 365 }))
    expect(find(await sandbox.catalog().doctor(), 'claude.retention')?.message).toContain('365 days')
  })

  it('says what is wrong with a database it may not touch, and checks the rest', async () => {
    mkdirSync(sandbox.offshootHome, { recursive: true })
    const { default: Sqlite } = await import('better-sqlite3')
    const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'))
    db.pragma('user_version = 99')
    db.close()
    const checks = await sandbox.catalog().doctor()
    expect(find(checks, 'index')).toMatchObject({ state: 'fail', fix: expect.stringContaining('update offshoot') })
    expect(find(checks, 'git')?.state).toBe('ok')
  })
})
