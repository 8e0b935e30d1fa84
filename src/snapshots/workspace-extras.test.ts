import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { openWorkTree, testMeta } from '../../test/git/snapshots-of.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { createWorkspace, type MadeWorkspace } from './workspace.ts'
import { refuseUsedWorkspace, removeWorkspace } from './workspace-remove.ts'

type Made = MadeWorkspace & { readonly path: string }
const its = useWorkspaces()

/** A workspace with the code of the present moment, taken as a snapshot. */
async function forkSnapshot(meanwhile: () => void = () => undefined): Promise<Made> {
  const workTree = await openWorkTree(its.root)
  const index = join(its.scratch.path, 'private', 'index')
  const { snapshot } = await takeSnapshot(testGit(), { workTree, index, meta: testMeta, maxFileBytes: 1000 })
  meanwhile()
  const plan = await its.plan({ baseCommit: null })
  return { ...(await createWorkspace(testGit(), workTree, plan, { snapshot: snapshot.id })), path: plan.path }
}

const ways: readonly (readonly [string, () => Promise<Made>])[] = [
  ['now', () => its.fork()],
  ['head', () => its.fork(its.root, 'head')],
  ['turn', () => forkSnapshot()],
]
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const commitAll = () => {
  git(its.root, ['add', '-A'])
  git(its.root, ['commit', '-qm', 'all'])
}

describe('.worktreeinclude', () => {
  it.each(ways)('takes ignored files along with the code of %s', async (_, fork) => {
    writeFiles(its.root, { '.gitignore': '.env*\nbuild/\n', '.worktreeinclude': '.env*\n!.env.prod\nbuild/keep/\n' })
    commitAll()
    writeFiles(its.root, { '.env': 'A=1', '.env.prod': 'B=2', 'd/.env.d': 'C=3', 'build/keep/x/y': 'kept', 'build/out': 'o' })
    const { path, report } = await fork()
    expect([read(path, '.env'), read(path, 'd/.env.d'), read(path, 'build/keep/x/y')]).toEqual(['A=1', 'C=3', 'kept'])
    expect([existsSync(join(path, '.env.prod')), existsSync(join(path, 'build/out'))]).toEqual([false, false])
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(report.notes).toEqual([])
  })

  it('leaves out what the code of the turn does not ignore, which its next turn would commit', async () => {
    writeFiles(its.root, { '.worktreeinclude': '.env*\n', '.gitignore': '.env.local\n' })
    commitAll()
    const { path, report } = await forkSnapshot(() =>
      writeFiles(its.root, { '.gitignore': '.env*\n', '.env': 'SECRET=1', '.env.local': 'B=2' }),
    )
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(existsSync(join(path, '.env'))).toBe(false)
    expect(read(path, '.env.local')).toBe('B=2')
    expect(report.notes).toEqual(['Named in .worktreeinclude and not copied: .env (not ignored there).'])
  })

  it('does not overwrite a file of the code, and does not write through a link of it', async () => {
    mkdirSync(join(its.root, 'real'))
    symlinkSync('real', join(its.root, 'gen'))
    writeFiles(its.root, { '.worktreeinclude': 'x\ngen/\n', x: 'of the turn', '.gitignore': 'gen/\n' })
    const { path, report } = await forkSnapshot(() => {
      rmSync(join(its.root, 'gen'))
      writeFiles(its.root, { '.gitignore': 'x\ngen/\n', x: 'ignored by now', 'gen/file': 'made' })
    })
    expect(read(path, 'x')).toBe('of the turn')
    expect(lstatSync(join(path, 'gen')).isSymbolicLink()).toBe(true)
    expect(report.notes).toEqual(['Named in .worktreeinclude and not copied: gen/file (its folder is not a directory there).'])
  })
})

