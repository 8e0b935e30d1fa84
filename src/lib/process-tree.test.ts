import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { endProcesses, processesBelow, signalProcess } from './process-tree.ts'

const env = { PATH: process.env.PATH }

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('finds and ends what a process started, in groups of their own too', async () => {
  const script = `const { spawn } = require('node:child_process')
    const child = spawn('sleep', ['60'], { detached: true })
    console.log(child.pid)`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const child = await new Promise<number>((resolve) => {
    createInterface({ input: parent.stdout }).once('line', (line) => resolve(Number(line)))
  })
  const below = await processesBelow(parent.pid ?? 0, env)
  expect(below.map(({ pid }) => pid)).toEqual([child])
  // One that began at another time is another process.
  await endProcesses([{ pid: child, startedAt: 'Thu Jan  1 00:00:00 1970' }], env)
  expect(isAlive(child)).toBe(true)
  await endProcesses(below, env)
  await new Promise((resolve) => parent.on('close', resolve))
  expect(isAlive(child)).toBe(false)
})

it('takes a process that is gone for done', async () => {
  const child = spawn('true')
  await new Promise((resolve) => child.on('close', resolve))
  expect(() => signalProcess(child.pid ?? 0, 'SIGKILL')).not.toThrow()
  expect(await processesBelow(child.pid ?? 0, env)).toEqual([])
})
