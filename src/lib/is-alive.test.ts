import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isAlive } from './is-alive.ts'
import { withZombie } from './zombie.testkit.ts'

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

  it('has ended though its parent has not asked for it yet', () =>
    withZombie((pid) => {
      expect(isAlive(pid)).toBe(false)
    }))
})
