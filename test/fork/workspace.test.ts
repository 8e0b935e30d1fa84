// Forks with a workspace of their own, executed for real: what comes along, what is refused, what is taken back.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nothingRecovered } from '../../src/model/fork.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const canMount = process.getuid?.() === 0 && process.platform === 'linux'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('the present state comes along, the child starts in the same folder, undo removes it all', async () => {
  const repo = sandbox.repository('repo')
  mkdirSync(join(repo, 'packages', 'x'), { recursive: true })
  writeFileSync(join(repo, 'packages', 'x', 'a.txt'), 'a')
  sandbox.git(repo, 'add', '.')
  sandbox.git(repo, 'commit', '-qm', 'more')
  writeFileSync(join(repo, 'packages', 'x', 'a.txt'), 'changed')
  writeFileSync(join(repo, 'new.txt'), 'new')
  const { id } = sandbox.session({ cwd: join(repo, 'packages', 'x'), turns: 2 })
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: id, at: '1' })
  expect(plan.code).toMatchObject({ mode: 'now', dirtyFiles: ['packages/x/a.txt'], untracked: ['new.txt'] })
  expect(plan.confirm).toEqual(['code_now', 'dirty'])
  await expect(app.executeFork(plan, { accept: ['dirty'] })).rejects.toMatchObject({ code: 'confirm_needed' })
  const status = sandbox.git(repo, 'status', '--porcelain=v2')
  const { fork, proof } = await app.executeFork(plan, { accept: ['dirty', 'code_now'] })
  const workspace = fork.workspace?.path ?? ''
  expect(fork.workspace?.branch).toBe(`offshoot/session/${fork.id}`)
  expect(sandbox.git(workspace, 'status', '--porcelain=v2')).toBe(status)
  expect(sandbox.git(repo, 'status', '--porcelain=v2')).toBe(status)
  expect(fork.command.cwd).toBe(join(workspace, 'packages', 'x'))
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
  const { session } = await app.resolve(fork.sessionId)
  expect(session.cwd).toBe(join(workspace, 'packages', 'x'))
  await app.undo(fork.id)
  expect(existsSync(workspace)).toBe(false)
  expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
  await expect(app.resolve(fork.sessionId)).rejects.toMatchObject({ code: 'session_not_found' })
})

describe('undo refuses where work was done', () => {
  async function forked() {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    const { fork } = await app.fork({ address: id, code: 'head' })
    return { app, fork, repo, workspace: fork.workspace?.path ?? '' }
  }

  test('a file in the workspace', async () => {
    const { app, fork, workspace } = await forked()
    writeFileSync(join(workspace, 'work.txt'), 'work')
    await expect(app.undo(fork.id)).rejects.toMatchObject({ code: 'workspace_used', exit: 4 })
    expect(existsSync(fork.file ?? '')).toBe(true)
    expect(await app.undo(fork.id, { force: true })).toMatchObject({ undone: true, kept: [] })
    expect(existsSync(workspace)).toBe(false)
  })

  test('a commit on its branch', async () => {
    const { app, fork, workspace, repo } = await forked()
    sandbox.git(workspace, 'commit', '-q', '--allow-empty', '-m', 'work')
    await expect(app.undo(fork.id)).rejects.toMatchObject({ code: 'workspace_used' })
    await app.undo(fork.id, { force: true })
    expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
  })

  test('the session went on', async () => {
    const { app, fork } = await forked()
    appendFileSync(fork.file ?? '', '{"type":"user"}\n')
    await expect(app.undo(fork.id)).rejects.toMatchObject({ code: 'fork_used' })
    expect(existsSync(fork.workspace?.path ?? '')).toBe(true)
  })

  test('commits on a branch whose folder is gone: the branch stays', async () => {
    const { app, fork, workspace, repo } = await forked()
    sandbox.git(workspace, 'commit', '-q', '--allow-empty', '-m', 'work')
    rmSync(workspace, { recursive: true })
    const { removed, kept } = await app.undo(fork.id)
    expect(removed).not.toContain(fork.workspace?.branch)
    expect(kept).toEqual([expect.stringContaining('has moved to')])
    expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toContain(fork.workspace?.branch)
  })

  test('something else at its path: that stays', async () => {
    const { app, fork, workspace } = await forked()
    rmSync(workspace, { recursive: true })
    mkdirSync(workspace)
    writeFileSync(join(workspace, 'mine.txt'), 'mine')
    const kept = [expect.stringContaining('does not prove to be the workspace'), `the branch ${fork.workspace?.branch}`]
    expect(await app.undo(fork.id)).toMatchObject({ undone: true, kept })
    expect(readFileSync(join(workspace, 'mine.txt'), 'utf8')).toBe('mine')
    expect(await app.recover()).toMatchObject({ problems: [] })
  })

  test('an unknown fork, and none at all', async () => {
    const app = sandbox.app()
    await expect(app.undo()).rejects.toMatchObject({ code: 'fork_not_found', exit: 3 })
    await expect(app.undo('abcdefgh')).rejects.toMatchObject({ code: 'fork_not_found' })
  })
})

