// fork and undo as processes, over the demo's sessions and its repository with uncommitted work.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ForkJson } from './fork-json.ts'
import { createFixture, type Fixture, runProcess } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

const session = 'claude:60309e1e'
const fork = (...args: string[]) => home.run(['fork', session, ...args])
const forkJson = (...args: string[]) => home.json<ForkJson>(['fork', session, '--json', '--yes', ...args])
const git = async (cwd: string, ...args: string[]) => (await runProcess('git', args, cwd, home.vars)).stdout

/** Every file of the agents and every branch and workspace, to see that nothing was written. */
async function look(): Promise<string[]> {
  const folders = [home.vars.CLAUDE_CONFIG_DIR, home.vars.CODEX_HOME, join(home.vars.OFFSHOOT_HOME ?? '', 'worktrees')]
  const files = folders.filter((path) => existsSync(path ?? '')).flatMap((path) => listFiles(path ?? ''))
  return [...files.map((path) => `${path} ${statSync(path).size}`), await git(home.repository, 'branch', '--list')]
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

describe('the plan', () => {
  test('--dry-run prints it for people and for programs, and does nothing', async () => {
    await home.run(['sessions'])
    const before = await look()
    const page = await fork('--at', '1', '--dry-run')
    expect(page.status).toBe(0)
    for (const words of ['1 kept, 2 dropped', 'strategy   prefix', 'tokens', 'todo.mjs', 'ideas.md', 'dirty:', 'Steps']) {
      expect(page.stdout).toContain(words)
    }
    const { plan } = await home.json<ForkJson>(['fork', session, '--at', '1', '--dry-run', '--json'])
    expect(plan).toMatchObject({
      agent: 'claude',
      strategy: 'prefix',
      kept_turns: 1,
      dropped_turns: 2,
      turn: { number: 1, prompt: 'Give every task a due date.' },
      code: { mode: 'now', dirty_files: ['todo.mjs'], untracked: ['ideas.md'] },
      confirm: ['code_now', 'dirty'],
      blockers: [],
    })
    expect(await look()).toEqual(before)
  })

  test('a plan that cannot be carried out says so by its status', async () => {
    const page = await fork('--at', '1', '--code', 'turn', '--dry-run')
    expect(page.status).toBe(5)
    expect(page.stdout).toContain('code_unavailable')
    const refused = await fork('--at', '1', '--code', 'turn', '--yes')
    expect(refused).toMatchObject({ status: 5, stdout: '' })
    expect(refused.stderr).toContain('was not captured')
    const seed = await fork('--at', '1', '--to', 'codex', '--dry-run', '--json')
    expect(seed.status).toBe(1)
    expect(JSON.parse(seed.stdout)).toMatchObject({ plan: { strategy: 'seed', blockers: [{ code: 'no_agent' }] } })
  })
})

describe('a fork', () => {
  test('is made, proven, reported, listed and undone', async () => {
    const source = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects')
    const before = new Map(listFiles(source).map((path) => [path, readFileSync(path, 'utf8')]))
    const made = await fork('--at', '2', '--yes')
    expect(made.status).toBe(0)
    expect(made.stderr).toBe('')
    for (const words of [
      'Forked: Fork of Give every',
      '✓ the source is unchanged',
      'offshoot/session/',
      'code_now: The fork takes',
    ]) {
      expect(made.stdout).toContain(words)
    }
    const address = /session +(\S+)/.exec(made.stdout)?.[1] ?? ''
    const id = /undo +offshoot undo (\S+)/.exec(made.stdout)?.[1] ?? ''
    const workspace = /workspace +(\S+)/.exec(made.stdout)?.[1] ?? ''
    const settings = join(home.vars.OFFSHOOT_HOME ?? '', 'run', 'claude-hooks.json')
    expect(made.stdout).toContain(`cd ${workspace} && claude --settings=${settings} --resume=${address.slice('claude:'.length)}`)
    expect(await git(workspace, 'status', '--porcelain')).toBe(await git(home.repository, 'status', '--porcelain'))
    for (const [path, text] of before) expect(readFileSync(path, 'utf8')).toBe(text)

    expect((await home.run(['tree', address])).stdout).toMatch(/└─ claude:\S+ Fork of .* {2}prefix at turn 2 · 0 own turns/)
    expect((await home.run(['sessions'])).stdout).toContain('⑂ Fork of Give every task a due date.')
    expect((await home.run(['turns', address])).stdout).toContain('Write tests for it and run them.')

    const undone = await home.run(['undo', id])
    expect(undone.status).toBe(0)
    expect(undone.stdout).toContain(`removed  ${workspace}`)
    expect(undone.stdout).toContain('removed  branch offshoot/session/')
    expect(existsSync(workspace)).toBe(false)
    expect(new Map(listFiles(source).map((path) => [path, readFileSync(path, 'utf8')]))).toEqual(before)
    expect((await home.run(['undo', id])).stdout).toContain('was undone before')
    expect((await home.run(['show', address])).status).toBe(3)
  })

  test('as JSON: session, fork, plan and proof, and an undo by session', async () => {
    const { session: child, fork: made, plan, proof } = await forkJson('--at', '-1', '--code', 'none', '--title', 'Second try')
    expect(made).toMatchObject({ agent: 'claude', strategy: 'prefix', title: 'Second try', workspace: null })
    expect(made.command).toEqual({ argv: ['claude', `--resume=${made.session_id}`], cwd: home.repository })
    expect(plan).toMatchObject({ kept_turns: 3, dropped_turns: 0, terminal: 'print' })
    expect(proof).toMatchObject({ source_unchanged: true, prefix_verified: true, cwd_verified: true })
    expect(child).toMatchObject({ id: made.session_id, title: 'Second try' })
    const undone = await home.json<Record<string, unknown>>(['undo', `claude:${made.session_id}`, '--json'])
    expect(undone).toMatchObject({ undone: true, removed: [made.file], kept: [], fork: { id: made.id } })
  })

  test('--before ends just before a turn and carries its prompt; only --send puts a prompt into the command', async () => {
    const before = await forkJson('--before', '2', '--code', 'none')
    expect(before.plan).toMatchObject({ kept_turns: 1, pending_prompt: 'Write tests for it and run them.' })
    expect(before.fork.pending_prompt).toBe('Write tests for it and run them.')
    expect(before.fork.command.argv).not.toContain('Write tests for it and run them.')
    const sent = await forkJson('--before', '2', '--code', 'none', '--send')
    expect(sent.fork.command.argv.slice(-2)).toEqual(['--', 'Write tests for it and run them.'])
    const own = await forkJson('--before', '2', '--code', 'none', '--prompt', '--yes, really', '--send')
    expect(own.fork.command.argv.slice(-2)).toEqual(['--', '--yes, really'])
    expect(own.fork.pending_prompt).toBeUndefined()
    const waits = await forkJson('--before', '2', '--code', 'none', '--prompt', '--yes, really')
    expect(waits.fork.pending_prompt).toBe('--yes, really')
    expect(waits.fork.command.argv.join(' ')).not.toContain('really')
    const { stdout } = await home.run(
      ['fork', session, '--at', '1', '--code', 'none', '--yes', '--json', '--send', '--prompt', '-'],
      { input: 'from a pipe\n' },
    )
    expect((JSON.parse(stdout) as ForkJson).fork.command.argv.slice(-2)).toEqual(['--', 'from a pipe'])
    const shown = await fork('--before', '2', '--code', 'none', '--yes', '--prompt', 'one\ntwo')
    expect(shown.stdout).toMatch(/prompt +not sent; copy it from here:\n\none\ntwo\n/)
    for (let left = 0; left < 6; left += 1) expect((await home.run(['undo'])).status).toBe(0)
  })

  test('a prompt too long for a command line is left out of it, and that is said', async () => {
    const input = 'x'.repeat(5 << 20)
    const { stdout, status } = await home.run(
      ['fork', session, '--at', '1', '--code', 'none', '--yes', '--json', '--send', '--prompt', '-'],
      { input },
    )
    expect(status).toBe(0)
    const { fork: made, plan } = JSON.parse(stdout) as ForkJson
    expect(made.command.argv).toEqual(['claude', `--resume=${made.session_id}`])
    expect(plan).toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ code: 'prompt_long' })]) })
    await home.run(['undo'])
  })

  test('--terminal none says how to undo it, not how to open it', async () => {
    const { stdout } = await fork('--at', '1', '--code', 'none', '--yes', '--terminal', 'none')
    expect(stdout).not.toContain('open it')
    expect(stdout).toContain('offshoot undo')
    await home.run(['undo'])
  })

  test('--terminal none does not lose a prompt: one to send is in the command that opens it', async () => {
    const common = ['--at', '1', '--code', 'none', '--yes', '--terminal', 'none', '--prompt', 'Go on.']
    const sent = await fork(...common, '--send')
    expect(sent.stdout).toMatch(/open it .* -- 'Go on\.'\n/)
    const waits = await fork(...common)
    expect(waits.stdout).toMatch(/prompt +not sent; copy it from here:\n\nGo on\.\n/)
    for (let left = 0; left < 2; left += 1) await home.run(['undo'])
  })

  test('in a workspace of its own name', async () => {
    const { fork: made } = await forkJson('--at', '1', '--code', 'head', '--branch', 'try/again')
    expect(made.workspace?.branch).toBe('try/again')
    expect(await git(made.workspace?.path ?? '', 'status', '--porcelain', '--branch')).toBe('## try/again\n')
    const taken = await fork('--at', '1', '--code', 'head', '--branch', 'try/again', '--yes')
    expect(taken.status).toBe(4)
    await home.run(['undo'])
  })
})

