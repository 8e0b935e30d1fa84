import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Catalog } from './catalog.ts'
import { createSandbox, type FakeSession, type Sandbox, startAt } from './sandbox.testkit.ts'

let sandbox: Sandbox
let session: FakeSession
let catalog: Catalog
beforeEach(() => {
  sandbox = createSandbox()
  session = sandbox.session({ turns: 2 })
  catalog = sandbox.catalog()
})
afterEach(() => sandbox.close())

/** A prompt that nobody has answered yet. */
function leaveOpen(modifiedAt: number): void {
  const base = session.lines.at(-1)
  const line = { ...base, type: 'user', parentUuid: base?.uuid, uuid: '99999999-9999-4999-8999-999999999999' }
  appendFileSync(session.path, `${JSON.stringify({ ...line, message: { role: 'user', content: 'open' } })}\n`)
  utimesSync(session.path, modifiedAt / 1000, modifiedAt / 1000)
}

async function lastState(): Promise<unknown[]> {
  const [listed] = await catalog.listSessions()
  if (listed === undefined) throw new Error('not listed')
  const states: unknown[] = []
  for await (const entry of catalog.readSession(listed)) if (entry.kind === 'turn') states.push(entry.turn.state)
  return [(await catalog.listTurns(listed)).at(-1)?.state, states.at(-1), listed.live]
}

describe('a turn without an end', () => {
  it('is running while its file is fresh', async () => {
    leaveOpen(startAt - 1000)
    expect(await lastState()).toEqual(['running', 'running', false])
  })

  it('was interrupted when no one has touched the file for long', async () => {
    leaveOpen(startAt - 3_600_000)
    expect(await lastState()).toEqual(['interrupted', 'interrupted', false])
  })

  it('is running, however long, while a process has the session open', async () => {
    leaveOpen(startAt - 3_600_000)
    const registry = join(sandbox.home, '.claude', 'sessions')
    mkdirSync(registry)
    const entry = { pid: process.pid, sessionId: session.id, cwd: sandbox.root, status: 'busy' }
    writeFileSync(join(registry, `${process.pid}.json`), JSON.stringify(entry))
    expect(await lastState()).toEqual(['running', 'running', true])
  })
})

describe('reading', () => {
  it('sees what was written after the session was listed', async () => {
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    session.addTurn('just now')
    const prompts: string[] = []
    for await (const entry of catalog.readSession(listed)) if (entry.kind === 'turn') prompts.push(entry.turn.prompt)
    expect(prompts.at(-1)).toBe('just now')
  })

  it('names a repository by a relative path', async () => {
    const repo = sandbox.repository('repo')
    const inside = sandbox.session({ turns: 1, cwd: repo })
    expect(await catalog.listSessions({ repo: 'repo' })).toMatchObject([{ id: inside.id }])
    expect(await catalog.repositoryOf('repo')).toMatchObject({ root: repo })
  })
})
