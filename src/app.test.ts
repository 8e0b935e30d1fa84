import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type App, createApp } from './app.ts'

let home: string
let app: App
const id = '365eaf87-6869-4d8e-96d5-c6d0089ee3cb'

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-app-'))
  app = createApp({ home, vars: { PATH: process.env.PATH }, cwd: home, now: () => 0 })
})
afterEach(() => {
  app.close()
  rmSync(home, { recursive: true, force: true })
})

function place(claudeFolder: string): void {
  mkdirSync(join(claudeFolder, 'projects', 'p'), { recursive: true })
  const sample = fileURLToPath(new URL('./agents/claude/samples/print-fork-session-2.1.325.jsonl', import.meta.url))
  copyFileSync(sample, join(claudeFolder, 'projects', 'p', `${id}.jsonl`))
}

it('makes nothing before it is asked, and keeps its files in ~/.offshoot', async () => {
  expect(existsSync(join(home, '.offshoot'))).toBe(false)
  expect(await app.listSessions()).toEqual([])
  expect(existsSync(join(home, '.offshoot', 'offshoot.db'))).toBe(true)
})

it('answers every question about one session', async () => {
  place(join(home, '.claude'))
  const { session, turn } = await app.resolve('last@-1')
  expect(session).toMatchObject({ agent: 'claude', id, turns: 6, state: 'present' })
  expect(await app.listTurns(session)).toHaveLength(6)
  expect((await app.listTurns(session)).at(-1)).toEqual({ ...turn, snapshot: null })
  const kinds = new Set<string>()
  for await (const entry of app.readSession(session)) kinds.add(entry.kind)
  expect(kinds).toContain('message')
  expect(await app.tree(session)).toMatchObject([{ session: { id }, children: [] }])
  expect((await app.doctor()).find((check) => check.id === 'index')).toMatchObject({ state: 'ok' })
})

it('goes by the variables it is given', async () => {
  const vars = { PATH: process.env.PATH, OFFSHOOT_HOME: join(home, 'ours'), CLAUDE_CONFIG_DIR: join(home, 'theirs') }
  place(join(home, 'theirs'))
  const other = createApp({ home, vars, cwd: home, now: () => 0 })
  expect(await other.listSessions()).toMatchObject([{ id }])
  expect(await app.listSessions()).toEqual([])
  other.close()
  expect(existsSync(join(home, 'ours', 'offshoot.db'))).toBe(true)
})

it('lists the sessions of the agents it is given', async () => {
  place(join(home, '.claude'))
  const none = createApp({ home, vars: {}, cwd: home, now: () => 0, agents: [] })
  expect(await none.listSessions()).toEqual([])
  none.close()
  expect(await app.listSessions()).toHaveLength(1)
})

it('can be asked again after it was closed', async () => {
  place(join(home, '.claude'))
  await app.refresh()
  app.close()
  app.close()
  expect(await app.listSessions()).toHaveLength(1)
})
