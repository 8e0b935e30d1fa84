import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readArgv, renderUnit } from '../services/systemd-unit.ts'
import { runCommand } from './run-command.ts'
import { findProgram, specOf } from './service-spec.ts'
import { recordContext } from './test-output.testkit.ts'

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-service-')))
  project = join(home, 'my project')
  mkdirSync(project)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function run(args: readonly string[], vars: Readonly<Record<string, string>> = {}) {
  const { context, stdout, stderr } = recordContext({ home, vars: { PATH: '/opt/mine/bin:relative::/usr/bin', ...vars } })
  const status = await runCommand(context, ['service', ...args])
  return { status, stdout: stdout(), stderr: stderr() }
}

const dry = ['install', '--dry-run', '--json']

/** On Linux; what launchd is given is tested with it. */
function unitOf(stdout: string): readonly string[] {
  const { text } = JSON.parse(stdout).service
  return readArgv(text) ?? [...text.matchAll(/<string>(.*?)<\/string>/g)].map(([, word]: string[]) => word ?? '')
}

describe('install --dry-run', () => {
  test('this Node, this program, the projects by their real paths; nothing is implied', async () => {
    const { status, stdout } = await run([...dry, '--project', 'my project', home])
    expect(status).toBe(0)
    expect(JSON.parse(stdout).service).toMatchObject({ dry_run: true, steps: expect.any(Array) })
    const { node, script } = findProgram()
    for (const word of [node, script, '--service', project, home]) expect(unitOf(stdout)).toContain(word)
    const bare = await run(dry)
    expect(unitOf(bare.stdout)).not.toContain('--project')
    expect(JSON.parse(bare.stdout).service.hints).toContainEqual(expect.stringContaining('No project is open'))
  })

  test('a project that is not there is refused', async () => {
    const { status, stdout } = await run([...dry, '--project', 'gone'])
    expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'usage'])
  })

  if (process.platform === 'linux')
    test('the projects it had stay, unless others are named', async () => {
      const folder = join(home, '.config/systemd/user')
      mkdirSync(folder, { recursive: true })
      const { context } = recordContext({ home, vars: {} })
      writeFileSync(join(folder, 'offshoot.service'), renderUnit(specOf(context, [project])))
      const kept = await run(dry)
      expect(unitOf(kept.stdout)).toContain(project)
      expect(JSON.parse(kept.stdout).service.hints).toContainEqual(expect.stringContaining('stay open'))
      expect(unitOf((await run([...dry, '--project', home])).stdout)).not.toContain(project)
      const { stdout, status } = await run(['status', '--json'])
      expect(JSON.parse(stdout).service).toMatchObject({ installed: true, projects: [project], stale: null })
      expect(status).toBe(0)
      expect((await run(['uninstall', '--dry-run'])).stdout).toContain('would: remove')
    })
})

test('variables: what it needs to find its files, absolute; no keys', () => {
  const vars = {
    OFFSHOOT_HOME: 'rel',
    CODEX_HOME: '/c',
    ANTHROPIC_API_KEY: 'secret',
    OFFSHOOT_EMBED_KEY: 'secret',
    PATH: 'x:/opt/a:/bin',
  }
  const { env } = specOf(recordContext({ home, vars }).context, [])
  expect(env).toMatchObject({ OFFSHOOT_HOME: join(home, 'rel'), CODEX_HOME: '/c' })
  expect(JSON.stringify(env)).not.toContain('secret')
  expect(env.PATH?.split(':')).toEqual(expect.arrayContaining(['/opt/a', '/bin', '/usr/bin']))
  expect(env.PATH?.split(':')).not.toContain('x')
})

test('not installed: status 3; nothing to uninstall; nothing written', async () => {
  expect((await run(['status'])).status).toBe(3)
  expect(await run(['uninstall', '--dry-run'])).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to do') })
  const { stdout } = await run(['logs', '-n', '0', '--json'])
  expect(JSON.parse(stdout).lines).toEqual(expect.any(Array))
})
