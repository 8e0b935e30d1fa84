// A workspace whose folder is no longer provably offshoot's: undo keeps it, says so, and doctor and gc go on naming it.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { describeUndo } from '../../src/lib/text/describe-undo.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let repo: string
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  app = sandbox.app({ cwd: repo })
})
afterEach(() => sandbox.close())

async function forkedAway() {
  const source = sandbox.session({ cwd: repo, turns: 2 })
  const { fork } = await app.fork({ address: source.id, at: '2', code: 'head' }, { accept: ['code_now'] })
  const { path = '', branch = '' } = fork.workspace ?? {}
  rmSync(join(path, '.git'))
  writeFileSync(join(path, '.git'), `gitdir: ${sandbox.repository('other')}/.git\n`)
  return { fork, path, branch }
}
const workspaceChecks = async () => (await app.doctor()).filter(({ id }) => id === 'workspaces')

test('undo names the folder and the branch that it kept', async () => {
  const { fork, path, branch } = await forkedAway()
  const { kept, removed } = await app.undo(fork.id)
  expect(kept).toEqual([expect.stringContaining(`${path} does not prove to be`), `the branch ${branch}`])
  expect(removed).not.toContain(path)
  expect(readdirSync(path)).toContain('.git')
  expect(sandbox.git(repo, 'branch', '--list', branch)).toContain(branch)
  expect(describeUndo({ kept }, true)).toContain(path)
  expect(describeUndo({ kept }, true)).not.toContain('Nothing was left behind')
})

test('a folder that git no longer knows is kept and named too', async () => {
  const source = sandbox.session({ cwd: repo, turns: 2 })
  const { fork } = await app.fork({ address: source.id, at: '2', code: 'head' }, { accept: ['code_now'] })
  const { path = '', branch = '' } = fork.workspace ?? {}
  for (const name of readdirSync(join(repo, '.git', 'worktrees')))
    rmSync(join(repo, '.git', 'worktrees', name), { recursive: true })
  expect(await workspaceChecks()).toEqual([expect.objectContaining({ message: expect.stringContaining(path) })])
  const { kept } = await app.undo(fork.id)
  expect(kept).toEqual([expect.stringContaining(`${path} does not prove to be`), `the branch ${branch}`])
  expect(readdirSync(path)).toContain('.git')
})

test('doctor and gc name it before and after the undo, until the folder is removed', async () => {
  const { fork, path, branch } = await forkedAway()
  const named = [expect.objectContaining({ state: 'warn', message: expect.stringContaining(path) })]
  expect(await workspaceChecks()).toEqual(named)
  await app.undo(fork.id)
  expect(await workspaceChecks()).toEqual(named)
  const { kept } = await app.gc({ all: true, dryRun: true })
  expect(kept).toContainEqual(expect.objectContaining({ kind: 'workspace', path }))
  rmSync(path, { recursive: true })
  expect(await workspaceChecks()).toEqual([])
  expect(sandbox.git(repo, 'branch', '--list', branch)).toContain(branch)
})

test('doctor names no workspace that is as offshoot made it', async () => {
  const source = sandbox.session({ cwd: repo, turns: 2 })
  await app.fork({ address: source.id, at: '2', code: 'head' }, { accept: ['code_now'] })
  expect(await workspaceChecks()).toEqual([])
})
