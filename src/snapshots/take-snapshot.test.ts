import { chmodSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, git, makeRepository, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, useSnapshots } from '../../test/git/snapshots.ts'
import { openWorkTree } from '../../test/git/snapshots-of.ts'
import { openSnapshot } from './open-snapshot.ts'
import { readSnapshot } from './read-snapshot.ts'
import { readTree } from './take-snapshot.ts'

describe('a snapshot', () => {
  const its = useSnapshots()
  const filesOf = async (options?: Parameters<typeof its.take>[0]) => {
    const root = options?.root ?? its.root
    return readTreeFiles(root, (await its.take(options)).snapshot.tree)
  }

  it('holds tracked and untracked files as they lie there, not ignored ones', async () => {
    writeFiles(its.root, { '.gitignore': 'ignored\n', 'a.txt': 'changed\n', 'new/x': 'new', ignored: 'no', run: '#!' })
    rmSync(join(its.root, 'd/b.txt'))
    chmodSync(join(its.root, 'run'), 0o755)
    symlinkSync('/nowhere', join(its.root, 'link'))
    writeFileSync(at(its.root, 'odd\xff\n*'), 'odd')
    const { snapshot, previous, commit, problem } = await its.take()
    expect(readTreeFiles(its.root, snapshot.tree)).toEqual({
      '.gitignore': 'file ignored\n',
      'a.txt': 'file changed\n',
      'new/x': 'file new',
      run: 'executable #!',
      link: 'link /nowhere',
      'odd\xff\n*': 'file odd',
    })
    expect({ previous, commit, problem }).toEqual({ previous: null, commit: null, problem: null })
    const head = git(its.root, ['rev-parse', 'HEAD']).trim()
    expect(snapshot.meta).toMatchObject({ head, branch: 'main', root: its.root, notCovered: [], commit: null, version: 1 })
    expect(await readSnapshot(testGit(), join(its.root, '.git'), snapshot.ref)).toEqual(snapshot)
  })

  it('of the same turn and moment takes the place of the one before, and tells it', async () => {
    const first = await its.take()
    const second = await its.take()
    expect(second).toMatchObject({ previous: first.snapshot.id, unchanged: true })
    writeFiles(its.root, { more: 'm' })
    const third = await its.take()
    expect(third).toMatchObject({ previous: second.snapshot.id, unchanged: false })
    await its.take({ meta: { moment: 'start' } })
    const refs = git(its.root, ['for-each-ref', '--format=%(refname) %(objecttype)', 'refs/offshoot'])
    expect(refs).toBe('refs/offshoot/claude/session-1/turn-1/end tree\nrefs/offshoot/claude/session-1/turn-1/start tree\n')
  })

  it('shows in no log, and may have another name', async () => {
    const { snapshot } = await its.take({ ref: 'refs/offshoot/safety/x' })
    expect(snapshot.ref).toBe('refs/offshoot/safety/x')
    expect(git(its.root, ['log', '--all', '--format=%s'])).toBe('first\n')
  })

  it('is the same tree that is read for comparing, which leaves no ref', async () => {
    writeFiles(its.root, { new: 'n' })
    const index = join(its.scratch.path, 'other', 'index')
    const read = await readTree(testGit(), await openWorkTree(its.root), index, 0)
    expect(git(its.root, ['for-each-ref', 'refs/offshoot'])).toBe('')
    const head = git(its.root, ['rev-parse', 'HEAD']).trim()
    expect(read).toEqual({ tree: (await its.take()).snapshot.tree, head, notCovered: [], raw: new Map() })
  })

  it('works before the first commit, staged and not', async () => {
    const root = join(its.scratch.path, 'unborn')
    git(its.scratch.path, ['init', '-q', '-b', 'trunk', root])
    writeFiles(root, { one: '1' })
    const { snapshot } = await its.take({ root })
    expect(snapshot.meta).toMatchObject({ head: null, branch: 'trunk' })
    expect(readTreeFiles(root, snapshot.tree)).toEqual({ one: 'file 1' })
    expect(git(root, ['status', '--porcelain=v2', '--branch'])).toBe('# branch.oid (initial)\n# branch.head trunk\n? one\n')
    writeFiles(root, { two: '2' })
    git(root, ['add', 'two'])
    writeFiles(root, { two: '22' })
    const again = await its.take({ root })
    expect(readTreeFiles(root, again.snapshot.tree)).toEqual({ one: 'file 1', two: 'file 22' })
    git(root, ['gc', '-q', '--prune=now'])
    const { index } = await openSnapshot(testGit(), join(root, '.git'), again.snapshot.id)
    expect(index).not.toBeNull()
    expect(git(root, ['cat-file', 'blob', git(root, ['rev-parse', ':two']).trim()])).toBe('2')
  })

  it('of a linked worktree, detached, lies in the shared repository', async () => {
    const root = join(its.scratch.path, 'linked')
    git(its.root, ['worktree', 'add', '-q', '--detach', root])
    writeFiles(root, { 'a.txt': 'here' })
    const { snapshot } = await its.take({ root })
    expect(snapshot.meta).toMatchObject({ branch: null, root })
    expect(readTreeFiles(its.root, snapshot.ref.concat(':wt'))).toMatchObject({ 'a.txt': 'file here' })
  })

  it('of a repository with SHA-256 works alike', async () => {
    const root = join(its.scratch.path, 'sha256')
    git(its.scratch.path, ['init', '-q', '--object-format=sha256', root])
    writeFiles(root, { one: '1' })
    git(root, ['add', 'one'])
    writeFiles(root, { two: '2' })
    expect(await filesOf({ root })).toEqual({ one: 'file 1', two: 'file 2' })
  })

  it('sees what git was told to look away from', async () => {
    git(its.root, ['update-index', '--assume-unchanged', 'a.txt'])
    git(its.root, ['update-index', '--skip-worktree', 'd/b.txt'])
    writeFiles(its.root, { 'a.txt': 'seen', 'd/b.txt': 'seen too' })
    expect(await filesOf()).toEqual({ 'a.txt': 'file seen', 'd/b.txt': 'file seen too' })
    writeFiles(its.root, { 'a.txt': 'seen again' })
    expect(await filesOf()).toEqual({ 'a.txt': 'file seen again', 'd/b.txt': 'file seen too' })
  })

  it('keeps what is staged apart, and gc cannot take it', async () => {
    writeFiles(its.root, { 'a.txt': 'staged\n' })
    git(its.root, ['add', 'a.txt'])
    writeFiles(its.root, { 'a.txt': 'edited\n' })
    const { snapshot } = await its.take()
    git(its.root, ['reset', '-q', '--hard'])
    git(its.root, ['gc', '-q', '--prune=now'])
    expect(readTreeFiles(its.root, `${snapshot.id}:wt`)).toMatchObject({ 'a.txt': 'file edited\n' })
    expect(Object.values(readTreeFiles(its.root, `${snapshot.id}:st`))).toEqual(['file staged\n'])
  })

  it('keeps no index where it is plainly that of HEAD, also after a look at it, and one where HEAD alone moved', async () => {
    const parts = async () => git(its.root, ['ls-tree', '--name-only', (await its.take()).snapshot.id]).split('\n')
    expect(await parts()).toEqual(['base', 'empty', 'meta', 'wt', ''])
    git(its.root, ['commit', '-q', '--allow-empty', '-m', 'second'])
    writeFiles(its.root, { more: 'm' })
    git(its.root, ['add', 'more'])
    git(its.root, ['commit', '-qm', 'third'])
    expect(await parts()).toEqual(['base', 'empty', 'meta', 'wt', ''])
    git(its.root, ['reset', '-q', '--soft', 'HEAD~1'])
    expect(await parts()).toEqual(['base', 'empty', 'index', 'meta', 'st', 'wt', ''])
  })

  it('of a conflict in a folder that has become a link to itself', async () => {
    git(its.root, ['checkout', '-qb', 'other'])
    for (const [branch, text] of [
      ['other', 'theirs\n'],
      ['main', 'ours\n'],
    ] as const) {
      git(its.root, ['checkout', '-q', branch])
      writeFiles(its.root, { 'd/b.txt': text })
      git(its.root, ['commit', '-qam', text])
    }
    git(its.root, ['merge', '-q', 'other'], { mayFail: true })
    rmSync(join(its.root, 'd'), { recursive: true })
    symlinkSync('d', join(its.root, 'd'))
    const { snapshot } = await its.take()
    expect(readTreeFiles(its.root, snapshot.tree)).toEqual({ 'a.txt': 'file a\n', d: 'link d' })
  })

  it('of a merge with conflicts has the files as they lie there and keeps all sides', async () => {
    git(its.root, ['checkout', '-qb', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs\n' })
    git(its.root, ['commit', '-qam', 'theirs'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours\n' })
    git(its.root, ['commit', '-qam', 'ours'])
    git(its.root, ['merge', 'other'], { mayFail: true })
    const before = git(its.root, ['ls-files', '--stage'])
    const { snapshot } = await its.take()
    expect(git(its.root, ['ls-files', '--stage'])).toBe(before)
    expect(readTreeFiles(its.root, snapshot.tree)['a.txt']).toContain('<<<<<<< HEAD\nours\n')
    git(its.root, ['merge', '--abort'])
    git(its.root, ['branch', '-D', 'other'])
    git(its.root, ['reflog', 'expire', '--expire=now', '--all'])
    git(its.root, ['gc', '-q', '--prune=now'])
    const sides = Object.values(readTreeFiles(its.root, `${snapshot.id}:st`)).sort()
    expect(sides).toEqual(['file a\n', 'file ours\n', 'file theirs\n'])
  })

  it('follows an ignored file that was added by force, until it is taken out again', async () => {
    writeFiles(its.root, { '.gitignore': '*.log\n', 'x.log': 'log' })
    expect(await filesOf()).not.toHaveProperty(['x.log'])
    git(its.root, ['add', '-f', 'x.log'])
    expect(await filesOf()).toHaveProperty(['x.log'], 'file log')
    git(its.root, ['rm', '-q', '--cached', 'x.log'])
    expect(await filesOf()).not.toHaveProperty(['x.log'])
  })

  it('drops an untracked file once it is ignored, and takes it once it is not', async () => {
    writeFiles(its.root, { 'built/x': 'x', 'built/y': 'y' })
    expect(await filesOf()).toHaveProperty(['built/x'])
    writeFiles(its.root, { '.gitignore': 'built/\n' })
    expect(Object.keys(await filesOf())).toEqual(['.gitignore', 'a.txt', 'd/b.txt'])
    rmSync(join(its.root, '.gitignore'))
    expect(Object.keys(await filesOf())).toEqual(['a.txt', 'built/x', 'built/y', 'd/b.txt'])
  })

  it('of a sparse checkout is whole, and knows what lay on disk', async () => {
    writeFiles(its.root, { 'e/c.txt': 'c\n', 'f/g': 'g\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'more'])
    git(its.root, ['sparse-checkout', 'set', '--cone', 'd'])
    writeFiles(its.root, { 'e/new.txt': 'outside', 'd/b.txt': 'changed' })
    const { snapshot } = await its.take()
    const all = {
      'a.txt': 'file a\n',
      'd/b.txt': 'file changed',
      'e/c.txt': 'file c\n',
      'e/new.txt': 'file outside',
      'f/g': 'file g\n',
    }
    expect(readTreeFiles(its.root, snapshot.tree)).toEqual(all)
    const { 'e/c.txt': _, 'f/g': __, ...onDisk } = all
    expect(readTreeFiles(its.root, `${snapshot.id}:tm`)).toEqual(onDisk)
    writeFiles(its.root, { 'f/g': 'put there' })
    expect(await filesOf()).toEqual({ ...all, 'f/g': 'file put there' })
    rmSync(join(its.root, 'f'), { recursive: true })
    expect(await filesOf()).toEqual(all)
  })

  it('of a split index leaves it split', async () => {
    git(its.root, ['update-index', '--split-index'])
    writeFiles(its.root, { 'a.txt': 'changed', new: 'n' })
    git(its.root, ['add', 'new'])
    expect(await filesOf()).toEqual({ 'a.txt': 'file changed', 'd/b.txt': 'file b\n', new: 'file n' })
    expect(git(its.root, ['rev-parse', '--shared-index-path'])).toContain('sharedindex')
  })

  it('does not lose a file whose name changed only in case, nor an executable bit, whatever the settings say', async () => {
    git(its.root, ['config', 'core.ignorecase', 'true'])
    git(its.root, ['config', 'core.filemode', 'false'])
    renameSync(join(its.root, 'a.txt'), join(its.root, 'A.txt'))
    chmodSync(join(its.root, 'd/b.txt'), 0o755)
    writeFiles(its.root, { new: 'n' })
    chmodSync(join(its.root, 'new'), 0o755)
    const wanted = { 'A.txt': 'file a\n', 'd/b.txt': 'executable b\n', new: 'executable n' }
    expect(await filesOf()).toEqual(wanted)
    expect(await filesOf()).toEqual(wanted)
    chmodSync(join(its.root, 'd/b.txt'), 0o644)
    expect(await filesOf()).toEqual({ ...wanted, 'd/b.txt': 'file b\n' })
  })

  it('keeps the bytes of files git would write otherwise, and follows them', async () => {
    const raw = async () => {
      const opened = await openSnapshot(testGit(), join(its.root, '.git'), (await its.take()).snapshot.id)
      return Object.fromEntries([...opened.raw].map(([path, { id }]) => [path, git(its.root, ['cat-file', 'blob', id])]))
    }
    git(its.root, ['config', 'core.safecrlf', 'true'])
    writeFiles(its.root, { 'plain.txt': 'one\r\n' })
    expect(await raw()).toEqual({})
    writeFiles(its.root, {
      '.gitattributes': '* text=auto\n*.id ident\n',
      'x.id': '$Id$\n',
      'mixed.txt': 'a\r\nb\n',
      'l\n"f': 'x\r\n',
    })
    expect(await raw()).toEqual({ 'x.id': '$Id$\n', 'mixed.txt': 'a\r\nb\n', 'l\n"f': 'x\r\n' })
    // The blob stays the same: only the bytes on disk tell.
    writeFiles(its.root, { 'mixed.txt': 'a\r\nb\r\n' })
    rmSync(join(its.root, 'x.id'))
    expect(await raw()).toEqual({ 'mixed.txt': 'a\r\nb\r\n', 'l\n"f': 'x\r\n' })
    git(its.root, ['-c', 'core.safecrlf=false', 'add', '-A'])
    writeFiles(its.root, { 'mixed.txt': 'a\nb\n', 'later.txt': 'l\r\n' })
    expect(await raw()).toEqual({ 'later.txt': 'l\r\n', 'l\n"f': 'x\r\n', 'plain.txt': 'one\r\n' })
  })

  it('keeps what a filter does not give back, and leaves the rest to it', async () => {
    git(its.root, ['config', 'filter.strip.clean', 'grep -v output'])
    git(its.root, ['config', 'filter.lfs.clean', 'cat >/dev/null; echo pointer'])
    writeFiles(its.root, { '.gitattributes': '*.nb filter=strip\n*.big filter=lfs\n' })
    writeFiles(its.root, { 'x.nb': 'input\noutput\n', 'y.nb': 'input\n', 'z.big': 'large' })
    const { snapshot } = await its.take()
    expect(readTreeFiles(its.root, snapshot.tree)).toMatchObject({ 'x.nb': 'file input\n', 'z.big': 'file pointer\n' })
    expect(readTreeFiles(its.root, `${snapshot.id}:raw`)).toEqual({ 0: 'file input\noutput\n' })
    expect(git(its.root, ['cat-file', 'blob', `${snapshot.id}:raw-paths`])).toBe('x.nb\0')
  })

  it('keeps the bytes of files whose blobs a filter made that is gone by now', async () => {
    git(its.root, ['config', 'filter.mark.clean', 'cat; echo mark'])
    git(its.root, ['config', 'filter.mark.smudge', 'head -n -1'])
    writeFiles(its.root, { '.gitattributes': '*.m filter=mark\n', 'x.m': 'x\n' })
    git(its.root, ['add', '-A'])
    utimesSync(join(its.root, 'x.m'), 1e9, 1e9)
    git(its.root, ['update-index', '--refresh'])
    git(its.root, ['commit', '-qm', 'marked'])
    rmSync(join(its.root, '.gitattributes'))
    const { snapshot } = await its.take()
    expect(readTreeFiles(its.root, snapshot.tree)['x.m']).toBe('file x\nmark\n')
    expect(readTreeFiles(its.root, `${snapshot.id}:raw`)).toEqual({ 0: 'file x\n' })
  })

  it('sees edits of the same size in the same second, however it was made', async () => {
    const set = (text: string) => {
      writeFiles(its.root, { 'a.txt': text })
      utimesSync(join(its.root, 'a.txt'), 1_700_000_000, 1_700_000_000.5)
    }
    for (const [before, after] of ['12', '34', '56'].map((pair) => [...pair] as [string, string])) {
      set(before)
      git(its.root, ['add', 'a.txt'])
      utimesSync(join(its.root, '.git/index'), 1_700_000_000, 1_700_000_000.7)
      set(after)
      expect(await filesOf()).toMatchObject({ 'a.txt': `file ${after}` })
    }
    for (const text of ['7', '8', '9']) {
      writeFiles(its.root, { new: text })
      expect(await filesOf()).toMatchObject({ new: `file ${text}` })
      writeFiles(its.root, { new: `${Number(text) + 1}` })
      expect(await filesOf()).toMatchObject({ new: `file ${Number(text) + 1}` })
    }
  })

  it('of one session knows nothing of another repository taken through the same file', async () => {
    const root = makeRepository(join(its.scratch.path, 'second'), { other: 'o' })
    await its.take()
    expect(await filesOf({ root })).toEqual({ other: 'file o' })
  })
})
