import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../model/error.ts'
import type { Catalog } from './catalog.ts'
import { createSandbox, type FakeSession, type Sandbox, startAt } from './sandbox.testkit.ts'

let sandbox: Sandbox
let catalog: Catalog
let session: FakeSession
const id = '60309e1e-1111-4222-8333-444455556666'

beforeEach(() => {
  sandbox = createSandbox()
  catalog = sandbox.catalog()
  session = sandbox.session({ id, turns: 4 })
})
afterEach(() => sandbox.close())

const turnIdOf = (number: number) => String(session.lines[(number - 1) * 2]?.uuid)
const messageIdOf = (number: number) => String(session.lines[(number - 1) * 2 + 1]?.uuid)

describe('resolve', () => {
  it.each([
    ['claude:60309e1e@2', 2],
    ['60309e1e@-1', 4],
    ['60309e1e@last', 4],
    ['60309e1e@-4', 1],
    ['last@3', 3],
    ['@3', 3],
    ['claude:last@-2', 3],
  ])('finds the turn of %s', async (address, number) => {
    const target = await catalog.resolve(address)
    expect(target).toMatchObject({ session: { id }, turn: { number, prompt: `prompt ${number}` }, messageId: null })
  })

  it('finds a turn by its id and by a prefix of it', async () => {
    const turnId = turnIdOf(3)
    expect((await catalog.resolve(`${id}@${turnId}`)).turn?.number).toBe(3)
    expect((await catalog.resolve(`${id}@${turnId.slice(0, 13)}`)).turn?.number).toBe(3)
  })

  it('finds a message and the turn it stands in', async () => {
    const messageId = messageIdOf(2)
    expect(await catalog.resolve(`${id}@m:${messageId}`)).toMatchObject({ messageId, turn: { number: 2 } })
    expect(await catalog.resolve(`${id}@m:${messageId.slice(0, 13)}`)).toMatchObject({ messageId, turn: { number: 2 } })
  })

  it('takes turn 0 for the state before the first prompt', async () => {
    expect((await catalog.resolve('last@0')).turn).toMatchObject({ number: 0, id: '', messages: 0 })
  })

  it('takes a session without a turn as it is', async () => {
    expect(await catalog.resolve(id)).toMatchObject({ session: { id, turns: 4 }, turn: null, messageId: null })
    expect((await catalog.resolve(session.path)).session.id).toBe(id)
    expect((await catalog.resolve(`${session.path}@2`)).turn?.number).toBe(2)
  })

  it('lists the candidates of a prefix that fits several', async () => {
    const other = sandbox.session({ id: '60309e1e-2222-4222-8333-444455556666', turns: 1 })
    const error = await fail('claude:60309e1e')
    expect(error).toMatchObject({
      code: 'ambiguous',
      details: { candidates: [{ id: expect.any(String) }, { id: expect.any(String) }] },
    })
    expect(error.message).toContain(id)
    expect(error.message).toContain(other.id)
    expect((await catalog.resolve('60309e1e-2')).session.id).toBe(other.id)
  })

  it('lists both places of an id that is there twice', async () => {
    const twin = sandbox.session({ id, folder: 'twin', turns: 1 })
    const error = await fail(id)
    expect(error.code).toBe('ambiguous')
    expect(error.message).toContain(session.path)
    expect(error.message).toContain(twin.path)
    expect((await catalog.resolve(twin.path)).session.turns).toBe(1)
  })

  it('names the nearest of what does not exist', async () => {
    const unknown = await fail('60309e1f')
    expect(unknown).toMatchObject({ code: 'session_not_found', exit: 3 })
    expect(unknown.message).toContain(`Did you mean claude:${id}?`)
    const turn = await fail(`${id}@${turnIdOf(2).slice(0, 12)}x`)
    expect(turn.code).toBe('turn_not_found')
    expect(turn.message).toContain(turnIdOf(2))
    const message = await fail(`${id}@m:${messageIdOf(2).slice(0, 12)}x`)
    expect(message.code).toBe('message_not_found')
    expect(message.message).toContain(messageIdOf(2))
  })

  it.each([
    ['60309e1e@9', 'has turns 1 to 4'],
    ['60309e1e@-5', 'has turns 1 to 4'],
  ])('says how many turns there are: %s', async (address, text) => {
    expect(await fail(address)).toMatchObject({ code: 'turn_not_found', message: expect.stringContaining(text) })
  })

  it('finds turns and messages of dead branches by their ids', async () => {
    const branchedId = '30b81d1c-8428-4b10-9d00-e983d9721c9b'
    const sample = new URL('../agents/claude/samples/branched-in-place-2.1.325.jsonl', import.meta.url)
    copyFileSync(fileURLToPath(sample), join(dirname(session.path), `${branchedId}.jsonl`))
    const branched = (await catalog.resolve(branchedId)).session
    const dead = (await catalog.listTurns(branched, { deadBranches: true })).filter(({ number }) => number === null)
    expect(dead.length).toBeGreaterThan(0)
    expect(await catalog.listTurns(branched)).toHaveLength(branched.turns)
    for (const turn of dead) {
      expect((await catalog.resolve(`${branchedId}@${turn.id.slice(0, 13)}`)).turn).toEqual(turn)
      const target = await catalog.resolve(`${branchedId}@m:${turn.lastMessageId}`)
      expect(target).toMatchObject({ messageId: turn.lastMessageId, turn: { id: turn.id, number: null } })
    }
  })

  it('never falls through to another agent or a worker', async () => {
    expect(await fail(`codex:${id}`)).toMatchObject({ code: 'session_not_found' })
    expect(await fail('worker:blue')).toMatchObject({ code: 'session_not_found', message: expect.stringContaining('blue') })
    expect(await fail('gemini:last')).toMatchObject({ code: 'bad_address' })
  })

  it('finds a thousandth turn, and a turn that was just written', async () => {
    const long = sandbox.session({ turns: 999, at: startAt + 1 })
    const turnId = long.addTurn('the thousandth')
    expect((await catalog.resolve(`${long.id}@1000`)).turn).toMatchObject({ id: turnId, prompt: 'the thousandth' })
  })
})

async function fail(address: string): Promise<AppError> {
  const error = await catalog.resolve(address).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${address} was found: ${JSON.stringify(error)}`)
  return error
}
