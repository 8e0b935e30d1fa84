import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLockFile } from './lock-file.ts'
import { describeProcess } from './process-owner.ts'
import { withZombie } from './zombie.testkit.ts'

test('the file of a process that is about to write its name into it is left alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-lock-'))
  const lock = join(folder, 'lock')
  const onBusy = (holder: string) => new Error(`held by ${holder}`)
  try {
    writeFileSync(`${lock}.0123abcd`, '')
    await withLockFile(lock, async () => expect(existsSync(`${lock}.0123abcd`)).toBe(true), { maxTries: 4, onBusy })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the lock of a process that has ended is taken over, though its parent has not asked for it yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-lock-'))
  const lock = join(folder, 'lock')
  const onBusy = (holder: string) => new Error(`held by ${holder}`)
  try {
    await withZombie(async (pid) => {
      writeFileSync(lock, `${hostname()} ${pid} ${describeProcess(pid).startedAt}`)
      expect(await withLockFile(lock, async () => 'done', { maxTries: 4, onBusy })).toBe('done')
    })
    writeFileSync(lock, `${hostname()} ${process.pid} ${describeProcess(process.pid).startedAt}`)
    await expect(withLockFile(lock, async () => 'done', { maxTries: 2, onBusy })).rejects.toThrow(`held by ${process.pid}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
