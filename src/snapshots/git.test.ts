import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeRepository, makeScratch, git as plainGit, testGit } from '../../test/git/scratch.ts'
import { type Exec, exec } from '../lib/exec.ts'
import { createGit } from './git.ts'
import { findRepository, findRepositoryIfAny } from './repository.ts'

describe('calling git', () => {
  const scratch = makeScratch()
  afterAll(() => scratch.remove())
  const repository = makeRepository(join(scratch.path, 'repo'))
  const folder = join(scratch.path, 'no-repo')
  mkdirSync(folder)

  it('is not led astray by what a git hook exports', async () => {
    const other = makeRepository(join(scratch.path, 'other'), { x: 'x' })
    const leaked = {
      GIT_DIR: join(other, '.git'),
      GIT_INDEX_FILE: join(other, '.git', 'index'),
      GIT_PREFIX: 'x/',
      GIT_WORK_TREE: other,
    }
    const git = testGit({ ...process.env, ...leaked })
    expect((await git(['ls-files'], { cwd: repository })).stdout).toBe('a.txt\nd/b.txt\n')
  })

  it('marks its processes as our own and never prompts', async () => {
    const seen: Record<string, string | undefined>[] = []
    const spy: Exec = (command, args, options) => {
      seen.push(options.env)
      return exec(command, args, options)
    }
    await createGit({ exec: spy, env: process.env })(['version'], { cwd: folder })
    expect(seen[0]).toMatchObject({ OFFSHOOT_INTERNAL: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' })
  })

  it('keeps bytes that are not UTF-8', async () => {
    plainGit(repository, ['update-index', '-z', '--index-info'], {
      input: '100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tn\xff\nm\0',
    })
    const { stdout } = await testGit()(['ls-files', '-z'], { cwd: repository })
    expect(stdout.split('\0')).toContain('n\xff\nm')
    plainGit(repository, ['reset', '-q', '--hard'])
  })

  it('says that git is missing', async () => {
    const attempt = testGit({ PATH: folder })(['version'], { cwd: folder })
    await expect(attempt).rejects.toMatchObject({ code: 'tool_missing', hint: expect.stringContaining('Install git') })
  })

  it('tells a missing folder from a missing git', async () => {
    const attempt = findRepository(testGit(), join(scratch.path, 'nowhere'))
    await expect(attempt).rejects.toMatchObject({ code: 'repo_not_found', message: expect.stringContaining('does not exist') })
  })

  it('tells a file from a folder', async () => {
    writeFileSync(join(scratch.path, 'file'), '')
    const attempt = testGit()(['rev-parse', 'HEAD'], { cwd: join(scratch.path, 'file') })
    await expect(attempt).rejects.toMatchObject({
      code: 'repo_not_found',
      message: expect.stringContaining('is not a directory'),
    })
  })

  it('says that a folder is in no repository, or gives nothing where that is expected', async () => {
    await expect(findRepository(testGit(), folder)).rejects.toMatchObject({ code: 'repo_not_found' })
    expect(await findRepositoryIfAny(testGit(), folder)).toBeNull()
  })

  it('hands on that git does not trust the owner of a repository, and how to allow it', async () => {
    const foreign: Exec = (command, args, options) =>
      exec(command, args, { ...options, env: { ...options.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } })
    const attempt = findRepositoryIfAny(createGit({ exec: foreign, env: process.env }), repository)
    await expect(attempt).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringContaining(`safe.directory ${repository}`),
    })
  })

  it('says what failed, where and why', async () => {
    const attempt = testGit()(['rev-parse', '--verify', 'nothing'], { cwd: repository })
    await expect(attempt).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/rev-parse.*repo.*single revision/),
    })
  })

  it('gives up on a git that does not end', async () => {
    const attempt = testGit()(['-c', 'alias.hang=!sleep 20', 'hang'], { cwd: repository, timeoutMs: 300 })
    await expect(attempt).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('did not end') })
  })

  it('names a full disk as such', async () => {
    const full: Exec = async () => ({
      stdout: '',
      stderr: 'fatal: unable to write new index file: No space left on device',
      exitCode: 128,
      missing: false,
      timedOut: false,
    })
    const attempt = createGit({ exec: full, env: {} })(['add'], { cwd: repository })
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining('disk is full') })
  })
})

describe('finding a repository', () => {
  const scratch = makeScratch()
  afterAll(() => scratch.remove())
  const root = makeRepository(join(scratch.path, 'my repo'))
  const git = testGit()

  it('knows the work tree from any folder in it', async () => {
    expect(await findRepository(git, join(root, 'd'))).toEqual({
      root,
      gitDir: join(root, '.git'),
      commonDir: join(root, '.git'),
      indexPath: join(root, '.git', 'index'),
      bare: false,
      linked: false,
      name: 'my-repo',
      hashBytes: 20,
    })
  })

  it('knows a linked worktree and what it shares', async () => {
    const linked = join(scratch.path, 'linked')
    plainGit(root, ['worktree', 'add', '-q', linked])
    const found = await findRepository(git, linked)
    expect(found).toMatchObject({ root: linked, linked: true, commonDir: join(root, '.git'), name: 'my-repo' })
    expect(found.indexPath).toBe(join(root, '.git', 'worktrees', 'linked', 'index'))
  })

  it('knows a bare repository', async () => {
    const bare = join(scratch.path, 'bare.git')
    plainGit(scratch.path, ['clone', '-q', '--bare', root, bare])
    expect(await findRepository(git, bare)).toMatchObject({ root: null, bare: true, commonDir: bare, name: 'bare' })
  })
})
