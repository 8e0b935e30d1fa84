// start and gc as processes: with a stand-in for the agent, which offshoot only has to find and open.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playCapturedSession, sampleTurns } from '../../src/cli/demo/captured-session.ts'
import { followUpsEnded } from '../capture/follow-ups.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { makeFakeAgent } from './fake-agent.ts'
import { configureSetup, createFixture, type Fixture, runProcess } from './run-cli.ts'

let home: Fixture
let PATH: string
beforeAll(async () => {
  home = await createFixture()
  PATH = `${makeFakeAgent(home.home)}:${home.vars.PATH}`
})
afterAll(async () => {
  await followUpsEnded(home.vars.OFFSHOOT_HOME ?? '')
  home.remove()
})

interface StartJson {
  start: {
    id: string
    session_id: string
    title: string
    workspace: { path: string; branch: string; base_commit: string }
    command: { argv: string[]; cwd: string }
  }
  plan: { push: string | null; code: { mode: string }; warnings: { code: string }[] }
}

interface GcJson {
  removed: { kind: string; name: string; path: string; reason: string; bytes: number }[]
  kept: { kind: string; name: string; path: string; reason: string }[]
  freed_bytes: number
}

const start = (...args: string[]) => home.run(['start', 'claude', ...args], { env: { PATH } })
const startJson = (...args: string[]) => home.json<StartJson>(['start', 'claude', '--json', ...args], { env: { PATH } })
const git = async (cwd: string, ...args: string[]) => (await runProcess('git', args, cwd, home.vars)).stdout
const gitDirOf = (workspace: string) => readFileSync(join(workspace, '.git'), 'utf8').replace('gitdir: ', '').trim()

