import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, useSnapshots } from '../../test/git/snapshots.ts'
import { openSnapshot } from './open-snapshot.ts'

describe('a snapshot after another', () => {
  const its = useSnapshots()
  const filesOf = async () => readTreeFiles(its.root, (await its.take()).snapshot.tree)
  const rawOf = async () => {
    const { raw } = await openSnapshot(testGit(), join(its.root, '.git'), (await its.take()).snapshot.id)
    return Object.fromEntries([...raw].map(([path, { id }]) => [path, git(its.root, ['cat-file', 'blob', id])]))
  }
  const commit = (...paths: string[]) => {
    git(its.root, ['add', '-f', ...paths])
    git(its.root, ['commit', '-qm', 'more'])
  }

  it('keeps the bytes that the first attributes do not give back, though they were staged in between', async () => {
    writeFiles(its.root, { 'crlf.txt': 'one\r\ntwo\r\n' })
    expect(await rawOf()).toEqual({})
    writeFiles(its.root, { '.gitattributes': '* text=auto\n' })
    git(its.root, ['add', '-A'])
    expect(await rawOf()).toEqual({ 'crlf.txt': 'one\r\ntwo\r\n' })
  })

  it('keeps them when other attributes were staged, or taken away, and the files stayed as they were', async () => {
    git(its.root, ['config', 'filter.turn.clean', 'cat && printf X'])
    git(its.root, ['config', 'filter.turn.smudge', 'head -c -1'])
    writeFiles(its.root, { 'x.m': 'i', '.gitattributes': '*.id ident\n' })
    // Older than the index: git has no reason to look at it again.
    utimesSync(join(its.root, 'x.m'), 1e9, 1e9)
    commit('.')
    expect(await rawOf()).toEqual({})
    writeFiles(its.root, { '.gitattributes': '*.m filter=turn\n' })
    git(its.root, ['add', '.gitattributes'])
    expect(await rawOf()).toEqual({ 'x.m': 'i' })
    git(its.root, ['rm', '-qf', '.gitattributes'])
    expect(await rawOf()).toEqual({})
  })

  it('keeps the bytes of files whose blobs were made by attributes of the git folder that are gone by now', async () => {
    git(its.root, ['config', 'filter.turn.clean', 'cat && printf X'])
    git(its.root, ['config', 'filter.turn.smudge', 'head -c -1'])
    writeFiles(its.root, { 'x.m': 'i', '.git/info/attributes': '*.m filter=turn\n' })
    utimesSync(join(its.root, 'x.m'), 1e9, 1e9)
    commit('x.m')
    expect(await rawOf()).toEqual({})
    rmSync(join(its.root, '.git/info/attributes'))
    expect(await rawOf()).toEqual({ 'x.m': 'i' })
  })

  it('keeps the bytes of files whose blobs were made by attributes that were gone before the first look', async () => {
    git(its.root, ['config', 'filter.turn.clean', 'cat && printf X'])
    writeFiles(its.root, { 'x.m': 'i', 'crlf.txt': 'one\r\n', '.git/info/attributes': '*.m filter=turn\n*.txt text\n' })
    for (const name of ['x.m', 'crlf.txt']) utimesSync(join(its.root, name), 1e9, 1e9)
    commit('x.m', 'crlf.txt')
    rmSync(join(its.root, '.git/info/attributes'))
    expect(await rawOf()).toEqual({ 'x.m': 'i', 'crlf.txt': 'one\r\n' })
  })

  it('keeps them when a filter, or the attributes outside of the tree, say something else than at the last look', async () => {
    git(its.root, ['config', 'filter.turn.clean', 'cat && printf X'])
    git(its.root, ['config', 'filter.turn.smudge', 'head -c -1'])
    writeFiles(its.root, { 'x.m': 'i', '.git/info/attributes': '*.m filter=turn\n' })
    utimesSync(join(its.root, 'x.m'), 1e9, 1e9)
    commit('x.m')
    expect(await rawOf()).toEqual({})
    git(its.root, ['config', 'filter.turn.smudge', 'cat'])
    expect(await rawOf()).toEqual({ 'x.m': 'i' })
    git(its.root, ['config', 'filter.turn.smudge', 'head -c -1'])
    expect(await rawOf()).toEqual({})
    writeFiles(its.root, { '.git/info/attributes': '# none\n' })
    expect(await rawOf()).toEqual({ 'x.m': 'i' })
  })

  it('holds a tracked file that was deleted and written again, though it matches an ignore pattern', async () => {
    writeFiles(its.root, { '.gitignore': 'dist/\n', 'dist/a.js': '1', "dist/it's'\nb": '1' })
    commit('.gitignore', 'dist')
    expect(await filesOf()).toHaveProperty(['dist/a.js'], 'file 1')
    rmSync(join(its.root, 'dist'), { recursive: true })
    expect(await filesOf()).not.toHaveProperty(['dist/a.js'])
    expect(await filesOf()).not.toHaveProperty(['dist/a.js'])
    writeFiles(its.root, { 'dist/a.js': '2', "dist/it's'\nb": '2', 'dist/other.js': 'ignored' })
    const files = await filesOf()
    expect(files).toMatchObject({ 'dist/a.js': 'file 2', "dist/it's'\nb": 'file 2' })
    expect(files).not.toHaveProperty(['dist/other.js'])
  })

  it('holds it also when the snapshot that found it deleted was cut off', async () => {
    writeFiles(its.root, { '.gitignore': '*.js\n', 'a.js': '1' })
    commit('.gitignore', 'a.js')
    await its.take()
    rmSync(join(its.root, 'a.js'))
    const cutOff = (step: string) => {
      if (step === 'added') throw new Error('cut off')
    }
    await expect(its.take({ onStep: cutOff })).rejects.toThrow('cut off')
    writeFiles(its.root, { 'a.js': '2' })
    expect(await filesOf()).toHaveProperty(['a.js'], 'file 2')
  })

  it('takes a tracked file that came back however large it is, and whatever is ignored since', async () => {
    await its.take({ maxFileBytes: 10 })
    rmSync(join(its.root, 'a.txt'))
    await its.take({ maxFileBytes: 10 })
    writeFiles(its.root, { 'a.txt': 'more than ten bytes' })
    const { snapshot } = await its.take({ maxFileBytes: 10 })
    expect(snapshot.meta.notCovered).toEqual([])
    writeFiles(its.root, { '.gitignore': 'a.txt\n' })
    expect(await filesOf()).toHaveProperty(['a.txt'], 'file more than ten bytes')
  })
})
