import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { editToml, writeSetting } from './edit.ts'
import { resolvePaths } from './paths.ts'
import { readConfigFile, readSetting, readSettings } from './read.ts'
import { findFaults } from './schema.ts'
import { faultOf, findSetting, settings, valueFromText } from './settings.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-config-'))
  file = join(folder, 'config.toml')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('paths', () => {
  test('variables win over the home folder; an empty one counts as unset', () => {
    const vars = { OFFSHOOT_HOME: '/data/off', CLAUDE_CONFIG_DIR: '', CODEX_HOME: 'rel' }
    expect(resolvePaths({ home: '/home/dev', vars, cwd: '/work' })).toEqual({
      root: '/data/off',
      config: '/data/off/config.toml',
      logs: '/data/off/logs',
      claude: '/home/dev/.claude',
      codex: '/work/rel',
    })
  })

  test.each([
    ['rel', '/home/dev/rel'],
    ['./a/b', '/home/dev/a/b'],
    ['~/off', '/home/dev/off'],
    ['~', '/home/dev'],
    ['~other/off', '/home/dev/~other/off'],
  ])('a home of ours that is %s is the same one wherever it is asked for', (value, root) => {
    for (const cwd of ['/work', '/elsewhere']) {
      expect(resolvePaths({ home: '/home/dev', vars: { OFFSHOOT_HOME: value }, cwd })).toMatchObject({ root })
    }
  })
})

describe('settings', () => {
  test('every default is a value its own setting accepts', () => {
    for (const setting of settings) expect(faultOf(setting, setting.default)).toBeNull()
  })

  test.each([
    ['0.25', true],
    ['2', true],
    ['.5', true],
    ['-1', false],
    ['much', false],
    ['1e999', false],
  ])('an amount of %s: %s', (text, fine) => {
    const setting = findSetting('fork.max_price')
    if (setting === undefined) throw new Error('no such setting')
    expect(faultOf(setting, valueFromText(setting, text)) === null).toBe(fine)
  })

  test.each([
    ['15m', true],
    ['1h', true],
    ['*/15 * * * *', true],
    ['0 6-18/2 * * 1,3', true],
    ['0h', false],
    ['soon', false],
    ['1 hour', false],
    ['* * *', false],
  ])('an interval of %s: %s', (text, fine) => {
    const setting = findSetting('index.interval')
    if (setting === undefined) throw new Error('no such setting')
    expect(faultOf(setting, text) === null).toBe(fine)
  })

  test('precedence: flag, environment, config file, default', async () => {
    const value = async (vars: Record<string, string>, flags = {}) => {
      const resolved = await readSettings({ file, vars, flags })
      const found = resolved.find(({ setting }) => setting.key === 'search.engine')
      return [found?.value, found?.from]
    }
    expect(await value({})).toEqual(['builtin', 'default'])
    writeFileSync(file, '[search]\nengine = "qmd"\n')
    expect(await value({})).toEqual(['qmd', 'config'])
    expect(await value({ OFFSHOOT_SEARCH_ENGINE: 'builtin' })).toEqual(['builtin', 'environment'])
    expect(await value({ OFFSHOOT_SEARCH_ENGINE: 'builtin' }, { 'search.engine': 'qmd' })).toEqual(['qmd', 'flag'])
  })

  test('text of variables becomes the type of the setting', async () => {
    expect(await readSetting<boolean>({ file, vars: { OFFSHOOT_QMD_INDEXING: 'TRUE' } }, 'search.qmd_indexing')).toBe(true)
  })

  test('lists: as a TOML list, as text separated as in PATH, as words or JSON', async () => {
    const roots = (vars: Record<string, string>) => readSetting<readonly string[]>({ file, vars }, 'server.allow_repos')
    expect(await roots({})).toEqual([])
    expect(await roots({ OFFSHOOT_ALLOW_REPOS: '/a/b: /c d :' })).toEqual(['/a/b', '/c d'])
    expect(await roots({ OFFSHOOT_ALLOW_REPOS: '["/a:b"]' })).toEqual(['/a:b'])
    await expect(roots({ OFFSHOOT_ALLOW_REPOS: 'here' })).rejects.toThrow(/must be a list of absolute paths/)
    await writeSetting(file, 'server.allow_repos', ['/x', '/y "z"'])
    await writeSetting(file, 'workers.allow', ['Read', 'Bash(git log:*)'])
    expect(await roots({})).toEqual(['/x', '/y "z"'])
    expect(await readSetting<readonly string[]>({ file, vars: {} }, 'workers.allow')).toEqual(['Read', 'Bash(git log:*)'])
    expect(findFaults({ server: { allow_repos: ['rel'], port: 70_000 } })).toHaveLength(2)
  })

  test('a bad value is refused by name, wherever it stands', async () => {
    await expect(readSettings({ file, vars: { OFFSHOOT_INDEX_INTERVAL: 'soon' } })).rejects.toThrow(
      /OFFSHOOT_INDEX_INTERVAL must look like/,
    )
    expect(await readSetting<number>({ file, vars: { OFFSHOOT_INDEX_INTERVAL: 'soon' } }, 'list.limit')).toBe(50)
    writeFileSync(file, '[list]\nlimit = "many"\n')
    await expect(readSettings({ file, vars: {} })).rejects.toThrow(/config\.toml: list\.limit must be a whole number/)
    writeFileSync(file, 'list = [unclosed\n')
    await expect(readSettings({ file, vars: {} })).rejects.toMatchObject({ code: 'bad_config' })
  })
})

