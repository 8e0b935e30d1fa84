// `offshoot serve` as a real process: found, stopped, killed, started twice.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FakeSession } from '../../src/catalog/sandbox.testkit.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { framesOf, takeEvents } from './sse.ts'

let sandbox: Sandbox
let repo: string
let session: FakeSession
const children: ChildProcess[] = []

beforeAll(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('project')
  session = sandbox.session({ cwd: repo, turns: 2 })
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
})
afterAll(() => sandbox.close())

interface Hello {
  readonly url: string
  readonly token: string
  readonly pid: number
  readonly port: number
  readonly roots: readonly string[]
}

interface Running extends Hello {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly status: number | null; readonly stderr: string; readonly stdout: string }>
  get(path: string, init?: RequestInit): Promise<Response>
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
): Pick<Running, 'child' | 'ended'> & { hello: Promise<Hello> } {
  const program = new URL('./cli-child.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, ...args], {
    cwd: repo,
    env: { PATH: process.env.PATH ?? '', HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let [stdout, stderr] = ['', '']
  const hello = new Promise<Hello>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.includes('\n') && stdout.startsWith('{"url"')) resolve(JSON.parse(stdout) as Hello)
    })
    child.on('close', () => reject(new Error(`it ended: ${stdout} ${stderr}`)))
  })
  hello.catch(() => undefined)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Awaited<Running['ended']>>((resolve) =>
    child.on('close', (status) => resolve({ status, stdout, stderr })),
  )
  return { child, ended, hello }
}

async function serve(args: readonly string[] = [], env?: Record<string, string>): Promise<Running> {
  const { hello, ...rest } = start(['serve', '--port', '0', '--json', ...args], env)
  const said = await hello
  return {
    ...rest,
    ...said,
    get: (path, init) =>
      fetch(`${said.url}${path}`, { ...init, headers: { authorization: `Bearer ${said.token}`, ...init?.headers } }),
  }
}

function readLogs(): string {
  const folder = join(sandbox.offshootHome, 'logs')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

const serverFile = () => join(sandbox.offshootHome, 'server.json')

test.each([
  ['by the environment', { OFFSHOOT_INDEX_INTERVAL: 'soon' }, 'OFFSHOOT_INDEX_INTERVAL must look like'],
  ['by the environment, for a service', { OFFSHOOT_INDEX_INTERVAL: '15' }, 'OFFSHOOT_INDEX_INTERVAL must look like'],
])('a bad interval given %s keeps it from starting', async (how, env, message) => {
  const { ended } = start(['serve', '--port', '0', '--json', ...(how.includes('service') ? ['--service'] : [])], env)
  const { status, stdout } = await ended
  expect(status).toBe(2)
  expect((JSON.parse(stdout) as { error: object }).error).toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(message),
  })
  expect(existsSync(serverFile())).toBe(false)
})

test('it says where it is, answers, tells of changes, and stops politely on a signal', async () => {
  const server = await serve()
  expect(server.roots).toEqual([repo])
  expect(JSON.parse(readFileSync(serverFile(), 'utf8'))).toMatchObject({
    pid: server.child.pid,
    port: server.port,
    url: server.url,
  })
  const { sessions } = (await (await server.get('/session')).json()) as { sessions: { id: string }[] }
  expect(sessions.map(({ id }) => id)).toEqual([session.id])
  const { paths } = (await (await server.get('/openapi.json')).json()) as { paths: Record<string, unknown> }
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/session', '/mcp']))
  expect((await fetch(`${server.url}/mcp`, { method: 'POST' })).status).toBe(401)

  const events = await server.get('/events')
  if (events.body === null) throw new Error('no body')
  const frames = framesOf(events.body)
  await frames.next()
  // One reader, however often something is written: one that is left waiting would take the last frame.
  let told = false
  const reading = takeEvents(frames, 1).then(() => {
    told = true
  })
  await waitUntil(
    'word of a change',
    () => {
      if (!told) session.addTurn('something new')
      return told
    },
    { everyMs: 1000 },
  )
  await reading

  server.child.kill('SIGTERM')
  let last: unknown
  for await (const frame of frames) last = frame
  expect(last).toEqual({ comment: 'the server is stopping' })
  const { status, stdout } = await server.ended
  expect(status).toBe(0)
  expect(existsSync(serverFile())).toBe(false)
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  const logs = readLogs()
  expect(logs).toContain('server stopped')
  expect(logs).not.toContain('something new')
  expect(logs).not.toContain(server.token)
})

