// export, config, doctor, completion and demo as processes.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixture, type Fixture, runProcess } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

const token = ['demo', '4f9c2e71b8d05a36'].join('-')

describe('export', () => {
  test.each(['markdown', 'json', 'html'])('%s leaves no secret in, unless asked to', async (format) => {
    const clean = await home.run(['export', 'codex:019a84f2-1d6b', '--format', format])
    expect(clean.stdout).toContain('[redacted:')
    expect(clean.stdout).not.toContain(token)
    const whole = await home.run(['export', 'codex:019a84f2-1d6b', '--format', format, '--no-redact'])
    expect(whole.stdout).toContain(token)
  })

  test('a page stands alone: no script, nothing from elsewhere, all escaped', async () => {
    const { stdout } = await home.run(['export', 'claude:b7c41d02', '--format', 'html'])
    expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(stdout).not.toMatch(/<script|<link|<img|src=|@import|url\(/)
    expect(stdout).toContain('prefers-color-scheme:dark')
    expect(stdout).toContain('write &quot;tomorrow&quot;')
  })

  test('a file is written whole, never over another one by accident', async () => {
    const file = join(home.home, 'out.md')
    const first = await home.run(['export', 'claude:60309e1e', '-o', file])
    expect(first.stderr).toContain(`Wrote ${file}`)
    expect(first.stdout).toBe('')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('## Turn 3')
    const second = await home.run(['export', 'codex:last', '-o', file])
    expect(second.status).toBe(4)
    expect(second.stderr).toContain('--force')
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect((await home.run(['export', 'codex:last', '-o', file, '--force', '--no-redact'])).status).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toBe(text)
    expect(readdirSync(home.home).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test('a document with secrets is readable by its owner alone', async () => {
    const file = join(home.home, 'secret.json')
    await home.run(['export', 'codex:last', '--format', 'json', '-o', file, '--no-redact'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a folder that is not there is a plain error', async () => {
    const { status, stderr } = await home.run(['export', 'last', '-o', join(home.home, 'no', 'such', 'file.md')])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: .*file\.md cannot be written: there is no folder .*such\.\nhint: Make the folder first/)
  })
})

describe('config', () => {
  test('path, list, get, set', async () => {
    const file = join(home.vars.OFFSHOOT_HOME ?? '', 'config.toml')
    expect((await home.run(['config', 'path'])).stdout).toBe(`${file}\n`)
    expect((await home.run(['config', 'get', 'list.limit'])).stdout).toBe('50\n')
    expect((await home.run(['config', 'set', 'list.limit', '2'])).status).toBe(0)
    expect(await home.json(['config', 'get', 'list.limit', '--json'])).toMatchObject({
      key: 'list.limit',
      value: 2,
      from: 'config',
      default: 50,
    })
    const listed = await home.run(['sessions'])
    expect(listed.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(listed.stderr).toContain('--limit 0')
    await home.run(['config', 'set', 'list.limit', '50'])
    const { settings } = await home.json<{ settings: { key: string }[] }>(['config', 'list', '--json'])
    expect(settings.map(({ key }) => key)).toContain('search.engine')
    expect((await home.run(['config', 'list'])).stdout).toMatch(/list\.limit +50 +config/)
  })

  test('bad values and unknown settings are refused with what would do', async () => {
    const bad = await home.run(['config', 'set', 'list.limit', 'many'])
    expect(bad).toMatchObject({ status: 2, stdout: '' })
    expect(bad.stderr).toContain('must be a whole number')
    const unknown = await home.run(['config', 'get', 'list.size'])
    expect(unknown.status).toBe(2)
    expect(unknown.stderr).toContain('list.limit')
    const fromVariable = await home.run(['config', 'list'], { env: { OFFSHOOT_INDEX_INTERVAL: 'soon' } })
    expect(fromVariable.status).toBe(2)
    expect(fromVariable.stderr).toContain('OFFSHOOT_INDEX_INTERVAL')
  })

  test('a repository cannot configure us', async () => {
    mkdirSync(join(home.repository, '.offshoot'))
    writeFileSync(join(home.repository, '.offshoot', 'config.toml'), '[list]\nlimit = 1\n')
    writeFileSync(join(home.repository, 'config.toml'), '[list]\nlimit = 1\n')
    expect((await home.run(['config', 'get', 'list.limit'])).stdout).toBe('50\n')
  })
})

describe('doctor', () => {
  test('checks with state, message and fix', async () => {
    const { checks } = await home.json<{ checks: Record<string, unknown>[] }>(['doctor', '--json'])
    for (const check of checks) expect(Object.keys(check)).toEqual(['id', 'state', 'message', 'fix'])
    expect(checks.map(({ id }) => id)).toEqual(expect.arrayContaining(['node', 'home', 'config', 'claude', 'codex', 'git']))
  })

  test('a broken config file is found, named, and stops nothing else', async () => {
    const root = join(home.home, 'broken')
    mkdirSync(root, { mode: 0o755 })
    writeFileSync(join(root, 'config.toml'), 'list = [\n')
    const { stdout, status } = await home.run(['doctor'], { env: { OFFSHOOT_HOME: root } })
    expect(status).toBe(1)
    expect(stdout).toMatch(/FAIL +config/)
    expect(stdout).toMatch(/warn +home .*can be read by others/)
    expect(stdout).toMatch(/ok +git/)
    writeFileSync(join(root, 'config.toml'), '[list]\nsize = 3\n')
    const mended = await home.run(['doctor', '--fix'], { env: { OFFSHOOT_HOME: root } })
    expect(mended.stdout).toMatch(/ok +home/)
    expect(mended.stdout).toMatch(/warn +config .*list\.size is not a setting/)
    expect(statSync(root).mode & 0o777).toBe(0o700)
  })
})

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await home.run(['__complete', '--', ...words])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0])

  test('commands, flags, agents, settings, sessions and turns', async () => {
    expect(await complete('')).toEqual(
      expect.arrayContaining(['sessions', 'show', 'turns', 'tree', 'export', 'doctor', 'config', 'demo']),
    )
    expect(await complete('ses')).toEqual(['sessions'])
    expect(await complete('show', '--')).toEqual(expect.arrayContaining(['--json', '--markdown', '--tools', '--raw', '--help']))
    expect(await complete('sessions', '--agent', '')).toEqual(['claude', 'codex'])
    expect(await complete('config', 'se')).toEqual(['set'])
    expect(await complete('config', 'set', 'search.en')).toEqual(['search.engine'])
    expect(await complete('config', 'set', 'search.engine', '')).toEqual(['builtin', 'qmd'])
    expect(await complete('show', 'claude:6')).toEqual(['claude:60309e1e'])
    expect(await complete('show', 'claude:60309e1e@')).toEqual(['claude:60309e1e@1', 'claude:60309e1e@2', 'claude:60309e1e@3'])
    expect(await complete('show', 'nothing@')).toEqual([''])
  })

  test('the bash script completes addresses across its word breaks', async () => {
    const tools = join(home.home, 'tools')
    mkdirSync(tools)
    const { bin } = await import('./run-cli.ts')
    writeFileSync(join(tools, 'offshoot'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
    const ask = (line: string) =>
      `COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _offshoot; printf '%s\\n' "\${COMPREPLY[@]}"`
    const script = `source <(offshoot completion bash); ${ask('offshoot show claude:60')}; ${ask('offshoot tu')}; ${ask('offshoot show claude:60309e1e@')}`
    const { stdout } = await runProcess('bash', ['--norc', '-c', script], home.repository, {
      ...home.vars,
      PATH: `${tools}:${home.vars.PATH}`,
    })
    expect(stdout.trimEnd().split('\n')).toEqual(['60309e1e', 'turns', '1', '2', '3'])
  })

  test.each(['bash', 'zsh', 'fish'])('%s: a script that calls us', async (shell) => {
    expect((await home.run(['completion', shell])).stdout).toContain('offshoot __complete --')
  })
})

describe('demo', () => {
  test('walks through a sandbox, removes it, and touches no real home', async () => {
    const real = join(home.home, 'real')
    mkdirSync(real)
    const temporary = join(home.home, 'tmp')
    mkdirSync(temporary)
    const env = {
      HOME: real,
      OFFSHOOT_HOME: join(real, '.offshoot'),
      CLAUDE_CONFIG_DIR: join(real, 'c'),
      CODEX_HOME: join(real, 'x'),
      TMPDIR: temporary,
    }
    const { stdout, stderr, status } = await home.run(['demo'], { env })
    expect(status).toBe(0)
    expect(stderr).toBe('')
    for (const verb of ['sessions', 'turns', 'show', 'tree', 'fork', 'undo', 'export', 'diff', 'restore', 'gc']) {
      expect(stdout).toContain(`$ offshoot ${verb}`)
    }
    expect(stdout).toContain('✓ the conversation read back is the one that was to be kept')
    expect(stdout).toContain('carried: 1 changed file and 1 untracked file')
    expect(stdout).toMatch(/[├└]─ claude:\w+ Fork of Give every task a due date\. {2}prefix at turn 1/)
    expect(stdout).toContain('Undone: Fork of Give every task a due date.')
    expect(stdout).toContain('[redacted:')
    expect(stdout).toMatch(/Turn 3 .* \+3 -8 +store\.mjs, store\.test\.mjs/)
    expect(stdout).toMatch(/code +as turn 2 left it/)
    expect(stdout).toContain('Restored: 2 files')
    expect(stdout).toContain('Undone: restore of claude:4be17d5c')
    expect(stdout).toMatch(/\$ offshoot serve --port 0\n\noffshoot serves http:\/\/127\.0\.0\.1:\d+/)
    expect(stdout).toMatch(/\$ curl \$URL\/health\n\n\{\n {2}"status": "ok"/)
    expect(stdout).toContain('"code": "unauthorized"')
    expect(stdout).toMatch(/"turn": "claude:b7c41d02[\w-]*@2"/)
    expect(stdout).toContain('server stopped')
    expect(readdirSync(real)).toEqual([])
    expect(readdirSync(temporary)).toEqual([])
    const kept = await home.run(['demo', '--keep'], { env })
    expect(kept.stdout).toContain('The sandbox stays')
    expect(kept.stdout).toMatch(
      /\$ offshoot search let people type tomorrow\n\n0\.\d\d {2}Due dates in plain words\n {6}claude:b7c41d02@2/,
    )
    expect(readdirSync(temporary)).toHaveLength(1)
    expect(existsSync(join(temporary, readdirSync(temporary)[0] ?? '', 'todo', '.git'))).toBe(true)
  })
})
