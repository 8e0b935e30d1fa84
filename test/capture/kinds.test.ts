// Kinds of repositories that git's newer settings make: captured, forked, brought back and cleaned up like any other, their own
// parts untouched. `npm test` takes those whose index is unlike others; a kind that the git at hand cannot make is left out too,
// and that is said.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { copyOf } from '../git/copy-of.ts'
import { hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

interface Kind {
  /** The first git that makes it. */
  readonly since?: readonly [number, number]
  readonly always?: boolean
  readonly init?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  /** With commits in it. */
  readonly afterwards?: readonly (readonly string[])[]
  /** Seen in what git made: that it is of this kind. */
  readonly isMade: (repo: string, git: (...args: string[]) => string) => boolean
}

const indexOf = (repo: string) => readFileSync(join(repo, '.git', 'index'))
const configOf = (repo: string) => readFileSync(join(repo, '.git', 'config'), 'utf8')
const packsOf = (repo: string) => readdirSync(join(repo, '.git', 'objects', 'pack'))

const kinds: Record<string, Kind> = {
  'many files': {
    always: true,
    settings: { 'feature.manyFiles': 'true', 'core.untrackedCache': 'true' },
    afterwards: [
      ['update-index', '--index-version', '4', '--force-write-index'],
      ['status', '--porcelain'],
    ],
    isMade: (repo) => indexOf(repo).readUInt32BE(4) === 4 && indexOf(repo).includes('UNTR'),
  },
  'no hash at the end of the index': {
    always: true,
    since: [2, 40],
    settings: { 'index.skipHash': 'true' },
    afterwards: [['update-index', '--force-write-index']],
    isMade: (repo) => indexOf(repo).subarray(-20).equals(Buffer.alloc(20)),
  },
  'a sparse index': {
    always: true,
    afterwards: [['sparse-checkout', 'set', '--cone', '--sparse-index', 'd']],
    isMade: (_, git) => / x\/$|\tx\/$/m.test(git('ls-files', '--sparse', '--stage')),
  },
  'SHA-256': { init: ['--object-format=sha256'], isMade: (_, git) => /^[0-9a-f]{64}\n$/.test(git('rev-parse', 'HEAD')) },
  'settings of the worktree': {
    settings: { 'extensions.worktreeConfig': 'true', 'worktree.useRelativePaths': 'true', 'safe.bareRepository': 'explicit' },
    afterwards: [['config', '--worktree', 'core.autocrlf', 'false']],
    isMade: (repo) => existsSync(join(repo, '.git', 'config.worktree')) && /useRelativePaths/i.test(configOf(repo)),
  },
  'packs, an index over them, a graph': {
    settings: { 'gc.cruftPacks': 'true', 'core.multiPackIndex': 'true' },
    afterwards: [
      ['gc', '-q'],
      ['multi-pack-index', 'write'],
      ['commit-graph', 'write', '--reachable'],
    ],
    isMade: (repo) =>
      packsOf(repo).some((name) => name.endsWith('.pack')) &&
      packsOf(repo).includes('multi-pack-index') &&
      existsSync(join(repo, '.git', 'objects', 'info', 'commit-graph')),
  },
  'refs in a table': {
    since: [2, 45],
    init: ['--ref-format=reftable'],
    isMade: (repo) => existsSync(join(repo, '.git', 'reftable')),
  },
}

const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' }))?.map(Number) ?? []
const isRun = ({ since = [0, 0], always = false }: Pick<Kind, 'since' | 'always'>) =>
  (always || process.env.OFFSHOOT_MATRIX === '1') && (major > since[0] || (major === since[0] && minor >= since[1]))
const left = Object.keys(kinds).filter((name) => !isRun(kinds[name] ?? {}))
if (left.length > 0) console.log(`Kinds of repositories left out here (git ${major}.${minor}): ${left.join(', ')}`)

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test.each(Object.entries(kinds).filter(([, kind]) => isRun(kind)))('%s', async (_, kind) => {
  const repo = join(sandbox.root, 'kind')
  const git = (...args: string[]) => sandbox.git(repo, ...args)
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(repo, name)), { recursive: true })
    writeFileSync(join(repo, name), text)
  }
  mkdirSync(repo)
  git('init', '-q', '-b', 'main', ...(kind.init ?? []))
  for (const [name, value] of Object.entries(kind.settings ?? {})) git('config', name, value)
  put('a', '0\n')
  put('d/b', '0\n')
  put('x/y/z', '0\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  for (const args of kind.afterwards ?? []) git(...args)
  expect(kind.isMade(repo, git)).toBe(true)
  const person = () => [
    readFileSync(join(repo, '.git', 'index'), 'latin1'),
    readFileSync(join(repo, '.git', 'config'), 'latin1'),
    git('for-each-ref').replace(/^.*refs\/offshoot\/.*\n/gm, ''),
  ]
  const session = hookedSession(sandbox.projects, repo)
  const copies = [copyOf(repo)]
  const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(sandbox.offshootHome, payload)
  for (let number = 1; number <= 4; number++) {
    if (number === 3) git('add', 'a')
    const before = person()
    await playTurn(tell, session, `prompt ${number}`, () => {
      put(number === 2 ? 'd/b' : 'a', `${number}\n`)
      put(`d/new-${number}`, `${number}\n`)
      if (number === 4) rmSync(join(repo, 'd/new-1'))
    })
    expect(person()).toEqual(before)
    copies.push(copyOf(repo))
  }
  const before = person()
  const app = sandbox.app({ cwd: repo })
  const { files } = await app.diff({ from: `${session.id}@2`, to: `${session.id}@4` })
  expect(files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M a', 'D d/new-1', 'A d/new-3', 'A d/new-4'])
  for (const number of [2, 4]) {
    const { fork } = await app.fork({ address: session.id, at: String(number) })
    const child = fork.workspace?.path ?? ''
    expect(copyOf(child)).toEqual(copies[number])
    expect(sandbox.git(child, 'status', '--porcelain', '-uall')).toContain(`?? d/new-${number}\n`)
  }
  await app.restore(await app.planRestore({ address: `${session.id}@2` }))
  expect(copyOf(repo)).toEqual(copies[2])
  await app.undo()
  expect(copyOf(repo)).toEqual(copies[4])
  await app.gc()
  expect(await app.rebuildCaptures()).toMatchObject({ repositories: 1, problems: [] })
  expect((await app.planFork({ address: session.id, at: '3' })).code.from).toMatchObject({ kind: 'snapshot' })
  expect(person()[0]).toBe(before[0])
  expect(person()[1]).toBe(before[1])
  git('fsck', '--strict', '--no-dangling')
})
