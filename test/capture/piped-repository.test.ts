// A pipe in the place of a part of `.git` would hold git without end: every command refuses such a repository, and those that look at many
// repositories go on with the others.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

const dayMs = 86_400_000

let sandbox: Sandbox
let repo: string
let session: HookedSession
beforeEach(async () => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = await captured(repo)
  await sandbox.app().listSessions()
})
afterEach(() => sandbox.close())

async function captured(folder: string): Promise<HookedSession> {
  const made = hookedSession(sandbox.projects, folder)
  for (const name of ['a.txt', 'b.txt']) {
    const work = () => writeFileSync(join(folder, name), `${name}\n`)
    await playTurn((payload) => tellHere(sandbox.offshootHome, payload), made, `write ${name}`, work)
  }
  return made
}

function putPipe(path: string): void {
  rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
}

const parts = ['HEAD', 'config', 'packed-refs', 'commondir', 'index', 'objects/info/alternates', 'refs/heads/main', 'an include']

describe.each(parts)('a pipe for %s', (part) => {
  beforeEach(() => {
    if (part !== 'an include') return putPipe(join(repo, '.git', part))
    putPipe(join(sandbox.root, 'pipe'))
    appendFileSync(join(repo, '.git', 'config'), `[include]\n\tpath = ${join(sandbox.root, 'pipe')}\n`)
  })

  test('is refused by diff, fork and restore', async () => {
    const app = sandbox.app({ cwd: repo })
    const refused = { code: 'refused', message: expect.stringContaining('is not a file') }
    await expect(app.diff({ from: `${session.id}@1`, to: `${session.id}@2` })).rejects.toMatchObject(refused)
    await expect(app.diff({ from: `${session.id}@2`, to: 'now' })).rejects.toMatchObject(refused)
    await expect(app.planFork({ address: session.id, at: '1' })).rejects.toMatchObject(refused)
    await expect(app.fork({ address: session.id, at: '1' })).rejects.toMatchObject(refused)
    await expect(app.planRestore({ address: `${session.id}@1` })).rejects.toMatchObject(refused)
  })
})

test('gc goes on with the other repositories and names the one it passed over', async () => {
  const other = sandbox.repository('other')
  const gone = await captured(other)
  const app = sandbox.app({ now: () => Date.now() + 8 * dayMs })
  await app.listSessions()
  rmSync(gone.path)
  putPipe(join(repo, '.git', 'HEAD'))
  const { removed, kept } = await app.gc({ all: true })
  expect(removed.filter(({ kind }) => kind === 'snapshots')).toMatchObject([{ path: join(other, '.git') }])
  expect(kept.filter(({ path }) => path === join(repo, '.git'))).toContainEqual(
    expect.objectContaining({ kind: 'snapshots', reason: expect.stringContaining('HEAD is not a file') }),
  )
})

test('gc names the workspaces of a repository it passed over', async () => {
  const { workspace } = (await sandbox.app({ cwd: repo }).fork({ address: session.id, at: '1', code: 'turn' })).fork
  expect(existsSync(workspace?.path ?? '')).toBe(true)
  putPipe(join(repo, '.git', 'packed-refs'))
  const { kept } = await sandbox.app().gc({ all: true })
  expect(kept).toContainEqual(
    expect.objectContaining({
      kind: 'workspace',
      path: workspace?.path,
      reason: expect.stringContaining('packed-refs is not a file'),
    }),
  )
})

test('a rebuild goes on with the other repositories and names the one it passed over', async () => {
  const other = sandbox.repository('other')
  await captured(other)
  const app = sandbox.app()
  await app.listSessions()
  putPipe(join(repo, '.git', 'HEAD'))
  const report = await app.rebuildCaptures()
  expect(report.problems).toMatchObject([{ path: join(repo, '.git'), problem: expect.stringContaining('HEAD is not a file') }])
  expect(report.captures).toBe(3)
})
