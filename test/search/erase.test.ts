// What leaves the index leaves the files: deleted text must not be found in the bytes of the database, its log or the exports.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { App } from '../../src/app.ts'
import { writeHeader } from '../../src/search/qmd/header.ts'
import { openDatabase } from '../../src/store/open.ts'
import { createSandbox, type Sandbox, type TurnText } from './sandbox.ts'

let box: Sandbox
let app: App
beforeEach(() => {
  box = createSandbox()
  app = box.app()
})
afterEach(() => box.close())

/** Letters that stay together when a word is stemmed. */
const marks = ['zyqprompt', 'zyqanswer', 'zyqfile', 'zyqerror', 'zyqtitle'] as const
const telling: TurnText = {
  prompt: `Look for the zyqprompt ${'and everything around it '.repeat(60)}`,
  answer: `The zyqanswer is here. ${'It fills more than one page of the database. '.repeat(200)}`,
  tools: [
    { name: 'Write', input: { file_path: '/p/zyqfile.ts', content: 'x' } },
    { name: 'Bash', input: { command: 'make' }, output: 'error: zyqerror\n', exitCode: 1 },
  ],
}

/** Which of the marks stand in which file. */
function traces(): string[] {
  const entries = readdirSync(join(box.home, '.offshoot'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const text = readFileSync(join(parentPath, name)).toString('latin1').toLowerCase()
      return marks.filter((mark) => text.includes(mark)).map((mark) => `${name}: ${mark}`)
    })
}

function others(count: number): void {
  for (let at = 0; at < count; at += 1) box.session([`question ${at}`, { prompt: 'more', answer: `answer ${at} `.repeat(300) }])
}

function exportFor(sessionId: string, text: string): void {
  const folder = join(box.home, '.offshoot', 'index', 'claude', 'p')
  mkdirSync(folder, { recursive: true })
  const none = { workingDirectory: null, repoRoot: null, branch: null, parent: null }
  const header = writeHeader({ ...none, title: 't', sessionId, date: '2026-11-01', agent: 'claude' }, 'mark')
  writeFileSync(join(folder, `${sessionId}.md`), `${header}\n${text}\n`)
}

it('of a deleted session nothing is left, neither in the database nor in its log nor as an export', async () => {
  others(3)
  const session = box.session([telling, telling])
  session.write({ type: 'custom-title', customTitle: 'The zyqtitle', sessionId: session.id })
  others(3)
  await app.updateIndex()
  exportFor(session.id, 'zyqanswer')
  exportFor('another', 'something else')
  expect(traces()).toEqual(expect.arrayContaining(marks.map((mark) => expect.stringContaining(mark))))
  expect(traces()).toContain(`${session.id}.md: zyqanswer`)
  rmSync(session.path)
  expect(await app.updateIndex()).toMatchObject({ removed: 1, stopped: false })
  expect(traces()).toEqual([])
  app.close()
  expect(traces()).toEqual([])
  expect(readdirSync(join(box.home, '.offshoot', 'index', 'claude', 'p'))).toEqual(['another.md'])
  expect((await app.search({ text: 'question 2' })).results).not.toEqual([])
})

it('of a turn that was rewritten nothing is left', async () => {
  others(3)
  const session = box.session(['first', telling])
  await app.updateIndex()
  rmSync(session.path)
  box.session(['first', 'something else'], { id: session.id })
  expect(await app.updateIndex()).toMatchObject({ removed: 0 })
  expect(traces()).toEqual([])
})

it('a rebuilt index leaves nothing of the one before', async () => {
  const session = box.session([telling])
  others(1)
  await app.updateIndex()
  rmSync(session.path)
  await app.rebuildIndex()
  expect(traces()).toEqual([])
})

/** What stays in a page when SQLite splits it or deletes without overwriting. */
function leaveRemains(text: string): void {
  const db = openDatabase(join(box.home, '.offshoot'))
  db.pragma('secure_delete = OFF')
  db.exec(`INSERT INTO meta (key, value) VALUES ('remains', '${text.repeat(40)}'); DELETE FROM meta WHERE key = 'remains'`)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Every row of every table that the index does not make. */
function facts(): Record<string, unknown[]> {
  const db = openDatabase(join(box.home, '.offshoot'))
  const tables = db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .pluck()
    .all()
  const isOurs = (name: string) => !name.startsWith('search_') && name !== 'meta'
  const rows = tables.filter(isOurs).map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()])
  db.close()
  return Object.fromEntries(rows)
}

it('a rebuilt index leaves nothing that was deleted before, not even in free space, and all that is ours', async () => {
  const { id } = box.session(['kept'])
  others(1)
  await app.updateIndex()
  await app.labelSession((await app.resolve(`claude:${id}`)).session, 'the label')
  leaveRemains(marks[1])
  const before = facts()
  expect(before).toMatchObject({ labels: [expect.anything()] })
  expect(traces()).toEqual([`offshoot.db: ${marks[1]}`])
  expect(await app.rebuildIndex()).toMatchObject({ busy: false, problems: [] })
  expect(traces()).toEqual([])
  expect(facts()).toEqual(before)
  expect((await app.search({ text: 'question 0' })).results).not.toEqual([])
})

it('while another process reads, it is rebuilt all the same, and the rest goes with the next update', async () => {
  others(1)
  await app.updateIndex()
  leaveRemains(marks[1])
  const reader = openDatabase(join(box.home, '.offshoot'))
  reader.exec('BEGIN; SELECT COUNT(*) FROM search_chunks')
  expect(await app.rebuildIndex()).toMatchObject({ busy: false, problems: [] })
  expect(traces()).not.toEqual([])
  reader.close()
  await app.updateIndex()
  expect(traces()).toEqual([])
})

it('while another process reads from the log, what is in there goes with the next update', async () => {
  const session = box.session([telling])
  others(1)
  await app.updateIndex()
  const reader = openDatabase(join(box.home, '.offshoot'))
  reader.exec('BEGIN; SELECT COUNT(*) FROM search_chunks')
  rmSync(session.path)
  expect(await app.updateIndex()).toMatchObject({ removed: 1, stopped: false })
  expect(traces()).not.toEqual([])
  reader.close()
  await app.updateIndex()
  expect(traces()).toEqual([])
})

it('what was stopped is taken up again', async () => {
  const session = box.session([telling])
  others(1)
  await app.updateIndex()
  rmSync(session.path)
  expect(await app.updateIndex({ signal: AbortSignal.abort() })).toMatchObject({ stopped: true })
  expect(traces()).not.toEqual([])
  await app.updateIndex()
  expect(traces()).toEqual([])
})
