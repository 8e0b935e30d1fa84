// The user's set-up command for a repository, run in each new workspace of it: planned, run, reported, and never for anything else.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import type { MakingProgress } from '../../src/model/fork.ts'
import { hookedSession, playTurn } from '../capture/session.ts'
import { tellHere } from '../capture/tell.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { runCutOff } from './run-cut-off.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let repo: string
let PATH: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  PATH = `${makeFakeAgent(sandbox.root)}:${process.env.PATH}`
})
afterEach(() => {
  vi.unstubAllEnvs()
  sandbox.close()
})

const configure = (path: string, setup: string, more = '') => {
  mkdirSync(sandbox.offshootHome, { recursive: true })
  const text = `[repositories.${JSON.stringify(path)}]\nsetup = ${JSON.stringify(setup)}\n${more}`
  appendFileSync(join(sandbox.offshootHome, 'config.toml'), text)
}
const app = (cwd = repo, vars = {}) => sandbox.app({ cwd, vars: { PATH, ...vars } })
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('in a fork', () => {
  test('it is in the plan, runs in the root of the workspace, and is reported', async () => {
    configure(repo, 'pwd > made; echo "$OFFSHOOT_SOURCE $OFFSHOOT_WORKSPACE" > told; echo one; echo two >&2')
    mkdirSync(join(repo, 'sub'))
    const { id } = sandbox.session({ cwd: join(repo, 'sub'), turns: 2 })
    const its = app()
    const plan = await its.planFork({ address: id, at: '1', code: 'head' })
    expect(plan.setup).toMatchObject({ command: expect.stringMatching(/^pwd > made;/), timeoutSeconds: 600 })
    expect(plan.steps.at(-2)).toBe(`Run your set-up command in the workspace: ${plan.setup?.command}`)
    const { fork, setup, proof } = await its.executeFork(plan)
    const path = fork.workspace?.path ?? ''
    expect(read(path, 'made')).toBe(`${path}\n`)
    expect(read(path, 'told')).toBe(`${repo} ${path}\n`)
    expect(setup).toMatchObject({ exitCode: 0, timedOut: false, seconds: expect.any(Number) })
    expect([...(setup?.output ?? [])].sort()).toEqual(['one', 'two'])
    expect(proof.details.at(-1)).toContain('ended with exit status 0')
    expect(sandbox.git(repo, 'status', '--porcelain')).toBe('')
    // What the command wrote is nobody's work.
    expect(await its.undo(fork.id)).toMatchObject({ undone: true })
    expect(existsSync(path)).toBe(false)
  })

  test('one that fails says why, and the fork is made', async () => {
    configure(repo, 'for n in $(seq 100); do echo "line $n"; done; echo the reason >&2; exit 3')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const its = app()
    const { fork, setup, proof } = await its.fork({ address: id, code: 'head' })
    expect(setup).toMatchObject({ exitCode: 3, timedOut: false })
    expect(setup?.output).toHaveLength(20)
    expect(setup?.output).toContain('the reason')
    expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
    expect(await its.listForks()).toMatchObject([{ fork: { id: fork.id }, state: 'made' }])
  })

  test('one that takes too long is ended, with all it started', async () => {
    configure(repo, 'sleep 600 & echo $! > "$OFFSHOOT_SOURCE/pid"; sleep 600', 'setup_timeout = 1\n')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const told: MakingProgress[] = []
    const its = app()
    const plan = await its.planFork({ address: id, code: 'head' })
    const { setup } = await its.executeFork(plan, { onProgress: (progress) => told.push(progress) })
    expect(setup).toMatchObject({ exitCode: null, timedOut: true })
    expect(told.at(-1)).toMatchObject({ step: 'setup', command: plan.setup?.command, line: '' })
    await vi.waitFor(() => expect(isAlive(Number(read(repo, 'pid')))).toBe(false), { timeout: 10_000 })
  })

  test('what it leaves running in the background holds nobody up', async () => {
    configure(repo, 'sleep 600 & echo $! > "$OFFSHOOT_SOURCE/pid"; echo started')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const { setup } = await app().fork({ address: id, code: 'head' })
    expect(setup).toMatchObject({ exitCode: 0, output: ['started'] })
    process.kill(Number(read(repo, 'pid')))
  })

  test('one that harms the work tree itself is reported like any other', async () => {
    configure(repo, 'rm -rf .git; exit 1')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    expect(await app().fork({ address: id, code: 'head' })).toMatchObject({ setup: { exitCode: 1 } })
  })

  test('of a captured turn, and of one in a workspace that is gone', async () => {
    configure(repo, 'touch made')
    const session = hookedSession(sandbox.projects, repo)
    const tell = (payload: Parameters<typeof tellHere>[1]) => tellHere(sandbox.offshootHome, payload)
    await playTurn(tell, session, 'write', () => writeFileSync(join(repo, 'a'), '1'))
    const its = app()
    const { fork, plan, setup } = await its.fork({ address: session.id, at: '1' })
    expect(plan.code.mode).toBe('turn')
    expect(setup).toMatchObject({ exitCode: 0 })
    const path = fork.workspace?.path ?? ''
    const child = hookedSession(sandbox.projects, path)
    await playTurn(tell, child, 'more', () => writeFileSync(join(path, 'b'), '2'))
    const { id } = (await its.resolve(child.id)).session
    await its.undo(fork.id, { force: true })
    expect(await its.fork({ address: id, at: '1' })).toMatchObject({ plan: { code: { mode: 'turn' } }, setup: { exitCode: 0 } })
  })

  test('there is none in place', async () => {
    configure(repo, 'touch made')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const { plan, setup } = await app().fork({ address: id, code: 'none' })
    expect([plan.setup, setup, existsSync(join(repo, 'made'))]).toEqual([null, undefined, false])
  })
})