describe('refused, with nothing written', () => {
  test.each([
    ['an unknown turn', ['--at', '77', '--yes'], 3, /has turns 1 to 3/],
    ['an unknown turn id', ['--at', 'abcd-ef', '--yes'], 3, /abcd-ef/],
    ['a turn named twice', ['--at', '1', '--before', '2'], 2, /cannot be used with/],
    ['no turn', [], 2, /At which turn\?[\s\S]*\n +2 .*Write tests for it[\s\S]*--at last or --yes/],
    [
      'uncommitted work without a yes',
      ['--at', '3'],
      4,
      /to be accepted:\n +dirty: .*todo\.mjs[\s\S]*with --accept dirty, or with --yes/,
    ],
    [
      'the code of now at an earlier turn',
      ['--at', '1', '--accept', 'dirty'],
      4,
      /code_now: [\s\S]*with --accept code_now, or with --yes/,
    ],
    ['a code that is none', ['--at', '1', '--accept', 'everything'], 2, /everything[\s\S]*code_now/],
    [
      'a name for a worker that nobody opens',
      ['--at', '1', '--name', 'helper'],
      2,
      /"helper" would name a worker[\s\S]*--terminal tmux/,
    ],
    ['a name no worker can have', ['--at', '1', '--terminal', 'tmux', '--name', 'a b'], 2, /cannot be the name/],
    ['here without a terminal', ['--at', '1', '--terminal', 'here', '--yes'], 2, /needs a terminal/],
    ['an empty prompt', ['--at', '1', '--prompt', '', '--yes'], 2, /empty/],
    ['a bad branch name', ['--at', '1', '--branch', 'a..b', '--yes'], 2, /a\.\.b/],
    ['an unknown strategy', ['--at', '1', '--strategy', 'magic'], 2, /magic/],
  ])('%s', async (_, args, status, words) => {
    await home.run(['sessions'])
    const before = await look()
    const run = await fork(...args)
    expect(run.stderr).toMatch(words)
    expect(run).toMatchObject({ status, stdout: '' })
    expect(await look()).toEqual(before)
  })

  test('being over the context limit, which --yes does not cover', async () => {
    const config = join(home.vars.OFFSHOOT_HOME ?? '', 'config.toml')
    writeFileSync(config, '[models."claude-opus-5-5"]\ncontext_window = 1000\n')
    const run = await home.run(['fork', session, '--at', '1', '--yes', '--json'])
    rmSync(config)
    expect(run.status).toBe(4)
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: { code: 'confirm_needed', details: { confirm: ['context_over'], plan: { tokens: { context_window: 1000 } } } },
    })
  })

  test('being over the context limit passes once it is accepted by name', async () => {
    const config = join(home.vars.OFFSHOOT_HOME ?? '', 'config.toml')
    writeFileSync(config, '[models."claude-opus-5-5"]\ncontext_window = 1000\n')
    const refused = await fork('--at', '1', '--code', 'none', '--yes')
    const made = await fork('--at', '1', '--code', 'none', '--yes', '--accept', 'context_over', '--json')
    rmSync(config)
    expect(refused.stderr).toContain('--accept context_over.')
    expect(made.status).toBe(0)
    await home.run(['undo'])
  })

  test('an ambiguous session, with the candidates', async () => {
    const run = await home.run(['fork', '019a8', '--at', '1', '--yes'])
    expect(run.status).toBe(4)
    expect(run.stderr).toContain('codex:019a84f2-1d6b')
  })

  test('errors are one JSON document too: the turns to choose from, the codes to accept', async () => {
    const turns = await home.run(['fork', session, '--json'])
    expect(turns.status).toBe(2)
    expect(JSON.parse(turns.stdout)).toMatchObject({ error: { code: 'usage', details: { turns: [{ number: 1 }, {}, {}] } } })
    const dirty = await home.run(['fork', session, '--at', '1', '--json'])
    expect(dirty.status).toBe(4)
    expect(JSON.parse(dirty.stdout)).toMatchObject({
      error: { code: 'confirm_needed', details: { confirm: ['code_now', 'dirty'] } },
    })
  })
})

