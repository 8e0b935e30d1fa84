// Signals end `offshoot serve` whatever its main thread does, and nothing of it outlives the process that was started.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin, createFixture, type Fixture } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { type Started, start } from './stuck.ts'

let home: Fixture
const started: Started[] = []
beforeEach(async () => {
  home = await createFixture()
})
afterEach(() => {
  for (const each of started.splice(0)) each.end()
  home.remove()
})

interface Hello {
  readonly url: string
  readonly pid: number
}

const serverFile = () => join(home.vars.OFFSHOOT_HOME ?? '', 'server.json')

async function serve(): Promise<Started & { readonly hello: Hello }> {
  const server = start(home, ['serve', '--port', '0', '--json'])
  started.push(server)
  const hello = await waitUntil('the server', () => /^\{.*\}\n/.test(server.stdout()) && (JSON.parse(server.stdout()) as Hello))
  return { ...server, hello }
}

const allGone = (server: Started) =>
  waitUntil('all its processes to end', () => !server.pids().some(isAlive), {
    describe: () => server.pids().filter(isAlive).join(),
  })

describe('a server whose main thread is stuck', () => {
  test.each([
    ['in a loop', 'SIGTERM', 143],
    ['in a system call', 'SIGINT', 130],
    ['in a system call', 'SIGHUP', 129],
  ] as const)('%s ends on %s, and the next one starts', async (how, signal, status) => {
    const server = await serve()
    await server.block(how)
    server.child.kill(signal)
    expect(await server.ended).toMatchObject({
      status,
      signal: null,
      stderr: expect.stringContaining('did not stop within 15 s'),
    })
    await allGone(server)
    const next = await serve()
    expect((await fetch(`${next.hello.url}/health`)).status).toBe(200)
    next.child.kill('SIGTERM')
    expect(await next.ended).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(serverFile())).toBe(false)
  })

  test('is not killed by a terminal that closes, which sends its signal twice', async () => {
    const server = await serve()
    server.child.kill('SIGHUP')
    server.child.kill('SIGHUP')
    expect(await server.ended).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(serverFile())).toBe(false)
  })

  test('ends at once on a second signal', async () => {
    const server = await serve()
    await server.block('in a loop')
    server.child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 300)) // two signals of a kind that are pending at once are one
    server.child.kill('SIGINT')
    const { status, stderr } = await server.ended
    expect(status).toBe(130)
    expect(stderr).not.toContain('did not stop within')
    await allGone(server)
  })

  test('ends when the process that was started is killed', async () => {
    const server = await serve()
    await server.block('in a system call')
    server.child.kill('SIGKILL')
    await server.ended
    await allGone(server)
  })
})

test('a server stops in order when the process that was started is killed, and the next start waits for that', async () => {
  const server = await serve()
  server.child.kill('SIGKILL')
  await server.ended
  const next = await serve()
  await allGone(server)
  const log = readFileSync(join(home.vars.OFFSHOOT_HOME ?? '', 'logs', 'offshoot.log'), 'utf8')
  expect(log).toContain('server stopped')
  next.child.kill('SIGTERM')
  expect(await next.ended).toMatchObject({ status: 0 })
})

test('a server that crashes ends the process that was started in the same way', async () => {
  const server = await serve()
  process.kill(await server.server(), 'SIGKILL')
  expect(await server.ended).toMatchObject({ status: null, signal: 'SIGKILL' })
  await allGone(server)
})

test('server.json names the process to signal; a second server is refused while it runs', async () => {
  const server = await serve()
  expect(server.hello.pid).toBe(server.pid)
  expect(JSON.parse(readFileSync(serverFile(), 'utf8'))).toMatchObject({ pid: server.pid, serving_pid: await server.server() })
  const second = await home.run(['serve', '--port', '0', '--json'])
  expect([second.status, JSON.parse(second.stdout)]).toMatchObject([
    4,
    { error: { code: 'server_running', details: { pid: server.pid } } },
  ])
  server.child.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ status: 0 })
})

test('Ctrl-C in a terminal reaches it once: it stops in order', async () => {
  const terminal = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
    cwd: home.repository,
    env: { ...home.vars, TERM: 'xterm' },
    cols: 200,
  })
  let screen = ''
  terminal.onData((text) => {
    screen += text
  })
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => terminal.onExit(resolve))
  await waitUntil('the server', () => screen.includes('Ctrl-C stops it'), { describe: () => screen })
  const { serving_pid: pid = 0 } = JSON.parse(readFileSync(serverFile(), 'utf8')) as { serving_pid?: number }
  terminal.write('\x03')
  expect(await ended).toMatchObject({ exitCode: 0 })
  expect(screen).toContain('Stopping')
  expect([isAlive(pid), existsSync(serverFile())]).toEqual([false, false])
})

test('Ctrl-Z suspends the server too, and `fg` lets it go on', async () => {
  const server = await serve()
  const serving = await server.server()
  const stateOf = (pid: number) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  server.child.kill('SIGTSTP')
  await waitUntil('both to be suspended', () => [server.pid, serving].every((pid) => stateOf(pid) === 'T'))
  server.child.kill('SIGCONT')
  expect((await fetch(`${server.hello.url}/health`)).status).toBe(200)
  server.child.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ status: 0 })
})
