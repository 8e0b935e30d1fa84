// Tokens beside the owner's over MCP: what each scope lists, what it refuses, and that a dry run does nothing.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/model/error.ts'
import { includesScope, type Scope, scopes } from '../../src/model/scope.ts'
import { toolNeeds } from '../../src/server/tokens/scope-table.ts'
import { createToken, revokeToken } from '../../src/server/tokens/token-file.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { clientKinds, errorOf, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
let id: string
beforeEach(() => {
  place = createPlace()
  id = place.session(['Feed the kingfisher', 'Paint it blue'], { cwd: place.repo }).id
})
afterEach(() => place.end())

const create = (scope: Scope) =>
  createToken(`${place.home}/.offshoot`, { scope, projects: [], expiresAt: null, name: scope }, Date.now())

describe.each(clientKinds)('%s', (kind) => {
  it('lists what the token may call, as the owner sees it', async () => {
    const all = await (await place.http(kind)).tools()
    for (const scope of scopes) {
      const { secret } = await create(scope)
      const shown = await (await place.http(kind, { token: secret })).tools()
      expect(shown).toEqual(all.filter(({ name }) => includesScope(scope, toolNeeds[name]?.scope ?? 'run')))
    }
  })

  it('refuses a tool that is not listed by the name of the missing scope', async () => {
    const { secret } = await create('read')
    const client = await place.http(kind, { token: secret })
    expect(structured(await client.call('list_turns', { session: id }))).toMatchObject({ total: 2 })
    expect(errorOf(await client.call('fork_session', { session: id }))).toMatchObject({
      code: 'scope_needed',
      message: 'This needs a token with the scope "fork"; this one has "read".',
    })
    expect(errorOf(await client.call('spawn_workers', { workers: [{ agent_type: 'claude' }] }))).toMatchObject({
      code: 'scope_needed',
      message: expect.stringContaining('"run"'),
    })
    expect(place.refused).toEqual(['fork_session mcp token read', 'spawn_workers mcp token read'])
  })

  it('fails a call that is under way when its token is revoked', async () => {
    const { secret } = await create('read')
    let isAsked = false
    const listSessions = () => {
      isAsked = true
      return new Promise<never>(() => undefined)
    }
    const client = await place.http(kind, { token: secret, verbs: { listSessions } })
    const call = client.call('list_sessions').then(
      (result) => errorOf(result).code,
      () => 'failed', // the protocol of 2026 answers a call that has not begun to answer with 401
    )
    await waitUntil('the call to be under way', () => isAsked)
    await revokeToken(`${place.home}/.offshoot`, 'read')
    expect(await call).toBe(kind === 'sdk 2 of 2026' ? 'failed' : 'unauthorized')
    await expect(client.tools()).rejects.toThrow()
  })
})

it('a fork token forks and shows plans, and opens nothing', async () => {
  const { secret } = await create('fork')
  const opened: string[] = []
  const never = (verb: string) => async () => {
    opened.push(verb)
    throw new Error('opened')
  }
  const client = await place.http(undefined, {
    token: secret,
    verbs: { spawnWorker: never('spawnWorker'), forkWorker: never('forkWorker'), sendToWorker: never('sendToWorker') },
  })
  const intent = { intent: 'feed the kingfisher', fork_index: 1 }
  for (const [tool, args] of [
    ['smart_fork', intent],
    ['smart_fork', { ...intent, terminal: 'headless' }],
    ['fork_session', { session: id, terminal: 'headless' }],
    ['send_to_worker', { worker: 'x', prompt: 'y' }],
    ['spawn_workers', { workers: [{ agent_type: 'claude' }] }],
  ] as const) {
    expect(errorOf(await client.call(tool, args))).toMatchObject({
      code: 'scope_needed',
      message: expect.stringContaining('"run"'),
    })
  }
  expect(structured(await client.call('smart_fork', { ...intent, terminal: 'headless', dry_run: true }))).toHaveProperty('plan')
  const shown = structured<{ plan: { id: string } }>(
    await client.call('fork_session', { session: id, terminal: 'headless', code: 'head', dry_run: true }),
  )
  expect(shown.plan.id).toMatch(/^\w{8}$/)
  // The plan of a fork that is opened is not executed with less than what opening needs.
  expect(errorOf(await client.call('fork_session', { plan_id: shown.plan.id }))).toMatchObject({ code: 'scope_needed' })
  expect(structured(await client.call('list_sessions'))).toMatchObject({ sessions: [{ id }] })
  const made = structured<{ forked_session: object }>(await client.call('fork_session', { session: `${id}@1`, code: 'head' }))
  expect(made.forked_session).toMatchObject({ resume_session_id: id, worker: null, proof: { source_unchanged: true } })
  expect(opened).toEqual([])
})

it('a read token is refused every fork of smart_fork, dry runs included', async () => {
  const { secret } = await create('read')
  const client = await place.http(undefined, { token: secret })
  const intent = { intent: 'feed the kingfisher' }
  expect(structured(await client.call('smart_fork', intent))).toHaveProperty('results')
  for (const more of [
    { fork_index: 1, dry_run: true },
    { fork_index: 1, terminal: 'none' },
    { auto_fork: true, terminal: 'none' },
  ]) {
    expect(errorOf(await client.call('smart_fork', { ...intent, ...more }))).toMatchObject({
      code: 'scope_needed',
      message: expect.stringContaining('"fork"'),
    })
  }
})

it('a scope that is missing is answered before anything else that is wrong', async () => {
  const read = await place.http(undefined, { token: (await create('read')).secret })
  for (const wrong of [
    { fork_index: 99 },
    { fork_index: 1, auto_fork: true },
    { fork_index: 'x' },
    { auto_fork: true, limit: 0 },
  ]) {
    const refused = errorOf(await read.call('smart_fork', { intent: 'feed the kingfisher', ...wrong }))
    expect([wrong, refused.code]).toEqual([wrong, 'scope_needed'])
  }
  const fork = await place.http(undefined, { token: (await create('fork')).secret })
  const opening = [
    ['smart_fork', { intent: 'feed the kingfisher', fork_index: 99 }],
    ['fork_session', { session: `${id}@99`, terminal: 'headless' }],
    ['fork_session', { session: 'unknown1', terminal: 'headless' }],
    ['fork_session', { session: id, terminal: 'headless', limit: 1 }],
    ['fork_worker', { worker: 'unknown' }],
  ] as const
  for (const [tool, args] of opening) {
    expect([args, errorOf(await fork.call(tool, args)).code]).toEqual([args, 'scope_needed'])
  }
  const planned = await fork.call('fork_session', { session: `${id}@99`, terminal: 'headless', dry_run: true })
  expect(errorOf(planned).code).toBe('turn_not_found')
})

it('workers that were not started when their token is revoked are not started any more', async () => {
  const { secret } = await create('run')
  const started: string[] = []
  const spawnWorker = async ({ name = '' }: { readonly name?: string }) => {
    started.push(name)
    if (started.length === 3) await revokeToken(`${place.home}/.offshoot`, 'run')
    return new Promise<never>((_, reject) => setTimeout(() => reject(new AppError('failed', 'no agent here')), 1000))
  }
  const client = await place.http('sdk 1', { token: secret, verbs: { spawnWorker } })
  const workers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ agent_type: 'claude', name, project_path: place.repo }))
  expect(errorOf(await client.call('spawn_workers', { workers }))).toMatchObject({ code: 'unauthorized' })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(started).toEqual(['a', 'b', 'c'])
})
