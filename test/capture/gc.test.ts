// What is cleared away as time goes by: the app's clock is set forward, everything else is real.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GcReport } from '../../src/model/capture.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

const dayMs = 86_400_000

let sandbox: Sandbox
let repo: string
let PATH: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  PATH = `${makeFakeAgent(sandbox.root)}:${process.env.PATH}`
})
afterEach(() => sandbox.close())

const appIn = (days: number) => sandbox.app({ cwd: repo, now: () => Date.now() + days * dayMs, vars: { PATH } })
const refs = () => sandbox.git(repo, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/').split('\n').filter(Boolean)

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const turn = (session: HookedSession, name: string) =>
  playTurn(tell, session, `write ${name}`, () => writeFileSync(join(repo, name), `${name}\n`))

async function captured(): Promise<HookedSession> {
  const session = hookedSession(sandbox.projects, repo)
  await turn(session, 'a.txt')
  await turn(session, 'b.txt')
  await appIn(0).listSessions()
  return session
}

const about = (list: GcReport['kept'], kind: string) => list.filter((each) => each.kind === kind)

test('snapshots of a session that is gone go after a week, and with them what the table knows of it', async () => {
  const session = await captured()
  const app = appIn(8)
  expect(about((await app.gc()).kept, 'snapshots')[0]?.reason).toContain('can still be opened')
  rmSync(session.path)
  expect(about((await appIn(1).gc()).kept, 'snapshots')[0]?.reason).toBe('it is recent')
  expect(refs()).toHaveLength(3)
  const dry = await app.gc({ dryRun: true })
  expect(about(dry.removed, 'snapshots')).toMatchObject([
    { name: `3 snapshots of claude:${session.id}`, path: join(repo, '.git') },
  ])
  expect(refs()).toHaveLength(3)
  const { removed, freedBytes } = await app.gc()
  expect(about(removed, 'snapshots')).toHaveLength(1)
  expect(freedBytes).toBeGreaterThan(0)
  expect(refs()).toEqual([])
  expect(await app.captureStatus()).toMatchObject({ captures: 0 })
  expect(sandbox.git(repo, 'fsck', '--no-dangling')).toBe('')
})

test('when the folder of the agent itself is not there, nothing is gone', async () => {
  await captured()
  rmSync(sandbox.projects, { recursive: true })
  const { removed } = await appIn(100).gc()
  expect(about(removed, 'snapshots')).toEqual([])
  expect(refs()).toHaveLength(3)
})

test('a session that others were forked from keeps its snapshots', async () => {
  const session = await captured()
  const { fork } = await appIn(0).fork({ address: session.id, at: '1', code: 'none' })
  rmSync(session.path)
  const { kept } = await appIn(8).gc()
  expect(about(kept, 'snapshots')[0]?.reason).toBe(`claude:${fork.sessionId} was forked from its session`)
})

test('the settings can say how long snapshots are kept', async () => {
  await captured()
  mkdirSync(sandbox.offshootHome, { recursive: true })
  appendFileSync(join(sandbox.offshootHome, 'config.toml'), '[snapshots]\nkeep_days = 30\n')
  expect(about((await appIn(20).gc()).removed, 'snapshots')).toEqual([])
  const { removed } = await appIn(40).gc()
  expect(about(removed, 'snapshots')).toMatchObject([{ reason: 'older than the settings keep' }])
  expect(refs()).toEqual([])
})

test('the state before a restore is kept for thirty days', async () => {
  const session = await captured()
  const app = appIn(0)
  const { id } = await app.restore(await app.planRestore({ address: `${session.id}@1` }))
  expect(about((await appIn(20).gc()).kept, 'safety')[0]?.reason).toBe('kept for 10 more days')
  expect(about((await appIn(31).gc()).removed, 'safety')[0]?.name).toContain(id)
  await expect(app.undo(id)).rejects.toMatchObject({ message: expect.stringContaining('is gone') })
})

test('a workspace nobody ever worked in goes once its session is gone and it was not used for a week, one with work stays', async () => {
  const app = appIn(0)
  const unused = await app.start({ agent: 'claude' })
  const used = await app.start({ agent: 'claude' })
  writeFileSync(join(used.start.workspace?.path ?? '', 'work.txt'), 'work\n')
  mkdirSync(sandbox.projects, { recursive: true })
  expect((await appIn(6).gc()).removed).toEqual([])
  const { removed, kept } = await appIn(8).gc()
  expect(about(removed, 'workspace')).toMatchObject([{ name: unused.start.workspace?.branch, reason: 'its session is gone' }])
  expect(about(kept, 'workspace')).toMatchObject([
    { name: used.start.workspace?.branch, reason: expect.stringContaining('uncommitted') },
  ])
  const forced = await appIn(8).gc({ force: true })
  expect(about(forced.removed, 'workspace')).toHaveLength(1)
  expect(existsSync(used.start.workspace?.path ?? '')).toBe(false)
  expect(sandbox.git(repo, 'show', `refs/offshoot/safety/gc-${used.start.id}:wt/work.txt`)).toBe('work\n')
  expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
})

test('a pushed branch counts as kept elsewhere', async () => {
  const remote = join(sandbox.root, 'remote.git')
  sandbox.git(sandbox.root, 'init', '-q', '--bare', remote)
  sandbox.git(repo, 'remote', 'add', 'origin', remote)
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '', branch = '' } = start.workspace ?? {}
  writeFileSync(join(path, 'work.txt'), 'work\n')
  sandbox.git(path, 'add', '.')
  sandbox.git(path, 'commit', '-qm', 'Work')
  expect(about((await appIn(0).gc()).kept, 'workspace')[0]?.reason).toContain('at no remote')
  sandbox.git(path, 'push', '-q', 'origin', branch)
  expect(about((await appIn(8).gc()).removed, 'workspace')[0]?.reason).toBe('its branch was merged or pushed')
  expect(existsSync(path)).toBe(false)
})