describe('a plan that no longer holds', () => {
  test('the source grew: fine at a finished turn, and at the tip it is the turn that was last', async () => {
    const source = sandbox.session({ turns: 2 })
    const app = sandbox.app()
    const plans = [
      await app.planFork({ address: source.id, at: '1', code: 'none' }),
      await app.planFork({ address: source.id, code: 'none' }),
    ]
    source.addTurn('later')
    for (const [index, plan] of plans.entries()) {
      const { fork, proof } = await app.executeFork(plan)
      expect(proof.prefixVerified).toBe(true)
      expect((await app.resolve(fork.sessionId)).session.turns).toBe(index + 1)
    }
  })

  test('the source is gone or was rewritten', async () => {
    const source = sandbox.session({ turns: 2 })
    const app = sandbox.app()
    const plan = await app.planFork({ address: source.id, code: 'none' })
    const text = readFileSync(source.path, 'utf8')
    writeFileSync(source.path, text.replace('prompt 1', 'PROMPT 1'))
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
    rmSync(source.path)
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
    expect(await app.listForks()).toEqual([])
  })

  test('the branch moved, a file changed', async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    const plan = await app.planFork({ address: id })
    sandbox.git(repo, 'commit', '-q', '--allow-empty', '-m', 'moved')
    await expect(app.executeFork(plan)).rejects.toMatchObject({
      code: 'plan_stale',
      message: expect.stringContaining('HEAD was'),
    })
    const again = await app.planFork({ address: id })
    writeFileSync(join(repo, 'x.txt'), 'x')
    await expect(app.executeFork(again)).rejects.toMatchObject({ code: 'plan_stale' })
    expect(existsSync(join(sandbox.offshootHome, 'worktrees'))).toBe(false)
  })
})

test('a plan executed twice makes one fork', async () => {
  const repo = sandbox.repository('repo')
  const { id } = sandbox.session({ cwd: repo, turns: 1 })
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: id })
  const { fork } = await app.executeFork(plan)
  await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
  expect(await app.listForks()).toMatchObject([{ fork: { id: fork.id }, state: 'made' }])
  expect(existsSync(fork.workspace?.path ?? '')).toBe(true)
})

test('what was forked is remembered when the database is damaged or its cache made anew', async () => {
  const source = sandbox.session({ turns: 2 })
  const app = sandbox.app()
  const { fork } = await app.fork({ address: source.id, at: '1', code: 'none' })
  await app.refresh()
  app.close()
  const path = join(sandbox.offshootHome, 'offshoot.db')
  const db = new Sqlite(path)
  db.exec("UPDATE meta SET value = '0' WHERE key = 'cache_version'")
  const page = Number(db.pragma('page_size', { simple: true }))
  const root = db.prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'").get()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const again = sandbox.app()
  expect((await again.resolve(fork.sessionId)).session.parent).toMatchObject({ sessionId: source.id, kind: 'prefix' })
  again.close()
  const bytes = readFileSync(path)
  bytes.fill(0xff, ((root?.rootpage ?? 1) - 1) * page, (root?.rootpage ?? 1) * page)
  writeFileSync(path, bytes)
  const moved: string[] = []
  const repaired = sandbox.app({ onRepair: (movedTo) => moved.push(movedTo) })
  expect((await repaired.resolve(fork.sessionId)).session.parent).toMatchObject({ sessionId: source.id, kind: 'prefix' })
  expect(moved).toHaveLength(1)
  expect(await repaired.listForks()).toMatchObject([{ fork: { id: fork.id }, proof: { prefixVerified: true } }])
})

