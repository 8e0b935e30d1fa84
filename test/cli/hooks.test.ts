// `offshoot hooks` as a process.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
let settings: string
beforeAll(async () => {
  home = await createFixture()
  settings = join(home.home, '.claude', 'settings.json')
})
beforeEach(() => rmSync(settings, { force: true }))
afterAll(() => home.remove())

interface Hooks {
  readonly hooks: readonly Readonly<Record<string, unknown>>[]
}

describe('hooks', () => {
  test('are installed for every agent that is here, shown, and removed', async () => {
    expect((await home.run(['hooks', 'status'])).stdout).toMatch(/^claude: absent;.*\ncodex: absent;.*\n$/)
    const installed = await home.run(['hooks', 'install'])
    expect(installed).toMatchObject({ status: 0, stderr: '' })
    expect(installed.stdout).toContain(`claude: installed in ${settings}`)
    expect(installed.stdout).toContain('codex: installed in ')
    expect((await home.run(['hooks', 'install'])).stdout).toContain('claude: installed; every turn is captured')
    const { hooks } = await home.json<Hooks>(['hooks', 'status', '--json'])
    expect(hooks).toEqual([
      { agent: 'claude', scope: 'user', file: settings, state: 'installed', way: 'hooks', message: 'every turn is captured' },
      expect.objectContaining({ agent: 'codex', state: 'installed' }),
    ])
    const [group] = (JSON.parse(readFileSync(settings, 'utf8')) as { hooks: { Stop: { hooks: { command: string }[] }[] } }).hooks
      .Stop
    const words = group?.hooks[0]?.command.split(' ') ?? []
    expect(words.at(-1)).toBe('claude')
    expect(existsSync(words.at(-2) ?? '')).toBe(true)
    expect((await home.run(['hooks', 'uninstall'])).stdout).toContain(`claude: removed from ${settings}`)
    expect(existsSync(settings)).toBe(false)
  })

  test('of one agent cannot be changed: the other is all the same', async () => {
    writeFileSync(settings, '{ // words\n}')
    const { status, stdout, stderr } = await home.run(['hooks', 'install'])
    expect(status).toBe(2)
    expect(stderr).toContain('error: claude: ')
    expect(stderr).toContain('no comments')
    expect(stdout).toContain('codex: installed in')
    const { hooks } = await home.json<Hooks>(['hooks', 'install', '--agent', 'claude', '--json'])
    expect(hooks).toEqual([expect.objectContaining({ changed: false, error: expect.objectContaining({ code: 'bad_config' }) })])
    await home.run(['hooks', 'uninstall', '--agent', 'codex'])
    expect(readFileSync(settings, 'utf8')).toBe('{ // words\n}')
  })

  test('of Codex are removed to the byte, also after a removal that was cut off', async () => {
    const [hooks, config] = ['hooks.json', 'config.toml'].map((name) => join(home.vars.CODEX_HOME ?? '', name)) as [
      string,
      string,
    ]
    writeFileSync(config, 'model = "x"\n')
    await home.run(['hooks', 'install', '--agent', 'codex'])
    expect(readFileSync(config, 'utf8')).toContain('trusted_hash')
    rmSync(hooks)
    const { stdout } = await home.run(['hooks', 'uninstall', '--agent', 'codex'])
    expect(stdout).toContain(`removed from ${config}`)
    expect(readFileSync(config, 'utf8')).toBe('model = "x"\n')
    rmSync(config)
  })

  test('of one project go into its local settings, wherever one stands in it', async () => {
    const below = join(home.repository, 'deep', 'down')
    mkdirSync(below, { recursive: true })
    const { stdout, stderr } = await home.run(['hooks', 'install', '--project', '--agent', 'claude'], { cwd: below })
    const file = join(home.repository, '.claude', 'settings.local.json')
    expect(stdout).toBe(`claude: installed in ${file}\n`)
    expect(stderr).toContain('not ignored by git')
    expect((await home.run(['hooks', 'status', '--agent', 'claude'])).stdout).toContain('absent')
    expect((await home.run(['hooks', 'status', '--agent', 'claude', '--project'])).stdout).toContain('installed')
    await home.run(['hooks', 'uninstall', '--project', '--agent', 'claude'])
    expect(existsSync(file)).toBe(false)
  })

  test('are what doctor asks for', async () => {
    const check = async () => {
      const { checks } = await home.json<{ checks: { id: string; state: string; message: string; fix: string | null }[] }>([
        'doctor',
        '--json',
      ])
      return checks.find(({ id }) => id === 'claude.hooks')
    }
    expect(await check()).toMatchObject({ state: 'warn', fix: 'Run `offshoot hooks install --agent claude`.' })
    await home.run(['hooks', 'install', '--agent', 'claude'])
    expect(await check()).toMatchObject({ state: 'ok', fix: null })
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll('hook.js', 'moved.js'))
    expect(await check()).toMatchObject({ state: 'warn', message: expect.stringContaining('another offshoot') })
    await home.run(['hooks', 'uninstall', '--agent', 'claude'])
  })

  test('that other settings keep from running are said to, with the file', async () => {
    await home.run(['hooks', 'install', '--agent', 'claude'])
    const theirs = join(home.repository, '.claude', 'settings.json')
    mkdirSync(join(home.repository, '.claude'), { recursive: true })
    writeFileSync(theirs, '{"disableAllHooks": true}')
    const { stdout } = await home.run(['hooks', 'status', '--agent', 'claude'], { cwd: home.repository })
    expect(stdout).toContain(`claude: not run; installed, but disableAllHooks is set in ${theirs}: `)
    const { stdout: doctor } = await home.run(['doctor'], { cwd: home.repository })
    expect(doctor).toContain(`disableAllHooks is set in ${theirs}`)
    expect(doctor).toContain('installing again does not')
    rmSync(theirs)
    expect((await home.run(['hooks', 'status', '--agent', 'claude'])).stdout).toContain('claude: installed;')
    await home.run(['hooks', 'uninstall', '--agent', 'claude'])
  })

  test('are completed', async () => {
    const complete = async (...words: string[]) =>
      (await home.run(['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0])
    expect(await complete('hooks', '')).toEqual(['install', 'uninstall', 'status', ''])
    expect(await complete('hooks', 'install', '--agent', '')).toEqual(['claude', 'codex', ''])
    expect(await complete('hooks', 'status', '--')).toEqual(expect.arrayContaining(['--agent', '--project', '--json']))
  })
})