/** A workspace whose branch is merged: nothing but its last use keeps it. */
async function mergedWorkspace(name = 'work.txt') {
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '', branch = '' } = start.workspace ?? {}
  mkdirSync(sandbox.projects, { recursive: true })
  writeFileSync(join(path, name), 'work\n')
  sandbox.git(path, 'add', '.')
  sandbox.git(path, 'commit', '-qm', 'Work')
  sandbox.git(repo, 'merge', '-q', branch)
  return { path, branch, sessionId: start.sessionId }
}

const minuteMs = 60_000
const configure = (text: string) => {
  mkdirSync(sandbox.offshootHome, { recursive: true })
  appendFileSync(join(sandbox.offshootHome, 'config.toml'), text)
}

/** Makes everything in a folder look as if it was last written then. */
function age(folder: string, at: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) age(path, at)
    else utimesSync(path, at / 1000, at / 1000)
  }
  utimesSync(folder, at / 1000, at / 1000)
}

describe('a workspace that was used lately stays, though its branch is merged', () => {
  test('two minutes after it was made, and for workspaces.keep_days', async () => {
    const { path } = await mergedWorkspace()
    const reason = async (days: number) => about((await appIn(days).gc()).kept, 'workspace')[0]?.reason
    const why = 'and stays for 7 days after its last use'
    expect(await reason((2 * minuteMs) / dayMs)).toBe(`it was used 2m ago, ${why} (its branch was merged or pushed)`)
    expect(await reason(6)).toBe(`it was used 6d ago, ${why} (its session is gone)`)
    configure('[workspaces]\nkeep_days = 10\n')
    expect(await reason(8)).toContain('stays for 10 days')
    expect(existsSync(path)).toBe(true)
    expect(about((await appIn(11).gc()).removed, 'workspace')).toHaveLength(1)
    expect(existsSync(path)).toBe(false)
  })

  test('with keep_days = 0 its age does not protect it', async () => {
    const { path } = await mergedWorkspace()
    configure('[workspaces]\nkeep_days = 0\n')
    expect(about((await appIn(0).gc()).removed, 'workspace')[0]?.reason).toBe('its branch was merged or pushed')
    expect(existsSync(path)).toBe(false)
  })

  test('--force removes it and keeps its last state', async () => {
    const { path } = await mergedWorkspace()
    const [gone] = about((await appIn(0).gc({ force: true })).removed, 'workspace')
    expect(gone?.reason).toContain('forced, though it was used just now')
    expect(existsSync(path)).toBe(false)
    expect(refs().filter((ref) => ref.includes('/safety/gc-'))).toHaveLength(1)
  })

  const tenDaysAgo = () => Date.now() - 10 * dayMs
  async function oldWorkspace() {
    const made = await mergedWorkspace()
    // As if all of it were ten days ago.
    const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'))
    db.prepare('UPDATE workspaces SET created_at = ?').run(tenDaysAgo())
    db.close()
    age(made.path, tenDaysAgo())
    age(join(repo, '.git', 'worktrees'), tenDaysAgo())
    return made
  }

  test('by the last turn of its session', async () => {
    const { path, sessionId } = await oldWorkspace()
    sandbox.session({ id: sessionId, cwd: path, at: Date.now() - 2 * minuteMs, turns: 1 })
    expect(about((await appIn(0).gc()).kept, 'workspace')[0]?.reason).toMatch(/^it was used \dm ago/)
  })

  test('by the last turn of another session that ran in it', async () => {
    const { path } = await oldWorkspace()
    mkdirSync(join(path, 'deep'))
    age(path, tenDaysAgo())
    sandbox.session({ cwd: join(path, 'deep'), at: Date.now() - 2 * minuteMs, turns: 1 })
    expect(about((await appIn(0).gc()).kept, 'workspace')[0]?.reason).toMatch(/^it was used \dm ago/)
  })

  test('by the last file written in it, ignored ones included', async () => {
    const { path } = await oldWorkspace()
    writeFileSync(join(repo, '.git', 'info', 'exclude'), 'build/\n')
    mkdirSync(join(path, 'build'))
    writeFileSync(join(path, 'build', 'out.js'), '1')
    expect(about((await appIn(0).gc()).kept, 'workspace')[0]?.reason).toContain('it was used just now')
  })

  test('by the last commit made in it', async () => {
    const { path, branch } = await oldWorkspace()
    sandbox.git(path, 'commit', '-q', '--allow-empty', '-m', 'Empty')
    sandbox.git(repo, 'merge', '-q', branch)
    expect(about((await appIn(0).gc()).kept, 'workspace')[0]?.reason).toContain('it was used just now')
  })

  test('without any of these it goes', async () => {
    await oldWorkspace()
    expect(about((await appIn(0).gc()).removed, 'workspace')).toHaveLength(1)
  })
})