describe('what fails leaves nothing', () => {
  test("the workspace's path was taken meanwhile", async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    const plan = await app.planFork({ address: id })
    const path = plan.workspace?.path ?? ''
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'theirs.txt'), 'theirs')
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'file_exists', exit: 4 })
    expect(readFileSync(join(path, 'theirs.txt'), 'utf8')).toBe('theirs')
    await nothingLeft(app, repo)
  })

  test('the branch was made meanwhile: it stays', async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    const plan = await app.planFork({ address: id, branch: 'mine' })
    sandbox.git(repo, 'branch', 'mine')
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'branch_taken', exit: 4 })
    expect(sandbox.git(repo, 'branch', '--list', 'mine')).toContain('mine')
    await nothingLeft(app, repo)
  })

  test('the session id was taken meanwhile: the other session stays', async () => {
    const { id, path } = sandbox.session({ turns: 1 })
    let taken = ''
    const app = sandbox.app({
      onForkStep(moment) {
        if (moment !== 'session begun') return
        const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'), { readonly: true })
        const row = db.prepare<[], { id: string }>('SELECT session_id AS id FROM forks').get()
        db.close()
        taken = join(path, '..', `${row?.id}.jsonl`)
        writeFileSync(taken, 'theirs')
      },
    })
    await expect(app.fork({ address: id, code: 'none' })).rejects.toMatchObject({ code: 'file_exists' })
    expect(readFileSync(taken, 'utf8')).toBe('theirs')
  })

  test.runIf(canMount)('the folder for the session is not writable', async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    execFileSync('mount', ['--bind', sandbox.projects, sandbox.projects])
    try {
      execFileSync('mount', ['-o', 'remount,ro,bind', sandbox.projects])
      await expect(app.fork({ address: id, code: 'head' })).rejects.toMatchObject({ code: 'failed', exit: 1 })
    } finally {
      execFileSync('umount', [sandbox.projects])
    }
    await nothingLeft(app, repo)
  })

  test.runIf(canMount)('the disk is full', async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    writeFileSync(join(repo, 'big.bin'), Buffer.alloc(4 << 20, 1))
    const small = join(sandbox.root, 'small')
    mkdirSync(small)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small])
    try {
      mkdirSync(sandbox.offshootHome, { recursive: true })
      writeFileSync(join(sandbox.offshootHome, 'config.toml'), `[workspaces]\nfolder = "${small}"\n`)
      const app = sandbox.app({ cwd: repo })
      await expect(app.fork({ address: id }, { accept: ['dirty'] })).rejects.toMatchObject({
        code: 'disk_full',
        message: expect.stringContaining('disk is full'),
      })
      expect(readdirSync(small)).toEqual([])
      await nothingLeft(app, repo)
    } finally {
      execFileSync('umount', [small])
    }
  })

  async function nothingLeft(app: ReturnType<Sandbox['app']>, repo: string): Promise<void> {
    expect(await app.listForks()).toEqual([])
    expect(sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
    expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
    expect(await app.listSessions()).toHaveLength(1)
    expect(await app.recover()).toEqual(nothingRecovered)
  }
})

test('a prompt that is to be sent goes into the command, one too long for a command line does not', async () => {
  const { id } = sandbox.session({ turns: 2 })
  const app = sandbox.app()
  const short = await app.fork({ address: id, code: 'none', prompt: '--help me', send: true })
  expect(short.fork.command.argv.slice(-2)).toEqual(['--', '--help me'])
  expect(short.fork.pendingPrompt).toBeUndefined()
  expect(JSON.stringify(await app.listForks())).not.toContain('--help me')
  const prompt = 'word '.repeat(1_000_000)
  const long = await app.fork({ address: id, code: 'none', prompt, send: true })
  expect(long.plan.warnings.map(({ code }) => code)).toContain('prompt_long')
  expect(long.fork.pendingPrompt).toBe(prompt)
  expect(long.fork.command.argv).toEqual(['claude', `--resume=${long.fork.sessionId}`])
  const pending = await app.fork({ address: id, before: '2', code: 'none' })
  expect(pending.fork).toMatchObject({
    pendingPrompt: 'prompt 2',
    command: { argv: ['claude', expect.stringContaining('--resume')] },
  })
  const sent = await app.fork({ address: id, before: '2', code: 'none', send: true })
  expect(sent.fork.command.argv.at(-1)).toBe('prompt 2')
})

test.each(['print', 'none', 'here', 'tmux'] as const)(
  'a prompt that is not to be sent is in no command (%s)',
  async (terminal) => {
    const { id } = sandbox.session({ turns: 2 })
    const { fork } = await sandbox.app().fork({ address: id, at: '1', code: 'none', prompt: '--help me', terminal })
    expect(fork.pendingPrompt).toBe('--help me')
    const prefill = terminal === 'here' ? ['--prefill=--help me'] : []
    expect(fork.command.argv).toEqual(['claude', `--resume=${fork.sessionId}`, ...prefill])
  },
)

test('two forks at once do not collide', async () => {
  const repo = sandbox.repository('repo')
  const { id } = sandbox.session({ cwd: repo, turns: 2 })
  const [one, two] = await Promise.all(
    [1, 2].map((turn) => sandbox.app({ cwd: repo }).fork({ address: id, at: String(turn), code: 'head' })),
  )
  expect(one?.fork.workspace?.path).not.toBe(two?.fork.workspace?.path)
  const sessions = await sandbox.app().listSessions()
  expect(sessions).toHaveLength(3)
  expect(new Set([one?.fork.title, two?.fork.title])).toEqual(new Set(['Fork of prompt 1', 'Fork of prompt 1 (2)']))
})