describe('start', () => {
  test('makes a workspace of clean HEAD, says how to open it, and undo removes it', async () => {
    const made = await start('Write tests.')
    expect(made.status).toBe(0)
    for (const words of ['Started: Write tests.', 'offshoot/session/', 'note       dirty:', '--settings=', '--session-id=']) {
      expect(made.stdout).toContain(words)
    }
    const workspace = /workspace +(\S+)/.exec(made.stdout)?.[1] ?? ''
    const sessionId = /session +claude:(\S+)/.exec(made.stdout)?.[1] ?? ''
    expect(made.stdout).toContain(`--session-id=${sessionId} -- 'Write tests.'`)
    expect(await git(workspace, 'status', '--porcelain')).toBe('')
    expect(existsSync(join(workspace, 'ideas.md'))).toBe(false)
    const marker = JSON.parse(readFileSync(join(gitDirOf(workspace), 'offshoot-workspace.json'), 'utf8')) as unknown
    expect(marker).toMatchObject({ version: 1, agent: 'claude', sessionId, keptTurns: 0, push: null })
    const settings = /--settings=(\S+)/.exec(made.stdout)?.[1] ?? ''
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toMatchObject({ hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } })
    expect((await home.run(['sessions', '--json'])).stdout).not.toContain(sessionId)
    const undone = await home.run(['undo'])
    expect(undone.stdout).toContain('Undone: Write tests.')
    expect(existsSync(workspace)).toBe(false)
    expect(await git(home.repository, 'branch', '--list', 'offshoot/*')).toBe('')
  })

  test('carries the present state, under a branch and a title of one choosing', async () => {
    const { start: made, plan } = await startJson('--code', 'now', '--branch', 'try/it', '--title', 'A try')
    expect(made).toMatchObject({ title: 'A try', workspace: { branch: 'try/it' } })
    expect(plan.code.mode).toBe('now')
    expect(await git(made.workspace.path, 'status', '--porcelain')).toBe(await git(home.repository, 'status', '--porcelain'))
    expect(await home.json(['undo', made.id, '--json'])).toMatchObject({ kind: 'start', undone: true, start: { id: made.id } })
  })

  test('installed hooks are not given along', async () => {
    await home.run(['hooks', 'install', '--agent', 'claude'], { env: { PATH } })
    const { start: made } = await startJson()
    expect(made.command.argv).toEqual(['claude', `--session-id=${made.session_id}`])
    await home.run(['undo'])
    await home.run(['hooks', 'uninstall', '--agent', 'claude'], { env: { PATH } })
  })

  test('settings of the agent that cannot be read cost the capture, not the session', async () => {
    const run = join(home.vars.OFFSHOOT_HOME ?? '', 'run')
    removeFolder(run)
    writeFileSync(run, 'in the way')
    const { start: made } = await startJson()
    expect(made.command.argv).toEqual(['claude', `--session-id=${made.session_id}`])
    rmSync(run)
    await home.run(['undo'])
  })

  test('--push takes a remote that is there', async () => {
    const missing = await start('--push')
    expect(missing).toMatchObject({ status: 5, stdout: '' })
    expect(missing.stderr).toContain('no remote "origin"')
    await git(home.repository, 'remote', 'add', 'away', join(home.home, 'away.git'))
    const { start: made, plan } = await startJson('--push', 'away')
    expect(plan.push).toBe('away')
    await home.run(['undo', made.id])
  })

  test('--dry-run makes nothing', async () => {
    const before = await git(home.repository, 'branch', '--list')
    const [include, ignored] = [join(home.repository, '.worktreeinclude'), join(home.repository, 'local.cfg')]
    appendFileSync(join(home.repository, '.git', 'info', 'exclude'), 'local.cfg\n')
    writeFileSync(ignored, '')
    writeFileSync(include, 'local.cfg\n')
    const { stdout, status } = await start('--dry-run', 'Do it.')
    for (const file of [include, ignored]) rmSync(file)
    expect(stdout).toMatch(/ignored files named in \.worktreeinclude[^\n]*\n +local\.cfg\n/)
    expect(status).toBe(0)
    expect(stdout).toContain('Make the workspace')
    expect(await git(home.repository, 'branch', '--list')).toBe(before)
    expect(await home.json(['start', 'claude', '--dry-run', '--json'], { env: { PATH } })).toMatchObject({
      plan: { agent: 'claude' },
    })
  })

  test.each([
    [['start'], 2, 'missing required argument'],
    [['start', 'gemini'], 2, 'Allowed choices are claude, codex'],
    [['start', 'codex'], 1, 'codex'],
    [['start', 'claude', ' '], 2, 'The prompt is empty'],
    [['start', 'claude', '--terminal', 'here'], 2, 'needs a terminal'],
    [['start', 'claude', '--headless', '--allow', 'Read', '--dry-run'], 2, 'the policy of this worker is ask'],
    [
      ['start', 'claude', '--headless', '--policy', 'deny', '--allow', 'Read', '--dry-run'],
      2,
      'the policy of this worker is deny',
    ],
    [
      ['start', 'codex', '--terminal', 'tmux', '--policy', 'allow_list', '--allow', 'Read', '--dry-run'],
      2,
      'no list of allowed tools',
    ],
    [
      ['start', 'claude', '--terminal', 'tmux', '--command', 'claude', '--model', 'x', '--dry-run'],
      2,
      'the model would not reach it',
    ],
    [
      ['start', 'claude', '--terminal', 'tmux', '--command', 'claude', '--mcp-config', 'x', '--dry-run'],
      2,
      'MCP servers would not reach it',
    ],
    [
      ['start', 'claude', '--terminal', 'tmux', '--command', 'claude', '--policy', 'deny', '--dry-run'],
      2,
      'the policy would not reach it',
    ],
    [['start', 'claude', '--terminal', 'tmux', '--name', 'a b'], 2, 'cannot be the name of a worker'],
    [['start', 'claude', '--headless', '--terminal', 'tmux'], 2, 'has no terminal'],
    [['start', 'claude', '--headless', '--command', 'claude'], 2, 'needs a terminal'],
    [['start', 'claude', '--headless', '--env', 'novalue'], 2, 'NAME=value'],
    [['start', 'claude', '--branch', 'main'], 4, 'main'],
    [['start', 'claude', '--branch', 'a..b'], 2, 'a..b'],
  ])('%j is refused', async (args, status, words) => {
    const path = args[1] === 'codex' ? '/usr/bin:/bin' : PATH
    const run = await home.run(args, { env: { PATH: path } })
    expect(run).toMatchObject({ status, stdout: '' })
    expect(run.stderr).toContain(words)
  })

  test('outside of a repository there is nothing to start in', async () => {
    const { status, stderr } = await home.run(['start', 'claude'], { cwd: home.home, env: { PATH } })
    expect(status).toBe(3)
    expect(stderr).toContain('in no git repository')
    expect(stderr).toContain('hint: Go to a folder inside of a git repository; `git init` makes one.')
  })

  test('--terminal none says how to open it, with the prompt that waits: nothing else could', async () => {
    for (const words of [['Write docs.'], []]) {
      const { stdout } = await start(...words, '--terminal', 'none')
      const sessionId = /session +claude:(\S+)/.exec(stdout)?.[1] ?? ''
      expect(stdout).toMatch(new RegExp(`open it .*--session-id=${sessionId}${words.length > 0 ? " -- 'Write docs\\.'" : ''}\n`))
      await home.run(['undo'])
    }
  })

  test('a prompt is read from stdin', async () => {
    const { stdout } = await home.run(['start', 'claude', '-', '--json'], { env: { PATH }, input: 'From\nstdin\n' })
    const { start: made } = JSON.parse(stdout) as StartJson
    expect(made.command.argv.slice(-2)).toEqual(['--', 'From\nstdin'])
    await home.run(['undo'])
  })
})

