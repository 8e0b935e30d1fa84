// `offshoot mcp` ends when its agent asks for it or is gone, also where its main thread is stuck.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { createFixture, type Fixture } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { type Started, start } from './stuck.ts'

let home: Fixture
const started: Started[] = []
beforeAll(async () => {
  home = await createFixture()
})
afterEach(() => {
  for (const each of started.splice(0)) each.end()
})
afterAll(() => home.remove())

async function serveMcp(): Promise<Started> {
  const server = start(home, ['mcp'], { stdin: 'pipe' })
  started.push(server)
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await waitUntil('an answer', () => server.stdout().includes('"serverInfo"'))
  return server
}

const allGone = (server: Started) => waitUntil('all its processes to end', () => !server.pids().some(isAlive))

describe.each(['SIGTERM', 'SIGINT', 'the end of its input', 'SIGKILL'] as const)('%s', (how) => {
  const ask = ({ child }: Started) => (how === 'the end of its input' ? child.stdin?.end() : child.kill(how))

  test('ends it', async () => {
    const server = await serveMcp()
    ask(server)
    expect(await server.ended).toMatchObject(how === 'SIGKILL' ? { signal: 'SIGKILL' } : { status: 0, stderr: '' })
    await allGone(server)
  })

  test('ends it when its main thread is stuck', async () => {
    const server = await serveMcp()
    await server.block('in a system call')
    ask(server)
    await server.ended
    await allGone(server)
  })
})
