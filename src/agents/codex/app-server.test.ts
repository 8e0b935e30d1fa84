import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { type AppServer, withAppServer } from './app-server.ts'
import { fakeServer, withFakeCodex } from './fake-codex.testkit.ts'
import { useHomes } from './home.testkit.ts'

const newHome = useHomes()
const ask = (server: AppServer) => server.request('some/thing', { a: 1 })

function run<T>(env: AgentEnv, use: (server: AppServer) => Promise<T>, timeoutMs = 20_000): Promise<T> {
  return withAppServer(env, { cwd: env.home, timeoutMs }, use)
}

/** What was killed may stay listed until its new parent asks for it. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

describe('the client of the app-server', () => {
  const greeting = { userAgent: 'offshoot/0.166.0 (Linux; x86_64) (offshoot; 0)' }

  it('asks, is answered, and tells the version', async () => {
    const env = withFakeCodex(newHome(), fakeServer({ initialize: greeting, 'some/thing': { found: true } }))
    await expect(run(env, async (server) => ({ version: server.version, ...(await ask(server)) }))).resolves.toEqual({
      version: '0.166.0',
      found: true,
    })
  })

  it('sets the mark of our own processes and nothing of ours besides', async () => {
    const home = newHome()
    const env = withFakeCodex(home, `require('node:fs').writeFileSync('env', JSON.stringify(process.env)); process.exit(1)`)
    await expect(run({ ...env, vars: { ...env.vars, SET: 'yes', UNSET: undefined } }, ask)).rejects.toThrow('ended with 1')
    const vars = JSON.parse(readFileSync(join(env.home, 'env'), 'utf8')) as Record<string, string>
    expect(vars).toMatchObject({ SET: 'yes', OFFSHOOT_INTERNAL: '1', CODEX_HOME: env.vars.CODEX_HOME })
    expect(vars).not.toHaveProperty('UNSET')
    expect(vars).not.toHaveProperty('VITEST')
  })

  it('passes on why it was refused', async () => {
    const env = withFakeCodex(newHome(), fakeServer({ initialize: greeting, 'some/thing': { error: 'turn not found: x' } }))
    await expect(run(env, ask)).rejects.toMatchObject({
      code: 'failed',
      message: 'Codex refused some/thing: turn not found: x',
    })
  })

  it('knows no version where none is told', async () => {
    const env = withFakeCodex(newHome(), fakeServer({ initialize: { userAgent: 7 } }))
    await expect(run(env, async ({ version }) => version)).resolves.toBeNull()
  })

  it.each([
    ['says garbage', `console.log('Segmentation fault'); setInterval(() => {}, 1000)`, 'no message: Segmentation fault'],
    ['says JSON that is no message', `console.log('[1]'); setInterval(() => {}, 1000)`, 'no message: [1]'],
    ['answers without a result', fakeServer({ initialize: 'yes' }), 'an answer without a result'],
    ['dies', `console.error('no config'); process.exit(3)`, 'ended with 3: no config'],
  ])('gives up when it %s', async (_, body, message) => {
    await expect(run(withFakeCodex(newHome(), body), ask)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(message) as string,
    })
  })

  it('gives up when it hangs, and leaves neither it nor what it started', async () => {
    const body = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
require('node:fs').writeFileSync('pids', JSON.stringify([process.pid, child.pid]))
console.error('still thinking')`
    const env = withFakeCodex(newHome(), body)
    // On a busy machine its time may be over before it has said anything: then it gets more.
    let [told, seconds] = ['', 0.5]
    while (!told.includes('still thinking') && seconds < 30) {
      seconds *= 2
      told = await run(env, ask, seconds * 1000).then(String, (error: Error) => error.message)
    }
    expect(told).toContain(`did not answer within ${seconds} s: still thinking`)
    const pids = JSON.parse(readFileSync(join(env.home, 'pids'), 'utf8')) as number[]
    expect(pids).toHaveLength(2)
    await expect.poll(() => pids.filter(isRunning)).toEqual([])
  })

  it('says that there is no codex', async () => {
    const env = newHome()
    await expect(run({ ...env, vars: { ...env.vars, PATH: env.home } }, ask)).rejects.toMatchObject({ code: 'tool_missing' })
  })
})
