import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isAlive } from './is-alive.ts'

describe('a process', () => {
  it('is alive while it runs, not once it has ended, and never where the number is none', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const ended = new Promise((resolve) => child.once('close', resolve))
    const pid = child.pid ?? 0
    expect([isAlive(pid), isAlive(process.pid)]).toEqual([true, true])
    child.kill('SIGKILL')
    await ended
    expect([isAlive(pid), isAlive(0), isAlive(-1), isAlive(Number.NaN)]).toEqual([false, false, false, false])
  })

  it('has ended though its parent has not asked for it yet', async () => {
    // The shell becomes a program that never asks for its children; its child ends only then, or the shell itself might ask.
    const child = '(until grep -q sleep /proc/$$/comm; do sleep 0.02; done)'
    const parent = spawn('sh', ['-c', `${child} & echo $!; exec sleep 30`], { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise((resolve) => parent.once('close', resolve))
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
      expect(isAlive(pid)).toBe(false)
    } finally {
      parent.kill('SIGKILL')
      await ended
    }
  })
})
