// A `.git` that leads to a repository which does not name the folder as its work tree: nothing is written into that repository.
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let other: string
let session: HookedSession
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  other = sandbox.repository('other')
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
const refsOf = (folder: string) =>
  sandbox.git(folder, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/').split('\n').filter(Boolean)
const removeGit = () => rmSync(join(repo, '.git'), { recursive: true })

const forgeries: readonly (readonly [string, () => void])[] = [
  [
    'a file that names its git folder',
    () => {
      removeGit()
      writeFileSync(join(repo, '.git'), `gitdir: ${other}/.git\n`)
    },
  ],
  [
    'a link to its git folder',
    () => {
      removeGit()
      symlinkSync(join(other, '.git'), join(repo, '.git'))
    },
  ],
  [
    'a file that names one of its linked work trees',
    () => {
      sandbox.git(other, 'worktree', 'add', '-q', `${other}-tree`)
      removeGit()
      writeFileSync(join(repo, '.git'), `gitdir: ${other}/.git/worktrees/other-tree\n`)
    },
  ],
  ['a git folder that shares its refs', () => writeFileSync(join(repo, '.git', 'commondir'), `${other}/.git\n`)],
]

describe.each(forgeries)('%s', (_name, forge) => {
  test('is refused by the capture of a turn', async () => {
    forge()
    await expect(turn(session, repo, 'a.txt')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(join(repo, '.git')),
    })
    expect(refsOf(other)).toEqual([])
  })

  test('is refused by diff, restore and fork of what was captured before', async () => {
    await turn(session, repo, 'a.txt')
    await turn(session, repo, 'b.txt')
    await sandbox.app({ cwd: repo }).listSessions()
    forge()
    const app = sandbox.app({ cwd: repo })
    const refused = { code: 'refused', message: expect.stringContaining(join(repo, '.git')) }
    await expect(app.diff({ from: `${session.id}@1`, to: `${session.id}@2` })).rejects.toMatchObject(refused)
    await expect(app.diff({ from: `${session.id}@1`, to: 'now' })).rejects.toMatchObject(refused)
    await expect(app.planRestore({ address: `${session.id}@1` })).rejects.toMatchObject(refused)
    await expect(app.planFork({ address: session.id, at: '1', code: 'turn' })).rejects.toMatchObject(refused)
    await expect(app.planFork({ address: session.id, at: '1', code: 'now' })).rejects.toMatchObject(refused)
    expect(refsOf(other)).toEqual([])
  })
})

test('a folder inside a project that claims a repository of another project is refused', async () => {
  mkdirSync(join(sandbox.root, 'store'))
  const apart = join(sandbox.root, 'apart')
  sandbox.git(sandbox.root, 'init', '-q', `--separate-git-dir=${sandbox.root}/store/apart.git`, apart)
  const inside = join(repo, 'inside')
  mkdirSync(inside)
  writeFileSync(join(inside, '.git'), `gitdir: ${sandbox.root}/store/apart.git\n`)
  await expect(turn(hookedSession(sandbox.projects, inside), inside, 'a.txt')).rejects.toMatchObject({ code: 'refused' })
  expect(refsOf(apart)).toEqual([])
})

describe('turns are captured in', () => {
  const captures = async (folder: string) => {
    await turn(hookedSession(sandbox.projects, folder), folder, 'a.txt')
    return refsOf(folder).length
  }

  test('a linked work tree', async () => {
    sandbox.git(repo, 'worktree', 'add', '-q', `${repo}-tree`)
    expect(await captures(`${repo}-tree`)).toBe(2)
  })

  test('a linked work tree that was moved by hand and repaired', async () => {
    sandbox.git(repo, 'worktree', 'add', '-q', `${repo}-tree`)
    renameSync(`${repo}-tree`, `${repo}-moved`)
    sandbox.git(repo, 'worktree', 'repair', `${repo}-moved`)
    expect(await captures(`${repo}-moved`)).toBe(2)
  })

  test('a work tree made with --separate-git-dir', async () => {
    mkdirSync(join(sandbox.root, 'store'))
    sandbox.git(sandbox.root, 'init', '-q', `--separate-git-dir=${sandbox.root}/store/repo.git`, repo)
    expect(await captures(repo)).toBe(2)
  })

  test('a work tree whose .git is a link to a folder that is no other project’s', async () => {
    mkdirSync(join(sandbox.root, 'store'))
    renameSync(join(repo, '.git'), join(sandbox.root, 'store', 'repo.git'))
    symlinkSync(join(sandbox.root, 'store', 'repo.git'), join(repo, '.git'))
    expect(await captures(repo)).toBe(2)
  })

  test('a submodule', async () => {
    sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'module')
    expect(await captures(join(repo, 'module'))).toBe(2)
  })

  test('a repository reached through a link', async () => {
    symlinkSync(repo, join(sandbox.root, 'linked'))
    expect(await captures(join(sandbox.root, 'linked'))).toBe(2)
  })

  test('a copy of a repository', async () => {
    cpSync(repo, join(sandbox.root, 'copy'), { recursive: true })
    expect(await captures(join(sandbox.root, 'copy'))).toBe(2)
  })
})