describe('submodules that are checked out in the source', () => {
  let library: string
  const add = (root: string, source: string, name: string) =>
    git(root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, name])
  beforeEach(() => {
    library = makeRepository(join(its.scratch.path, 'library'))
    add(its.root, library, 'lib')
    git(its.root, ['commit', '-qm', 'submodule'])
    // From now on there is nowhere to fetch from.
    renameSync(library, join(its.scratch.path, 'away'))
  })
  const commitInside = () => {
    writeFiles(its.root, { 'lib/a.txt': 'of another commit\n' })
    git(join(its.root, 'lib'), ['commit', '-qam', 'inside'])
  }

  it.each(ways)('are checked out with the code of %s, from the source alone', async (_, fork) => {
    const before = takeInventory(its.root)
    const { path, report } = await fork()
    const ours = /^\.git\/(refs\/offshoot|objects)(\/|$)/
    expect(listTouched(before, takeInventory(its.root)).filter((name) => !ours.test(name))).toEqual([])
    expect(report).toMatchObject({ differences: [], notes: [] })
    expect(git(path, ['status', '--porcelain=v2'])).toBe('')
    expect(read(path, 'lib', 'a.txt')).toBe('a\n')
    expect(git(path, ['submodule', 'status'])).toBe(git(its.root, ['submodule', 'status']))
    expect(git(join(path, 'lib'), ['config', 'remote.origin.url']).trim()).toBe(library)
    expect(git(join(path, 'lib'), ['rev-parse', 'origin/main'])).toBe(git(join(its.root, 'lib'), ['rev-parse', 'origin/main']))
    // Work in the one is not seen in the other.
    git(join(path, 'lib'), ['checkout', '-q', '-b', 'own'])
    writeFiles(path, { 'lib/a.txt': 'in the workspace\n' })
    git(join(path, 'lib'), ['commit', '-qam', 'own'])
    expect(git(its.root, ['status', '--porcelain'])).toBe('')
    expect(git(join(its.root, 'lib'), ['branch', '--format=%(refname:short)'])).toBe('main\n')
    expect(git(path, ['fsck', '--strict'])).toBe('')
    expect(git(join(path, 'lib'), ['fsck', '--strict', '--no-dangling'])).toBe('')
  })

  it('are carried as they are now: another commit, staged, changed and untracked files, conflicts apart', async () => {
    commitInside()
    writeFiles(its.root, { 'lib/staged': 's', 'lib/d/b.txt': 'changed\n', 'lib/new': 'untracked', 'a.txt': 'changed\n' })
    git(join(its.root, 'lib'), ['add', 'staged'])
    writeFiles(its.root, { '.git/info/exclude': 'lib.index\n' }) // which `observe` makes
    const wanted = [observe(its.root), observe(join(its.root, 'lib'))]
    const { path, report, workspace } = await its.fork()
    expect([observe(path), observe(join(path, 'lib'))]).toEqual(wanted)
    expect(report).toMatchObject({ differences: [], notes: [] })
    await refuseUsedWorkspace(testGit(), workspace, report.made)
    writeFiles(path, { 'lib/more': 'work' })
    await expect(refuseUsedWorkspace(testGit(), workspace, report.made)).rejects.toMatchObject({ code: 'workspace_used' })
  })

  it('are not deleted with a workspace whose folder was moved', async () => {
    commitInside()
    const { path, report, workspace } = await its.fork()
    writeFiles(path, { 'lib/a.txt': 'in the workspace\n' })
    git(join(path, 'lib'), ['commit', '-qam', 'own'])
    renameSync(path, `${path}-moved`)
    await expect(refuseUsedWorkspace(testGit(), workspace, report.made)).rejects.toMatchObject({
      code: 'workspace_used',
      message: expect.stringContaining('may have been moved'),
    })
  })

  it('are at the commit the turn found them at, whatever was committed in them since', async () => {
    commitInside()
    const wanted = git(join(its.root, 'lib'), ['rev-parse', 'HEAD'])
    const { path, report } = await forkSnapshot(() => {
      writeFiles(its.root, { 'lib/a.txt': 'later\n' })
      git(join(its.root, 'lib'), ['commit', '-qam', 'later'])
    })
    expect(git(join(path, 'lib'), ['rev-parse', 'HEAD'])).toBe(wanted)
    expect(read(path, 'lib', 'a.txt')).toBe('of another commit\n')
    expect(git(path, ['status', '--porcelain=v2'])).toContain('SC..')
    expect(report.notes).toEqual([])
  })

  it('have their own submodules and their own .worktreeinclude', async () => {
    const deep = makeRepository(join(its.scratch.path, 'deep'), { 'deep.txt': 'deep\n' })
    const lib = join(its.root, 'lib')
    add(lib, deep, 'nested/deep')
    writeFiles(lib, { '.gitignore': '.env\n', '.worktreeinclude': '.env\n' })
    git(lib, ['add', '-A'])
    git(lib, ['commit', '-qm', 'nested'])
    commitAll()
    rmSync(deep, { recursive: true })
    writeFiles(lib, { '.env': 'A=1' })
    for (const [, fork] of ways) {
      const { path } = await fork()
      expect(read(path, 'lib/nested/deep/deep.txt')).toBe('deep\n')
      expect(read(path, 'lib/.env')).toBe('A=1')
      expect(git(path, ['status', '--porcelain=v2'])).toBe('')
    }
  })

  it('go with the workspace', async () => {
    const { workspace, path } = await its.fork()
    const modules = join(git(path, ['rev-parse', '--path-format=absolute', '--git-dir']).trim(), 'modules')
    expect(readdirSync(modules)).toEqual(['lib'])
    await removeWorkspace(testGit(), workspace, { force: true })
    expect(existsSync(modules)).toBe(false)
    expect(its.countWorktrees()).toBe(1)
  })

  it('serve as the source of a workspace themselves', async () => {
    const first = await its.fork()
    writeFiles(first.path, { 'lib/new': 'n' })
    const second = await its.fork(first.path)
    expect(observe(join(second.path, 'lib'))).toEqual(observe(join(first.path, 'lib')))
    expect(read(second.path, 'lib', 'new')).toBe('n')
  })

  it('also with a git folder of their own among the files, and with settings, hooks and files of LFS', async () => {
    const lib = join(its.root, 'lib')
    const modules = join(its.root, '.git', 'modules', 'lib')
    rmSync(join(lib, '.git'))
    renameSync(modules, join(lib, '.git'))
    git(its.root, ['config', '-f', 'lib/.git/config', '--unset', 'core.worktree'])
    git(lib, ['config', 'user.name', 'Somebody'])
    writeFiles(lib, { '.git/hooks/pre-commit': '#!/bin/sh\n', '.git/info/exclude': 'secret\n', secret: 's' })
    writeFiles(lib, { '.git/lfs/objects/ab/cd/abcd': 'large' })
    git(lib, ['update-ref', 'refs/offshoot/x', 'HEAD'])
    const { path, report } = await its.fork()
    expect(report.notes).toEqual([])
    const inside = join(path, 'lib')
    expect(git(inside, ['config', 'user.name'])).toBe('Somebody\n')
    expect(git(inside, ['status', '--porcelain'])).toBe('')
    expect(git(inside, ['for-each-ref', 'refs/offshoot'])).toBe('')
    const gitDir = git(inside, ['rev-parse', '--path-format=absolute', '--git-dir']).trim()
    expect(read(gitDir, 'hooks/pre-commit')).toBe('#!/bin/sh\n')
    expect(read(gitDir, 'lfs/objects/ab/cd/abcd')).toBe('large')
  })
})