test('a session that is started gets it too', async () => {
  configure(repo, 'touch made; exit 2')
  const its = app()
  const plan = await its.planStart({ agent: 'claude' })
  expect(plan.setup).toMatchObject({ command: 'touch made; exit 2' })
  expect(plan.steps).toContain('Run your set-up command in the workspace: touch made; exit 2')
  const { start, setup } = await its.start({ agent: 'claude' })
  expect(setup).toMatchObject({ exitCode: 2 })
  expect(existsSync(join(start.workspace?.path ?? '', 'made'))).toBe(true)
  expect(await its.undo(start.id)).toMatchObject({ undone: true })
})

describe('for which repository', () => {
  const planIn = async (cwd: string) => {
    const { id } = sandbox.session({ cwd, turns: 1 })
    return app(cwd).planFork({ address: id, code: 'now' })
  }

  test('the one at that path, named through a link or from the home folder, and its linked work trees', async () => {
    symlinkSync(repo, join(sandbox.home, 'linked'))
    configure('~/linked', 'true')
    expect((await planIn(repo)).setup?.command).toBe('true')
    const linked = join(sandbox.root, 'other')
    sandbox.git(repo, 'worktree', 'add', '-q', linked)
    expect((await planIn(linked)).setup).toMatchObject({ command: 'true', source: linked })
  })

  test('no other, none around it and none inside of it', async () => {
    configure(repo, 'true')
    expect((await planIn(sandbox.repository('other'))).setup).toBeNull()
    expect((await planIn(sandbox.repository('repo/inner'))).setup).toBeNull()
    configure(join(sandbox.root, 'outer', 'folder'), 'true')
    const outer = sandbox.repository('outer')
    mkdirSync(join(outer, 'folder'))
    expect((await planIn(outer)).setup).toBeNull()
  })

  test('what a repository itself says counts for nothing', async () => {
    mkdirSync(join(repo, '.offshoot'))
    const text = `[repositories.${JSON.stringify(repo)}]\nsetup = "touch ${sandbox.root}/pwned"\n`
    for (const name of ['config.toml', '.offshoot/config.toml']) writeFileSync(join(repo, name), text)
    expect((await planIn(repo)).setup).toBeNull()
  })

  test('not for files from a folder whose .git merely leads to that repository', async () => {
    configure(repo, 'sh ./setup.sh')
    const evil = join(sandbox.root, 'evil')
    mkdirSync(evil)
    writeFileSync(join(evil, '.git'), `gitdir: ${join(repo, '.git')}\n`)
    writeFileSync(join(evil, 'setup.sh'), `touch ${sandbox.root}/pwned\n`)
    const plan = await planIn(evil)
    expect(plan).toMatchObject({ setup: null, workspace: null, blockers: [{ code: 'no_git' }] })
    await expect(app(evil).executeFork(plan, { accept: plan.confirm })).rejects.toMatchObject({ code: 'repo_not_found' })
    await expect(app(evil).planStart({ agent: 'claude' })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('leads to a repository that does not name'),
    })
    expect(existsSync(join(sandbox.root, 'pwned'))).toBe(false)
  })

  test('not for a repository that calls the configured path one of its work trees', async () => {
    configure(repo, 'true')
    const evil = sandbox.repository('evil')
    const note = join(evil, '.git', 'worktrees', 'x')
    mkdirSync(note, { recursive: true })
    writeFileSync(join(note, 'gitdir'), `${repo}/.git\n`)
    writeFileSync(join(note, 'commondir'), '../..\n')
    writeFileSync(join(note, 'HEAD'), 'ref: refs/heads/main\n')
    expect(sandbox.git(evil, 'worktree', 'list')).toContain(`${repo} `)
    expect((await planIn(evil)).setup).toBeNull()
  })

  test('programs are not looked for in the workspace, and git speaks of the workspace', async () => {
    writeFileSync(join(repo, 'tool'), `#!/bin/sh\ntouch ${sandbox.root}/pwned\n`)
    chmodSync(join(repo, 'tool'), 0o755)
    sandbox.git(repo, 'add', '.')
    sandbox.git(repo, 'commit', '-qm', 'tool')
    configure(repo, 'git rev-parse --show-toplevel; tool')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const vars = { PATH: `.::bin:${PATH}:`, GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere', GIT_CONFIG_COUNT: '1' }
    const { setup, fork } = await app(repo, vars).fork({ address: id, code: 'head' })
    expect(setup).toMatchObject({ exitCode: 127 })
    expect(setup?.output[0]).toBe(fork.workspace?.path)
    expect(existsSync(join(sandbox.root, 'pwned'))).toBe(false)
  })

  test.each([
    ['must be named by an absolute path', 'relative/path', 'x', ''],
    ['needs a command line for setup', '/x', '', ''],
    ['needs a whole number of seconds', '/x', 'x', 'setup_timeout = 0\n'],
    ['has no setting sets_up; it takes setup, setup_timeout', '/x', 'x', 'sets_up = "y"\n'],
  ])('a bad entry is refused: it %s', async (message, path, command, more) => {
    configure(path, command, more)
    await expect(planIn(repo)).rejects.toMatchObject({ code: 'bad_config', message: expect.stringContaining(message) })
  })
})

