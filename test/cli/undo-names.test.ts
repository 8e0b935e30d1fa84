// Codex keeps the names of threads in one file for all of them; offshoot names its forks there.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
let source: string
beforeAll(async () => {
  home = await createFixture()
  const { sessions } = await home.json<{ sessions: { agent: string; id: string }[] }>(['sessions', '--all', '--json'])
  source = `codex:${sessions.find(({ agent }) => agent === 'codex')?.id}`
})
afterAll(() => home.remove())

const index = () => join(home.vars.CODEX_HOME ?? '', 'session_index.jsonl')
const fork = async () => {
  const args = ['fork', source, '--at', '1', '--strategy', 'prefix', '--code', 'none', '--terminal', 'none', '--yes', '--json']
  return (await home.json<{ fork: { id: string } }>(args)).fork.id
}
const undo = async (id: string) => expect((await home.run(['undo', id])).status).toBe(0)

test('undoing all forks in any order removes their names, and the file that offshoot made', async () => {
  expect(existsSync(index())).toBe(false)
  const forks = [await fork(), await fork(), await fork()]
  expect(readFileSync(index(), 'utf8').trim().split('\n')).toHaveLength(3)
  for (const id of forks) await undo(id)
  expect(existsSync(index())).toBe(false)
})

test.each([
  '{"id":"other","thread_name":"mine","updated_at":"2026-01-01T00:00:00Z"}',
  '{"id":"other","thread_name":"mine","updated_at":"2026-01-01T00:00:00Z"}\n{"id":"oth',
])('a last line without its end stays a line of its own: %j', async (before) => {
  writeFileSync(index(), before)
  const id = await fork()
  expect(readFileSync(index(), 'utf8').startsWith(`${before}\n{`)).toBe(true)
  await undo(id)
  expect(readFileSync(index(), 'utf8')).toBe(`${before}\n`)
  rmSync(index())
})

test('a name that Codex has added since stays, with what is before it', async () => {
  const first = await fork()
  appendFileSync(index(), '{"id":"other","thread_name":"mine","updated_at":"2026-01-01T00:00:00Z"}\n')
  const before = readFileSync(index(), 'utf8')
  const second = await fork()
  await undo(first)
  await undo(second)
  expect(readFileSync(index(), 'utf8')).toBe(before)
})