test('a workspace whose submodule has commits of its own stays; forced, they can be fetched back', async () => {
  const library = sandbox.repository('library')
  sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
  sandbox.git(repo, 'commit', '-qm', 'submodule')
  const { path } = await mergedWorkspace()
  const lib = join(path, 'lib')
  const keep = async () => about((await appIn(30).gc()).kept, 'workspace')[0]?.reason
  writeFileSync(join(lib, 'inside.txt'), 'work\n')
  sandbox.git(lib, 'add', '.')
  sandbox.git(lib, 'commit', '-qm', 'Inside')
  const commit = sandbox.git(lib, 'rev-parse', 'HEAD').trim()
  sandbox.git(path, 'commit', '-qam', 'Use it')
  sandbox.git(repo, 'merge', '-q', sandbox.git(path, 'branch', '--show-current').trim())
  expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
  expect(await keep()).toContain('commits in its submodule lib are nowhere else')
  const [gone] = about((await appIn(20).gc({ force: true })).removed, 'workspace')
  const bundle = /git fetch '(.*)' HEAD/.exec(gone?.reason ?? '')?.[1] ?? ''
  expect(existsSync(path)).toBe(false)
  sandbox.git(join(repo, 'lib'), 'fetch', '-q', bundle, 'HEAD')
  expect(sandbox.git(join(repo, 'lib'), 'show', `${commit}:inside.txt`)).toBe('work\n')
})