test('every setting is documented, with its variable and its default', () => {
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  for (const { key, default: standard, ...setting } of settings) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${key}\` |`))
    expect(row, key).toBeDefined()
    if ('variable' in setting) expect(row).toContain(`\`${setting.variable}\``)
    const shown = Array.isArray(standard) ? '[]' : String(standard)
    expect(row?.split('|')[2]?.replaceAll('`', '').trim(), key).toBe(shown)
  }
})

test('the schema names every fault and every key it does not know', () => {
  expect(findFaults({ list: { limit: 3 } })).toEqual([])
  expect(findFaults({ list: { limit: -1, size: 3 }, other: 1 })).toEqual(
    expect.arrayContaining([
      { key: 'list.limit', problem: 'must be a whole number, 0 or more' },
      { key: 'list.size', problem: 'is not a setting' },
      { key: 'other', problem: 'is not a setting' },
    ]),
  )
})

describe('editing', () => {
  test.each([
    ['an empty file', '', '[list]\nlimit = 7\n'],
    ['a value in place, its comment kept', '# mine\n[list]\n  limit = 20 # enough\n', '# mine\n[list]\n  limit = 7 # enough\n'],
    [
      'a new key at the end of its table',
      '[list]\n# about\n\n[log]\nlevel = "info"\n',
      '[list]\n# about\nlimit = 7\n\n[log]\nlevel = "info"\n',
    ],
    ['a new table at the end', '[log]\nlevel = "info"', '[log]\nlevel = "info"\n\n[list]\nlimit = 7\n'],
    ['a dotted key', 'list.limit = 1\n', 'list.limit = 7\n'],
    ['a quoted key', '["list"]\n"limit" = 1\n', '["list"]\n"limit" = 7\n'],
  ])('%s', (_name, before, after) => {
    expect(editToml(before, 'list.limit', 7)).toBe(after)
  })

  test('a hash inside a string is no comment', () => {
    expect(editToml('[index]\ninterval = "a#b" # c\n', 'index.interval', '1h')).toBe('[index]\ninterval = "1h" # c\n')
  })

  test('what is written is read back, privately and without a trace of the way', async () => {
    await writeSetting(file, 'list.limit', 9)
    await writeSetting(file, 'index.interval', '*/5 * * * *')
    expect(await readSetting<number>({ file, vars: {} }, 'list.limit')).toBe(9)
    expect(await readConfigFile(file)).toEqual({ list: { limit: 9 }, index: { interval: '*/5 * * * *' } })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a file too clever for a line edit is refused and left alone', async () => {
    const text = 'list = { limit = 3 }\n'
    writeFileSync(file, text)
    await expect(writeSetting(file, 'list.limit', 7)).rejects.toMatchObject({ code: 'bad_config' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})
