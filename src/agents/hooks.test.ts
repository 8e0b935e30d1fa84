// Installing into both agents' settings, on real files: what is there before must be there after.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEnv } from './agent-env.ts'
import { claude } from './claude/index.ts'
import { withFakeCodex } from './codex/fake-codex.testkit.ts'
import { codex } from './codex/index.ts'

const user = { kind: 'user' } as const
const command = { argv: ['/usr/bin/node', '/opt/offshoot/bin/hook.js'] }
const other = { argv: ['/usr/bin/node', '/elsewhere/bin/hook.js'] }

let home: string
let env: AgentEnv
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-hooks-'))
  env = { home, vars: { PATH: '/nonexistent' } }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Every file below the home, with its content. */
function files(): Record<string, string> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(home, name)).isFile())
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(home, name), 'utf8')]))
}

const agents = { claude, codex }

describe.each(['claude', 'codex'] as const)('hooks of %s', (id) => {
  const { hooks } = agents[id]
  const state = async (by = command) => (await hooks.status(env, user, by)).state

  it('come into an empty home and go again', async () => {
    expect(await state()).toBe('absent')
    expect(files()).toEqual({})
    const { changed, files: written, notes } = await hooks.install(env, user, command)
    expect({ changed, notes }).toEqual({ changed: true, notes: [] })
    expect(written.every((path) => existsSync(path))).toBe(true)
    expect(await state()).toBe('installed')
    expect(await hooks.install(env, user, command)).toEqual({ changed: false, files: [], notes: [] })
    expect(await hooks.uninstall(env, user)).toMatchObject({ changed: true, files: written })
    expect(files()).toEqual({})
    expect(await hooks.uninstall(env, user)).toMatchObject({ changed: false, files: [] })
  })

  it('are put right when offshoot has moved', async () => {
    await hooks.install(env, user, other)
    expect(await state()).toBe('outdated')
    await hooks.install(env, user, command)
    expect(await state()).toBe('installed')
    expect(JSON.stringify(files())).not.toContain('elsewhere')
    await hooks.uninstall(env, user)
    expect(files()).toEqual({})
  })

  it('are made whole when some are missing', async () => {
    const [file = ''] = (await hooks.install(env, user, command)).files
    const settings = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, unknown> }
    delete settings.hooks.Stop
    writeFileSync(file, JSON.stringify(settings))
    expect(await state()).toBe('partly')
    await hooks.install(env, user, command)
    expect(await state()).toBe('installed')
  })

  it('say what is wrong with a file they cannot read, and write nothing', async () => {
    const [file = ''] = (await hooks.install(env, user, command)).files
    await hooks.uninstall(env, user)
    for (const text of ['{ // mine\n}', '{"hooks": 3}']) {
      writeFileSync(file, text)
      const before = files()
      await expect(hooks.install(env, user, command)).rejects.toMatchObject({
        code: 'bad_config',
        message: expect.stringContaining(file),
      })
      expect((await hooks.status(env, user, command)).state).toBe('absent')
      expect(files()).toEqual(before)
    }
  })

  it('do not replace a read-only file', async () => {
    const [file = ''] = (await hooks.install(env, user, command)).files
    chmodSync(file, 0o444)
    await expect(hooks.uninstall(env, user)).rejects.toMatchObject({ code: 'unreadable' })
    expect(await state()).toBe('installed')
  })

  it('leave a file that is kept elsewhere, and linked in, a link', async () => {
    const folder = join(home, id === 'claude' ? '.claude' : '.codex')
    const name = id === 'claude' ? 'settings.json' : 'hooks.json'
    mkdirSync(folder)
    writeFileSync(join(home, 'dotfile'), '{}')
    symlinkSync(join(home, 'dotfile'), join(folder, name))
    await hooks.install(env, user, command)
    expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true)
    expect(await state()).toBe('installed')
    await hooks.uninstall(env, user)
    expect(files()).toEqual({ dotfile: '{}' })
  })

  it('survive two who install at once', async () => {
    await Promise.all([1, 2, 3].map(() => hooks.install(env, user, command)))
    expect(await state()).toBe('installed')
    await hooks.uninstall(env, user)
    expect(files()).toEqual({})
  })
})

describe('hooks of claude', () => {
  it('say so when all hooks are switched off', async () => {
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude', 'settings.json'), '\ufeff{"disableAllHooks": true}')
    await claude.hooks.install(env, user, command)
    expect(await claude.hooks.status(env, user, command)).toMatchObject({
      state: 'not_run',
      message: expect.stringContaining('disableAllHooks'),
    })
  })

  it('say so when the agent will not read the file for another reason', async () => {
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude', 'settings.json'), '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}')
    const { notes } = await claude.hooks.install(env, user, command)
    expect(notes.join()).toContain('an entry of hooks.PreToolUse has no list')
    expect((await claude.hooks.status(env, user, command)).state).toBe('not_run')
  })

  it('follow CLAUDE_CONFIG_DIR', async () => {
    const folder = join(home, 'elsewhere')
    const { files: written } = await claude.hooks.install({ ...env, vars: { CLAUDE_CONFIG_DIR: folder } }, user, command)
    expect(written).toEqual([join(folder, 'settings.json')])
  })
})

