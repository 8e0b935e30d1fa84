// `offshoot index` as a process: what there is, and the captures found again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, type Run, runProcess } from '../cli/run-cli.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
})
afterEach(() => sandbox.close())

const run = (...args: string[]): Promise<Run> =>
  runProcess(process.execPath, [bin, 'index', ...args], repo, {
    PATH: process.env.PATH ?? '',
    HOME: sandbox.home,
    OFFSHOOT_HOME: sandbox.offshootHome,
  })

test('takes in what the hooks left, and finds it again when the database is lost', async () => {
  const session = hookedSession(sandbox.projects, repo)
  const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
  await playTurn(tell, session, 'one', () => writeFileSync(join(repo, 'a'), '1'))
  expect(JSON.parse((await run('--status', '--json')).stdout)).toMatchObject({
    sessions: 0,
    captures: 0,
    waiting: 2,
    pushes: [],
    index: { sessions: 0, turns: 0 },
  })
  const done = await run()
  expect(done).toMatchObject({ status: 0 })
  expect(done.stdout).toMatch(/^1 of 1 session searchable, complete\n1 turn in 1 piece, .*\n2 captures\n$/)
  for (const end of ['', '-wal', '-shm']) rmSync(join(sandbox.offshootHome, `offshoot.db${end}`), { force: true })
  expect(JSON.parse((await run('--status', '--json')).stdout)).toMatchObject({ captures: 0, waiting: 0 })
  expect((await run('--rebuild')).stdout).toMatch(
    /^Found 2 captures in 1 repository; 0 known ones are gone\.\n1 of 1 session searchable, complete\n.*\n2 captures\n$/,
  )
  expect(JSON.parse((await run('--rebuild', '--json')).stdout)).toMatchObject({
    captures: 2,
    rebuilt: { captures: 2, problems: [] },
  })
})

test('is told what it cannot do both', async () => {
  expect(await run('--status', '--rebuild')).toMatchObject({ status: 2 })
})

test('watches for turns of agents without hooks until it is ended', async () => {
  const session = hookedSession(sandbox.projects, repo)
  const env = { PATH: process.env.PATH ?? '', HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome }
  const child = spawn(process.execPath, [bin, 'index', '--watch'], { cwd: repo, env })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close')
  await expect.poll(() => stderr, { timeout: 30_000 }).toContain('Watching')
  session.prompt('one')
  session.writePrompt()
  writeFileSync(join(repo, 'a'), '1')
  session.writeAnswer()
  await expect.poll(() => stdout, { timeout: 30_000 }).toContain(`Captured claude:${session.id}@1`)
  child.kill('SIGINT')
  expect((await ended)[0]).toBe(0)
})
