import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../test/git/observe.ts'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { readCodeState } from './code-state.ts'

describe('carrying from every kind of repository', () => {
  const its = useWorkspaces()

  it('forks a submodule as the repository it is', async () => {
    const library = makeRepository(join(its.scratch.path, 'library'))
    git(its.root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    writeFiles(its.root, { 'lib/a.txt': 'changed\n', 'lib/new': 'untracked\n' })
    const wanted = observe(join(its.root, 'lib'))
    const { path, workspace } = await its.fork(join(its.root, 'lib', 'd'))
    expect(observe(path)).toEqual(wanted)
    expect(workspace.commonDir).toBe(join(its.root, '.git', 'modules', 'lib'))
  })

  it('leaves embedded repositories, with and without commits, and carries the rest', async () => {
    makeRepository(join(its.root, 'inner'))
    mkdirSync(join(its.root, 'empty'))
    git(join(its.root, 'empty'), ['init', '-q'])
    writeFiles(its.root, { 'new.txt': 'x', 'empty/f': 'x' })
    const state = await readCodeState(testGit(), its.root)
    expect(state.embeddedRepositories).toEqual(['empty/', 'inner/'])
    const { path, report } = await its.fork()
    expect(report.differences).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe('?? new.txt\n')
  })

  it('works on a linked worktree, detached, and from a folder below its its.root', async () => {
    const linked = join(its.scratch.path, 'linked')
    git(its.root, ['worktree', 'add', '-q', '--detach', linked])
    writeFiles(linked, { 'a.txt': 'in the linked one\n' })
    const wanted = observe(linked)
    const { path, workspace } = await its.fork(join(linked, 'd'))
    expect(observe(path)).toEqual(wanted)
    expect(workspace.commonDir).toBe(join(its.root, '.git'))
  })

  it('starts without a commit where the source has none', async () => {
    const unborn = join(its.scratch.path, 'unborn')
    git(its.scratch.path, ['init', '-q', unborn])
    writeFiles(unborn, { staged: 'x', new: 'y' })
    git(unborn, ['add', 'staged'])
    const { path, workspace } = await its.fork(unborn)
    expect(workspace.baseCommit).toBeNull()
    expect(git(path, ['status', '--porcelain'])).toBe('A  staged\n?? new\n')
    git(path, ['commit', '-qm', 'first'])
    expect(git(path, ['log', '--format=%s', workspace.branch])).toBe('first\n')
    expect(git((await its.fork(unborn, 'head')).path, ['status', '--porcelain'])).toBe('')
  })

  it('keeps a sparse checkout sparse, with what lies outside of it', async () => {
    writeFiles(its.root, { 'e/c.txt': 'c\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'more'])
    git(its.root, ['sparse-checkout', 'set', '--cone', 'd'])
    writeFiles(its.root, { 'e/new.txt': 'outside of the cone\n' })
    const wanted = observe(its.root)
    const { path } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(git(path, ['sparse-checkout', 'list'])).toBe('d\n')
    expect(existsSync(join((await its.fork(its.root, 'head')).path, 'e'))).toBe(false)
  })

  it('takes a bare repository at HEAD, and refuses its present state', async () => {
    const bare = join(its.scratch.path, 'bare.git')
    git(its.scratch.path, ['clone', '-q', '--bare', its.root, bare])
    expect(readFileSync(join((await its.fork(bare, 'head')).path, 'a.txt'), 'utf8')).toBe('a\n')
    await expect(its.fork(bare)).rejects.toMatchObject({ code: 'refused', hint: expect.stringContaining('its commit') })
  })

  it('does not lose a file whose name changed only in case, whatever the settings say', async () => {
    git(its.root, ['config', 'core.ignorecase', 'true'])
    git(its.root, ['mv', 'a.txt', 'A.txt'])
    git(its.root, ['reset', '-q'])
    const { path, report } = await its.fork()
    expect(readFileSync(join(path, 'A.txt'), 'utf8')).toBe('a\n')
    expect(report.differences).toEqual([])
  })
})