test('a workspace goes once the commits of its submodules are where they came from', async () => {
  const library = sandbox.repository('library')
  sandbox.git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
  sandbox.git(repo, 'commit', '-qm', 'submodule')
  // A commit of the source itself that was never pushed.
  sandbox.git(join(repo, 'lib'), 'commit', '-q', '--allow-empty', '-m', 'not pushed')
  sandbox.git(repo, 'commit', '-qam', 'newer')
  const { path } = await mergedWorkspace()
  expect(existsSync(join(path, 'lib', '.git'))).toBe(true)
  expect(about((await appIn(30).gc()).removed, 'workspace')).toHaveLength(1)
  expect(existsSync(path)).toBe(false)
})

test('a workspace some process runs in stays, also when forced', async () => {
  const { path } = await mergedWorkspace()
  mkdirSync(join(path, 'deep'))
  const child = spawn('sleep', ['600'], { cwd: join(path, 'deep'), stdio: 'ignore' })
  try {
    await once(child, 'spawn')
    const { kept } = await appIn(30).gc({ force: true })
    expect(about(kept, 'workspace')[0]?.reason).toBe(`process ${child.pid} runs in it`)
  } finally {
    child.kill()
    await once(child, 'exit')
  }
  expect(about((await appIn(30).gc()).removed, 'workspace')).toHaveLength(1)
})

describe('gc speaks of one repository', () => {
  test('that of the working directory; `all` and a directory outside any repository mean every one', async () => {
    const { path } = await mergedWorkspace()
    const session = await captured()
    rmSync(session.path)
    const other = sandbox.repository('other')
    const there = (cwd: string) => sandbox.app({ cwd, now: () => Date.now() + 30 * dayMs, vars: { PATH } })
    const elsewhere = await there(other).gc()
    expect(elsewhere).toMatchObject({ repository: join(other, '.git'), removed: [], kept: [] })
    expect(existsSync(path)).toBe(true)
    expect(refs().length).toBeGreaterThan(0)
    const everything = (report: GcReport) => report.removed.map(({ kind }) => kind)
    const outside = await there(sandbox.root).gc({ dryRun: true })
    expect(outside.repository).toBeNull()
    expect(everything(outside)).toEqual(expect.arrayContaining(['workspace', 'snapshots', 'private_index']))
    const inside = await there(path).gc({ dryRun: true })
    expect(inside.repository).toBe(join(repo, '.git'))
    const all = await there(other).gc({ all: true })
    expect(everything(all)).toEqual(everything(outside))
    expect(existsSync(path)).toBe(false)
    expect(refs()).toEqual([])
  })

  test('bundles of commits count with the repository they are of', async () => {
    const { start } = await appIn(0).start({ agent: 'claude' })
    const { path = '' } = start.workspace ?? {}
    mkdirSync(sandbox.projects, { recursive: true })
    sandbox.git(path, 'commit', '-q', '--allow-empty', '-m', 'Work')
    await appIn(8).gc({ force: true })
    const bundles = (report: GcReport) => report.removed.filter(({ name }) => name.endsWith('.bundle'))
    const other = sandbox.app({ cwd: sandbox.repository('other'), now: () => Date.now() + 60 * dayMs, vars: { PATH } })
    expect(bundles(await other.gc())).toEqual([])
    expect(bundles(await appIn(60).gc())).toHaveLength(1)
  })
})

