import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'
import { mapFolder, openStartFolder } from './start-folder.ts'

describe('where a session starts in its workspace', () => {
  let scratch: Scratch
  let source: string
  let child: string
  beforeEach(() => {
    scratch = makeScratch()
    source = join(scratch.path, 'source')
    child = join(scratch.path, 'child')
    writeFiles(source, { 'packages/x/f': 'x', 'cache/y': 'ignored' })
    writeFiles(child, { 'packages/x/f': 'x', file: 'x' })
  })
  afterEach(() => scratch.remove())
  const start = async (folder: string) => openStartFolder(child, await mapFolder(source, folder, child))

  it('is the same folder, also when it was named through a link', async () => {
    symlinkSync(join(source, 'packages'), join(scratch.path, 'shortcut'))
    const wanted = { path: join(child, 'packages/x'), note: null }
    expect(await start(join(source, 'packages/x'))).toEqual(wanted)
    expect(await start(join(scratch.path, 'shortcut/x'))).toEqual(wanted)
    expect(await start(source)).toEqual({ path: child, note: null })
  })

  it('is the root when the session ran elsewhere', async () => {
    expect(await mapFolder(source, scratch.path, child)).toBe(child)
    expect(await mapFolder(source, join(scratch.path, 'source-2'), child)).toBe(child)
    expect(await mapFolder(source, join(source, '..x'), child)).toBe(join(child, '..x'))
  })

  it('is made when git did not bring it along', async () => {
    mkdirSync(join(source, 'empty/deep'), { recursive: true })
    for (const folder of ['empty/deep', 'cache', 'gone by now']) {
      const { path, note } = await start(join(source, folder))
      expect(path).toBe(join(child, folder))
      expect(note).toContain('an empty folder was made')
      expect(existsSync(path)).toBe(true)
    }
  })

  it('never leads through a link or a file', async () => {
    symlinkSync(source, join(child, 'out'))
    mkdirSync(join(source, 'out/packages'), { recursive: true })
    mkdirSync(join(source, 'file/d'), { recursive: true })
    for (const folder of ['out/packages', 'file/d']) {
      expect(await start(join(source, folder))).toMatchObject({ path: child, note: expect.stringContaining('no folder') })
    }
  })
})
