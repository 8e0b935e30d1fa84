// Every turn of every recorded session of both agents, forked by prefix through the app: proven, listed, linked and undone.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('Claude Code', async () => {
  for (const { name, path, lines } of samplesOf('claude')) {
    const { sessionId } = lines.find((line) => typeof line.sessionId === 'string' && 'parentUuid' in line) ?? {}
    const folder = join(sandbox.projects, name.replaceAll(/\W/g, '-'))
    mkdirSync(folder, { recursive: true })
    copySample(path, join(folder, `${sessionId}.jsonl`))
  }
  const app = sandbox.app()
  let forks = 0
  for (const session of await app.listSessions()) forks += await forkEverywhere(app, session)
  expect(forks).toBeGreaterThan(50)
})

test('Codex', async () => {
  const folder = join(sandbox.home, '.codex', 'sessions', '2026', '11', '15')
  mkdirSync(folder, { recursive: true })
  for (const { path, lines } of samplesOf('codex')) {
    const meta = lines[0]?.payload as { id: string; history_base?: unknown }
    // Of a thread that builds on another file only that file would make a whole.
    if (meta.history_base === undefined) copySample(path, join(folder, `rollout-2026-11-15T06-58-00-${meta.id}.jsonl`))
  }
  const app = sandbox.app()
  let forks = 0
  for (const session of await app.listSessions()) forks += await forkEverywhere(app, session)
  expect(forks).toBeGreaterThan(30)
})

async function forkEverywhere(app: App, session: CatalogSession): Promise<number> {
  if (session.cwd !== null) mkdirSync(session.cwd, { recursive: true })
  expect(session.cwd).toContain(sandbox.root)
  const turns = await app.listTurns(session, { deadBranches: true })
  const bytes = readFileSync(session.path)
  for (const at of ['0', ...turns.map(({ id }) => id)]) {
    const plan = await app.planFork({ address: `${session.path}@${at}`, code: 'none', strategy: 'prefix' })
    const { fork, proof } = await app.executeFork(plan, { accept: plan.confirm })
    expect(proof, `${session.path}@${at}`).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
    if (fork.file !== null) {
      const { session: child } = await app.resolve(fork.sessionId)
      expect(child).toMatchObject({ turns: plan.keptTurns, title: fork.title, parent: { sessionId: session.id, kind: 'prefix' } })
    }
    await app.undo(fork.id)
  }
  expect(readFileSync(session.path)).toEqual(bytes)
  return turns.length + 1
}

/** With the folders they were recorded in moved into the sandbox. */
function copySample(from: string, to: string): void {
  writeFileSync(to, readFileSync(from, 'utf8').replaceAll('/home/dev/work', join(sandbox.root, 'work')))
}

type Line = Record<string, unknown>

function samplesOf(agent: string): { name: string; path: string; lines: Line[] }[] {
  const folder = fileURLToPath(new URL(`../../src/agents/${agent}/samples`, import.meta.url))
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return names.map((name) => {
    const path = join(folder, name)
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
    return { name, path, lines: lines.map((line) => JSON.parse(line) as Line) }
  })
}
