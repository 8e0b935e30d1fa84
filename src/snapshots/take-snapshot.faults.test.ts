import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTouched, takeInventory } from '../../test/git/observe.ts'
import { git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, runOne, takeOne, useSnapshots } from '../../test/git/snapshots.ts'
import { openWorkTree } from '../../test/git/snapshots-of.ts'
import { readTree } from './take-snapshot.ts'

describe('taking snapshots', () => {
  const its = useSnapshots()
  const index = () => join(its.scratch.path, 'captures', 'index-1')
  const filesOf = async (options?: Parameters<typeof its.take>[0]) => {
    return readTreeFiles(options?.root ?? its.root, (await its.take(options)).snapshot.tree)
  }
  const fsck = (root = its.root) => expect(git(root, ['fsck', '--no-dangling'])).toBe('')

  it('a hundred times leaves everything of the person as it was, while their work goes on', { timeout: 300_000 }, async () => {
    git(its.root, ['config', 'core.logAllRefUpdates', 'always'])
    writeFiles(its.root, { 'a.txt': 'stashed' })
    git(its.root, ['stash', '-q'])
    for (const name of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-commit', 'pre-auto-gc']) {
      const text = `#!/bin/sh\ntouch "${its.scratch.path}/hook-ran"\n`
      writeFileSync(join(its.root, '.git/hooks', name), text, { mode: 0o755 })
    }
    const ours = /^\.git\/(objects|refs\/offshoot)(\/|$)/
    for (let turn = 0; turn < 100; turn++) {
      writeFiles(its.root, { 'a.txt': `turn ${turn}`, [`new/${turn % 7}`]: `${turn}` })
      if (turn % 9 === 0) git(its.root, ['-c', 'core.hooksPath=/dev/null', 'add', 'new'])
      if (turn % 20 === 19) git(its.root, ['-c', 'core.hooksPath=/dev/null', 'commit', '-qm', `turn ${turn}`])
      const status = git(its.root, ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--show-stash'])
      const before = takeInventory(its.root)
      const { snapshot } = await its.take({ meta: { turnKey: `turn-${turn}` } })
      expect(listTouched(before, takeInventory(its.root)).filter((path) => !ours.test(path))).toEqual([])
      expect(git(its.root, ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--show-stash'])).toBe(status)
      expect(git(its.root, ['cat-file', 'blob', `${snapshot.tree}:a.txt`])).toBe(`turn ${turn}`)
    }
    expect(existsSync(join(its.scratch.path, 'hook-ran'))).toBe(false)
    expect(git(its.root, ['for-each-ref', 'refs/offshoot']).trim().split('\n')).toHaveLength(100)
    git(its.root, ['gc', '-q', '--prune=now'])
    expect(git(its.root, ['cat-file', 'blob', 'refs/offshoot/claude/session-1/turn-3/end:wt/a.txt'])).toBe('turn 3')
    fsck()
  })

  it('goes on when objects of the private index were pruned: files, what was staged, raw bytes', async () => {
    writeFiles(its.root, { '.gitattributes': '*.txt text\n', 'a.txt': 'a\r\n', new: 'n', staged: 's' })
    git(its.root, ['add', 'staged'])
    const workTree = await openWorkTree(its.root)
    await readTree(testGit(), workTree, index(), 0)
    git(its.root, ['gc', '-q', '--prune=now'])
    const wanted = {
      '.gitattributes': 'file *.txt text\n',
      'a.txt': 'file a\n',
      'd/b.txt': 'file b\n',
      new: 'file n',
      staged: 'file s',
    }
    expect(await filesOf()).toEqual(wanted)
    git(its.root, ['update-ref', '-d', 'refs/offshoot/claude/session-1/turn-1/end'])
    git(its.root, ['gc', '-q', '--prune=now'])
    writeFiles(its.root, { more: 'm' })
    expect(await filesOf()).toEqual({ ...wanted, more: 'file m' })
    fsck()
  })

  it.each([
    ['cut short', () => truncateSync(index(), 100)],
    ['nonsense', () => writeFileSync(index(), 'x'.repeat(5000))],
    ['locked by a git that is gone', () => writeFileSync(`${index()}.lock`, '')],
    ['without its notes', () => writeFileSync(`${index()}.json`, '{"version":1,')],
  ])('goes on when the private index is %s', async (_, damage) => {
    writeFiles(its.root, { new: 'n' })
    await its.take()
    damage()
    writeFiles(its.root, { 'a.txt': 'changed' })
    expect(await filesOf()).toEqual({ 'a.txt': 'file changed', 'd/b.txt': 'file b\n', new: 'file n' })
    damage()
    git(its.root, ['add', 'new'])
    expect(await filesOf()).toEqual({ 'a.txt': 'file changed', 'd/b.txt': 'file b\n', new: 'file n' })
  })

  it('does not mind a lock of the index, a rebase in progress or one of the refs', async () => {
    git(its.root, ['checkout', '-qb', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs' })
    git(its.root, ['commit', '-qam', 'theirs'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours' })
    git(its.root, ['commit', '-qam', 'ours'])
    git(its.root, ['rebase', 'other'], { mayFail: true })
    for (const name of ['index', 'packed-refs', 'HEAD']) writeFileSync(join(its.root, '.git', `${name}.lock`), '')
    writeFiles(its.root, { new: 'n' })
    const { snapshot } = await its.take()
    expect(snapshot.meta.branch).toBeNull()
    expect(readTreeFiles(its.root, snapshot.tree)).toMatchObject({ new: 'file n', 'a.txt': expect.stringContaining('<<<<<<<') })
    expect(existsSync(join(its.root, '.git/index.lock'))).toBe(true)
    expect(existsSync(join(its.root, '.git/rebase-merge'))).toBe(true)
  })

  it('says so when the repository may not be written, and goes on when it may', () => {
    writeFiles(its.root, { new: 'n' })
    mkdirSync(join(its.scratch.path, 'captures'))
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', its.scratch.path])
    const request = { root: its.root, index: index(), turnKey: 't', uid: 65534 }
    execFileSync('chmod', ['-R', 'a-w', join(its.root, '.git')])
    const before = takeInventory(its.root)
    expect(takeOne(request)?.error).toMatch(/insufficient permission/)
    expect(listTouched(before, takeInventory(its.root))).toEqual([])
    execFileSync('chmod', ['-R', 'u+w', join(its.root, '.git')])
    expect(takeOne(request)).toMatchObject({ notCovered: [], tree: expect.any(String) })
    chmodSync(its.root, 0o755)
  })

  it('killed during any call of git, goes on at the next turn, and nothing is damaged', async () => {
    writeFiles(its.root, { staged: 's' })
    git(its.root, ['add', 'staged'])
    const calls = takeOne({ root: its.root, index: index(), turnKey: 'whole' })?.calls ?? 0
    expect(calls).toBeGreaterThan(5)
    let killed = 0
    for (let killAt = 0; killAt < calls; killAt++) {
      const attributes = `${'#'.repeat(killAt)}\n*.crlf text\n`
      writeFiles(its.root, {
        'a.txt': `before ${killAt}`,
        [`new-${killAt}`]: 'n',
        '.gitattributes': attributes,
        'x.crlf': 'x\r\n',
      })
      // So that everything is done anew.
      if (killAt % 2 === 0) git(its.root, ['add', 'a.txt'])
      const told = takeOne({ root: its.root, index: index(), turnKey: `killed-${killAt}`, killAt })
      // The last ones may have ended before the blow fell.
      if (told === null) killed++
      writeFiles(its.root, { 'a.txt': `after ${killAt}` })
      const { snapshot } = await its.take({ meta: { turnKey: `next-${killAt}` } })
      const parts = ['base', 'empty', 'index', 'meta', 'raw', 'raw-paths', 'st', 'wt']
      expect(git(its.root, ['ls-tree', '--name-only', snapshot.id]).trim().split('\n').sort()).toEqual(parts)
      const files = readTreeFiles(its.root, snapshot.tree)
      expect(files).toMatchObject({ 'a.txt': `file after ${killAt}`, [`new-${killAt}`]: 'file n', staged: 'file s' })
    }
    expect(killed).toBeGreaterThan(5)
    fsck()
  })

  it('of two sessions in one work tree and of two worktrees at once mixes nothing', async () => {
    const linked = join(its.scratch.path, 'linked')
    git(its.root, ['worktree', 'add', '-q', '-b', 'linked', linked])
    const places = [
      ['one', its.root],
      ['two', its.root],
      ['three', linked],
    ] as const
    for (let turn = 0; turn < 8; turn++) {
      writeFiles(its.root, { 'a.txt': `here ${turn}`, [`new-${turn}`]: 'n' })
      writeFiles(linked, { 'a.txt': `there ${turn}` })
      const taken = await Promise.all(
        places.map(([sessionId, root]) =>
          its.take({ root, meta: { sessionId, turnKey: `t${turn}` }, index: join(its.scratch.path, sessionId) }),
        ),
      )
      const texts = taken.map(({ snapshot }) => git(its.root, ['cat-file', 'blob', `${snapshot.ref}:wt/a.txt`]))
      expect(texts).toEqual([`here ${turn}`, `here ${turn}`, `there ${turn}`])
      expect(taken[0]?.snapshot.tree).toBe(taken[1]?.snapshot.tree)
    }
    expect(git(its.root, ['for-each-ref', 'refs/offshoot']).trim().split('\n')).toHaveLength(24)
    fsck()
  })
})

// A mount of our own: as root by itself, else as the root of a user namespace.
const flags = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

describe.runIf(flags !== undefined)('taking snapshots on a full disk', () => {
  const its = useSnapshots()

  it('fails with a word, harms nothing, and goes on once there is room', () => {
    const disk = join(its.scratch.path, 'disk')
    const root = join(disk, 'repo')
    mkdirSync(disk)
    const index = join(its.scratch.path, 'captures', 'index-1')
    const script = join(its.scratch.path, 'run.sh')
    // All in one namespace: the mount is gone with it.
    const lines = [
      'set -e',
      `mount -t tmpfs -o size=2m none '${disk}'`,
      `cp -a '${makeRepository(join(its.scratch.path, 'source'))}' '${root}'`,
      `cd '${root}'; head -c 300000 /dev/urandom > new`,
      `cp .git/index '${its.scratch.path}/index-before'`,
      `dd if=/dev/zero of='${disk}/ballast' bs=1k 2>/dev/null || true`,
      '"$@" > ../../full.json',
      `cmp .git/index '${its.scratch.path}/index-before'; rm '${disk}/ballast'`,
      '"$@" > ../../free.json',
      'git fsck --no-dangling; git ls-tree -r --name-only refs/offshoot/claude/session-1/t/end:wt',
    ]
    writeFileSync(script, lines.join('\n'))
    const wrap = ['unshare', flags ?? '', 'sh', script, 'env', `--chdir=${process.cwd()}`]
    const { stdout, stderr, status } = runOne({ root, index, turnKey: 't' }, wrap)
    expect(status, stderr).toBe(0)
    expect(JSON.parse(readFileSync(join(its.scratch.path, 'full.json'), 'utf8')).error).toMatch(/No space left|disk is full/)
    expect(JSON.parse(readFileSync(join(its.scratch.path, 'free.json'), 'utf8'))).toMatchObject({ notCovered: [] })
    expect(stdout).toBe('a.txt\nd/b.txt\nnew\n')
  })
})