describe('undo', () => {
  test('is refused where work was done, with the reason, and forced on request', async () => {
    const { fork: made } = await forkJson('--at', '1')
    writeFileSync(join(made.workspace?.path ?? '', 'new.txt'), 'work\n')
    const refused = await home.run(['undo', made.id])
    expect(refused).toMatchObject({ status: 4, stdout: '' })
    expect(refused.stderr).toMatch(/Work was done in .*untracked files[\s\S]*--force/)
    expect(existsSync(made.file)).toBe(true)
    expect((await home.run(['undo', made.id, '--force'])).status).toBe(0)
    expect(existsSync(made.file)).toBe(false)
    expect(existsSync(made.workspace?.path ?? '')).toBe(false)
  })

  test('is refused where the session was continued', async () => {
    const { fork: made } = await forkJson('--at', '1', '--code', 'none')
    appendFileSync(made.file, '{"type":"system"}\n')
    const refused = await home.run(['undo', '--json'])
    expect(refused.status).toBe(4)
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'fork_used' } })
    await home.run(['undo', '--force'])
  })

  test('names the copy that stays in the archive, and the tree marks it as restorable', async () => {
    const { fork: made } = await forkJson('--at', '1', '--code', 'none')
    const longAgo = new Date(Date.now() - 20 * 86_400_000)
    utimesSync(made.file, longAgo, longAgo)
    await home.run(['doctor', '--fix'])
    const { stdout } = await home.run(['undo', made.id, '--force'])
    expect(stdout).toMatch(/kept +a copy of the session in the archive/)
    expect((await home.run(['tree', `claude:${made.session_id}`])).stdout).toMatch(/\[restorable\] Fork of /)
  })

  test('of nothing, and of an unknown fork', async () => {
    expect(await home.run(['undo'])).toMatchObject({ status: 3, stderr: expect.stringContaining('no fork to undo') })
    expect(await home.run(['undo', 'zzzzzzzz'])).toMatchObject({ status: 3, stderr: expect.stringContaining('zzzzzzzz') })
  })
})

