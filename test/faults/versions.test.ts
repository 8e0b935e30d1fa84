// Two versions of offshoot on one home: the newer one migrates the database while the older one works. The older one is refused and
// writes nothing more; it never ends as a bug.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, createFixture, type Fixture } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'

let home: Fixture
let server: ChildProcess | undefined
beforeEach(async () => {
  home = await createFixture()
})
afterEach(() => {
  server?.kill('SIGKILL')
  home.remove()
})

/** What a newer version does: a column more, a higher number. */
function migrate(): void {
  const db = new Sqlite(join(home.vars.OFFSHOOT_HOME ?? '', 'offshoot.db'), { timeout: 10_000 })
  db.transaction(() => {
    db.exec('ALTER TABLE sessions ADD COLUMN of_the_future TEXT')
    db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true })) + 1}`)
  }).immediate()
  db.close()
}

function contents(): unknown {
  const db = new Sqlite(join(home.vars.OFFSHOOT_HOME ?? '', 'offshoot.db'), { readonly: true })
  try {
    return ['sessions', 'turns', 'forks', 'captures'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
  } finally {
    db.close()
  }
}

test('every command of the older one is refused after the migration, and changes nothing', async () => {
  await home.run(['index'])
  migrate()
  const before = contents()
  for (const args of [
    ['sessions'],
    ['turns', 'last'],
    ['search', 'x'],
    ['index'],
    ['fork', 'last@1', '--yes'],
    ['undo'],
    ['gc'],
  ]) {
    const { status, stdout } = await home.run([...args, '--json'])
    expect({ args, status, answer: JSON.parse(stdout) }).toMatchObject({ status: 1, answer: { error: { code: 'store_newer' } } })
  }
  expect(contents()).toEqual(before)
})

test('older ones at work while the database is migrated end well or are refused', async () => {
  await home.run(['sessions'])
  const running = Array.from({ length: 4 }, () => home.run(['index', '--rebuild', '--json']))
  await sleep(600)
  migrate()
  for (const { status, stdout, stderr } of await Promise.all(running)) {
    const answer = JSON.parse(stdout)
    expect({ status, answer, stderr }).toMatchObject(
      status === 0 ? { status: 0 } : { status: expect.toSatisfy((code) => code === 1 || code === 4), answer: { error: {} } },
    )
  }
  expect((await home.run(['sessions'])).status).toBe(1)
})

test('a server of the older one says so, writes nothing, and ends when told', async () => {
  server = spawn(process.execPath, [bin, 'serve', '--port', '0', '--json'], { cwd: home.repository, env: home.vars })
  let said = ''
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await waitUntil('the server', () => said.includes('\n'))
  const { url, token } = JSON.parse(said) as { url: string; token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, url), { headers, ...init })
  expect((await ask('/session')).status).toBe(200)
  migrate()
  const before = contents()
  const fork = await ask('/session/60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7/fork', {
    method: 'POST',
    body: JSON.stringify({ at_turn: '1', code: 'none' }),
  })
  const answer = await fork.json()
  expect([fork.status, answer]).toMatchObject([500, { code: 'store_newer' }])
  expect(contents()).toEqual(before)
  const ended = new Promise((resolve) => server?.on('close', resolve))
  server.kill('SIGTERM')
  await ended
})
