// A process that has ended and that its parent has not asked for yet.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

export async function withZombie(work: (pid: number) => void | Promise<void>): Promise<void> {
  // The shell becomes a program that never asks for its children; its child ends only then, or the shell itself might ask.
  const child = '(until grep -q sleep /proc/$$/comm; do sleep 0.02; done)'
  const parent = spawn('sh', ['-c', `${child} & echo $!; exec sleep 30`], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => parent.once('close', resolve))
  try {
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
    await work(pid)
  } finally {
    parent.kill('SIGKILL')
    await ended
  }
}
