import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CatalogSession } from '../model/catalog.ts'
import type { Message } from '../model/session.ts'
import type { Catalog } from './catalog.ts'
import { createSandbox, type Sandbox } from './sandbox.testkit.ts'

let sandbox: Sandbox
let catalog: Catalog
beforeEach(() => {
  sandbox = createSandbox()
  catalog = sandbox.catalog()
})
afterEach(() => sandbox.close())

async function readAll(session: CatalogSession): Promise<Message[]> {
  const messages: Message[] = []
  for await (const entry of catalog.readSession(session)) if (entry.kind === 'message') messages.push(entry.message)
  return messages
}

async function listed(): Promise<CatalogSession> {
  const [first] = await catalog.listSessions()
  if (first === undefined) throw new Error('not listed')
  return first
}

function samplesOf(agent: string): string[] {
  const folder = join(import.meta.dirname, '..', 'agents', agent, 'samples')
  return readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? [join(folder, name)] : []))
}

function place(sample: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(sample, path)
}

it('any page is what the whole says, and the last ones know where they begin', async () => {
  sandbox.session({ turns: 5 })
  const session = await listed()
  const all = await readAll(session)
  for (let from = 0; from <= all.length + 1; from += 1) {
    for (const limit of [1, 2, 3, 7, 100]) {
      const stop = from + limit
      const page = { first: from, messages: all.slice(from, stop), next: stop < all.length ? stop : null }
      expect([from, limit, await catalog.readPage(session, { from, limit })]).toMatchObject([from, limit, page])
    }
  }
  for (const last of [1, 3, 10, 50]) {
    const first = Math.max(0, all.length - last)
    expect(await catalog.readPage(session, { last })).toMatchObject({ first, messages: all.slice(first), next: null })
  }
})

it('what was written since is there, without a refresh', async () => {
  const written = sandbox.session({ turns: 3 })
  const session = await listed()
  written.addTurn('just now')
  const all = await readAll(session)
  expect(await catalog.readPage(session, { last: 3 })).toMatchObject({ first: 5, messages: all.slice(5), next: null })
  expect(await catalog.readPage(session, { from: 5, limit: 2 })).toMatchObject({ first: 5, messages: all.slice(5, 7), next: 7 })
  expect(await catalog.readPage(session, { from: 2, limit: 2 })).toMatchObject({ first: 2, messages: all.slice(2, 4), next: 4 })
})

it('holds for every recorded file: with lines before the first turn, compacted, rewound, forked', async () => {
  for (const name of samplesOf('claude')) place(name, join(sandbox.projects, '-work', `${randomUUID()}.jsonl`))
  for (const name of samplesOf('codex')) {
    const [, id] = /"id":"([0-9a-f-]{36})"/.exec(readFileSync(name, 'utf8')) ?? []
    place(name, join(sandbox.home, '.codex', 'sessions', '2026', '01', '05', `rollout-2026-01-05T09-00-00-${id}.jsonl`))
  }
  const sessions = await catalog.listSessions()
  expect(sessions.length).toBeGreaterThan(20)
  let pages = 0
  for (const session of sessions) {
    const all = await readAll(session)
    for (let from = 0; from < all.length; from += 3) {
      const page = await catalog.readPage(session, { from, limit: 4 })
      if (page === null) continue
      pages += 1
      expect([session.path, from, page.messages]).toEqual([session.path, from, all.slice(from, from + 4)])
    }
    const tail = await catalog.readPage(session, { last: 4 })
    if (tail !== null)
      expect([session.path, tail.first, tail.messages]).toEqual([session.path, Math.max(0, all.length - 4), all.slice(-4)])
  }
  expect(pages).toBeGreaterThan(60)
})