test('a headless agent that dies with its first prompt is a failed start: no workspace, no branch, no running worker', async () => {
  const folder = join(home.home, 'dying')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'claude'), dyingAgent, { mode: 0o755 })
  const env = { PATH: `${folder}:${home.vars.PATH}` }
  const before = [await git(home.repository, 'worktree', 'list'), await git(home.repository, 'branch', '--list', 'offshoot/*')]
  for (const json of [[], ['--json']]) {
    const failed = await home.run(['start', 'claude', 'Go on.', '--headless', '--name', 'dies', ...json], { env })
    expect(failed.status).toBe(1)
    expect(failed.stdout + failed.stderr).toContain('the model router fell over')
    expect(failed.stdout + failed.stderr).toContain('Nothing was left behind')
    expect([
      await git(home.repository, 'worktree', 'list'),
      await git(home.repository, 'branch', '--list', 'offshoot/*'),
    ]).toEqual(before)
    expect(await home.json(['workers', '--json'])).toEqual({ workers: [] })
  }
})

/** Comes up as Claude Code does, and ends when it is given a prompt. */
const dyingAgent = `#!${process.execPath}
if (process.argv[2] === '--version') {
  console.log('2.1.325 (Claude Code)')
  process.exit(0)
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id } = JSON.parse(line)
  if (type !== 'control_request') {
    console.error('the model router fell over')
    process.exit(1)
  }
  console.log(JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } }))
})
`

describe('the set-up command of the repository', () => {
  test('is planned, run and reported by start and fork; a failure leaves the exit status 0', async () => {
    const forget = configureSetup(home, 'echo all there')
    try {
      expect((await start('--dry-run')).stdout).toContain('Run your set-up command in the workspace: echo all there')
      const made = await start()
      expect(made.stdout).toMatch(/set-up +echo all there: done in [\d.]+ s/)
      await home.run(['undo'])
      configureSetup(home, 'echo no packages >&2; exit 4')
      const fork = (...args: string[]) => home.run(['fork', 'claude:60309e1e', '--at', '1', '--code', 'head', ...args])
      const planned = await fork('--dry-run')
      expect(planned.stdout).toMatch(/set-up +echo no packages >&2; exit 4/)
      const forked = await fork('--yes')
      expect(forked.status).toBe(0)
      expect(forked.stdout).toContain('failed (exit status 4); the workspace is complete without it')
      expect(forked.stdout).toMatch(/\n +no packages\n/)
      const document = JSON.parse((await fork('--yes', '--json')).stdout) as Record<string, unknown>
      expect(document).toMatchObject({ setup: { exit_code: 4, output: ['no packages'] }, proof: { cwd_verified: true } })
      configureSetup({ ...home, repository: 'here' }, 'x')
      const checked = await home.run(['doctor', '--json'])
      expect(checked.stdout).toContain('repositories.here must be named by an absolute path')
      const refused = await fork('--dry-run')
      expect([refused.status, refused.stderr.includes('must be named by an absolute path')]).toEqual([2, true])
    } finally {
      forget()
      for (const _ of [1, 2]) await home.run(['undo'])
    }
  })
})

