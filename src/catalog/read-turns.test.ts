import { appendFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CatalogSession } from '../model/catalog.ts'
import type { Message } from '../model/session.ts'
import type { Catalog } from './catalog.ts'
import { createSandbox, type FakeSession, type Sandbox } from './sandbox.testkit.ts'

let sandbox: Sandbox
let session: FakeSession
let catalog: Catalog
let listed: CatalogSession
beforeEach(async () => {
  sandbox = createSandbox()
  session = sandbox.session({ turns: 9 })
  catalog = sandbox.catalog()
  const [first] = await catalog.listSessions()
  if (first === undefined) throw new Error('not listed')
  listed = first
})
afterEach(() => sandbox.close())

async function messagesOf(from: number, to: number): Promise<Message[]> {
  const turns = await catalog.listTurns(listed)
  const ids = new Set(turns.slice(from - 1, to).map(({ id }) => id))
  const messages: Message[] = []
  for await (const entry of catalog.readSession(listed)) if (entry.kind === 'message') messages.push(entry.message)
  return messages.filter(({ turnId }) => ids.has(turnId))
}

describe('some turns of a session', () => {
  it('are the last ones, or those of any numbers, as reading the whole tells them', async () => {
    const turns = await catalog.listTurns(listed)
    expect(await catalog.readTurns(listed, { last: 3 })).toEqual({ from: 7, messages: await messagesOf(7, 9), turns })
    for (let from = 1; from <= 9; from += 1) {
      for (let to = from; to <= 9; to += 1) {
        expect(await catalog.readTurns(listed, { from, to })).toEqual({ from, messages: await messagesOf(from, to), turns })
      }
    }
    expect(await catalog.readTurns(listed, { last: 100 })).toEqual({ from: 1, messages: await messagesOf(1, 9), turns })
  })

  it('are there with those that were written since, without a refresh', async () => {
    session.addTurn('just now')
    const last = await catalog.readTurns(listed, { last: 2 })
    expect(last).toMatchObject({ from: 9, turns: { length: 10 } })
    expect(last.turns.at(-1)).toMatchObject({ number: 10, prompt: 'just now' })
    expect(await catalog.readTurns(listed, { from: 9 })).toEqual(last)
    expect(await catalog.listTurns(listed, { refresh: false })).toHaveLength(9)
    expect(last.messages).toEqual(await messagesOf(9, 10))
  })

  it('are those of the chain that is live now, when the session was rewound since', async () => {
    const [third] = (await catalog.listTurns(listed)).slice(2, 3)
    const answer = session.lines[5]
    const line = { ...session.lines[6], parentUuid: answer?.uuid, uuid: 'aaaaaaaa-9999-4999-8999-999999999999' }
    appendFileSync(session.path, `${JSON.stringify({ ...line, message: { role: 'user', content: 'another way' } })}\n`)
    const { from, turns, messages } = await catalog.readTurns(listed, { last: 2 })
    expect(turns.map(({ prompt }) => prompt).at(-1)).toBe('another way')
    expect(turns.at(-2)?.id).toBe(third?.id)
    expect([from, messages]).toEqual([turns.length - 1, await messagesOf(turns.length - 1, turns.length)])
  })

  it('of one that is gone cannot be read', async () => {
    rmSync(session.path)
    await expect(catalog.readTurns(listed, { last: 2 })).rejects.toMatchObject({ code: 'session_not_found' })
  })
})
