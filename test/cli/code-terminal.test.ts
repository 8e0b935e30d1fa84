// What only a real terminal shows of captured code: the picker with changes and diff, the question before a restore, and an agent
// that is started here.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CapturedFixture, captured, createCapturedFixture } from './captured.ts'
import { createShells, type Shells } from './open-shell.ts'

let home: CapturedFixture
let shells: Shells
beforeAll(async () => {
  home = await createCapturedFixture()
  shells = createShells(home)
})
afterAll(async () => {
  await shells.close()
  await home.remove()
})

const size = { columns: 100, rows: 40 }

test('the picker shows what each turn changed, and the diff of the highlighted one', async () => {
  const terminal = await shells.open(size)
  await terminal.submit(`offshoot fork ${captured}`)
  const screen = await terminal.waitFor("+import Database from 'better-sqlite3'")
  expect(screen).toMatch(/^> Turn 3 +\S+( ago)? +\+3 -8 {2}store\.mjs, store\.test\.mjs {2}Use a database/m)
  expect(screen).toMatch(/^ {2}Turn 1 +\S+( ago)? +\+4 -0 {2}store\.mjs {2}Keep the list/m)
  expect(screen).toContain('The list is in SQLite now')
  terminal.key('Up')
  await terminal.waitFor('+assert.equal(load().length, 1)')
  await terminal.type('store.test')
  await terminal.waitFor('filter: store.test_  1/2')
  terminal.key('Escape')
  await terminal.waitFor('Nothing was done.')
})

test('restore shows what it would change and asks', async () => {
  const terminal = await shells.open(size)
  await terminal.submit(`offshoot restore ${captured}@2`)
  const asked = await terminal.waitFor('Restore? [y/N]')
  expect(asked).toMatch(/store\.test\.mjs \| 5 \+{5}/)
  terminal.key('n', 'Enter')
  await terminal.waitFor('Nothing was done.')
  expect(existsSync(join(home.repository, 'store.test.mjs'))).toBe(false)
  await terminal.submit(`clear; offshoot restore ${captured}@2`)
  await terminal.waitFor('Restore? [y/N]')
  terminal.key('y', 'Enter')
  await terminal.waitFor('Restored: 2 files')
  expect(readFileSync(join(home.repository, 'store.mjs'), 'utf8')).toContain('writeFileSync')
  await terminal.submit('clear; offshoot undo')
  await terminal.waitFor('as before  store.test.mjs')
})

test('an agent is started here, with its exit status', async () => {
  const terminal = await shells.open(size)
  await terminal.submit('offshoot start claude "Do it."')
  const screen = await terminal.waitFor('HAS THE TERMINAL')
  expect(screen).toMatch(/AGENT IN \w{8} WITH --settings=\S+ --session-id=[0-9a-f-]{36} -- Do it\./)
  // The agent takes an id for a new session only once, and nobody wants the prompt sent again.
  expect(screen).toMatch(/open again[\s\S]*--resume=[0-9a-f-]{36}\n[\s\S]*AGENT IN/)
  await terminal.submit('exit 7')
  await terminal.waitFor(/To undo this: offshoot undo \w{8}[\s\S]*READY ?$/)
  await terminal.submit('echo "status=$?"')
  await terminal.waitFor('status=7')
  await terminal.submit('clear; offshoot undo')
  await terminal.waitFor('Undone: Do it.')
})
