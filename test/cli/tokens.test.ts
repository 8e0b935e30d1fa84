// `offshoot token` as a process, and a server that another process takes tokens away from.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { framesOf } from '../server/sse.ts'
import { bin, createFixture, type Fixture } from './run-cli.ts'

interface TokenDocument {
  readonly id: string
  readonly name: string
  readonly scope: string
  readonly projects: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly state: string
}
interface Created {
  readonly token: TokenDocument
  readonly secret: string
}

let fixture: Fixture
let home: string

beforeAll(async () => {
  fixture = await createFixture()
  home = fixture.vars.OFFSHOOT_HOME ?? ''
})
afterAll(() => fixture.remove())

const create = (...args: string[]) => fixture.json<Created>(['token', 'create', '--json', ...args])
const list = async () => (await fixture.json<{ tokens: TokenDocument[] }>(['token', 'list', '--json'])).tokens

test('an empty list says how to create one', async () => {
  const { status, stdout, stderr } = await fixture.run(['token', 'list'])
  expect([status, stdout]).toEqual([0, ''])
  expect(stderr).toContain('offshoot token create --scope read')
  expect(await list()).toEqual([])
})

test('a token is created, shown once, listed and revoked', async () => {
  const { stdout, stderr, status } = await fixture.run([
    'token',
    'create',
    '--scope',
    'fork',
    '--name',
    'phone',
    '--project',
    '.',
  ])
  expect(status).toBe(0)
  const [secret = ''] = /offshoot_[\w-]{43}/.exec(stdout) ?? []
  expect(secret).not.toBe('')
  expect(stdout).toContain(fixture.repository)
  expect(stderr).toContain('not shown again')
  const [token] = await list()
  expect(token).toMatchObject({ name: 'phone', scope: 'fork', projects: [fixture.repository], state: 'active' })
  const days = (Date.parse(token?.expires_at ?? '') - Date.parse(token?.created_at ?? '')) / 86_400_000
  expect(days).toBe(30)
  const listed = await fixture.run(['token', 'list'])
  expect(listed.stdout).toMatch(/phone +\w{8} +fork/)
  expect(statSync(join(home, 'tokens.json')).mode & 0o777).toBe(0o600)
  const everything = [listed.stdout, ...readdirSync(home).flatMap((name) => readFileIn(home, name))].join('\n')
  expect(everything).not.toContain(secret.slice(9))
  expect((await fixture.run(['token', 'revoke', 'phnoe'])).status).toBe(3)
  expect(await fixture.json(['token', 'revoke', 'phone', '--json'])).toMatchObject({ token: { name: 'phone', state: 'revoked' } })
  expect(await list()).toEqual([])
})

function readFileIn(folder: string, name: string): string[] {
  const path = join(folder, name)
  return statSync(path).isFile() ? [readFileSync(path, 'latin1')] : []
}

test.each([
  [['--scope', 'write'], 2, 'Allowed choices are read, fork, run'],
  [[], 2, '--scope'],
  [['--scope', 'read', '--expires', 'soon'], 2, '"soon" is not a time'],
  [['--scope', 'read', '--expires', '0d'], 2, '"0d" is not a time'],
  [['--scope', 'read', '--expires', '2027-02-31'], 2, '"2027-02-31" is not a time'],
  [['--scope', 'read', '--expires', '2001-01-01'], 2, 'in the past'],
  [['--scope', 'read', '--project', '/no/such/folder'], 2, 'there is no folder'],
  [['--scope', 'read', '--project', ''], 2, 'is empty'],
  [['--scope', 'read', '--name', '-rf'], 2, '--name'],
  [['--scope', 'read', '--name', 'a b'], 2, 'letters, digits'],
])('token create %j is refused with what to do', async (args, status, words) => {
  const refused = await fixture.run(['token', 'create', ...args])
  expect([refused.status, refused.stdout]).toEqual([status, ''])
  expect(refused.stderr).toContain(words)
  expect(await list()).toEqual([])
})

test('times to expire: spans, dates and never', async () => {
  const lasting = async (expires: string) => {
    const { token } = await create('--scope', 'read', '--expires', expires)
    await fixture.run(['token', 'revoke', token.id])
    return token
  }
  const spanOf = ({ created_at, expires_at }: TokenDocument) => Date.parse(expires_at ?? '') - Date.parse(created_at)
  expect(spanOf(await lasting('12h'))).toBe(12 * 3_600_000)
  expect(spanOf(await lasting('4w'))).toBe(28 * 86_400_000)
  expect((await lasting('never')).expires_at).toBeNull()
  expect((await lasting('2099-01-31')).expires_at).toBe('2099-01-31T00:00:00.000Z')
  expect((await lasting('2099-01-31T18:00+02:00')).expires_at).toBe('2099-01-31T16:00:00.000Z')
})

test('processes that create tokens at once lose none, and a deleted database takes none along', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  const made = await Promise.all(names.map((name) => create('--scope', 'read', '--name', name)))
  for (const name of readdirSync(home)) if (name.startsWith('offshoot.db')) rmSync(join(home, name))
  expect((await list()).map(({ name }) => name).sort()).toEqual([...names].sort())
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(names.length)
  expect((await fixture.run(['token', 'create', '--scope', 'read', '--name', 'one'])).status).toBe(4)
  for (const name of names) await fixture.run(['token', 'revoke', name])
})

test('a token that another process revokes is refused by the running server, and its streams end', async () => {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--json'], {
    cwd: fixture.repository,
    env: fixture.vars,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        if (text.endsWith('\n')) resolve((JSON.parse(text) as { url: string }).url)
      })
      child.once('exit', (status) => reject(new Error(`it ended with ${status}`)))
    })
    const { secret } = await create('--scope', 'read', '--name', 'visitor')
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' } })
    expect((await get('/session')).status).toBe(200)
    const spawning = await get('/workers', { method: 'POST', body: '{"agent":"claude"}' })
    expect(spawning.status).toBe(403)
    const { body } = await get('/events')
    if (body === null) throw new Error('no body')
    const frames = framesOf(body)
    await frames.next()
    expect((await fixture.run(['token', 'revoke', 'visitor'])).status).toBe(0)
    for await (const _ of frames) {
      // until the server ends it
    }
    expect((await get('/session')).status).toBe(401)
    const log = readFileSync(join(home, 'logs', 'refusals.log'), 'utf8')
    expect(log).toContain('"verb":"POST /workers http","subject":"token visitor","reason":"needs the scope run, has read"')
    expect(log).toContain('unknown or revoked')
    expect(log).not.toContain(secret.slice(9))
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
})