describe('hooks of codex', () => {
  const config = () => join(home, '.codex', 'config.toml')

  it('need their trust, and notice when they are switched off', async () => {
    await codex.hooks.install(env, user, command)
    const text = readFileSync(config(), 'utf8')
    const state = async () => (await codex.hooks.status(env, user, command)).state
    writeFileSync(config(), text.replace(/sha256:./, 'sha256:x'))
    expect(await state()).toBe('not_trusted')
    writeFileSync(config(), text.replace('trusted_hash', 'enabled = false\ntrusted_hash'))
    expect(await state()).toBe('not_run')
    rmSync(config())
    expect(await state()).toBe('not_trusted')
    await codex.hooks.install(env, user, command)
    expect(readFileSync(config(), 'utf8')).toBe(text)
  })

  it('say so when the feature is switched off', async () => {
    mkdirSync(join(home, '.codex'))
    writeFileSync(config(), '[features]\nhooks = false\n')
    await codex.hooks.install(env, user, command)
    const message = expect.stringContaining('[features]')
    expect(await codex.hooks.status(env, user, command)).toMatchObject({ state: 'not_run', message })
  })

  it('are not begun when config.toml cannot be understood', async () => {
    mkdirSync(join(home, '.codex'))
    writeFileSync(config(), 'model = = 1')
    await expect(codex.hooks.install(env, user, command)).rejects.toMatchObject({ code: 'bad_config' })
    expect(files()).toEqual({ '.codex/config.toml': 'model = = 1' })
  })

  it.each(['hooks = { Stop = [] }\n', '[hooks]\nstate = {}\n'])(
    'come whole or not at all where no trust can be added: %j',
    async (text) => {
      mkdirSync(join(home, '.codex'))
      writeFileSync(config(), text)
      await expect(codex.hooks.install(env, user, command)).rejects.toMatchObject({
        code: 'bad_config',
        hint: expect.stringContaining('as tables'),
      })
      expect(files()).toEqual({ '.codex/config.toml': text })
      const project = { kind: 'project', root: join(home, 'project') } as const
      await expect(codex.hooks.install(env, project, command)).rejects.toMatchObject({ code: 'bad_config' })
      expect(existsSync(project.root)).toBe(false)
    },
  )

  it('are taken back where the trust could not be written', async () => {
    mkdirSync(join(home, '.codex'))
    const before = { '.codex/config.toml': 'model = "x"\n', '.codex/hooks.json': '{ "hooks": {} }' }
    for (const [name, text] of Object.entries(before)) writeFileSync(join(home, name), text)
    chmodSync(config(), 0o444)
    await expect(codex.hooks.install(env, user, command)).rejects.toMatchObject({ code: 'unreadable' })
    expect(files()).toEqual(before)
    rmSync(join(home, '.codex', 'hooks.json'))
    await expect(codex.hooks.install(env, user, command)).rejects.toMatchObject({ code: 'unreadable' })
    expect(Object.keys(files())).toEqual(['.codex/config.toml'])
  })

  it('keep the trust in hooks that others put behind them', async () => {
    await codex.hooks.install(env, user, command)
    const file = join(home, '.codex', 'hooks.json')
    const settings = JSON.parse(readFileSync(file, 'utf8')) as { hooks: { Stop: unknown[] } }
    settings.hooks.Stop.push({ hooks: [{ type: 'command', command: 'theirs' }] })
    writeFileSync(file, JSON.stringify(settings))
    writeFileSync(config(), `${readFileSync(config(), 'utf8')}\n[hooks.state."${file}:stop:1:0"]\ntrusted_hash = "theirs"\n`)
    await codex.hooks.uninstall(env, user)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'theirs' }] }] },
    })
    expect(readFileSync(config(), 'utf8')).toContain(`[hooks.state."${file}:stop:0:0"]\ntrusted_hash = "theirs"\n`)
  })

  describe('in a version without hooks', () => {
    const old = () => withFakeCodex(env, "console.log('codex-cli 0.100.0')")

    it('are told by notify, and go on as hooks after an update', async () => {
      mkdirSync(join(home, '.codex'))
      const before = '# mine\nnotify = ["bell"] # loud\n[tui]\nx = 1'
      writeFileSync(config(), before)
      const { changed, files: written } = await codex.hooks.install(old(), user, command)
      expect({ changed, written }).toEqual({ changed: true, written: [config()] })
      expect(await codex.hooks.status(old(), user, command)).toMatchObject({ state: 'installed', way: 'notify', file: config() })
      expect((await codex.hooks.status(old(), user, other)).state).toBe('outdated')
      expect((await codex.hooks.status(env, user, command)).state).toBe('absent')
      await codex.hooks.install(env, user, command)
      expect(readFileSync(config(), 'utf8').startsWith(before)).toBe(true)
      expect((await codex.hooks.status(env, user, command)).state).toBe('installed')
      await codex.hooks.install(old(), user, command)
      await codex.hooks.uninstall(old(), user)
      expect(readFileSync(config(), 'utf8')).toBe(before)
      expect(existsSync(join(home, '.codex', 'hooks.json'))).toBe(false)
    })

    it('cannot be had for one project', async () => {
      const project = { kind: 'project', root: home } as const
      await expect(codex.hooks.install(old(), project, command)).rejects.toMatchObject({ code: 'refused' })
      expect((await codex.hooks.status(old(), project, command)).state).toBe('absent')
    })
  })
})
