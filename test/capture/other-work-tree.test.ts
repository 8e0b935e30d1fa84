// A repository whose configuration names a folder elsewhere as its work tree: no file of that folder is read, and nothing is written there.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let victim: string
let session: HookedSession
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  victim = sandbox.repository('victim')
  writeFileSync(join(victim, 'key.txt'), 'a secret\n')
  session = hookedSession(sandbox.projects, repo)
})
afterEach(() => sandbox.close())

const turn = (in_: HookedSession, folder: string, name: string) =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    in_,
    `write ${name}`,
    () => writeFileSync(join(folder, name), `${name}\n`),
  )
/** With an agent on the PATH, as `start` asks for. */
const appIn = (cwd: string) => sandbox.app({ cwd, vars: { PATH: `${makeFakeAgent(sandbox.home)}:${process.env.PATH}` } })
const refsOf = (folder: string) => sandbox.git(folder, 'for-each-ref', '--format=%(refname)')
const configure = (...args: string[]) => sandbox.git(repo, 'config', ...args)
const stateOf = (folder: string) => [
  refsOf(folder),
  sandbox.git(folder, 'worktree', 'list', '--porcelain'),
  sandbox.git(folder, 'status', '--porcelain'),
  readFileSync(join(folder, '.git', 'index')).toString('hex'),
  readdirSync(join(folder, '.git')).sort(),
]

const forgeries: readonly (readonly [string, () => void])[] = [
  ['another repository, by its full path', () => configure('core.worktree', victim)],
  ['another repository, by a relative path', () => configure('core.worktree', '../../victim')],
  [
    'another repository, in the configuration of one work tree',
    () => {
      configure('extensions.worktreeConfig', 'true')
      configure('--worktree', 'core.worktree', victim)
    },
  ],
  [
    'a folder in no repository',
    () => {
      mkdirSync(join(sandbox.root, 'papers'))
      configure('core.worktree', join(sandbox.root, 'papers'))
    },
  ],
  ['the folder around it', () => configure('core.worktree', sandbox.root)],
  ['a folder inside its git folder', () => configure('core.worktree', join(repo, '.git', 'objects'))],
  ['a folder that does not exist', () => configure('core.worktree', join(sandbox.root, 'gone'))],
]

describe.each(forgeries)('a work tree that is %s', (_name, forge) => {
  const refused = { code: 'refused', message: expect.stringContaining(`${join('repo', '.git')} names`) }

  test('is refused by the capture of a turn', async () => {
    const before = stateOf(victim)
    forge()
    await expect(turn(session, repo, 'a.txt')).rejects.toMatchObject(refused)
    expect(stateOf(victim)).toEqual(before)
  })

  test('is refused by start, fork, diff and restore', async () => {
    await turn(session, repo, 'a.txt')
    await turn(session, repo, 'b.txt')
    await sandbox.app({ cwd: repo }).listSessions()
    const before = stateOf(victim)
    forge()
    const app = appIn(repo)
    for (const code of ['now', 'head'] as const)
      await expect(app.planStart({ agent: 'claude', code })).rejects.toMatchObject(refused)
    for (const code of ['turn', 'now', 'head'] as const)
      await expect(app.planFork({ address: session.id, at: '1', code })).rejects.toMatchObject(refused)
    await expect(app.diff({ from: `${session.id}@1`, to: `${session.id}@2` })).rejects.toMatchObject(refused)
    await expect(app.diff({ from: `${session.id}@1`, to: 'now' })).rejects.toMatchObject(refused)
    await expect(app.planRestore({ address: `${session.id}@1` })).rejects.toMatchObject(refused)
    expect(stateOf(victim)).toEqual(before)
  })
})

test('a linked work tree that names another repository is refused', async () => {
  sandbox.git(repo, 'worktree', 'add', '-q', `${repo}-tree`)
  configure('extensions.worktreeConfig', 'true')
  sandbox.git(`${repo}-tree`, 'config', '--worktree', 'core.worktree', victim)
  const before = stateOf(victim)
  await expect(turn(hookedSession(sandbox.projects, `${repo}-tree`), `${repo}-tree`, 'a.txt')).rejects.toMatchObject({
    code: 'refused',
  })
  expect(stateOf(victim)).toEqual(before)
})

test('a workspace whose work tree would be another repository is refused and removed', async () => {
  configure('extensions.worktreeConfig', 'true')
  configure('core.worktree', victim)
  configure('--worktree', 'core.worktree', repo)
  const [before, mine] = [stateOf(victim), refsOf(repo)]
  const app = appIn(repo)
  await expect(app.start({ agent: 'claude', code: 'now' })).rejects.toMatchObject({ code: 'refused' })
  expect(stateOf(victim)).toEqual(before)
  expect(refsOf(repo)).toBe(mine)
  expect(sandbox.git(repo, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
})

describe('turns are captured in', () => {
  const captures = async (folder: string) => {
    await turn(hookedSession(sandbox.projects, folder), folder, 'a.txt')
    return refsOf(folder)
      .split('\n')
      .filter((ref) => ref.startsWith('refs/offshoot/')).length
  }

  test('a repository that names the folder it lies in', async () => {
    configure('core.worktree', repo)
    expect(await captures(repo)).toBe(2)
  })

  test('a work tree made with --separate-git-dir that the repository names', async () => {
    mkdirSync(join(sandbox.root, 'store'))
    sandbox.git(sandbox.root, 'init', '-q', `--separate-git-dir=${sandbox.root}/store/repo.git`, repo)
    configure('core.worktree', repo)
    expect(await captures(repo)).toBe(2)
  })

  test('a folder of a submodule inside a linked work tree', async () => {
    sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', victim, 'module')
    sandbox.git(repo, 'commit', '-qm', 'module')
    sandbox.git(repo, 'worktree', 'add', '-q', `${repo}-tree`)
    sandbox.git(`${repo}-tree`, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
    const inside = join(`${repo}-tree`, 'module', 'deep')
    mkdirSync(inside)
    expect(await captures(inside)).toBe(2)
  })

  test('a submodule that is forked with its code', async () => {
    sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', victim, 'module')
    const inside = join(repo, 'module')
    const inner = hookedSession(sandbox.projects, inside)
    await turn(inner, inside, 'a.txt')
    const app = sandbox.app({ cwd: inside })
    const { fork } = await app.fork({ address: inner.id, at: '1', code: 'turn' })
    expect(readFileSync(join(fork.workspace?.path ?? '', 'a.txt'), 'utf8')).toBe('a.txt\n')
  })
})

test('a repository is usable again once the setting is removed', async () => {
  configure('core.worktree', victim)
  await expect(turn(session, repo, 'a.txt')).rejects.toMatchObject({ code: 'refused' })
  sandbox.git(repo, `--git-dir=${join(repo, '.git')}`, 'config', '--unset', 'core.worktree')
  await turn(session, repo, 'b.txt')
  expect(refsOf(repo)).toContain('refs/offshoot/')
})