test('doctor tells of a fork that was cut off, and clears it up', async () => {
  const app = new URL('../../dist/app.js', import.meta.url).href
  const script = `
    const { createApp } = await import(${JSON.stringify(app)})
    const onForkStep = (moment) => moment === 'workspace done' && process.kill(process.pid, 'SIGKILL')
    const app = createApp({ home: process.env.HOME, vars: process.env, cwd: process.cwd(), now: Date.now, onForkStep })
    await app.fork({ address: ${JSON.stringify(session)}, at: '1' }, { accept: ['dirty', 'code_now'] })`
  const before = await look()
  await runProcess(process.execPath, ['--input-type=module', '-e', script], home.repository, home.vars)
  expect(await look()).not.toEqual(before)
  const found = await home.run(['doctor'])
  expect(found.stdout).toMatch(/warn +forks +one fork was cut off: \w+\n.*offshoot doctor --fix/)
  const mended = await home.run(['doctor', '--fix'])
  expect(mended.stderr).toContain('had been cut off; it was taken back')
  expect(mended.stdout).not.toContain('cut off')
  expect(await look()).toEqual(before)
})

test('the flags, their values, turns and forks are completed', async () => {
  const complete = async (...words: string[]) =>
    (await home.run(['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0])
  expect(await complete('fork', '--')).toEqual(expect.arrayContaining(['--at', '--before', '--dry-run', '--terminal', '--yes']))
  expect(await complete('fork', '--code', '')).toEqual(['turn', 'now', 'head', 'none', ''])
  expect(await complete('fork', '--accept', 'code_n')).toEqual(['code_now', ''])
  expect(await complete('fork', session, '--at', '')).toEqual(['1', '2', '3', ''])
  const { fork: made } = await forkJson('--at', '1', '--code', 'none')
  expect(await complete('undo', '')).toEqual([made.id, ''])
  await home.run(['undo'])
})

test('a fork can be made from anywhere: the session says where it belongs', async () => {
  const { stdout } = await home.run(['fork', session, '--at', '1', '--yes', '--json'], { cwd: home.home })
  const { fork: made } = JSON.parse(stdout) as ForkJson
  expect(await git(made.workspace?.path ?? '', 'status', '--porcelain')).toBe(' M todo.mjs\n?? ideas.md\n')
  expect((await home.run(['undo'], { cwd: home.home })).status).toBe(0)
})
