// Wrong arguments: every tool answers with an error of ours that names the argument, and nothing is done.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tools } from '../../src/server/mcp/tools.ts'
import { type ClientKind, type Connected, clientKinds, errorOf } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
const clients = new Map<ClientKind, Connected>()
beforeAll(async () => {
  place = createPlace()
  for (const kind of clientKinds) clients.set(kind, await place.http(kind))
})
afterAll(() => place.end())

/** A value of a type that no argument has. */
const nonsense = [[[null]]]

const ask = async (name: string, args: Record<string, unknown>, kind: ClientKind = 'sdk 2 of 2026') => {
  const client = clients.get(kind)
  if (client === undefined) throw new Error('not connected')
  return errorOf(await client.call(name, args))
}

describe.each(tools.map(({ name, input }) => ({ name, shape: input.shape })))('$name', ({ name, shape }) => {
  it.each(clientKinds)('refuses an unknown argument by its name with %s', async (kind) => {
    const error = await ask(name, { ...valid[name], zzzzzz: 1 }, kind)
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('There is no parameter `zzzzzz`.') })
    expect(error.message).toContain(Object.keys(shape).join(', '))
    expect(error.hint).toContain(name)
  })

  it.each(Object.keys(shape))('refuses a wrong type of %s', async (parameter) => {
    const error = await ask(name, { ...valid[name], [parameter]: nonsense })
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(`\`${parameter}`) })
  })

  const texts = Object.entries(shape).flatMap(([key, schema]) => (schema.safeParse('/a').success ? [key] : []))
  if (texts.length > 0)
    it.each(texts)('refuses a NUL in %s', async (parameter) => {
      const error = await ask(name, { ...valid[name], [parameter]: '/a\0b' })
      expect(error).toMatchObject({ code: 'usage', message: `\`${parameter}\`: must not contain a NUL character` })
    })

  const required = Object.entries(shape).flatMap(([key, schema]) => (schema.safeParse(undefined).success ? [] : [key]))
  if (required.length > 0)
    it('says which arguments are missing', async () => {
      const error = await ask(name, {})
      expect(error.code).toBe('usage')
      for (const key of required) expect(error.message).toContain(`\`${key}\`: is missing`)
    })
})

/** The least each tool takes. */
const valid: Readonly<Record<string, Record<string, unknown>>> = {
  smart_fork: { intent: 'tests' },
  search_sessions: { query: 'tests' },
  read_session: { session: 'last' },
  list_turns: { session: 'last' },
  spawn_workers: { workers: [{ agent_type: 'claude' }] },
  send_to_worker: { worker: 'otter', prompt: 'Hello' },
  fork_worker: { worker: 'otter' },
}

it.each([
  ['project_path', '/a\0'],
  ['prompt', 'a\0'],
  ['env', { NAME: 'a\0' }, 'env.NAME'],
])('refuses a NUL in %s of a worker', async (parameter, value, named = parameter) => {
  const { code, message } = await ask('spawn_workers', { workers: [{ agent_type: 'claude', [parameter]: value }] })
  expect({ code, message }).toEqual({ code: 'usage', message: `\`workers.0.${named}\`: must not contain a NUL character` })
})

it('suggests the nearest name and the nearest value', async () => {
  expect((await ask('fork_session', { dryrun: true })).message).toContain('Did you mean `dry_run`?')
  expect((await ask('fork_session', { code: 'heads' })).message).toContain('Did you mean "head"?')
  expect((await ask('spawn_workers', { workers: [{ agent_type: 'claude', promt: 'x' }] })).message).toContain(
    '`workers.0`: There is no parameter `promt`. Did you mean `prompt`?',
  )
})

it.each(['__proto__', 'constructor', 'toString', 'no_such_tool'])(
  'answers a tool %s as one that does not exist',
  async (name) => {
    await expect(clients.get('sdk 2 of 2026')?.call(name, {})).rejects.toThrow(`Tool ${name} not found`)
  },
)
