import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTouched, takeInventory } from '../../test/git/observe.ts'
import { at, git, makeRepository, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, takeOne, useSnapshots } from '../../test/git/snapshots.ts'

describe('what a snapshot does not cover is told:', () => {
  const its = useSnapshots()
  const take = async (maxFileBytes = 1000) => {
    const { snapshot } = await its.take({ maxFileBytes })
    return { notCovered: snapshot.meta.notCovered, files: Object.keys(readTreeFiles(its.root, snapshot.tree)) }
  }

  it('untracked files that are too large, also once they have grown; not tracked ones', async () => {
    const large = 'x'.repeat(2000)
    writeFiles(its.root, { 'a.txt': large, 'new/large': large, 'new/small': 's' })
    writeFileSync(at(its.root, 'l\xffarge*'), large)
    expect(await take()).toEqual({
      notCovered: [
        { path: 'l\ufffdarge*', reason: 'too_large' },
        { path: 'new/large', reason: 'too_large' },
      ],
      files: ['a.txt', 'd/b.txt', 'new/small'],
    })
    writeFiles(its.root, { 'new/small': large, 'new/large': 'now small' })
    rmSync(at(its.root, 'l\xffarge*'))
    expect(await take()).toEqual({
      notCovered: [{ path: 'new/small', reason: 'too_large' }],
      files: ['a.txt', 'd/b.txt', 'new/large'],
    })
    git(its.root, ['add', '-A'])
    expect((await take()).notCovered).toEqual([])
    expect((await take(0)).files).toEqual(['a.txt', 'd/b.txt', 'new/large', 'new/small'])
  })

  it('repositories inside this one, with and without commits, and one in the place of a file', async () => {
    makeRepository(join(its.root, 'inner'))
    git(its.root, ['init', '-q', 'empty'])
    writeFiles(its.root, { 'empty/x': 'x', new: 'n' })
    const notCovered = [
      { path: 'empty/', reason: 'embedded_repository' },
      { path: 'inner/', reason: 'embedded_repository' },
    ]
    expect(await take()).toEqual({ notCovered, files: ['a.txt', 'd/b.txt', 'new'] })
    rmSync(join(its.root, 'a.txt'))
    makeRepository(join(its.root, 'a.txt'))
    const more = [{ path: 'a.txt/', reason: 'embedded_repository' }, ...notCovered]
    for (const _ of [1, 2]) expect(await take()).toEqual({ notCovered: more, files: ['d/b.txt', 'new'] })
    rmSync(join(its.root, 'd/b.txt'))
    git(its.root, ['init', '-q', 'd/b.txt'])
    for (const _ of [1, 2]) {
      const found = await take()
      expect(found.files).toEqual(['new'])
      expect(found.notCovered).toContainEqual({ path: 'd/b.txt/', reason: 'embedded_repository' })
    }
  })

  it('work inside of submodules; their commits are in it', async () => {
    const library = makeRepository(join(its.scratch.path, 'library'))
    git(its.root, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    git(its.root, ['commit', '-qam', 'lib'])
    expect((await take()).notCovered).toEqual([])
    writeFiles(its.root, { 'lib/new': 'n' })
    const dirty = [{ path: 'lib', reason: 'submodule_changes' }]
    // Newer than its own index knows: who looks into the submodule must not write that down.
    utimesSync(join(its.root, 'lib/a.txt'), 1e9, 1e9)
    const before = takeInventory(its.root)
    expect((await take()).notCovered).toEqual(dirty)
    const touched = listTouched(before, takeInventory(its.root))
    expect(touched.filter((path) => !/^\.git\/(objects|refs\/offshoot)(\/|$)/.test(path))).toEqual([])
    git(join(its.root, 'lib'), ['add', '-A'])
    expect((await take()).notCovered).toEqual(dirty)
    git(join(its.root, 'lib'), ['commit', '-qm', 'new'])
    const { snapshot } = await its.take()
    expect(snapshot.meta.notCovered).toEqual([])
    const commit = git(join(its.root, 'lib'), ['rev-parse', 'HEAD']).trim()
    expect(readTreeFiles(its.root, snapshot.tree).lib).toBe(`commit ${commit}`)
  })

  it('pipes and sockets in the place of tracked files; others are nothing to keep', async () => {
    const server = createServer()
    rmSync(join(its.root, 'a.txt'))
    rmSync(join(its.root, 'd/b.txt'))
    execFileSync('mkfifo', [join(its.root, 'a.txt'), join(its.root, 'untracked')])
    await new Promise<void>((done) => server.listen(join(its.root, 'd/b.txt'), done))
    try {
      writeFiles(its.root, { new: 'n' })
      for (const _ of [1, 2]) {
        expect(await take()).toEqual({
          notCovered: [
            { path: 'a.txt', reason: 'special_file' },
            { path: 'd/b.txt', reason: 'special_file' },
          ],
          files: ['a.txt', 'd/b.txt', 'new'],
        })
      }
    } finally {
      await new Promise((done) => server.close(done))
    }
  })

  it('files whose filter fails, be it one or many, or that are not in the encoding they claim', async () => {
    git(its.root, ['config', 'filter.broken.clean', 'false'])
    git(its.root, ['config', 'filter.broken.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.big filter=broken\n*.u16 working-tree-encoding=UTF-16LE\n', 'x.u16': 'odd' })
    writeFiles(its.root, { 'one.big': '1', new: 'n' })
    expect(await take()).toEqual({
      notCovered: [
        { path: 'one.big', reason: 'filter_failed' },
        { path: 'x.u16', reason: 'filter_failed' },
      ],
      files: ['.gitattributes', 'a.txt', 'd/b.txt', 'new'],
    })
    const names = Array.from({ length: 12 }, (_, number) => `many/${String(number).padStart(2, '0')}.big`)
    for (const name of names) writeFiles(its.root, { [name]: 'x' })
    writeFileSync(at(its.root, 'n\xff\n.big'), 'x')
    const { notCovered, files } = await take()
    expect(files).toEqual(['.gitattributes', 'a.txt', 'd/b.txt', 'new'])
    const paths = [...names, 'n\ufffd\n.big', 'one.big', 'x.u16']
    expect(notCovered).toEqual(paths.map((path) => ({ path, reason: 'filter_failed' })))
  })

  it('a file in conflict whose filter fails', async () => {
    git(its.root, ['checkout', '-qb', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs\n' })
    git(its.root, ['commit', '-qam', 'theirs'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours\n' })
    git(its.root, ['commit', '-qam', 'ours'])
    git(its.root, ['merge', 'other'], { mayFail: true })
    git(its.root, ['config', 'filter.broken.clean', 'false'])
    git(its.root, ['config', 'filter.broken.required', 'true'])
    writeFiles(its.root, { '.gitattributes': 'a.txt filter=broken\n' })
    for (const _ of [1, 2]) {
      const notCovered = [{ path: 'a.txt', reason: 'filter_failed' }]
      expect(await take()).toEqual({ notCovered, files: ['.gitattributes', 'd/b.txt'] })
    }
  })

  it('files of a filter that is to stay running, as that of LFS, where it is not installed', async () => {
    git(its.root, ['config', 'filter.lfs.process', 'offshoot-no-such-program filter-process'])
    git(its.root, ['config', 'filter.lfs.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'x', 'y.bin': 'y', 'a.txt': 'changed\n' })
    for (const _ of [1, 2]) {
      const notCovered = ['x.bin', 'y.bin'].map((path) => ({ path, reason: 'filter_failed' }))
      expect(await take()).toEqual({ notCovered, files: ['.gitattributes', 'a.txt', 'd/b.txt'] })
    }
  })

  it.each([
    ['is no longer installed', 'process'],
    ['fails from now on', 'clean'],
  ])('what was taken through a filter that %s stays as it was, and what is gone is gone', async (_, setting) => {
    const set = (name: string, value: string) => git(its.root, ['config', `filter.up.${name}`, value])
    // Newer than any index: git then compares it each time it writes one, even where it is told not to add it.
    const write = (files: Record<string, string>) => {
      writeFiles(its.root, files)
      for (const name of Object.keys(files)) utimesSync(join(its.root, name), 4e9, 4e9)
    }
    set('clean', 'tr a-z A-Z')
    set('required', 'true')
    writeFiles(its.root, { '.gitattributes': '*.bin filter=up\n' })
    write({ 't.bin': 'in head', 'd.bin': 'd', 'u.bin': 'u' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'filtered'])
    write({ 't.bin': 'changed', 'n.bin': 'new', 'ignored.bin': 'i' })
    const before = readTreeFiles(its.root, (await its.take()).snapshot.tree)
    expect(before).toMatchObject({ 't.bin': 'file CHANGED', 'n.bin': 'file NEW' })
    set(setting, 'offshoot-no-such-program')
    write({ 'a.txt': 'changed', 'm.bin': 'm', '.gitignore': 'ignored.bin\n' })
    rmSync(join(its.root, 'd.bin'))
    const { 'd.bin': _d, 'ignored.bin': _i, ...same } = before
    const kept = { ...same, 'a.txt': 'file changed', '.gitignore': 'file ignored.bin\n' }
    for (const _ of [1, 2]) {
      const { snapshot } = await its.take()
      expect(readTreeFiles(its.root, snapshot.tree)).toEqual(kept)
      expect(snapshot.meta.notCovered).toContainEqual({ path: 'm.bin', reason: 'filter_failed' })
    }
    git(its.root, ['config', '--unset', `filter.up.${setting}`])
    set('clean', 'tr a-z A-Z')
    const { snapshot } = await its.take()
    expect(snapshot.meta.notCovered).toEqual([])
    expect(readTreeFiles(its.root, snapshot.tree)).toEqual({ ...kept, 'm.bin': 'file M' })
  })

  it('what may not be read', () => {
    writeFiles(its.root, { new: 'n', secret: 's', 'closed/x': 'x', 'listed/y': 'y' })
    git(its.root, ['add', 'closed'])
    mkdirSync(join(its.scratch.path, 'captures'))
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', its.scratch.path])
    chmodSync(join(its.root, 'a.txt'), 0)
    chmodSync(join(its.root, 'secret'), 0)
    chmodSync(join(its.root, 'closed'), 0)
    chmodSync(join(its.root, 'listed'), 0o444)
    try {
      const told = takeOne({ root: its.root, index: join(its.scratch.path, 'captures/i'), turnKey: 't', uid: 65534 })
      expect(told?.error).toBeUndefined()
      expect(told?.notCovered.map(({ path, reason }) => `${path} ${reason}`)).toEqual(
        expect.arrayContaining(['a.txt unreadable', 'closed/ unreadable', 'listed/y unreadable', 'secret unreadable']),
      )
      expect(told?.notCovered.every(({ reason }) => reason === 'unreadable')).toBe(true)
      expect(git(its.root, ['-c', 'safe.directory=*', 'ls-tree', '-r', '--name-only', told?.tree ?? ''])).toBe(
        'a.txt\nclosed/x\nd/b.txt\nnew\n',
      )
    } finally {
      for (const folder of ['closed', 'listed']) chmodSync(join(its.root, folder), 0o755)
    }
  })
})