describe('offshoot killed while it runs', () => {
  /** The command ends offshoot, which is the parent of the shell it runs in, and would go on for long. */
  const suicidal = 'echo $$ > "$OFFSHOOT_SOURCE/pid"; touch half; kill -9 $(ps -o ppid= -p $PPID); sleep 600'
  const cutOff = (verb: string, moment: string, name: string) =>
    runCutOff(new URL('./cut-off.ts', import.meta.url), [verb, sandbox.home, sandbox.offshootHome, repo, name, moment])
  const worktrees = () => sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0
  const commandEnded = () =>
    vi.waitFor(() => expect(isAlive(Number(read(repo, 'pid')))).toBe(false), { timeout: 10_000, interval: 50 })

  test('the command ends with it, and the next one completes the fork and says so', async () => {
    configure(repo, suicidal)
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const { signal, stderr } = await cutOff('fork', '', source.id)
    expect(signal, stderr).toBe('SIGKILL')
    await commandEnded()
    const its = app()
    expect((await its.doctor()).find(({ id }) => id === 'forks')?.message).toContain('one fork was cut off')
    const { completed, problems } = await its.recover()
    expect(problems).toEqual([])
    const [entry] = await its.listForks()
    expect(completed).toMatchObject([{ id: entry?.fork.id, notes: [entry?.proof?.details.at(-1)] }])
    expect(entry).toMatchObject({ state: 'made', proof: { prefixVerified: true } })
    const path = entry?.fork.workspace?.path
    expect(entry?.proof?.details.at(-1)).toBe(
      `the set-up command ${JSON.stringify(suicidal)} was cut off; it can be run again in ${path}`,
    )
    expect(existsSync(join(path ?? '', 'half'))).toBe(true)
    expect(await its.undo(entry?.fork.id)).toMatchObject({ undone: true })
  })

  test.each(['setup begun', 'setup worked', 'setup done'])('a fork cut off at "%s" is completed', async (moment) => {
    configure(repo, 'touch made')
    const source = sandbox.session({ cwd: repo, turns: 2 })
    expect((await cutOff('fork', moment, source.id)).signal).toBe('SIGKILL')
    const its = app()
    expect(await its.recover()).toMatchObject({ completed: [{ kind: 'fork' }], rolledBack: [], problems: [] })
    expect(await its.listForks()).toMatchObject([{ state: 'made', proof: { prefixVerified: true } }])
  })

  test('a start is taken back', async () => {
    configure(repo, suicidal)
    vi.stubEnv('PATH', PATH) // where the process that is cut off finds the agent
    expect((await cutOff('start', '', 'claude')).signal).toBe('SIGKILL')
    await commandEnded()
    const its = app()
    expect(await its.recover()).toMatchObject({ completed: [], rolledBack: [{ kind: 'start' }], problems: [] })
    expect(worktrees()).toBe(1)
    expect(readdirSync(sandbox.offshootHome)).not.toContain('worktrees/repo')
    expect(await its.listStarts()).toEqual([])
  })
})