test('a workspace whose folder was deleted by hand keeps a branch with commits of its own', async () => {
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '', branch = '' } = start.workspace ?? {}
  writeFileSync(join(path, 'work.txt'), 'work\n')
  sandbox.git(path, 'add', '.')
  sandbox.git(path, 'commit', '-qm', 'Work')
  rmSync(path, { recursive: true })
  expect(about((await appIn(30).gc()).kept, 'workspace')[0]?.reason).toContain('in no other branch')
  expect(sandbox.git(repo, 'log', '-1', '--format=%s', branch)).toBe('Work\n')
  sandbox.git(repo, 'merge', '-q', branch)
  expect(about((await appIn(30).gc()).removed, 'workspace')[0]?.reason).toBe('its folder is gone')
  expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
  expect(sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
})

test('a workspace that was moved stays: by mv for a week, in which git is told of it or finds it by itself', async () => {
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '', branch = '' } = start.workspace ?? {}
  mkdirSync(sandbox.projects, { recursive: true })
  writeFileSync(join(path, 'work.txt'), 'work\n')
  sandbox.git(path, 'add', '.')
  sandbox.git(path, 'commit', '-qm', 'Work')
  sandbox.git(repo, 'merge', '-q', branch)
  const moved = join(sandbox.root, 'moved')
  renameSync(path, moved)
  writeFileSync(join(moved, 'more.txt'), 'more\n')
  const reason = async (days: number) => about((await appIn(days).gc()).kept, 'workspace')[0]?.reason
  expect(await reason(2)).toContain('git worktree repair')
  expect(sandbox.git(moved, 'status', '--porcelain')).toBe('?? more.txt\n')
  sandbox.git(moved, 'worktree', 'repair')
  expect(await reason(30)).toBe(`its branch is checked out in ${moved}`)
  expect(sandbox.git(moved, 'status', '--porcelain')).toBe('?? more.txt\n')
  rmSync(moved, { recursive: true })
  expect(about((await appIn(30).gc()).removed, 'workspace')[0]?.reason).toBe('its folder is gone')
})

test('a worktree the person locked stays, its folder there or not (a disk that is away)', async () => {
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '' } = start.workspace ?? {}
  mkdirSync(sandbox.projects, { recursive: true })
  sandbox.git(repo, 'worktree', 'lock', '--reason', 'on a stick', path)
  const reason = async () => about((await appIn(30).gc()).kept, 'workspace')[0]?.reason
  expect(await reason()).toBe('it is locked: on a stick (its session is gone)')
  renameSync(path, `${path}-away`)
  expect(await reason()).toBe('it is locked: on a stick (its folder is gone)')
  renameSync(`${path}-away`, path)
  expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
  sandbox.git(repo, 'worktree', 'unlock', path)
  expect(about((await appIn(30).gc()).removed, 'workspace')).toHaveLength(1)
})

test('forced, a branch with commits of its own can be fetched back for thirty days, and shows nowhere meanwhile', async () => {
  const made = [await appIn(0).start({ agent: 'claude' }), await appIn(0).start({ agent: 'claude' })]
  const spaces = made.flatMap(({ start }) => start.workspace ?? [])
  for (const { path, branch } of spaces) {
    writeFileSync(join(path, 'work.txt'), `${branch}\n`)
    sandbox.git(path, 'add', '.')
    sandbox.git(path, 'commit', '-qm', `Work on ${branch}`)
  }
  rmSync(spaces[1]?.path ?? '', { recursive: true })
  mkdirSync(sandbox.projects, { recursive: true })
  const tips = spaces.map(({ branch }) => sandbox.git(repo, 'rev-parse', branch))
  const dry = about((await appIn(8).gc({ force: true, dryRun: true })).removed, 'workspace')
  expect(readdirSync(sandbox.offshootHome)).not.toContain('bundles')
  const real = await appIn(8).gc({ force: true })
  expect(about(real.removed, 'workspace')).toEqual(dry)
  expect(sandbox.git(repo, 'log', '--all', '--format=%s')).not.toContain('Work')
  sandbox.git(repo, 'gc', '-q', '--prune=now')
  for (const [number, { branch }] of spaces.entries()) {
    const bundle = /git fetch '(.*)' /.exec(dry.find(({ name }) => name === branch)?.reason ?? '')?.[1] ?? ''
    expect(statSync(bundle).mode & 0o777).toBe(0o600)
    sandbox.git(repo, 'fetch', '-q', bundle, `${branch}:${branch}`)
    expect(sandbox.git(repo, 'rev-parse', branch)).toBe(tips[number])
  }
  expect(about((await appIn(20).gc()).kept, 'safety').map(({ reason }) => reason)).toContain('kept for 10 more days')
  expect(about((await appIn(33).gc()).removed, 'safety').filter(({ name }) => name.endsWith('.bundle'))).toHaveLength(2)
  expect(readdirSync(join(sandbox.offshootHome, 'bundles'))).toEqual([])
})

