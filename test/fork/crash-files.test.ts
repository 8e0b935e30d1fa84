// kill -9 while the files of a workspace are written or deleted: the next command removes the workspace completely.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listWorkingProcesses } from '../../src/lib/working-processes.ts'
import { nothingRecovered } from '../../src/model/fork.ts'
import { armShim, shim } from '../faults/shim.ts'
import { runCutOff } from './run-cut-off.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const files = 60

let sandbox: Sandbox
let repo: string
let workspaces: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  workspaces = join(sandbox.offshootHome, 'worktrees')
})
afterEach(() => sandbox.close())

const script = new URL('./cut-off.ts', import.meta.url)
const words = (verb: string, name = '') => [verb, sandbox.home, sandbox.offshootHome, repo, name, 'never']

function commitFiles(): void {
  mkdirSync(join(repo, 'src'))
  for (let at = 0; at < files; at++) writeFileSync(join(repo, 'src', `file${String(at).padStart(3, '0')}`), `${at}\n`)
  sandbox.git(repo, 'add', '-A')
  sandbox.git(repo, 'commit', '-qm', 'files')
}

/** git writes each file through a command that takes a while. */
function slowDownCheckout(): void {
  writeFileSync(join(repo, '.gitattributes'), 'src/* filter=slow\n')
  sandbox.git(repo, 'config', 'filter.slow.clean', 'cat')
  sandbox.git(repo, 'config', 'filter.slow.smudge', 'sleep 0.1; cat')
}

const workspaceFolders = () => (existsSync(workspaces) ? readdirSync(workspaces, { recursive: true }).map(String) : [])

/** Kills the process at its `at`th change below the folder of workspaces. */
function killAt(at: number) {
  if (shim === null) throw new Error('the shim cannot be compiled here')
  return { env: armShim(shim, { errno: 'KILL', at }, workspaces, sandbox.root) }
}

