import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listTouched, takeInventory } from '../../test/git/observe.ts'
import { git, makeRepository, makeScratch, type Scratch, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readCodeState } from './code-state.ts'
import { describeChanges, type Fingerprint } from './fingerprint.ts'

describe('readCodeState', () => {
  let scratch: Scratch
  let root: string
  beforeEach(() => {
    scratch = makeScratch()
    root = makeRepository(join(scratch.path, 'repo'))
  })
  afterEach(() => scratch.remove())
  const read = (folder = root) => readCodeState(testGit(), folder)

  it('says what is clean', async () => {
    expect(await read()).toMatchObject({
      commit: git(root, ['rev-parse', 'HEAD']).trim(),
      branch: 'main',
      dirtyFiles: [],
      untracked: [],
      included: [],
      leftBehind: [],
      submodules: [],
      embeddedRepositories: [],
      operation: null,
      lfs: false,
      sparse: false,
    })
  })

  it('tells staged, unstaged and untracked apart, and writes nothing', async () => {
    writeFiles(root, { 'a.txt': 'staged\n', gone: 'x', 'new folder/ü.txt': 'new\n' })
    git(root, ['add', 'a.txt', 'gone'])
    writeFiles(root, { 'a.txt': 'and edited\n' })
    git(root, ['rm', '-q', 'd/b.txt'])
    const before = takeInventory(root)
    const state = await read(join(root, 'new folder'))
    expect(state.dirtyFiles).toEqual([
      { path: 'a.txt', staged: 'M', unstaged: 'M', conflicted: false },
      { path: 'd/b.txt', staged: 'D', unstaged: null, conflicted: false },
      { path: 'gone', staged: 'A', unstaged: null, conflicted: false },
    ])
    expect(state.untracked).toEqual(['new folder/ü.txt'])
    expect(listTouched(before, takeInventory(root))).toEqual([])
  })

  it('lists ignored files in few words, without walking into ignored folders', async () => {
    const logs = Object.fromEntries(Array.from({ length: 30 }, (_, number) => [`d/${number}.log`, 'x']))
    writeFiles(root, { '.gitignore': '*.log\nnode_modules/\n', 'one.log': 'x', ...logs, 'node_modules/p/index.js': 'x' })
    expect((await read()).leftBehind).toEqual([
      { path: 'node_modules/', reason: 'ignored', files: null },
      { path: 'd/', reason: 'ignored', files: 30 },
      { path: 'one.log', reason: 'ignored', files: 1 },
    ])
  })

  it('knows unborn and detached HEAD, and a bare repository', async () => {
    const unborn = join(scratch.path, 'unborn')
    git(scratch.path, ['init', '-q', '-b', 'trunk', unborn])
    expect(await read(unborn)).toMatchObject({ commit: null, branch: 'trunk' })
    git(root, ['checkout', '-q', '--detach'])
    const { commit } = await read()
    expect(await read()).toMatchObject({ branch: null })
    const bare = join(scratch.path, 'bare')
    git(scratch.path, ['clone', '-q', '--bare', root, bare])
    expect(await read(bare)).toMatchObject({ commit, repository: { bare: true, root: null }, fingerprint: null })
  })

  it('knows LFS and sparse checkouts', async () => {
    writeFiles(root, { 'd/.gitattributes': '# filter=lfs is not meant here\n*.psd filter=lfs diff=lfs merge=lfs -text\n' })
    git(root, ['add', '-A'])
    git(root, ['sparse-checkout', 'set', 'd'])
    expect(await read()).toMatchObject({ lfs: true, sparse: true })
    writeFiles(root, { 'd/.gitattributes': '# filter=lfs is not meant here\n' })
    expect(await read()).toMatchObject({ lfs: false })
  })

  it.each([
    ['merge', ['merge', 'other']],
    ['cherry-pick', ['cherry-pick', 'other']],
    ['revert', ['revert', '--no-edit', 'HEAD~1']],
    ['rebase', ['rebase', 'other']],
    ['rebase', ['rebase', '--apply', 'other']],
    ['bisect', ['bisect', 'start']],
  ])('knows that a %s is in progress', async (kind, command) => {
    git(root, ['checkout', '-q', '-b', 'other'])
    writeFiles(root, { 'a.txt': 'theirs\n' })
    git(root, ['commit', '-qam', 'theirs'])
    git(root, ['checkout', '-q', 'main'])
    for (const text of ['ours\n', 'ours again\n']) {
      writeFiles(root, { 'a.txt': text })
      git(root, ['commit', '-qam', text])
    }
    git(root, command, { mayFail: true })
    const { operation, dirtyFiles } = await read()
    expect(operation?.kind).toBe(kind)
    expect(dirtyFiles.map((file) => file.conflicted)).toEqual(kind === 'bisect' ? [] : [true])
  })

  it('knows that patches are being applied', async () => {
    writeFiles(scratch.path, {
      patch:
        'From 1 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.invalid>\nSubject: x\n\n---\n--- a/no\n+++ b/no\n@@ -1 +1 @@\n-1\n+2\n',
    })
    git(root, ['am', '../patch'], { mayFail: true })
    expect((await read()).operation).toEqual({ kind: 'am', carried: false })
  })

  it('refuses where there is no repository', async () => {
    mkdirSync(join(scratch.path, 'plain'))
    await expect(read(join(scratch.path, 'plain'))).rejects.toMatchObject({ code: 'repo_not_found' })
  })

  describe('later', () => {
    const changesAfter = async (change: () => void): Promise<string[]> => {
      writeFiles(root, { 'a.txt': 'dirty\n', new: 'untracked\n' })
      const before = (await read()).fingerprint
      change()
      return describeChanges(before as Fingerprint, (await read()).fingerprint as Fingerprint)
    }

    it('still holds when git merely refreshed its index', async () => {
      expect(await changesAfter(() => git(root, ['status']))).toEqual([])
    })

    it.each([
      ['a commit', ['commit', '-q', '--allow-empty', '-m', 'x'], /^HEAD was \w{40} and is now \w{40}$/],
      ['another branch', ['checkout', '-q', '-b', 'other'], 'the branch was main and is now other'],
      ['a detached HEAD', ['checkout', '-q', '--detach'], 'the branch was main and is now detached'],
      ['staging', ['add', 'a.txt'], 'other tracked files are changed or staged'],
      ['an operation', ['bisect', 'start'], 'a bisect has begun'],
    ])('says that there was %s', async (_, command, wanted) => {
      const changes = await changesAfter(() => git(root, command))
      expect(changes).toEqual([typeof wanted === 'string' ? wanted : expect.stringMatching(wanted)])
    })

    it('says that files came or were written', async () => {
      expect(await changesAfter(() => writeFiles(root, { another: 'x' }))).toEqual(['there are other untracked files'])
      expect(await changesAfter(() => writeFiles(root, { 'a.txt': 'other\n' }))).toEqual(['a changed file was written again'])
    })
  })
})
