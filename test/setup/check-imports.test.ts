// Plants one violation at a time in a small tree and sees the import check name it; a check that never fails proves nothing.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from './remove-folder.ts'

const script = fileURLToPath(new URL('../../scripts/check-imports.mjs', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-imports-'))
  const clean = {
    'model/session.ts': 'export type Id = string\n',
    'lib/jsonl.ts': `import { readSync } from 'node:fs'\nimport type { Id } from '../model/session.ts'\nexport const read = (id: Id) => readSync(Number(id), '')\n`,
    'agents/agent.ts': `export type { Id } from '../model/session.ts'\n`,
    'agents/claude/read.ts': `import { read } from '../../lib/jsonl.ts'\nexport const claude = read\n`,
    'agents/codex/read.ts': `import type { Id } from '../agent.ts'\nexport const codex: Id = 'codex'\n`,
    'agents/index.ts': `export { claude } from './claude/read.ts'\nexport { codex } from './codex/read.ts'\n`,
    'store/open.ts': `import { default as Database } from 'better-sqlite3'\nexport const open = Database\n`,
    'catalog/refresh.ts': `import { open } from '../store/open.ts'\nexport const refresh = open\n`,
    'app.ts': `import { refresh } from './catalog/refresh.ts'\nexport const createApp = refresh\n`,
    'cli/main.ts': `import { env } from 'node:process'\nexport const main = async () => (await import('../app.ts')).createApp(process.env, Date.now(), env)\n`,
  }
  for (const [path, text] of Object.entries(clean)) plant(path, text)
})

afterEach(() => removeFolder(root))

function plant(path: string, text: string): void {
  const file = join(root, 'src', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function check(): { status: number | null; problems: string[] } {
  const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
  return { status, problems: stderr.split('\n').filter(Boolean) }
}

test('a clean tree passes', () => {
  expect(check()).toEqual({ status: 0, problems: [] })
})

const violations: [name: string, path: string, text: string, problem: RegExp][] = [
  ['upwards', 'lib/bad.ts', `import { open } from '../store/open.ts'\nexport const x = open\n`, /lib may not import store/],
  [
    'upwards, type only',
    'store/bad.ts',
    `import type { main } from '../cli/main.ts'\nexport type X = typeof main\n`,
    /store may not import cli/,
  ],
  ['upwards, export from', 'agents/bad.ts', `export * from '../catalog/refresh.ts'\n`, /agents may not import catalog/],
  ['upwards, import()', 'catalog/bad.ts', `export const x = () => import('../app.ts')\n`, /catalog may not import app/],
  ['upwards, side effect', 'model/bad.ts', `import '../lib/jsonl.ts'\n`, /model may not import lib/],
  ['upwards, type query', 'model/bad.ts', `export type X = import('../lib/jsonl.ts').read\n`, /model may not import lib/],
  ['siblings', 'store/bad.ts', `import type { Id } from '../agents/agent.ts'\nexport type X = Id\n`, /its sibling agents/],
  [
    'a file opened in a way that waits',
    'catalog/bad.ts',
    `import { readFileSync } from 'node:fs'\nexport const x = readFileSync\n`,
    /readFileSync may wait for a pipe/,
  ],
  ['faces', 'tui/bad.ts', `import { main } from '../cli/main.ts'\nexport const x = main\n`, /tui may not import cli/],
  [
    'islands',
    'agents/claude/bad.ts',
    `import { codex } from '../codex/read.ts'\nexport const x = codex\n`,
    /agents\/claude may not import agents\/codex/,
  ],
  ['model imports a package', 'model/bad.ts', `import { join } from 'node:path'\nexport const x = join\n`, /model is pure/],
  ['an unknown folder', 'helpers/bad.ts', `import { open } from '../store/open.ts'\nexport const x = open\n`, /in no layer/],
  ['out of src', 'lib/bad.ts', `import { x } from '../../test/x.ts'\nexport const y = x\n`, /leads out of src/],
  ['a computed name', 'lib/bad.ts', 'export const x = (name: string) => import(name)\n', /computed name/],
  ['the environment', 'catalog/bad.ts', 'export const x = process.env.HOME\n', /bad\.ts:1: process\.env enters/],
  ['the clock', 'agents/claude/bad.ts', 'export const y = 1\nexport const x = Date.now\n', /bad\.ts:2: Date\.now enters/],
  ['the clock, as a date', 'lib/bad.ts', 'export const x = new Date()\n', /new Date\(\) enters/],
  ['the home folder', 'lib/bad.ts', `import { homedir } from 'node:os'\nexport const x = homedir()\n`, /homedir\(\) enters/],
  ['a file that does not parse', 'lib/bad.ts', 'export const = 1\n', /lib\/bad\.ts/],
]

test.each(violations)('%s is named and fails the check', (_name, path, text, problem) => {
  plant(path, text)
  const { status, problems } = check()
  expect(status).toBe(1)
  expect(problems).toEqual([expect.stringMatching(problem)])
})

test('a heavy package loaded at every start is found through the files between', () => {
  plant('cli/main.ts', `import { createApp } from '../app.ts'\nexport const main = createApp\n`)
  const { status, problems } = check()
  expect(status).toBe(1)
  expect(problems).toEqual([
    expect.stringContaining(`'better-sqlite3' at every start (cli/main.ts > app.ts > catalog/refresh.ts > store/open.ts)`),
  ])
})

test('words in comments and strings are not imports', () => {
  plant('lib/fine.ts', `// import x from '../app.ts'\nexport const text = "import '../app.ts'; process.env; Date.now()"\n`)
  expect(check()).toEqual({ status: 0, problems: [] })
})
