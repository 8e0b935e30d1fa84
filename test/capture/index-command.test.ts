// `offshoot index` as a process: what there is, and the captures found again.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, type Run, runProcess } from '../cli/run-cli.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { hookedSession } from './session.ts'
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
  await tellHere(sandbox.offshootHome, session.prompt('one'))
  session.writePrompt()
  writeFileSync(join(repo, 'a'), '1')
  session.writeAnswer()
  await tellHere(sandbox.offshootHome, session.stop())
  expect(JSON.parse((await run('--status', '--json')).stdout)).toEqual({ sessions: 0, captures: 0, waiting: 2, pushes: [] })
  expect(await run()).toMatchObject({ status: 0, stdout: '1 session, 2 captures\n' })
  for (const end of ['', '-wal', '-shm']) rmSync(join(sandbox.offshootHome, `offshoot.db${end}`), { force: true })
  expect(JSON.parse((await run('--status', '--json')).stdout)).toMatchObject({ captures: 0, waiting: 0 })
  expect((await run('--rebuild')).stdout).toBe(
    'Found 2 captures in 1 repository; 0 known ones are gone.\n1 session, 2 captures\n',
  )
  expect(JSON.parse((await run('--rebuild', '--json')).stdout)).toMatchObject({
    captures: 2,
    rebuilt: { captures: 2, problems: [] },
  })
})

test('is told what it cannot do both', async () => {
  expect(await run('--status', '--rebuild')).toMatchObject({ status: 2 })
})