test('a second signal does not wait for anyone', async () => {
  const before = readLogs().split('server stopping').length
  const server = await serve()
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  const head = `POST /session/${session.id}/fork HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve)) // its body is waited for from now on
  server.child.kill('SIGINT')
  await expect.poll(() => readLogs().split('server stopping').length, { timeout: 20_000 }).toBe(before + 1)
  server.child.kill('SIGINT')
  expect((await server.ended).status).toBe(130)
  socket.destroy()
})

test('killed, it starts again with the same token, and its clients go on', async () => {
  const first = await serve()
  first.child.kill('SIGKILL')
  await first.ended
  expect(existsSync(serverFile())).toBe(true)
  const second = await serve()
  expect(second.token).toBe(first.token)
  const answer = await second.get('/events', { headers: { 'last-event-id': '12345' } })
  if (answer.body === null) throw new Error('no body')
  const frames = framesOf(answer.body)
  expect((await takeEvents(frames, 1))[0]).toMatchObject({ event: 'reset' })
  await frames.return(undefined)
  second.child.kill('SIGINT')
  expect((await second.ended).status).toBe(0)
})

test('two servers on one home: the second says where the first is and leaves', async () => {
  const first = await serve()
  const second = start(['serve', '--port', '0', '--json'])
  const { status, stdout } = await second.ended
  expect(status).toBe(4)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'server_running', message: expect.stringContaining(first.url) } })
  expect((await first.get('/session')).status).toBe(200)
  expect(JSON.parse(readFileSync(serverFile(), 'utf8'))).toMatchObject({ pid: first.child.pid })
  first.child.kill('SIGTERM')
  expect((await first.ended).status).toBe(0)
})

test('a port that is taken is said', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const { ended } = start(['serve', '--port', String(port), '--json'])
  const { status, stdout } = await ended
  other.close()
  expect(status).toBe(4)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'port_taken', message: expect.stringContaining(String(port)) } })
  expect(existsSync(serverFile())).toBe(false)
})

test('a token that cannot be read, a host that others reach, a project that is none: each refused in words', async () => {
  const odd = join(sandbox.root, 'odd-home')
  mkdirSync(join(odd, 'token'), { recursive: true })
  const unreadable = await start(['serve', '--port', '0', '--json'], { OFFSHOOT_HOME: odd }).ended
  expect([unreadable.status, JSON.parse(unreadable.stdout)]).toMatchObject([1, { error: { code: 'unreadable' } }])
  const remote = await start(['serve', '--port', '0', '--json', '--host', '0.0.0.0']).ended
  expect([remote.status, JSON.parse(remote.stdout)]).toMatchObject([5, { error: { code: 'refused' } }])
  const nowhere = await start(['serve', '--port', '0', '--json', '--project', '/no/such/folder']).ended
  expect([nowhere.status, JSON.parse(nowhere.stdout)]).toMatchObject([2, { error: { code: 'usage' } }])
})

test('as a service it opens nothing by itself and prints no token', async () => {
  const { hello, child, ended } = start(['serve', '--port', '0', '--json', '--service'])
  const said = await hello
  expect(said.token).toBeUndefined()
  expect(said.roots).toEqual([])
  const token = readFileSync(join(sandbox.offshootHome, 'token'), 'utf8').trim()
  const list = await fetch(`${said.url}/session`, { headers: { authorization: `Bearer ${token}` } })
  expect(await list.json()).toEqual({ sessions: [] })
  child.kill('SIGTERM')
  expect((await ended).status).toBe(0)
})

test('people are told how to connect both agents', async () => {
  const { child, ended } = start(['serve', '--port', '0'])
  await expect.poll(() => existsSync(serverFile()), { timeout: 20_000 }).toBe(true)
  child.kill('SIGINT')
  const { status, stdout } = await ended
  expect(status).toBe(0)
  expect(stdout).toMatch(/serves http:\/\/127\.0\.0\.1:\d+/)
  expect(stdout).toMatch(/claude mcp add --transport http .*\/mcp --header "Authorization: Bearer [\w-]{43}"/)
  expect(stdout).toMatch(/codex mcp add offshoot --url .*\/mcp --bearer-token-env-var OFFSHOOT_TOKEN/)
})
