// What the plan says a new workspace will have and lack, besides its code, held against what it then has and lacks.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { Plan } from '../../src/model/fork.ts'
import { type HookedSession, hookedSession, playTurn } from '../capture/session.ts'
import { tellHere } from '../capture/tell.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  app = sandbox.app({ cwd: repo, vars: { PATH: `${makeFakeAgent(sandbox.root)}:${process.env.PATH}` } })
})
afterEach(() => sandbox.close())

const write = (files: Record<string, string>, root = repo) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}
const commit = (root = repo) => {
  sandbox.git(root, 'add', '-A')
  sandbox.git(root, 'commit', '-qm', 'more')
}
const takeTurn = () =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    session,
    'work',
    () => write({ new: '1' }),
  )

interface Made {
  readonly plan: Pick<Plan, 'code' | 'warnings'>
  readonly path: string
}

async function fork(code: 'turn' | 'now' | 'head'): Promise<Made> {
  const plan = await app.planFork({ address: session.id, at: '1', code })
  const { fork: made } = await app.executeFork(plan, { accept: plan.confirm })
  return { plan, path: made.workspace?.path ?? '' }
}

async function start(): Promise<Made> {
  const { start: made, plan } = await app.start({ agent: 'claude' })
  return { plan, path: made.workspace?.path ?? '' }
}

const ways: readonly (readonly [string, () => Promise<Made>])[] = [
  ['a fork with the code of the turn', () => fork('turn')],
  ['a fork with the code of now', () => fork('now')],
  ['a fork with clean HEAD', () => fork('head')],
  ['a start with clean HEAD', start],
]
const warned = ({ warnings }: Made['plan'], code: string) =>
  warnings.filter((each) => each.code === code).map(({ message }) => message)

describe.each(ways)('%s', (_, make) => {
  test('lists ignored files that come along and those that stay behind', async () => {
    write({ '.gitignore': '.env\nnode_modules/\nbuild/\nlogs/\n', '.worktreeinclude': '.env\nnode_modules/\nbuild/keep*\n' })
    commit()
    const packages = Object.fromEntries(Array.from({ length: 20 }, (__, at) => [`node_modules/p${at}/index.js`, 'x']))
    write({ '.env': 'A=1', ...packages, 'build/keep.txt': 'k', 'build/out.js': 'o', 'build/d/more.js': 'o', 'logs/1': 'l' })
    await takeTurn()
    const { plan, path } = await make()
    expect([...plan.code.included].sort()).toEqual(['.env', 'build/keep.txt', 'node_modules/'])
    expect([...plan.code.leftBehind].sort()).toEqual(['build/', 'logs/'])
    expect(warned(plan, 'left_behind')).toEqual([
      'Not carried: build/ (2 files), logs/. A .worktreeinclude file names ignored files to take along.',
    ])
    const there = ['.env', 'node_modules/p7/index.js', 'build/keep.txt', 'build/out.js', 'build/d/more.js', 'logs/1']
    expect(there.map((name) => existsSync(join(path, name)))).toEqual([true, true, true, false, false, false])
  })

  test('lists submodules that are checked out and those that stay empty', async () => {
    const library = sandbox.repository('library')
    write({ 'lib.txt': 'l' }, library)
    commit(library)
    for (const name of ['lib', 'empty']) {
      sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, name)
    }
    sandbox.git(repo, 'commit', '-qm', 'submodules')
    sandbox.git(repo, 'submodule', '--quiet', 'deinit', 'empty')
    await takeTurn()
    const { plan, path } = await make()
    expect(plan.code.submodules).toEqual(['lib'])
    expect(plan.code.leftBehind).toEqual(['empty/'])
    expect(warned(plan, 'submodules')).toEqual([
      `Submodules stay empty folders in the workspace: empty (it is not checked out in ${repo}).`,
    ])
    expect(readFileSync(join(path, 'lib', 'lib.txt'), 'utf8')).toBe('l')
    expect([existsSync(join(path, 'empty')), existsSync(join(path, 'empty', 'lib.txt'))]).toEqual([true, false])
  })

  test('says nothing where there is nothing to say', async () => {
    await takeTurn()
    const { plan } = await make()
    expect(plan.code).toMatchObject({ included: [], submodules: [], leftBehind: [] })
    expect(['left_behind', 'submodules', 'lfs', 'workspace'].flatMap((code) => warned(plan, code))).toEqual([])
  })

  test('leaves repositories inside of this one behind, ignored or not', async () => {
    write({ '.gitignore': 'vendor/\n' })
    commit()
    for (const name of ['repo/vendor/tool', 'repo/nested']) sandbox.repository(name)
    await takeTurn()
    const { plan, path } = await make()
    expect([...plan.code.leftBehind].sort()).toEqual(['nested/', 'vendor/'])
    expect([existsSync(join(path, 'nested')), existsSync(join(path, 'vendor'))]).toEqual([false, false])
  })

  test('has a sparse checkout where the source has one', async () => {
    write({ 'in/a': 'a', 'out/b': 'b', c: 'c' })
    commit()
    sandbox.git(repo, 'sparse-checkout', 'set', '--cone', 'in')
    await takeTurn()
    const { plan, path } = await make()
    expect(['in/a', 'out/b', 'c'].map((name) => existsSync(join(path, name)))).toEqual([true, false, true])
    expect(plan.code.leftBehind).toEqual([])
  })
})

test.each([
  ['now', 'its files are copied as they lie in the work tree.'],
  ['head', 'its files are checked out from its local store; LFS fetches from its server what is not there.'],
  ['turn', 'its files are checked out from its local store; LFS fetches from its server what is not there.'],
] as const)('the plan for the code of %s says what becomes of files of Git LFS', async (code, how) => {
  write({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
  commit()
  await takeTurn()
  const plan = await app.planFork({ address: session.id, at: '1', code })
  expect(warned(plan, 'lfs')).toEqual([`The repository uses Git LFS; ${how}`])
})

test('a turn of a workspace that is gone takes ignored files and submodules from the work tree that is there', async () => {
  write({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n', '.env': 'A=1' })
  commit()
  const { path } = await start()
  session = hookedSession(sandbox.projects, path)
  await takeTurn()
  const { id } = (await app.resolve(session.id)).session
  expect((await app.listTurns((await app.resolve(id)).session))[0]?.snapshot?.tree).toEqual(expect.any(String))
  await app.undo(undefined, { force: true })
  expect(existsSync(path)).toBe(false)
  const { plan, path: child } = await fork('turn')
  expect(plan.code.included).toEqual(['.env'])
  expect(readFileSync(join(child, '.env'), 'utf8')).toBe('A=1')
})
