import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeScratch, type Scratch } from '../../test/git/scratch.ts'
import { withRepositoryLock } from './repository-lock.ts'

describe('the lock of a repository', () => {
  let scratch: Scratch
  beforeEach(() => {
    scratch = makeScratch()
  })
  afterEach(() => scratch.remove())
  const lock = () => join(scratch.path, 'offshoot-worktrees.lock')

  it('lets one in at a time and leaves nothing', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside--
    }
    await Promise.all(Array.from({ length: 12 }, () => withRepositoryLock(scratch.path, work)))
    expect(most).toBe(1)
    expect(readdirSync(scratch.path)).toEqual([])
  })

  it('is released when the work fails, and hands on result and error', async () => {
    await expect(withRepositoryLock(scratch.path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await withRepositoryLock(scratch.path, async () => 7)).toBe(7)
  })

  it('of a process that died is taken over, once, however many wait for it', async () => {
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'exit')
    let inside = 0
    const work = async () => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside--
    }
    for (let round = 0; round < 20; round++) {
      writeFileSync(lock(), `${hostname()} ${child.pid} -`)
      await Promise.all(Array.from({ length: 10 }, () => withRepositoryLock(scratch.path, work)))
      expect(readdirSync(scratch.path)).toEqual([])
    }
  })

  it('of a process whose number is used again is taken over', async () => {
    writeFileSync(lock(), `${hostname()} ${process.pid} started-at-another-time`)
    expect(await withRepositoryLock(scratch.path, async () => 'in')).toBe('in')
  })

  it('of another machine is waited for', async () => {
    writeFileSync(lock(), 'another-host 1 -')
    const outcome = withRepositoryLock(scratch.path, async () => 'in', { maxTries: 3 })
    await expect(outcome).rejects.toMatchObject({ code: 'busy', hint: expect.stringContaining(lock()) })
    expect(readdirSync(scratch.path)).toEqual(['offshoot-worktrees.lock'])
  })
})
