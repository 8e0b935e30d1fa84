import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { git, makeRepository, makeScratch, type Scratch, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readCodeState } from './code-state.ts'
import { createWorkspace, type MadeWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'

describe('carrying the present state', () => {
  let scratch: Scratch
  let root: string
  beforeEach(() => {
    scratch = makeScratch()
    root = makeRepository(join(scratch.path, 'repo'))
  })
  afterEach(() => scratch.remove())

  async function fork(folder = root, code: 'now' | 'head' = 'now'): Promise<MadeWorkspace & { path: string }> {
    const state = await readCodeState(testGit(), folder)
    const worktreesRoot = join(scratch.path, 'home', 'worktrees')
    const plan = await planWorkspace(testGit(), state.repository, { worktreesRoot, baseCommit: state.commit })
    const made = await createWorkspace(testGit(), state.repository, plan, code)
    return { ...made, path: plan.path }
  }

  it('keeps staged, unstaged and untracked apart and touches nothing', async () => {
    writeFiles(root, { 'a.txt': 'staged\n', 'new.txt': 'untracked\n' })
    git(root, ['add', 'a.txt'])
    writeFiles(root, { 'a.txt': 'unstaged\n' })
    git(root, ['stash', 'store', '-m', 'kept', git(root, ['stash', 'create']).trim()])
    const wanted = observe(root)
    const before = takeInventory(root)
    const { path, report, workspace } = await fork()
    expect(observe(path)).toEqual(wanted)
    expect(listTouched(before, takeInventory(root))).toEqual([])
    expect(report).toMatchObject({ differences: [], leftBehind: [], copiedFiles: 2, operation: null })
    expect(git(path, ['rev-parse', '--abbrev-ref', 'HEAD']).trim()).toBe(workspace.branch)
    expect(git(path, ['show', ':a.txt'])).toBe('staged\n')
  })

  it('gives clean HEAD where that is asked for', async () => {
    writeFiles(root, { 'a.txt': 'changed\n', 'new.txt': 'untracked\n' })
    const { path } = await fork(root, 'head')
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n')
    expect(existsSync(join(path, 'new.txt'))).toBe(false)
  })

  it('sees an edit made in the second of `git add`, with the same size', async () => {
    writeFiles(root, { r: '11111111' })
    git(root, ['add', 'r'])
    writeFiles(root, { r: '22222222' })
    const { path } = await fork()
    expect(readFileSync(join(path, 'r'), 'utf8')).toBe('22222222')
    expect(git(path, ['status', '--porcelain', 'r'])).toBe('AM r\n')
  })

  it('carries edits that assume-unchanged and skip-worktree hide', async () => {
    git(root, ['update-index', '--assume-unchanged', 'a.txt'])
    git(root, ['update-index', '--skip-worktree', 'd/b.txt'])
    writeFiles(root, { 'a.txt': 'hidden\n', 'd/b.txt': 'hidden too\n' })
    const wanted = observe(root)
    const { path } = await fork()
    expect(observe(path)).toEqual(wanted)
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('hidden\n')
  })

  describe('files that differ from their blobs', () => {
    const filtered = (log: string) => {
      git(root, ['config', 'filter.x.clean', `cat >/dev/null; echo clean >>${log}; echo pointer`])
      git(root, ['config', 'filter.x.smudge', `cat; echo smudge >>${log}`])
      git(root, ['config', 'filter.x.required', 'true'])
      writeFiles(root, { '.gitattributes': '*.big filter=x\n', 'one.big': 'a large file\n' })
      git(root, ['add', '-A'])
      git(root, ['commit', '-qm', 'big'])
      // Older than the index: git has no reason to look at it again.
      utimesSync(join(root, 'one.big'), 1e9, 1e9)
      git(root, ['update-index', '--refresh'])
    }

    it('are copied without running a filter (LFS): neither to write nor to compare', async () => {
      const log = join(scratch.path, 'filter.txt')
      filtered(log)
      rmSync(log)
      const { path, report } = await fork()
      expect(existsSync(log)).toBe(false)
      expect(readFileSync(join(path, 'one.big'), 'utf8')).toBe('a large file\n')
      expect(report.differences).toEqual([])
      expect(git(path, ['status', '--porcelain'])).toBe('')
      expect(existsSync(log)).toBe(false)
    })

    it('are carried even when their filter is broken by now', async () => {
      filtered(join(scratch.path, 'filter.txt'))
      git(root, ['config', 'filter.x.clean', 'false'])
      git(root, ['config', 'filter.x.smudge', 'false'])
      const { path } = await fork()
      expect(readFileSync(join(path, 'one.big'), 'utf8')).toBe('a large file\n')
    })

    it('keep mixed line ends, $Id$ and encodings to the byte', async () => {
      writeFiles(root, {
        '.gitattributes': '*.crlf text eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE\n',
        'x.crlf': 'one\r\ntwo\nthree\r\n',
        'x.id': '$Id$\n',
      })
      writeFileSync(join(root, 'x.u16'), Buffer.from('text\n', 'utf16le'))
      git(root, ['add', '-A'])
      git(root, ['commit', '-qm', 'converted'])
      const wanted = observe(root)
      const { path } = await fork()
      expect(observe(path)).toEqual(wanted)
      expect(readFileSync(join(path, 'x.crlf'), 'utf8')).toBe('one\r\ntwo\nthree\r\n')
    })

    it('keep line ends that nothing but autocrlf explains', async () => {
      git(root, ['config', 'core.autocrlf', 'input'])
      writeFiles(root, { 'a.txt': 'a\r\n' })
      git(root, ['add', 'a.txt'])
      expect(git(root, ['--no-optional-locks', 'status', '--porcelain'])).toBe('')
      const { path } = await fork()
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\r\n')
    })
  })

  it('takes the chosen ignored files along, as .worktreeinclude has it, and links as links', async () => {
    writeFiles(root, {
      '.gitignore': '.env*\nbuild/\nconfig.local\n',
      '.worktreeinclude': '.env*\n!.env.prod\n/build/keep/\n',
      '.env': 'SECRET=1',
      '.env.prod': 'SECRET=2',
      'd/.env.test': 'SECRET=3',
      'build/keep/x': 'kept',
      'build/out.js': 'left',
      'config.local': 'left',
      'plain.txt': 'untracked',
    })
    writeFiles(scratch.path, { 'outside/secret': 's' })
    symlinkSync(join(scratch.path, 'outside'), join(root, 'build/keep/link'))
    const state = await readCodeState(testGit(), root)
    expect([...state.included].sort()).toEqual(['.env', 'build/keep/link', 'build/keep/x', 'd/.env.test'])
    const { path } = await fork()
    expect(readFileSync(join(path, 'd/.env.test'), 'utf8')).toBe('SECRET=3')
    expect(readlinkSync(join(path, 'build/keep/link'))).toBe(join(scratch.path, 'outside'))
    for (const left of ['.env.prod', 'build/out.js', 'config.local']) expect(existsSync(join(path, left)), left).toBe(false)
  })

  it('does not read patterns from a linked .worktreeinclude', async () => {
    writeFiles(root, { '.gitignore': '.env\n', '.env': 'x' })
    writeFiles(scratch.path, { patterns: '.env\n' })
    symlinkSync('../patterns', join(root, '.worktreeinclude'))
    const { path } = await fork()
    expect(existsSync(join(path, '.env'))).toBe(false)
  })

  describe('in the middle of an operation', () => {
    beforeEach(() => {
      git(root, ['checkout', '-q', '-b', 'other'])
      writeFiles(root, { 'a.txt': 'theirs\n' })
      git(root, ['commit', '-qam', 'theirs'])
      git(root, ['checkout', '-q', 'main'])
      writeFiles(root, { 'a.txt': 'ours\n' })
      git(root, ['commit', '-qam', 'ours'])
    })

    it('a merge is carried with its conflict and can be committed as a merge', async () => {
      git(root, ['merge', '-q', 'other'], { mayFail: true })
      const wanted = observe(root)
      const { path, report } = await fork()
      expect(observe(path)).toEqual(wanted)
      expect(report.operation).toEqual({ kind: 'merge', carried: true })
      writeFiles(path, { 'a.txt': 'both\n' })
      git(path, ['commit', '-qam', 'merged'])
      const [ours, theirs] = git(path, ['rev-parse', 'HEAD^1', 'HEAD^2']).split('\n')
      expect([ours, theirs]).toEqual(git(root, ['rev-parse', 'main', 'other']).trim().split('\n'))
      expect(git(root, ['status', '--porcelain'])).toBe('UU a.txt\n')
    })

    it('a cherry-pick keeps its author', async () => {
      git(root, ['checkout', '-q', 'other'])
      git(root, ['commit', '-q', '--amend', '--no-edit', '--author=Ann <ann@example.invalid>'])
      git(root, ['checkout', '-q', 'main'])
      git(root, ['cherry-pick', 'other'], { mayFail: true })
      const { path } = await fork()
      writeFiles(path, { 'a.txt': 'both\n' })
      git(path, ['add', 'a.txt'])
      git(path, ['-c', 'core.editor=true', 'cherry-pick', '--continue'], { env: { GIT_AUTHOR_NAME: '', GIT_AUTHOR_EMAIL: '' } })
      expect(git(path, ['log', '-1', '--format=%an'])).toBe('Ann\n')
    })

    it('a rebase is reported: its files come along, its list of commits does not', async () => {
      git(root, ['rebase', 'other'], { mayFail: true })
      const wanted = observe(root)
      const { path, report } = await fork()
      expect(observe(path)).toEqual(wanted)
      expect(report.operation).toEqual({ kind: 'rebase', carried: false })
      expect(git(path, ['status'])).not.toContain('rebase')
    })
  })

  it('leaves submodules empty and does not call that a difference', async () => {
    const library = makeRepository(join(scratch.path, 'library'))
    git(root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    git(root, ['commit', '-qm', 'submodule'])
    writeFiles(root, { 'lib/a.txt': 'changed\n', 'lib/new': 'untracked\n', 'a.txt': 'changed\n' })
    const state = await readCodeState(testGit(), root)
    expect(state.submodules).toEqual([{ path: 'lib', otherCommit: false, changed: true, untracked: true }])
    expect(state.leftBehind).toContainEqual({ path: 'lib/', reason: 'submodule', files: null })
    const { path, report } = await fork()
    expect(report.differences).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
    expect(lstatSync(join(path, 'lib')).isDirectory()).toBe(true)
  })

  it('leaves embedded repositories, with and without commits, and carries the rest', async () => {
    makeRepository(join(root, 'inner'))
    mkdirSync(join(root, 'empty'))
    git(join(root, 'empty'), ['init', '-q'])
    writeFiles(root, { 'new.txt': 'x', 'empty/f': 'x' })
    const state = await readCodeState(testGit(), root)
    expect(state.embeddedRepositories).toEqual(['empty/', 'inner/'])
    const { path, report } = await fork()
    expect(report.differences).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe('?? new.txt\n')
  })

  it('reports a tracked file that became a pipe', async () => {
    rmSync(join(root, 'a.txt'))
    execFileSync('mkfifo', [join(root, 'a.txt')])
    const { report } = await fork()
    expect(report.leftBehind).toEqual([{ path: 'a.txt', reason: 'special-file', files: 1 }])
    expect(report.differences).toEqual(['a.txt'])
  })

  it('runs none of the person’s hooks', async () => {
    const log = join(scratch.path, 'hooks.txt')
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor']) {
      writeFileSync(join(root, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >>${log}\n`, { mode: 0o755 })
    }
    git(root, ['config', 'core.fsmonitor', join(root, '.git', 'hooks', 'fsmonitor')])
    writeFiles(root, { 'a.txt': 'changed\n' })
    await fork()
    await fork(root, 'head')
    expect(existsSync(log)).toBe(false)
  })

  it('is not stopped by a lock on the index', async () => {
    writeFiles(root, { 'a.txt': 'changed\n', '.git/index.lock': '' })
    const { path } = await fork()
    expect(git(path, ['status', '--porcelain'])).toBe(' M a.txt\n')
  })

  it('works on a linked worktree, detached, and from a folder below its root', async () => {
    const linked = join(scratch.path, 'linked')
    git(root, ['worktree', 'add', '-q', '--detach', linked])
    writeFiles(linked, { 'a.txt': 'in the linked one\n' })
    const wanted = observe(linked)
    const { path, workspace } = await fork(join(linked, 'd'))
    expect(observe(path)).toEqual(wanted)
    expect(workspace.commonDir).toBe(join(root, '.git'))
  })

  it('starts without a commit where the source has none', async () => {
    const unborn = join(scratch.path, 'unborn')
    git(scratch.path, ['init', '-q', unborn])
    writeFiles(unborn, { staged: 'x', new: 'y' })
    git(unborn, ['add', 'staged'])
    const { path, workspace } = await fork(unborn)
    expect(workspace.baseCommit).toBeNull()
    expect(git(path, ['status', '--porcelain'])).toBe('A  staged\n?? new\n')
    git(path, ['commit', '-qm', 'first'])
    expect(git(path, ['log', '--format=%s', workspace.branch])).toBe('first\n')
    expect(git((await fork(unborn, 'head')).path, ['status', '--porcelain'])).toBe('')
  })

  it('keeps a sparse checkout sparse, with what lies outside of it', async () => {
    writeFiles(root, { 'e/c.txt': 'c\n' })
    git(root, ['add', '-A'])
    git(root, ['commit', '-qm', 'more'])
    git(root, ['sparse-checkout', 'set', '--cone', 'd'])
    writeFiles(root, { 'e/new.txt': 'outside of the cone\n' })
    const wanted = observe(root)
    const { path } = await fork()
    expect(observe(path)).toEqual(wanted)
    expect(git(path, ['sparse-checkout', 'list'])).toBe('d\n')
    expect(existsSync(join((await fork(root, 'head')).path, 'e'))).toBe(false)
  })

  it('takes a bare repository at HEAD, and refuses its present state', async () => {
    const bare = join(scratch.path, 'bare.git')
    git(scratch.path, ['clone', '-q', '--bare', root, bare])
    expect(readFileSync(join((await fork(bare, 'head')).path, 'a.txt'), 'utf8')).toBe('a\n')
    await expect(fork(bare)).rejects.toMatchObject({ code: 'refused', hint: 'Use --code head.' })
  })

  it('does not lose a file whose name changed only in case, whatever the settings say', async () => {
    git(root, ['config', 'core.ignorecase', 'true'])
    git(root, ['mv', 'a.txt', 'A.txt'])
    git(root, ['reset', '-q'])
    const { path, report } = await fork()
    expect(readFileSync(join(path, 'A.txt'), 'utf8')).toBe('a\n')
    expect(report.differences).toEqual([])
  })

  it('says so when HEAD moves between plan and copy', async () => {
    const state = await readCodeState(testGit(), root)
    const plan = await planWorkspace(testGit(), state.repository, {
      worktreesRoot: join(scratch.path, 'w'),
      baseCommit: state.commit,
    })
    git(root, ['commit', '-q', '--allow-empty', '-m', 'meanwhile'])
    await expect(createWorkspace(testGit(), state.repository, plan, 'now')).rejects.toMatchObject({ code: 'busy' })
    expect(existsSync(plan.path)).toBe(false)
    expect(git(root, ['branch', '--list', 'offshoot/*'])).toBe('')
  })
})