describe('gc', () => {
  const gc = (...args: string[]) => home.json<GcJson>(['gc', '--json', ...args])
  const find = (list: GcJson['kept'], path: string) => list.find((each) => each.path === path)
  const otherRepository = async () => {
    const path = join(home.home, 'other')
    await git(home.home, 'init', '-q', path)
    return path
  }

  test('leaves a workspace alone that is young, dirty or not merged, and takes one that was merged', async () => {
    const { start: made } = await startJson()
    const { path, branch } = made.workspace
    expect(find((await gc()).kept, path)?.reason).toContain('can still be opened')
    writeFileSync(join(path, 'work.txt'), 'work\n')
    expect(find((await gc()).kept, path)?.reason).toContain('an uncommitted file')
    await git(path, 'add', '.')
    await git(path, '-c', 'user.name=T', '-c', 'user.email=t@example.test', 'commit', '-qm', 'Work')
    expect(find((await gc()).kept, path)?.reason).toContain('in no other branch')
    expect(find((await gc('--force')).kept, path)?.reason).toContain('in no other branch')
    await git(home.repository, 'branch', 'kept', branch)
    appendFileSync(join(path, 'work.txt'), 'more\n')
    expect(find((await gc()).kept, path)?.reason).toContain('an uncommitted file')
    await git(path, 'checkout', '--', 'work.txt')
    expect(find((await gc()).kept, path)?.reason).toContain('it was used just now, and stays for 7 days')
    await home.run(['config', 'set', 'workspaces.keep_days', '0'])
    const elsewhere = { cwd: await otherRepository() }
    expect((await home.json<GcJson>(['gc', '--json'], elsewhere)).removed).toEqual([])
    const all = await home.json<GcJson>(['gc', '--json', '--all', '--dry-run'], elsewhere)
    const dry = await gc('--dry-run')
    expect(find(dry.removed, path)).toMatchObject({ kind: 'workspace', reason: 'its branch was merged or pushed' })
    expect(find(all.removed, path)).toEqual(find(dry.removed, path))
    expect((await home.run(['gc', '--dry-run'])).stderr).toContain('Only this repository was looked at')
    expect(existsSync(path)).toBe(true)
    const done = await gc()
    expect(find(done.removed, path)).toMatchObject({ kind: 'workspace' })
    expect(done.freed_bytes).toBeGreaterThan(0)
    expect(existsSync(path)).toBe(false)
    expect((await git(home.repository, 'branch', '--list', branch)).trim()).toBe('')
    expect((await git(home.repository, 'log', '--format=%s', '-1', 'kept')).trim()).toBe('Work')
    expect((await home.run(['undo', made.id])).status).toBe(0)
  })

  test('a workspace whose branch and files hold work goes only when forced, and its state is kept', async () => {
    const { start: made } = await startJson()
    const { path } = made.workspace
    await git(home.repository, 'branch', 'merged-too', made.workspace.branch)
    writeFileSync(join(path, 'a.txt'), 'a\n')
    await git(path, 'add', '.')
    await git(path, '-c', 'user.name=T', '-c', 'user.email=t@example.test', 'commit', '-qm', 'A')
    await git(home.repository, 'branch', '-f', 'merged-too', made.workspace.branch)
    writeFileSync(join(path, 'precious.txt'), 'precious\n')
    expect(find((await gc()).kept, path)?.reason).toContain('an uncommitted file')
    const { removed } = await gc('--force')
    expect(find(removed, path)?.reason).toContain('forced')
    const ref = `refs/offshoot/safety/gc-${made.id}`
    expect(await git(home.repository, 'show', `${ref}:wt/precious.txt`)).toBe('precious\n')
  })

  test('snapshots stay as long as their session does, and a week longer', async () => {
    await playCapturedSession(home, sampleTurns, { now: Date.now })
    const refs = async () =>
      (await git(home.repository, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/claude/')).split('\n')
    await home.run(['turns', 'claude:4be17d5c'])
    const before = await refs()
    expect(before.length).toBe(5)
    await followUpsEnded(home.vars.OFFSHOOT_HOME ?? '')
    expect((await gc()).kept.find(({ name }) => name.includes('4 snapshots of claude:4be17d5c'))?.reason).toContain('opened')
    const projects = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects')
    for (const name of readdirSync(projects, { recursive: true, encoding: 'utf8' })) {
      if (name.includes('4be17d5c')) removeFolder(join(projects, name))
    }
    // What an archived copy can bring back is not gone.
    expect((await gc()).kept.find(({ name }) => name.includes('claude:4be17d5c'))?.reason).toContain('opened')
    removeFolder(join(home.vars.OFFSHOOT_HOME ?? '', 'archive'))
    rmSync(join(home.vars.OFFSHOOT_HOME ?? '', 'offshoot.db'), { force: true })
    await home.run(['index', '--rebuild'])
    expect((await gc()).kept.find(({ name }) => name.includes('claude:4be17d5c'))?.reason).toContain('recent')
    expect(await refs()).toEqual(before)
  })

  test('leftovers of processes go after a day, private indexes with their session', async () => {
    const captures = join(home.vars.OFFSHOOT_HOME ?? '', 'captures')
    const index = join(captures, 'claude', '4be17d5c-2f0a-4c63-9a1e-70d2c9b8e5f1')
    expect(existsSync(index)).toBe(true)
    const old = new Date(Date.now() - 3 * 86_400_000)
    for (const name of [...readdirSync(index).map((each) => join(index, each)), index]) utimesSync(name, old, old)
    const { removed } = await gc()
    expect(removed).toContainEqual(expect.objectContaining({ kind: 'private_index', path: index, reason: 'its session is gone' }))
    expect(existsSync(index)).toBe(false)
  })
})
