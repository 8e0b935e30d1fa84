// What a service manager would start, started: the very command and variables of the unit, in the folder it names and nothing else.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArgv } from '../../src/services/systemd-unit.ts'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

interface Installed {
  readonly service: { readonly manager: string; readonly text: string; readonly hints: readonly string[] }
}

/** Without a login shell: the manager gives HOME, the unit the rest. */
function environmentOf(unit: string): Record<string, string> {
  const lines = [...unit.matchAll(/^Environment="(\w+)=(.*)"$/gm)]
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value.replaceAll('%%', '%')]))
}

async function startUnit(unit: string) {
  const [node = '', ...args] = readArgv(unit) ?? []
  const cwd = /^WorkingDirectory=(.*)$/m.exec(unit)?.[1] ?? ''
  const child = spawn(node, args, { cwd, env: { HOME: home.home, ...environmentOf(unit) }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  await expect.poll(() => /serves (http:\/\/\S+)/.exec(said)?.[1] ?? said, { timeout: 30_000 }).toMatch(/^http/)
  const url = /serves (http:\/\/\S+)/.exec(said)?.[1] ?? ''
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, said: () => said, stop }
}

if (process.platform === 'linux')
  test('starts as its unit says, opens only what it names, and stops when asked', async () => {
    const project = join(home.home, 'a project 100% ours')
    mkdirSync(project)
    const env = { OFFSHOOT_PORT: '0', ANTHROPIC_API_KEY: 'sk-not-for-a-unit' }
    const { service } = await home.json<Installed>(['service', 'install', '--dry-run', '--json', '--project', project], { env })
    expect(service.text).not.toContain('sk-not-for-a-unit')
    const running = await startUnit(service.text)
    try {
      // It says one line after the other.
      await expect.poll(() => running.said()).toContain(`open   ${realpathSync(project)}\n`)
      const root = environmentOf(service.text).OFFSHOOT_HOME ?? join(home.home, '.offshoot')
      const token = readFileSync(join(root, 'token'), 'utf8').trim()
      expect(running.said()).not.toContain(token)
      const ask = async (path: string): Promise<{ sessions?: unknown; background?: { index: { done_at: unknown } } }> => {
        const answer = await fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
        return JSON.parse(await answer.text())
      }
      // The sample sessions of the fixture are elsewhere.
      expect(await ask('/session')).toMatchObject({ sessions: [] })
      await expect
        .poll(async () => (await ask('/health')).background?.index.done_at, { timeout: 30_000 })
        .toEqual(expect.any(String))
      const states = async () => {
        const { checks } = await home.json<{ checks: { id: string; state: string }[] }>(['doctor', '--json'])
        return ['server', 'token', 'background', 'service'].map((id) => checks.find((check) => check.id === id)?.state)
      }
      // What the background does is written down a moment later.
      await expect.poll(states).toEqual(['ok', 'ok', 'ok', 'ok'])
      expect(existsSync(join(root, 'background.json'))).toBe(true)
    } finally {
      expect(await running.stop()).toBe(0)
    }
    expect((await home.run(['index', '--status'])).stdout).not.toContain('The server keeps')
  })

test('completes its words', async () => {
  const { stdout } = await home.run(['__complete', '--', 'service', ''])
  expect(stdout).toContain('install')
  expect(stdout).toContain('uninstall')
})