describe('submodules that cannot be had', () => {
  const addLink = (name: string, path: string) => {
    const inner = makeRepository(join(its.root, path))
    const commit = git(inner, ['rev-parse', 'HEAD']).trim()
    git(its.root, ['update-index', '--add', '--cacheinfo', `160000,${commit},${path}`])
    git(its.root, ['config', '-f', '.gitmodules', `submodule.${name}.path`, path])
    git(its.root, ['config', '-f', '.gitmodules', `submodule.${name}.url`, './nowhere'])
    git(its.root, ['add', '.gitmodules'])
    git(its.root, ['commit', '-qm', 'link'])
    return inner
  }

  it('stay empty folders, and it is said why', async () => {
    const inner = addLink('lib', 'lib')
    rmSync(inner, { recursive: true })
    mkdirSync(inner)
    const { path, report } = await its.fork()
    expect(readdirSync(join(path, 'lib'))).toEqual([])
    expect(report.emptySubmodules).toEqual([`The submodule lib stays an empty folder: it is not checked out in ${its.root}.`])
    makeRepository(inner, { other: 'x' })
    const head = await its.fork(its.root, 'head')
    expect(head.report.emptySubmodules[0]).toMatch(/^The submodule lib stays an empty folder: its commit \w{12} is not in /)
    expect(readdirSync(join(head.path, 'lib'))).toEqual([])
  })

  it.each(['../../../hooks', '..', '.git', 'a/../../b', '/tmp/x'])('a name such as %s leads nowhere', async (name) => {
    addLink(name, 'lib')
    const before = takeInventory(its.root)
    const { path, report } = await its.fork()
    expect(readdirSync(join(path, 'lib'))).toEqual([])
    expect(report.notes[0]).toContain('cannot be used for a folder')
    expect(listTouched(before, takeInventory(its.root))).toEqual([])
  })

  it('a name inside the folder of another is not used', async () => {
    addLink('a', 'one')
    addLink('a/hooks', 'two')
    const { path, report } = await its.fork()
    expect(report.notes).toHaveLength(2)
    expect(readdirSync(join(path, 'two'))).toEqual([])
  })

  it('one whose copy fails leaves nothing behind, and the rest is made', async () => {
    const inner = addLink('lib', 'lib')
    // git does not clone such a repository: it may lead to somebody's secrets.
    symlinkSync('/etc', join(inner, '.git', 'objects', 'link'))
    const { path, report } = await its.fork(its.root, 'head')
    expect(report.notes).toEqual([expect.stringMatching(/^The submodule lib stays an empty folder: git clone failed/)])
    const gitDir = git(path, ['rev-parse', '--path-format=absolute', '--git-dir']).trim()
    expect(existsSync(join(gitDir, 'modules', 'lib'))).toBe(false)
    expect(readdirSync(join(path, 'lib'))).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe('')
  })

  it('are not mentioned where the source has no folder of them', async () => {
    const inner = addLink('lib', 'lib')
    rmSync(inner, { recursive: true })
    const { path, report } = await its.fork()
    expect([...report.notes, ...report.emptySubmodules]).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe(' D lib\n')
  })
})
