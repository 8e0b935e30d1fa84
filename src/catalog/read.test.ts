import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holdSession } from '../agents/claude/registry.testkit.ts'
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

function register(entry: object): void {
  const path = holdSession(sandbox.home, session.id, entry)
  utimesSync(path, startAt / 1000 - 60, startAt / 1000 - 60)
}

describe('a turn without an end', () => {
  it('is running, however long, while a process has the session open', async () => {
    leaveOpen(startAt - 3_600_000)
    register({})
    expect(await lastState()).toEqual(['running', 'running', true])
  })

  it('was interrupted as soon as no process has the session open', async () => {
    leaveOpen(startAt - 1000)
    expect(await lastState()).toEqual(['interrupted', 'interrupted', false])
    register({ pid: 2 ** 30 })
    expect(await lastState()).toEqual(['interrupted', 'interrupted', false])
  })

  it('was interrupted when the process that has the session open began after it', async () => {
    leaveOpen(startAt - 60_000)
    register({ startedAt: Date.now() })
    expect(await lastState()).toEqual(['interrupted', 'interrupted', true])
  })

  it('was interrupted when the process that has the session open waits for a prompt', async () => {
    leaveOpen(startAt - 60_000)
    register({ status: 'idle' })
    expect(await lastState()).toEqual(['interrupted', 'interrupted', true])
  })

  it('is running for a moment after its process says that it waits: what it wrote last may come later', async () => {
    leaveOpen(startAt - 500)
    register({ status: 'idle' })
    expect(await lastState()).toEqual(['running', 'running', true])
  })

  it('is running while its file is fresh, where the version keeps no note of its sessions', async () => {
    leaveOpen(startAt - 1000)
    const { path } = session
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"version":"2.1.325"', '"version":"2.0.76"'))
    utimesSync(path, startAt / 1000 - 1, startAt / 1000 - 1)
    expect(await lastState()).toEqual(['running', 'running', false])
    utimesSync(path, startAt / 1000 - 3600, startAt / 1000 - 3600)
    expect(await lastState()).toEqual(['interrupted', 'interrupted', false])
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
