import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Catalog } from './catalog.ts'
import { createSandbox, type FakeSession, type Sandbox } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

const idsIn = async (catalog: Catalog, repo: string) => (await catalog.listSessions({ repo })).map(({ id }) => id).sort()
const ids = (...sessions: FakeSession[]) => sessions.map(({ id }) => id).sort()

describe('repository identity', () => {
  it('folds worktrees and subfolders together, and names the main worktree', async () => {
    const repo = sandbox.repository('repo')
    const worktree = join(sandbox.root, 'worktree')
    sandbox.git(repo, 'worktree', 'add', '-q', worktree)
    mkdirSync(join(repo, 'packages', 'x'), { recursive: true })
    const inRepo = sandbox.session({ turns: 1, cwd: repo })
    const inPackage = sandbox.session({ turns: 1, cwd: join(repo, 'packages', 'x') })
    const inWorktree = sandbox.session({ turns: 1, cwd: worktree })
    sandbox.session({ turns: 1, cwd: sandbox.repository('other') })
    const catalog = sandbox.catalog()
    for (const place of [repo, worktree, join(repo, 'packages')]) {
      expect(await idsIn(catalog, place)).toEqual(ids(inRepo, inPackage, inWorktree))
    }
    const listed = await catalog.listSessions({ repo })
    expect(new Set(listed.map(({ repoRoot }) => repoRoot))).toEqual(new Set([repo]))
  })

  it('remembers a worktree that was removed', async () => {
    const repo = sandbox.repository('repo')
    const worktree = join(sandbox.root, 'worktree')
    sandbox.git(repo, 'worktree', 'add', '-q', worktree)
    const before = sandbox.session({ turns: 1, cwd: worktree })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    sandbox.git(repo, 'worktree', 'remove', worktree)
    before.addTurn('one more line, so that it is read again')
    const after = sandbox.session({ turns: 1, cwd: join(worktree, 'deep', 'inside') })
    expect(await idsIn(catalog, repo)).toEqual(ids(before, after))
  })

  it('gives a folder that is gone to the repository around it', async () => {
    const repo = sandbox.repository('repo')
    const session = sandbox.session({ turns: 1, cwd: join(repo, '.claude', 'worktrees', 'gone') })
    expect(await idsIn(sandbox.catalog(), repo)).toEqual(ids(session))
  })

  it('follows a checkout that was moved, worktrees included', async () => {
    const repo = sandbox.repository('repo')
    const worktree = join(sandbox.root, 'worktree')
    sandbox.git(repo, 'worktree', 'add', '-q', worktree)
    const early = sandbox.session({ turns: 1, cwd: repo })
    const catalog = sandbox.catalog()
    const [listed] = await catalog.listSessions({ repo })
    const moved = join(sandbox.root, 'moved')
    renameSync(repo, moved)
    const late = sandbox.session({ turns: 1, cwd: moved })
    // Its .git file still names the old place, until `git worktree repair`.
    const lost = sandbox.session({ turns: 1, cwd: worktree })
    expect(await idsIn(catalog, moved)).toEqual(ids(early, late, lost))
    const sessions = await catalog.listSessions({ repo: moved })
    expect(new Set(sessions.map(({ repoId }) => repoId))).toEqual(new Set([listed?.repoId]))
    expect(new Set(sessions.map(({ repoRoot }) => repoRoot))).toEqual(new Set([moved]))
    expect(await catalog.repositoryOf(repo)).toEqual({ id: listed?.repoId, root: moved, claimed: false })
  })

  it('keeps clones and projects of one template apart while both exist', async () => {
    const template = sandbox.repository('template')
    const clone = join(sandbox.root, 'clone')
    cpSync(template, clone, { recursive: true })
    const one = sandbox.session({ turns: 1, cwd: template })
    const two = sandbox.session({ turns: 1, cwd: clone })
    const catalog = sandbox.catalog()
    expect(await idsIn(catalog, template)).toEqual(ids(one))
    expect(await idsIn(catalog, clone)).toEqual(ids(two))
  })

  it('does not give the sessions of a replaced repository to the new one', async () => {
    const repo = sandbox.repository('repo')
    const old = sandbox.session({ turns: 1, cwd: repo })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    rmSync(repo, { recursive: true })
    sandbox.repository('repo')
    const fresh = sandbox.session({ turns: 1, cwd: repo })
    expect(await idsIn(catalog, repo)).toEqual(ids(fresh))
    expect((await catalog.listSessions()).map(({ id }) => id).sort()).toEqual(ids(old, fresh))
  })

  it('finds a home for sessions that are older than the repository', async () => {
    const folder = join(sandbox.root, 'later')
    mkdirSync(folder)
    const session = sandbox.session({ turns: 1, cwd: folder })
    const catalog = sandbox.catalog()
    expect((await catalog.listSessions())[0]?.repoId).toBeNull()
    await expect(catalog.listSessions({ repo: folder })).rejects.toMatchObject({ code: 'repo_not_found' })
    sandbox.repository('later')
    expect(await idsIn(catalog, folder)).toEqual(ids(session))
  })

  it('sees through symbolic links and into submodules', async () => {
    const repo = sandbox.repository('repo')
    const library = sandbox.repository('library')
    sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
    symlinkSync(repo, join(sandbox.root, 'link'))
    const linked = sandbox.session({ turns: 1, cwd: join(sandbox.root, 'link') })
    const inLibrary = sandbox.session({ turns: 1, cwd: join(repo, 'lib') })
    const catalog = sandbox.catalog()
    expect(await idsIn(catalog, repo)).toEqual(ids(linked))
    expect(await catalog.listSessions({ repo: join(repo, 'lib') })).toMatchObject([
      { id: inLibrary.id, repoRoot: join(repo, 'lib') },
    ])
  })

  it('does without commits, without git, and with a broken .git file', async () => {
    const empty = join(sandbox.root, 'empty')
    mkdirSync(empty)
    sandbox.git(empty, 'init', '-q')
    const session = sandbox.session({ turns: 1, cwd: empty })
    const withoutGit = sandbox.catalog({ vars: { PATH: '/nonexistent' } })
    expect(await idsIn(withoutGit, empty)).toEqual(ids(session))
    const [before] = await withoutGit.listSessions()
    sandbox.git(empty, 'commit', '-q', '--allow-empty', '-m', 'first')
    session.addTurn('now there is a commit')
    expect((await sandbox.catalog().listSessions())[0]?.repoId).toBe(before?.repoId)
  })

  it('has an answer for `last` in a repository, its worktrees and outside', async () => {
    const repo = sandbox.repository('repo')
    const inRepo = sandbox.session({ turns: 1, cwd: repo, at: Date.UTC(2026, 1, 1) })
    const newer = sandbox.session({ turns: 1, cwd: sandbox.repository('other'), at: Date.UTC(2026, 1, 2) })
    expect((await sandbox.catalog({ cwd: repo }).resolve('last')).session.id).toBe(inRepo.id)
    expect((await sandbox.catalog({ cwd: sandbox.root }).resolve('claude:last@-1')).session.id).toBe(newer.id)
    await expect(sandbox.catalog({ cwd: repo }).resolve('codex:last')).rejects.toMatchObject({ code: 'session_not_found' })
  })
})
