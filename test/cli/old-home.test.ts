// A home that an older offshoot filled: what it said wrongly of the same file is right after the update, without a word from the user,
// and what only the database knows is still there. `samples/home-of-schema-8.*` is such a database, with the one session it knew.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, type Run, runProcess } from './run-cli.ts'

const samples = join(import.meta.dirname, 'samples')
const oldRoot = '/tmp/offshoot-old-home'
const id = '5e0c1f0a-3b52-4d0e-9a52-6d2f3e9b7a11'
const firstTurn = '00000000-0000-4000-8000-000000000001'

let root: string
let database: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-old-'))
  const project = join(root, 'home', '.claude', 'projects', join(root, 'repo').replace(/[^A-Za-z0-9]/g, '-'))
  for (const folder of [project, join(root, 'home', '.offshoot'), join(root, 'repo')]) mkdirSync(folder, { recursive: true })
  const lines = readFileSync(join(samples, 'home-of-schema-8.jsonl'), 'utf8')
  writeFileSync(join(project, `${id}.jsonl`), lines.replaceAll(oldRoot, root))
  database = join(root, 'home', '.offshoot', 'offshoot.db')
  writeFileSync(database, gunzipSync(readFileSync(join(samples, 'home-of-schema-8.db.gz'))))
  const oldProject = join(oldRoot, 'home', '.claude', 'projects', '-tmp-offshoot-old-home-repo')
  query((db) => {
    db.prepare('UPDATE sessions SET path = replace(path, ?, ?), cwd = replace(cwd, ?, ?)').run(oldProject, project, oldRoot, root)
    db.prepare('UPDATE search_sessions SET path = replace(path, ?, ?)').run(oldProject, project)
    return []
  })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function query<T>(ask: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(database)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

async function run(...args: string[]): Promise<Run> {
  const home = join(root, 'home')
  const vars = {
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CODEX_HOME: join(home, '.codex'),
    OFFSHOOT_HOME: join(home, '.offshoot'),
  }
  return runProcess(process.execPath, [bin, ...args], join(root, 'repo'), { PATH: process.env.PATH ?? '', HOME: home, ...vars })
}

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr, status } = await run(...args, '--json')
  expect({ stderr, status }).toMatchObject({ status: 0 })
  return JSON.parse(stdout) as T
}

test('turns before a compaction and the title are right at once', async () => {
  const { sessions } = await json<{ sessions: object[] }>('sessions')
  expect(sessions).toMatchObject([{ id, title: 'Store the tasks in a file', turns: 3 }])
  const { turns } = await json<{ turns: { id: string; prompt: string }[] }>('turns', id)
  expect(turns.map(({ prompt }) => prompt.split('\n')[0])).toEqual([
    'Implement the following plan:',
    'Sort them by date.',
    'Write the tests.',
  ])
})

test('words that were lost are found, and what nobody typed is not', async () => {
  const { results: found } = await json<{ results: object[] }>('search', 'marmalade')
  expect(found).toMatchObject([{ session_id: id, turn: `claude:${id}@1` }])
  const { results: zebras } = await json<{ results: object[] }>('search', 'zebra')
  expect(zebras).toEqual([])
})

test('captures keep their turns', async () => {
  await run('sessions')
  const rows = query((db) => db.prepare('SELECT session_id, turn_id, moment FROM captures ORDER BY moment').all())
  expect(rows).toEqual([
    { session_id: id, turn_id: firstTurn, moment: 'end' },
    { session_id: id, turn_id: firstTurn, moment: 'start' },
  ])
  expect((await json<{ turns: { id: string }[] }>('turns', id)).turns[0]?.id).toBe(firstTurn)
})
