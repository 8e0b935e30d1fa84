import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLockFile } from './lock-file.ts'
import { describeProcess } from './process-owner.ts'

test('the lock of a process that has ended is taken over, though its parent has not asked for it yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-lock-'))
  const child = '(until grep -q sleep /proc/$$/comm; do sleep 0.02; done)'
  const parent = spawn('sh', ['-c', `${child} & echo $!; exec sleep 30`], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => parent.once('close', resolve))
  try {
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
    const lock = join(folder, 'lock')
    writeFileSync(lock, `${hostname()} ${pid} ${describeProcess(pid).startedAt}`)
    const onBusy = (holder: string) => new Error(`held by ${holder}`)
    expect(await withLockFile(lock, async () => 'done', { maxTries: 4, onBusy })).toBe('done')
    writeFileSync(lock, `${hostname()} ${process.pid} ${describeProcess(process.pid).startedAt}`)
    await expect(withLockFile(lock, async () => 'done', { maxTries: 2, onBusy })).rejects.toThrow(`held by ${process.pid}`)
  } finally {
    parent.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
})
