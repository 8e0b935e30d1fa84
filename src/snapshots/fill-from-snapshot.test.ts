import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HandSnapshot, handSnapshot } from '../../test/git/hand-snapshot.ts'
import { observe } from '../../test/git/observe.ts'
import { at, git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { findSnapshotBase } from './open-snapshot.ts'
import { findRepository } from './repository.ts'
import { createWorkspace } from './workspace.ts'

describe('a workspace filled from a snapshot', () => {
  const its = useWorkspaces()
  const fork = async (code: { snapshot: string } | { tree: string }, baseCommit: string | null = null) => {
    const plan = await its.plan({ baseCommit })
    return { ...(await createWorkspace(testGit(), await findRepository(testGit(), its.root), plan, code)), path: plan.path }
  }
  const head = (root = its.root) => git(root, ['rev-parse', 'HEAD']).trim()
  const wreck = () => {
    git(its.root, ['reset', '-q', '--hard'])
    git(its.root, ['clean', '-qfdx'])
    writeFiles(its.root, { 'later.txt': 'later\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'later'])
    git(its.root, ['gc', '-q', '--prune=now'])
  }

  it('keeps staged, unstaged and untracked apart, though the parent has moved on', async () => {
    writeFiles(its.root, { 'a.txt': 'staged\n', 'new.txt': 'untracked\n', 'd/b.txt': 'unstaged\n', 'gone.txt': 'x' })
    git(its.root, ['add', 'a.txt', 'gone.txt'])
    rmSync(join(its.root, 'gone.txt'))
    writeFileSync(at(its.root, 'n\xff'), 'odd\n')
    const [wanted, base, { id }] = [observe(its.root), head(), handSnapshot(its.root)]
    git(its.root, ['update-ref', 'refs/kept/gone', git(its.root, ['rev-parse', ':gone.txt']).trim()])
    git(its.root, ['update-ref', 'refs/kept/a', git(its.root, ['rev-parse', ':a.txt']).trim()])
    wreck()
    const { path, report, workspace } = await fork({ snapshot: id })
    expect(observe(path)).toEqual(wanted)
    expect(workspace.baseCommit).toBe(base)
    expect(head(path)).toBe(base)
    expect(report).toMatchObject({ differences: [], leftBehind: [], notes: [] })
  })

  it('is the commit of the turn, clean, where there is one', async () => {
    const before = head()
    writeFiles(its.root, { 'a.txt': 'turn\n', 'new.txt': 'new\n' })
    const tree = handSnapshot(its.root).tree
    const commit = git(its.root, ['commit-tree', tree, '-p', before, '-m', 'turn 1'], { env: identity }).trim()
    const { id } = handSnapshot(its.root, { meta: { commit } })
    const { path, workspace } = await fork({ snapshot: id })
    expect(workspace.baseCommit).toBe(commit)
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
  })

  it('lets the snapshot win where the commit holds something else', async () => {
    const commit = head()
    writeFiles(its.root, { 'a.txt': 'turn\n', 'new.txt': 'new\n' })
    rmSync(join(its.root, 'd'), { recursive: true })
    const { id } = handSnapshot(its.root, { meta: { commit } })
    git(its.root, ['reset', '-q', '--hard'])
    const { path, report } = await fork({ snapshot: id })
    expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n D d/b.txt\n?? new.txt\n')
    expect(report.differences).toEqual([])
  })

  const loseHead = () => {
    writeFiles(its.root, { 'a.txt': 'committed, then taken back\n' })
    git(its.root, ['commit', '-qam', 'to be lost'])
    writeFiles(its.root, { 'a.txt': 'staged\n', 'new.txt': 'new\n' })
    git(its.root, ['add', 'a.txt'])
    writeFiles(its.root, { 'd/b.txt': 'changed\n' })
    const wanted = observe(its.root)
    const [whole, bare] = [true, false].map((base) => handSnapshot(its.root, { base, meta: { turnKey: `base-${base}` } }))
    git(its.root, ['reset', '-q', '--hard', 'HEAD~1'])
    git(its.root, ['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all'])
    rmSync(join(its.root, '.git/ORIG_HEAD'), { force: true })
    git(its.root, ['gc', '-q', '--prune=now'])
    if (whole === undefined || bare === undefined) throw new Error('not made')
    return { wanted, whole, bare }
  }

  it('starts from a commit of the same files where HEAD was pruned, and says so', async () => {
    const { wanted, whole } = loseHead()
    const objects = git(its.root, ['count-objects', '-v'])
    const base = await findSnapshotBase(testGit(), join(its.root, '.git'), whole)
    expect(base.kind).toBe('lost')
    expect(git(its.root, ['count-objects', '-v'])).toBe(objects)
    const { path, workspace, report } = await fork({ snapshot: whole.id })
    expect(workspace.baseCommit).toBe(base.commit)
    const log = `${base.commit}  offshoot: in place of commit ${whole.meta.head}, which is gone\n`
    expect(git(path, ['log', '--format=%H %P %s'])).toBe(log)
    expect(observe(path)).toEqual(wanted)
    expect(report.notes).toEqual([base.note])
    expect(base.note).toContain(whole.meta.head?.slice(0, 12))
  })

  it('starts from a commit of all files where not even those of HEAD are known', async () => {
    const { bare } = loseHead()
    const { path, report } = await fork({ snapshot: bare.id })
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(git(path, ['rev-list', '--count', 'HEAD'])).toBe('1\n')
    expect(['a.txt', 'd/b.txt', 'new.txt'].map((name) => readFileSync(join(path, name), 'utf8'))).toEqual([
      'staged\n',
      'changed\n',
      'new\n',
    ])
    expect(report.notes.join()).toContain('what was staged is not told apart')
  })

  it('writes the bytes that lay there, where git would write others, and calls them unchanged', async () => {
    writeFiles(its.root, { '.gitattributes': '*.txt text eol=crlf\n', 'mixed.txt': '1\n2\r\n3\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'mixed'])
    writeFiles(its.root, { 'a.txt': 'x\ny\r\n' })
    const wanted = observe(its.root)
    const raw = { 'a.txt': 'x\ny\r\n', 'mixed.txt': '1\n2\r\n3\n', 'd/b.txt': 'b\n' }
    const [full, byCommit] = [handSnapshot(its.root, { raw }), handSnapshot(its.root, { raw, index: null })]
    for (const { id } of [full, byCommit]) {
      const { path, report } = await fork({ snapshot: id })
      expect(observe(path)).toEqual(wanted)
      expect(report).toMatchObject({ differences: [], copiedFiles: 3 })
      git(path, ['update-index', '-q', '--really-refresh'], { mayFail: true })
      expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
    }
  })

  it('brings conflicts back as conflicts', async () => {
    git(its.root, ['checkout', '-qb', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs\n' })
    git(its.root, ['commit', '-qam', 'theirs'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours\n' })
    git(its.root, ['commit', '-qam', 'ours'])
    git(its.root, ['merge', '-q', 'other'], { mayFail: true })
    const [wanted, { id }] = [observe(its.root), handSnapshot(its.root)]
    git(its.root, ['merge', '--abort'])
    const { path, report } = await fork({ snapshot: id })
    expect(observe(path)).toEqual(wanted)
    expect(git(path, ['status', '--porcelain'])).toBe('UU a.txt\n')
    expect(report).toMatchObject({ operation: null, notes: [] })
  })

  it('starts without a commit where the repository had none', async () => {
    const unborn = join(its.scratch.path, 'unborn')
    git(its.scratch.path, ['init', '-q', unborn])
    writeFiles(unborn, { staged: 'x', new: 'y' })
    const nothingStaged = handSnapshot(unborn, { meta: { turnKey: 'none' } })
    git(unborn, ['add', 'staged'])
    const source = await findRepository(testGit(), unborn)
    const make = async ({ id }: HandSnapshot) => {
      const plan = await its.plan({ baseCommit: null })
      await createWorkspace(testGit(), source, plan, { snapshot: id })
      return plan.path
    }
    expect(git(await make(handSnapshot(unborn)), ['status', '--porcelain'])).toBe('A  staged\n?? new\n')
    expect(git(await make(nothingStaged), ['status', '--porcelain'])).toBe('?? new\n?? staged\n')
  })

  it('tells what the snapshot does not cover', async () => {
    const { id } = handSnapshot(its.root, { meta: { notCovered: [{ path: 'big.iso', reason: 'too_large' }] } })
    expect((await fork({ snapshot: id })).report.leftBehind).toEqual([{ path: 'big.iso', reason: 'too-large', files: null }])
  })

  it('refuses a snapshot that is not there, and leaves nothing', async () => {
    const before = its.branches()
    await expect(fork({ snapshot: '0'.repeat(40) })).rejects.toMatchObject({ code: 'failed' })
    await expect(fork({ snapshot: git(its.root, ['rev-parse', 'HEAD^{tree}']).trim() })).rejects.toMatchObject({ code: 'failed' })
    expect(its.branches()).toEqual(before)
    expect(its.countWorktrees()).toBe(1)
  })

  it.each(['../evil', '/evil', 'd/../../evil', '.git/evil', 'd//evil'])('writes no raw bytes to %s', async (path) => {
    const { id } = handSnapshot(its.root, { raw: { [path]: 'evil' } })
    await expect(fork({ snapshot: id })).rejects.toThrow('damaged')
    expect(its.countWorktrees()).toBe(1)
  })

  it('puts a tree over a commit as changes that are not staged', async () => {
    const base = head()
    writeFiles(its.root, { 'a.txt': 'tree\n', 'new/file': 'new\n' })
    rmSync(join(its.root, 'd'), { recursive: true })
    writeFiles(its.root, { d: 'a file where a folder was\n' })
    const { tree } = handSnapshot(its.root)
    git(its.root, ['reset', '-q', '--hard'])
    const { path, report } = await fork({ tree }, base)
    expect(git(path, ['status', '--porcelain', '-uall'])).toBe(' M a.txt\n D d/b.txt\n?? d\n?? new/file\n')
    expect(report.differences).toEqual([])
    const unborn = await fork({ tree }, null)
    expect(git(unborn.path, ['status', '--porcelain', '-uall'])).toBe('?? a.txt\n?? d\n?? new/file\n')
  })
})

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