test('a workspace in which a session is open stays, whoever opened it', async () => {
  const { start } = await appIn(0).start({ agent: 'claude' })
  const { path = '' } = start.workspace ?? {}
  const session = sandbox.session({ cwd: path, turns: 1 })
  const sessions = join(sandbox.home, '.claude', 'sessions')
  mkdirSync(sessions, { recursive: true })
  writeFileSync(
    join(sessions, `${process.pid}.json`),
    JSON.stringify({ pid: process.pid, sessionId: session.id, status: 'idle' }),
  )
  expect(about((await appIn(30).gc({ force: true })).kept, 'workspace')[0]?.reason).toBe(`claude:${session.id} is open in it`)
  expect(existsSync(path)).toBe(true)
})

test('what a killed process left goes after a day', async () => {
  const scratch = join(sandbox.offshootHome, 'captures', 'scratch', 'look-x')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(join(scratch, 'index'), 'x'.repeat(1000))
  expect((await appIn(0).gc()).removed).toEqual([])
  const { removed, freedBytes } = await appIn(2).gc()
  expect(about(removed, 'trash')).toMatchObject([{ path: scratch, bytes: 1000 }])
  expect(freedBytes).toBe(1000)
  expect(readdirSync(join(sandbox.offshootHome, 'captures', 'scratch'))).toEqual([])
})

describe('behind a link in the folder of offshoot', () => {
  let foreign: string
  beforeEach(() => {
    foreign = join(sandbox.root, 'foreign')
    mkdirSync(join(foreign, 'inside'), { recursive: true })
    for (const name of ['a.txt', 'b.json', 'c.part', join('inside', 'd.txt')]) {
      writeFileSync(join(foreign, name), 'work\n')
      const longAgo = Date.now() / 1000 - 45 * 86_400
      utimesSync(join(foreign, name), longAgo, longAgo)
    }
  })

  const places = [
    'bundles',
    'trash',
    'captures',
    join('captures', 'scratch'),
    join('captures', 'pending'),
    join('captures', 'not-understood'),
    join('captures', 'claude'),
    join('captures', 'claude', 'a-session'),
    join('captures', 'scratch', 'look-1'),
  ]
  test.each(places)('nothing is cleared: %s', async (place) => {
    const path = join(sandbox.offshootHome, place)
    mkdirSync(dirname(path), { recursive: true })
    // What offshoot keeps in `captures` lies one level down.
    for (const name of place === 'captures' ? ['scratch', 'pending', 'not-understood', 'claude'] : []) {
      mkdirSync(join(foreign, name))
      writeFileSync(join(foreign, name, 'e.json'), 'work\n')
    }
    symlinkSync(foreign, path)
    const before = readdirSync(foreign, { recursive: true, encoding: 'utf8' })
    const app = appIn(50)
    await app.listSessions()
    await app.afterCapture()
    const report = await app.gc({ all: true, force: true })
    expect(readdirSync(foreign, { recursive: true, encoding: 'utf8' })).toEqual(expect.arrayContaining(before))
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(report.removed).toEqual([])
    const checks = await app.doctor()
    expect(checks).toContainEqual(expect.objectContaining({ id: 'links', state: 'warn', message: expect.stringContaining(path) }))
  })
})
