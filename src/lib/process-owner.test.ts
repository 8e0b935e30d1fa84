import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askPs, commandOf, describeProcess, isRunning } from './process-owner.ts'

let folder: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-owner-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function run(...words: string[]): Promise<number> {
  const program = join(folder, 'offshoot.js')
  writeFileSync(program, 'process.stdout.write("on"); setInterval(() => {}, 1000)')
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child.pid ?? 0
}

test('a process is named by its program and verb, without what else was said to it', async () => {
  expect(commandOf(await run('send', 'my secret', 'words'))).toBe('offshoot send')
  expect(commandOf(await run('Some prompt'))).toBe('offshoot')
  expect(commandOf(2 ** 22 + 1)).toBeNull()
})

test('another process with the same number is not the one that was meant, with or without /proc', async () => {
  const owner = describeProcess(process.pid)
  expect(isRunning(owner)).toBe(true)
  expect(isRunning({ ...owner, startedAt: '1' })).toBe(false)
  expect(isRunning({ ...owner, startedAt: '1', host: 'elsewhere' })).toBe(true)
  expect(askPs(process.pid, 'lstart')).toMatch(/\d\d:\d\d:\d\d \d{4}$/)
  expect(askPs(2 ** 22 + 1, 'lstart')).toBe('')
})
