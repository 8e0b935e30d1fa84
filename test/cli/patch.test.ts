// A patch that is piped or redirected is exact: `git apply` turns the old files into the new ones, byte for byte, whatever they hold.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hookedSession, playTurn } from '../capture/session.ts'
import { tellHere } from '../capture/tell.ts'
import { createShells, type Shells } from './open-shell.ts'
import { bin, createFixture, type Fixture, runProcess } from './run-cli.ts'

const utf8 = (text: string) => Buffer.from(text)
const bytes = (...values: readonly (string | number)[]) =>
  Buffer.concat(values.map((value) => (typeof value === 'number' ? Buffer.of(value) : Buffer.from(value))))

/** Contents before and after, by file. */
const files: Readonly<Record<string, readonly [Buffer, Buffer]>> = {
  'colours.txt': [utf8('\u001b[31mred\u001b[0m\nplain\n'), utf8('\u001b[31mred\u001b[0m\n\u001b[1;32mgreen\u001b[0m\n')],
  'title.txt': [utf8('one\n'), utf8('\u001b]0;title\u0007one\n\u001bP1$r\u001b\\two\n')],
  'crlf.txt': [utf8('one\r\ntwo\r\nthree\r\n'), utf8('one\r\n2\r\nthree\r\n')],
  'mixed-ends.txt': [utf8('one\r\ntwo\nthree\rfour\n'), utf8('one\ntwo\r\nthree\rfive\n')],
  'bom.txt': [utf8('\ufeffone\ntwo\n'), utf8('\ufeffone\n2\n')],
  'form-feed.txt': [utf8('one\n\f\ntwo\n'), utf8('one\n\f\n2\f\n')],
  'bidi.txt': [utf8('one\u202etwo\u2066\n'), utf8('one\u202etwo\u2066\n\u200fthree\u2028four\n')],
  'next-line.txt': [utf8('one\u0085two\n'), utf8('one\u0085two\u0085\n3\n')],
  'backspace.txt': [utf8('one\b\b\btwo\u007f\n'), utf8('one\b\b\b2\u007f\n')],
  'latin-1.txt': [bytes('caf', 0xe9, '\n'), bytes('caf', 0xe9, '\nna', 0xef, 'f\n')],
  'invalid.txt': [bytes(0xff, 0xfe, 0xc3, '\n'), bytes(0xff, 0xfe, 0xc3, '\n', 0xed, 0xa0, 0x80, '\n')],
  'mixed.txt': [bytes('é ', 0xe9, ' \u001b[1m\r\n'), bytes('é ', 0xe9, ' \u001b[1m\r\n', 0x9b, '31mü\f\r\n')],
  'no-end.txt': [utf8('one\r'), utf8('one\r\ntwo\u001b[0m')],
  'odd\u001b[31m\u202e name.txt': [utf8('one\n'), utf8('two\n')],
}

let home: Fixture
let shells: Shells
let address: string
beforeAll(async () => {
  home = await createFixture()
  shells = createShells(home)
  const { OFFSHOOT_HOME = '', CLAUDE_CONFIG_DIR = '' } = home.vars
  const session = hookedSession(join(CLAUDE_CONFIG_DIR, 'projects'), home.repository)
  const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(OFFSHOOT_HOME, payload)
  for (const at of [0, 1] as const) await playTurn(tell, session, `turn ${at + 1}`, () => writeAll(home.repository, at))
  address = `claude:${session.id}`
})
afterAll(async () => {
  await shells.close()
  home.remove()
})

function writeAll(folder: string, at: 0 | 1): void {
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), contents[at])
  }
}

const offshoot = `"${process.execPath}" "${bin}"`

/** A repository that holds the files as they were before. */
function scratch(): string {
  const folder = mkdtempSync(join(home.home, 'apply-'))
  execFileSync('git', ['init', '-q', folder], { env: home.vars })
  writeAll(folder, 0)
  return folder
}

async function shell(line: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const ran = await runProcess('bash', ['-c', `set -o pipefail; ${line}`], home.repository, { ...home.vars, ...env })
  expect({ line, ...ran }).toMatchObject({ line, status: 0, stderr: '' })
}

describe('git apply', () => {
  for (const [name, [, after]] of Object.entries(files)) {
    test(`reproduces ${JSON.stringify(name)} from a piped patch`, async () => {
      const folder = scratch()
      const of = `'${address}@1' '${address}@2' -- '${name}'`
      await shell(`${offshoot} diff ${of} | git -C '${folder}' apply --whitespace=nowarn`)
      expect(readFileSync(join(folder, name)).toString('hex')).toBe(after.toString('hex'))
      rmSync(folder, { recursive: true })
    })
  }

  test('reproduces all of them from a redirected patch, also where colours are forced', async () => {
    for (const env of [{}, { FORCE_COLOR: '1' }]) {
      const folder = scratch()
      await shell(`${offshoot} diff '${address}@1' '${address}@2' > '${folder}/all.patch'`, env)
      await shell(`git -C '${folder}' apply --whitespace=nowarn all.patch`)
      for (const [name, [, after]] of Object.entries(files)) {
        expect([name, readFileSync(join(folder, name)).toString('hex')]).toEqual([name, after.toString('hex')])
      }
      rmSync(folder, { recursive: true })
    }
  })

  test('reproduces a file of UTF-8 from the patch of --json', async () => {
    const isUtf8 = ([one, two]: readonly [Buffer, Buffer]) => [one, two].every((each) => utf8(each.toString()).equals(each))
    const exact = Object.entries(files).filter(([, contents]) => isUtf8(contents))
    expect(exact).toHaveLength(11)
    const names = exact.map(([name]) => name)
    const { patch } = await home.json<{ patch: string }>(['diff', `${address}@1`, `${address}@2`, '--json', '--', ...names])
    const folder = scratch()
    const applied = await runProcess('git', ['apply', '--whitespace=nowarn'], folder, home.vars, { input: patch })
    expect(applied).toMatchObject({ status: 0, stderr: '' })
    for (const [name, [, after]] of exact) {
      expect([name, readFileSync(join(folder, name)).toString('hex')]).toEqual([name, after.toString('hex')])
    }
    rmSync(folder, { recursive: true })
  })
})

test('piped --name-only gives each name as it is', async () => {
  const { stdout } = await home.run(['diff', `${address}@1`, `${address}@2`, '--name-only'])
  expect(stdout.trimEnd().split('\n')).toEqual(Object.keys(files).sort())
})

test('on a terminal the patch is cleaned', async () => {
  const terminal = await shells.open({ columns: 100, rows: 60 })
  await terminal.submit(`offshoot diff '${address}@1' '${address}@2' -- title.txt backspace.txt bidi.txt`)
  const screen = await terminal.waitFor('+two')
  expect(screen).toContain('+one␈␈␈2␡')
  expect(screen).toMatch(/^ onetwo$/m)
  expect(screen).toMatch(/^\+one$/m)
})
