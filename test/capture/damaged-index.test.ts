// An index file that was cut off, as a full disk or a crash leaves it: every command names the file and what to do, and changes nothing.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let index: Buffer
beforeAll(async () => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  await turn('a.txt')
  await turn('b.txt')
  sandbox.git(repo, 'add', '-A')
  index = readFileSync(join(repo, '.git', 'index'))
})
afterAll(() => sandbox.close())

const turn = (name: string) =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    session,
    `write ${name}`,
    () => writeFileSync(join(repo, name), `${name}\n`),
  )

test.each([0, 1, 4, 11, 12, 13, 20, 31, 32, 33, 72, 100])('an index of %i bytes is named with what to do', async (length) => {
  const damaged = index.subarray(0, length)
  writeFileSync(join(repo, '.git', 'index'), damaged)
  const app = sandbox.app({ cwd: repo, vars: { PATH: `${makeFakeAgent(sandbox.home)}:${process.env.PATH}` } })
  const explained = {
    code: 'failed',
    message: expect.stringContaining(`The index ${join(repo, '.git', 'index')} is damaged`),
    hint: expect.stringContaining('git reset'),
  }
  await expect(app.diff({ from: `${session.id}@1`, to: 'now' })).rejects.toMatchObject(explained)
  await expect(app.planRestore({ address: `${session.id}@1`, all: true })).rejects.toMatchObject(explained)
  await expect(app.start({ agent: 'claude', code: 'now' })).rejects.toMatchObject(explained)
  expect(readFileSync(join(repo, '.git', 'index')).equals(damaged)).toBe(true)
})

test('after the suggested fix the same commands work', async () => {
  writeFileSync(join(repo, '.git', 'index'), index.subarray(0, 20))
  renameSync(join(repo, '.git', 'index'), join(sandbox.root, 'index.damaged'))
  sandbox.git(repo, 'reset', '-q')
  const { files } = await sandbox.app({ cwd: repo }).diff({ from: `${session.id}@1`, to: 'now' })
  expect(files.map(({ path }) => path)).toEqual(['b.txt'])
})
