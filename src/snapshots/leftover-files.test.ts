import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { makeScratch, writeFiles } from '../../test/git/scratch.ts'
import { listSessionFiles, measureFolder, removeSessionFiles } from './leftover-files.ts'
import { emptyTrash } from './workspace-remove.ts'

describe('files that outlive their use', () => {
  const scratch = makeScratch()
  afterEach(() => scratch.remove())

  it('are found by session, measured, and removed one session at a time', async () => {
    const captures = join(scratch.path, 'captures')
    writeFiles(captures, {
      'claude/one/index-abc': '12345',
      'claude/one/state.json': '{}',
      'codex/two/index-abc': '123',
      'pending/1.json': '{}',
      'claude/.odd/index-abc': 'x',
      'claude/file': 'x',
    })
    const found = await listSessionFiles(captures)
    expect(found.map(({ agent, sessionId, bytes }) => [agent, sessionId, bytes])).toEqual([
      ['claude', 'one', 7],
      ['codex', 'two', 3],
    ])
    expect(found.every(({ usedAt }) => usedAt > 0)).toBe(true)
    const [first] = found
    if (first !== undefined) await removeSessionFiles(first)
    expect(existsSync(join(captures, 'claude/one'))).toBe(false)
    expect(existsSync(join(captures, 'codex/two/index-abc'))).toBe(true)
  })

  it('are none where there is no folder', async () => {
    expect(await listSessionFiles(join(scratch.path, 'nothing'))).toEqual([])
    expect(await measureFolder(join(scratch.path, 'nothing'))).toEqual({ bytes: 0, usedAt: 0 })
  })

  it('are measured and emptied without following links', async () => {
    const trash = join(scratch.path, 'trash')
    writeFiles(scratch.path, { 'outside/precious': 'x'.repeat(1000), 'trash/abc/f': '12345' })
    symlinkSync(join(scratch.path, 'outside'), join(trash, 'abc', 'link'))
    expect((await measureFolder(trash)).bytes).toBeLessThan(1000)
    await emptyTrash(trash)
    expect(existsSync(trash)).toBe(false)
    expect(existsSync(join(scratch.path, 'outside/precious'))).toBe(true)
  })
})