function expectNoTrace(): void {
  expect(workspaceFolders()).toEqual([])
  expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
  expect(sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
}

describe('a fork killed while git fills its workspace', () => {
  /** offshoot alone dies; its git goes on. */
  async function killWhileFilling(): Promise<void> {
    slowDownCheckout()
    commitFiles()
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const { signal, stderr } = await runCutOff(script, words('fork', source.id), {
      async meanwhile(child) {
        while (child.exitCode === null && !workspaceFolders().some((path) => path.endsWith('file003'))) await sleep(10)
        child.kill('SIGKILL')
      },
    })
    expect(signal, stderr).toBe('SIGKILL')
  }

  test('is taken back at once, and its git writes nothing after that', async () => {
    await killWhileFilling()
    const app = sandbox.app({ cwd: repo })
    expect(await app.recover()).toMatchObject({ problems: [], rolledBack: [{ kind: 'fork' }] })
    expectNoTrace()
    const working = await listWorkingProcesses(process.env)
    expect(working.filter(({ cwd }) => cwd.startsWith(workspaces))).toEqual([])
    expect(await app.recover()).toEqual(nothingRecovered)
  })

  test.runIf(shim)('is taken back, though the first attempt to do so is killed too', async () => {
    await killWhileFilling()
    expect((await runCutOff(script, words('recover'), killAt(4))).signal).toBe('SIGKILL')
    const app = sandbox.app({ cwd: repo })
    expect(await app.recover()).toMatchObject({ problems: [], rolledBack: [{ kind: 'fork' }] })
    expectNoTrace()
  })
})

describe('a fork killed while git makes its workspace', () => {
  /** A `git` that kills offshoot a second after it is called with these words, and does its work a second later. */
  function killingGit(words: string): string {
    const folder = join(sandbox.root, 'bin')
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    mkdirSync(folder)
    const script = `#!/bin/sh\ncase "$*" in *'${words}'*) sleep 1; kill -9 $PPID; sleep 1;; esac\nexec ${git} "$@"\n`
    writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
    return `${folder}:${process.env.PATH}`
  }

  test.each(['update-ref --create-reflog', 'worktree add'])('by `git %s` is taken back at once', async (called) => {
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const env = { PATH: killingGit(called) }
    expect((await runCutOff(script, words('fork', source.id), { env })).signal).toBe('SIGKILL')
    const app = sandbox.app({ cwd: repo })
    expect(await app.recover()).toMatchObject({ problems: [], rolledBack: [{ kind: 'fork', notes: [] }] })
    await sleep(1500)
    expectNoTrace()
  })

  test('after it made the branch is taken back with the branch', async () => {
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const env = { PATH: killingGit('worktree add') }
    await runCutOff(script, words('fork', source.id), { env })
    const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'))
    db.prepare(`UPDATE journal SET undo = json_set(undo, '$.claimed', json('false')) WHERE step = 'workspace'`).run()
    db.close()
    expect(await sandbox.app({ cwd: repo }).recover()).toMatchObject({ problems: [], rolledBack: [{ kind: 'fork' }] })
    expectNoTrace()
  })
})

test('a fork cut off whose folder the user replaced is taken back, and the folder is left alone', async () => {
  const source = sandbox.session({ cwd: repo, turns: 2 })
  await runCutOff(script, [...words('fork', source.id).slice(0, -1), 'session begun'])
  const [id = ''] = readdirSync(join(workspaces, 'repo'))
  const path = join(workspaces, 'repo', id)
  rmSync(path, { recursive: true })
  mkdirSync(path)
  writeFileSync(join(path, 'own.txt'), 'of the user\n')
  const app = sandbox.app({ cwd: repo })
  const left = `${path} does not prove to be the workspace offshoot made in ${join(repo, '.git')}; it is left as it is.`
  expect(await app.recover()).toMatchObject({ problems: [], rolledBack: [{ notes: [expect.stringContaining(left)] }] })
  expect(readdirSync(path)).toEqual(['own.txt'])
  expect(await app.recover()).toEqual(nothingRecovered)
})

describe.runIf(shim)('a removal killed while it deletes the files of a workspace', () => {
  async function fork() {
    commitFiles()
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const app = sandbox.app({ cwd: repo })
    const made = await app.fork({ address: source.id, code: 'head' })
    return { app, ...made }
  }
  const moments = [1, 2, 10, files, files + 3]

  test.each(moments)('is carried through by the next command when it was an undo (change %i)', async (at) => {
    const { app, fork: made } = await fork()
    expect((await runCutOff(script, words('undo', made.id), killAt(at))).signal).toBe('SIGKILL')
    expect(await app.recover()).toMatchObject({ undone: [{ id: made.id, notes: [] }], problems: [] })
    expectNoTrace()
  })

  describe('when it was a garbage collection', () => {
    async function killGc(at: number) {
      const forked = await fork()
      writeFileSync(join(sandbox.offshootHome, 'config.toml'), '[workspaces]\nkeep_days = 0\n')
      const path = forked.fork.workspace?.path ?? ''
      sandbox.git(path, 'commit', '-q', '--allow-empty', '-m', 'work')
      sandbox.git(repo, 'merge', '-q', forked.fork.workspace?.branch ?? '')
      expect((await runCutOff(script, words('gc'), killAt(at))).signal).toBe('SIGKILL')
      return forked
    }

    test.each(moments.slice(1))('is carried through by the next command that writes (change %i)', async (at) => {
      const { app, fork: made } = await killGc(at)
      const { path = '', branch } = made.workspace ?? {}
      const removal = { id: basename(path), kind: 'removal', title: branch, notes: [] }
      expect(await app.recover()).toEqual({ ...nothingRecovered, completed: [removal] })
      expectNoTrace()
      expect(await app.recover()).toEqual(nothingRecovered)
      expect(await app.gc()).toMatchObject({ removed: [] })
    })

    test('is done by the next one when it was killed before it began to remove', async () => {
      await killGc(1)
      const app = sandbox.app({ cwd: repo, now: Date.now })
      expect(await app.recover()).toEqual(nothingRecovered)
      expect(await app.gc()).toMatchObject({ removed: [{ kind: 'workspace' }] })
      expectNoTrace()
    })

    test('is carried through by an undo of the fork', async () => {
      const { app, fork: made } = await killGc(10)
      await app.undo(made.id, { force: true })
      expectNoTrace()
    })
  })
})
