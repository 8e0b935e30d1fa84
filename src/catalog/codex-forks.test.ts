// Codex forks hold a reference to their parent's file, so what happens to that file changes how the fork reads.
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from './sandbox.testkit.ts'

const parentId = '01a1ddf6-2d69-74a3-b25b-0797c78b57a2'
const childId = '01a1ddf6-51e1-74a0-885e-faad69304e79'
let sandbox: Sandbox
let folder: string
beforeEach(() => {
  sandbox = createSandbox()
  folder = join(sandbox.home, '.codex', 'sessions', '2026', '11', '15')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => sandbox.close())

function place(sample: string, id: string): string {
  const path = join(folder, `rollout-2026-11-15T10-00-00-${id}.jsonl`)
  copyFileSync(fileURLToPath(new URL(`../agents/codex/samples/${sample}`, import.meta.url)), path)
  return path
}

it('reads a fork anew when its parent comes and goes', async () => {
  const catalog = sandbox.catalog()
  const child = async () => (await catalog.listSessions()).find(({ id }) => id === childId)
  place('03-exec-fork-child.jsonl', childId)
  expect(await child()).toMatchObject({ broken: expect.any(String), parent: { sessionId: parentId } })

  const parentPath = place('02-exec-4turns-shell-patch.jsonl', parentId)
  expect(await child()).toMatchObject({ broken: null, turns: 5, ownTurns: 1, parent: { sessionId: parentId, turnNumber: 4 } })

  rmSync(parentPath)
  expect(await child()).toMatchObject({ broken: expect.any(String), parent: { sessionId: parentId } })
})

it('follows a session into the archive of its agent, and its fork stays whole', async () => {
  const catalog = sandbox.catalog()
  const parentPath = place('02-exec-4turns-shell-patch.jsonl', parentId)
  place('03-exec-fork-child.jsonl', childId)
  const before = await catalog.listSessions()
  const archived = join(sandbox.home, '.codex', 'archived_sessions')
  mkdirSync(archived)
  const target = join(archived, `rollout-2026-11-15T10-00-00-${parentId}.jsonl`)
  renameSync(parentPath, target)
  const after = await catalog.listSessions()
  expect(after).toEqual(before.map((each) => (each.id === parentId ? { ...each, path: target, state: 'archived' } : each)))
})
