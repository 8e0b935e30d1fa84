import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusePipes } from './refuse-pipes.ts'

let repository: string
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'offshoot-pipes-'))
  execFileSync('git', ['init', '-q', '-b', 'main', repository])
})
afterEach(() => rmSync(repository, { recursive: true, force: true }))

function putPipe(name: string): string {
  const path = join(repository, name)
  rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
  return path
}

const refused = expect.objectContaining({ code: 'refused' })

const parts = [
  ...['HEAD', 'config', 'packed-refs', 'commondir', 'index', 'shallow', 'ORIG_HEAD', 'info/exclude', 'info/attributes'],
  ...[
    'objects/info/alternates',
    'objects/pack/pack-1.idx',
    'refs/heads/main',
    'refs/heads/a/b/c',
    'refs/stash',
    'refs/offshoot/claude/a/b/end',
  ],
  ...['logs/HEAD', 'logs/refs/heads/main', 'worktrees/one/HEAD', 'worktrees/one/gitdir'],
]

describe.each([
  ['a work tree', '.'],
  ['a folder inside a work tree', 'inside'],
  ['the git folder itself', '.git'],
])('asked from %s', (_name, from) => {
  test.each(parts)('a pipe for .git/%s is refused', (name) => {
    mkdirSync(join(repository, from), { recursive: true })
    const path = putPipe(join('.git', name))
    expect(() => refusePipes(join(repository, from))).toThrow(refused)
    expect(() => refusePipes(join(repository, from))).toThrow(path)
  })
})

test.each(['.gitignore', '.gitattributes', '.gitmodules'])('a pipe for %s is refused', (name) => {
  putPipe(name)
  expect(() => refusePipes(repository)).toThrow(refused)
})

test('a link to a pipe is refused', () => {
  const pipe = putPipe('pipe')
  symlinkSync(pipe, join(repository, '.git', 'packed-refs'))
  expect(() => refusePipes(repository)).toThrow(refused)
})

test('a pipe in a linked work tree is refused, from the work tree and from the repository', () => {
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one']
  execFileSync('git', commit, { cwd: repository })
  const linked = join(repository, 'linked')
  execFileSync('git', ['worktree', 'add', '-q', linked], { cwd: repository, stdio: 'ignore' })
  refusePipes(linked)
  putPipe('.git/worktrees/linked/index')
  expect(() => refusePipes(linked)).toThrow(refused)
  expect(() => refusePipes(repository)).toThrow(refused)
})

describe('a path that the configuration names', () => {
  test.each([
    ['[include]\n\tpath = ../pipe\n'],
    ['[include] path="../pipe"\n'],
    ['[includeIf "gitdir:/"]\n\tPath = ../pipe ; a comment\n'],
    ['[core]\n\texcludesFile = pipe\n'],
    ['[core]\n\tattributesFile = pipe\n'],
  ])('is refused where it is a pipe: %j', (text) => {
    putPipe('pipe')
    appendFileSync(join(repository, '.git', 'config'), text)
    expect(() => refusePipes(repository)).toThrow(refused)
  })

  test('is followed into an included file, also one that includes itself', () => {
    putPipe('pipe')
    appendFileSync(join(repository, '.git', 'config'), '[include]\n\tpath = more\n')
    writeFileSync(join(repository, '.git', 'more'), '[include]\n\tpath = more\n')
    refusePipes(repository)
    appendFileSync(join(repository, '.git', 'more'), '[include]\n\tpath = ../pipe\n')
    expect(() => refusePipes(repository)).toThrow(refused)
  })

  test('may be /dev/null, or missing', () => {
    const text = '[core]\n\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n[include]\n\tpath = nowhere\n'
    appendFileSync(join(repository, '.git', 'config'), text)
    refusePipes(repository)
  })
})

test('the socket of git’s own file system monitor is let through', () => {
  const path = join(repository, '.git', 'fsmonitor--daemon.ipc')
  const bind = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', bind], { stdio: 'ignore' })).toThrow()
  refusePipes(repository)
})

test('a link in place of our refs is refused, a folder is not', () => {
  const refs = join(repository, '.git', 'refs', 'offshoot')
  mkdirSync(refs)
  refusePipes(repository)
  rmSync(refs, { recursive: true })
  symlinkSync(tmpdir(), refs)
  expect(() => refusePipes(repository)).toThrow('is a link')
})

describe('links', () => {
  /** Puts a link in place of a part of the repository. */
  function putLink(name: string, target: string): void {
    const path = join(repository, '.git', name)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  }

  let other: string
  beforeEach(() => {
    other = join(repository, 'other')
    execFileSync('git', ['init', '-q', '-b', 'main', other])
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.test']
    execFileSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'one'], { cwd: other })
    execFileSync('git', ['repack', '-adq'], { cwd: other })
    execFileSync('git', ['pack-refs', '--all', '--no-prune'], { cwd: other })
    mkdirSync(join(other, '.git', 'objects', 'ab'), { recursive: true })
    mkdirSync(join(other, '.git', 'worktrees'), { recursive: true })
  })

  test.each([
    ...['HEAD', 'objects', 'refs', 'packed-refs', 'worktrees', 'refs/heads', 'refs/heads/main', 'objects/pack', 'objects/info'],
    'objects/ab',
  ])('to .git/%s of another repository are refused', (name) => {
    putLink(name, join(other, '.git', name))
    expect(() => refusePipes(repository)).toThrow(refused)
    expect(() => refusePipes(repository)).toThrow('outside of its repository')
  })

  test('that stay in the repository, lead nowhere or bring no code are let through', () => {
    putLink('HEAD', 'refs/heads/main')
    execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'one'], {
      cwd: repository,
      env: { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' },
    })
    putLink('refs/heads/gone', join(repository, 'nothing'))
    putLink('info/exclude', join(other, '.git', 'info', 'exclude'))
    expect(() => refusePipes(repository)).not.toThrow()
  })

  test('into the folder that the repo tool keeps above its checkouts are let through', () => {
    const checkout = join(repository, 'all', 'checkout')
    const shared = join(repository, 'all', '.repo', 'projects', 'checkout.git')
    execFileSync('git', ['init', '-q', '-b', 'main', checkout])
    mkdirSync(dirname(shared), { recursive: true })
    execFileSync('git', ['init', '-q', '--bare', shared])
    for (const name of ['objects', 'refs']) {
      rmSync(join(checkout, '.git', name), { recursive: true })
      symlinkSync(join(shared, name), join(checkout, '.git', name))
    }
    expect(() => refusePipes(checkout)).not.toThrow()
    rmSync(join(other, '.git', 'objects'), { recursive: true })
    symlinkSync(join(shared, 'objects'), join(other, '.git', 'objects'))
    expect(() => refusePipes(other)).toThrow('outside of its repository')
  })
})
