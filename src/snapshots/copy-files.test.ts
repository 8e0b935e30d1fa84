import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'
import type { BytePath } from './byte-path.ts'
import { copyFiles } from './copy-files.ts'

const paths = (...names: string[]) => names as BytePath[]

describe('copyFiles', () => {
  let scratch: Scratch
  let from: string
  let to: string
  beforeEach(() => {
    scratch = makeScratch()
    from = join(scratch.path, 'from')
    to = join(scratch.path, 'to')
    mkdirSync(from)
    mkdirSync(to)
  })
  afterEach(() => scratch.remove())

  it('copies bytes, executable bit and links, and passes over what is not there', async () => {
    writeFiles(from, { 'a/b/c': 'text\r\n', tool: '#!/bin/sh\n' })
    chmodSync(join(from, 'tool'), 0o755)
    symlinkSync('/nowhere/at all', join(from, 'link'))
    const { copied, problems } = await copyFiles(from, to, paths('a/b/c', 'tool', 'link', 'gone', 'a/b'))
    expect({ copied, problems }).toEqual({ copied: 3, problems: [] })
    expect(readFileSync(join(to, 'a/b/c'), 'utf8')).toBe('text\r\n')
    expect(lstatSync(join(to, 'tool')).mode & 0o777).toBe(0o755)
    expect(readlinkSync(join(to, 'link'))).toBe('/nowhere/at all')
  })

  it('does not follow a linked folder in the source', async () => {
    writeFiles(scratch.path, { 'outside/secret': 's' })
    symlinkSync('../outside', join(from, 'd'))
    expect(await copyFiles(from, to, paths('d/secret'))).toMatchObject({ copied: 0, problems: [] })
  })

  it('does not write through a linked folder in the target', async () => {
    writeFiles(from, { 'd/f': 'mine' })
    mkdirSync(join(scratch.path, 'outside'))
    symlinkSync('../outside', join(to, 'd'))
    await expect(copyFiles(from, to, paths('d/f'))).rejects.toThrow('EEXIST')
    expect(lstatSync(join(scratch.path, 'outside', 'f'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('overwrites nothing unless told', async () => {
    writeFiles(from, { f: 'new' })
    writeFiles(to, { f: 'old' })
    await expect(copyFiles(from, to, paths('f'))).rejects.toThrow('EEXIST')
    expect(readFileSync(join(to, 'f'), 'utf8')).toBe('old')
    await copyFiles(from, to, paths('f'), { replace: true })
    expect(readFileSync(join(to, 'f'), 'utf8')).toBe('new')
  })

  it('keeps the times of files and links where asked, and tells what the copies are', async () => {
    writeFiles(from, { f: 'x' })
    symlinkSync('f', join(from, 'l'))
    utimesSync(join(from, 'f'), 1e9, 1e9)
    const { stats } = await copyFiles(from, to, paths('f', 'l'), { keepTimes: true })
    expect(lstatSync(join(to, 'f')).mtimeMs).toBe(1e12)
    expect(Math.floor(lstatSync(join(to, 'l')).mtimeMs)).toBe(Math.floor(lstatSync(join(from, 'l')).mtimeMs))
    expect(stats.get('f' as BytePath)?.ino).toBe(lstatSync(join(to, 'f'), { bigint: true }).ino)
  })

  it('reports pipes and the like', async () => {
    execFileSync('mkfifo', [join(from, 'pipe')])
    writeFiles(from, { f: 'x' })
    const { copied, problems } = await copyFiles(from, to, paths('pipe', 'f'))
    expect({ copied, problems }).toEqual({ copied: 1, problems: [{ path: 'pipe', reason: 'special-file' }] })
  })

  it('reports files it may not read, and goes on', async () => {
    writeFiles(from, { closed: 'x', 'folder/f': 'x', open: 'x' })
    const restore = actAsNobody([scratch.path, from, to, join(from, 'closed'), join(from, 'folder')])
    try {
      chmodSync(join(from, 'closed'), 0)
      chmodSync(join(from, 'folder'), 0)
      const { copied, problems } = await copyFiles(from, to, paths('closed', 'folder/f', 'open'))
      expect(copied).toBe(1)
      expect(problems.map(({ path, reason }) => [path, reason]).sort()).toEqual([
        ['closed', 'unreadable'],
        ['folder/f', 'unreadable'],
      ])
    } finally {
      chmodSync(join(from, 'folder'), 0o755)
      restore()
    }
  })

  it('stops at a target it may not write', async () => {
    writeFiles(from, { 'd/f': 'x' })
    const restore = actAsNobody([scratch.path, from, to])
    try {
      chmodSync(to, 0o555)
      await expect(copyFiles(from, to, paths('d/f'))).rejects.toThrow('EACCES')
    } finally {
      chmodSync(to, 0o755)
      restore()
    }
  })
})

/** Root may do everything: the files are given to nobody, and so are we for a while. */
function actAsNobody(owned: readonly string[]): () => void {
  if (process.getuid?.() !== 0) return () => undefined
  const nobody = 65_534
  execFileSync('chown', [String(nobody), ...owned])
  process.seteuid?.(nobody)
  return () => process.seteuid?.(0)
}
