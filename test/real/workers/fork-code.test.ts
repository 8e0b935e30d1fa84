// Forks of workers with the real agents, on the command line: conversation and code of the turn together, in a workspace of their own;
// what is only looked at makes nothing, and a name that could be two things is refused.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin } from '../../cli/run-cli.ts'
import { agentsToTry } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createShell, type Shell } from './shell.ts'
import { historyAt } from './worker-bench.ts'

interface WorkerJson {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly session_id: string
  readonly cwd: string
  readonly workspace: { readonly path: string; readonly branch: string } | null
  readonly forked_from: string | null
}

const agents = [
  { agent: 'claude', write: (path: string, text: string) => `[[write:${path}:${text}]]` },
  { agent: 'codex', write: (path: string, text: string) => `[[patch: ${path}|${text}]]` },
] as const

let shell: Shell
beforeAll(async () => {
  shell = await createShell()
}, 60_000)
afterAll(() => shell.dispose(), 60_000)

const workers = async () => (await shell.json<{ workers: WorkerJson[] }>('workers')).workers
const idle = (name: string) =>
  waitUntil(`${name} to be idle`, async () => (await workers()).find((each) => each.name === name && each.state === 'idle'))
const worktrees = () => readdirSync(join(shell.vars.OFFSHOOT_HOME ?? '', 'worktrees', 'work')).sort()
const captured = (name: string, turns: number) =>
  waitUntil('the turns to be captured', async () => {
    const listed = await shell.json<{ turns: { snapshot: object | null }[] }>('turns', `worker:${name}`)
    return listed.turns.filter(({ snapshot }) => snapshot !== null).length === turns
  })

describe.each(agentsToTry('forks of workers with their code', agents, 'claude'))('$agent', ({ agent, write }) => {
  const source = `${agent}-src`
  test('a fork has the code of its turn in a workspace of its own', { timeout: 300_000 }, async () => {
    const { run } = shell
    const permit = agent === 'claude' ? ['--policy', 'accept_edits'] : []
    const started = await run('start', agent, '--terminal', 'tmux', '--name', source, ...permit)
    expect(started.code, started.stderr).toBe(0)
    const { workspace, id } = await idle(source)
    const folder = workspace?.path ?? ''
    expect((await run('send', source, `One ${write(join(folder, 'one.txt'), 'one')}`)).code).toBe(0)
    expect((await run('send', source, `Two ${write(join(folder, 'two.txt'), 'two')}`)).code).toBe(0)
    await captured(source, 2)
    writeFileSync(join(folder, 'by-hand.txt'), 'by hand\n')
    const before = worktrees()

    const planned = await run('fork', `worker:${source}`, `${agent}-at`, '--at', '1', '--dry-run')
    expect(planned.code, planned.stderr).toBe(0)
    expect(planned.stdout).toMatch(/turn 1/i)
    const plan = (
      await shell.json<{ plan: { code: { mode: string }; workspace: object | null; kept_turns: number } }>(
        'fork',
        source,
        '--at',
        '1',
        '--dry-run',
      )
    ).plan
    expect(plan).toMatchObject({ code: { mode: 'turn' }, workspace: { path: expect.any(String) }, kept_turns: 1 })
    expect(worktrees()).toEqual(before)
    expect((await workers()).filter(({ name }) => name.startsWith(`${agent}-`))).toHaveLength(1)

    // With and without `worker:`, by the name alone.
    const at = (await shell.json<{ worker: WorkerJson }>('fork', source, `${agent}-at`, '--at', '1')).worker
    expect(at).toMatchObject({ name: `${agent}-at`, forked_from: id })
    expect(at.workspace?.path).not.toBe(folder)
    expect(at.cwd).toBe(at.workspace?.path)
    expect(files(at)).toEqual(['README.md', 'notes.txt', 'one.txt'])
    await idle(`${agent}-at`)
    expect((await run('send', `${agent}-at`, 'Going on from one')).code).toBe(0)
    const users = historyAt(shell.bench, agent, at.session_id, 'Going on from one').filter((line) => line.startsWith('user: '))
    expect(users).toEqual([expect.stringContaining('user: One'), 'user: Going on from one'])

    const now = (await shell.json<{ worker: WorkerJson }>('fork', `worker:${source}`, `${agent}-now`)).worker
    expect(files(now)).toEqual(['README.md', 'by-hand.txt', 'notes.txt', 'one.txt', 'two.txt'])
    expect(now.workspace?.path).not.toBe(folder)
    await idle(`${agent}-now`)
    expect((await run('send', `${agent}-now`, 'Going on from now')).code).toBe(0)
    expect(
      historyAt(shell.bench, agent, now.session_id, 'Going on from now').filter((line) => line.startsWith('user: ')),
    ).toHaveLength(3)

    const same = (await shell.json<{ worker: WorkerJson }>('fork', source, `${agent}-same`, '--code', 'none')).worker
    expect(same.cwd).toBe(folder)
    expect(readFileSync(join(folder, 'by-hand.txt'), 'utf8')).toBe('by hand\n')

    const carried = await run('fork', source, '--terminal', 'none', '--json')
    expect(carried.code, carried.stdout).toBe(0)

    const left = await run('fork', source, '--at', '1', '--terminal', 'none', '--yes', '--json')
    expect(left.code, left.stderr).toBe(0)
    expect(JSON.parse(left.stdout)).toMatchObject({ fork: { parent: { turn_number: 1 } } })
    expect(left.stdout).not.toContain('"worker"')
  })

  test('a name that is also an address is ambiguous, and both are listed', { timeout: 120_000 }, async () => {
    const { session_id } = await idle(source)
    const name = session_id.slice(0, 13)
    const started = await shell.run('start', agent, '--headless', '--name', name)
    expect(started.code, started.stderr).toBe(0)
    const refused = await shell.run('fork', name, 'x', '--json')
    expect(refused.code).toBe(4)
    const { error } = JSON.parse(refused.stdout) as { error: { code: string; message: string; details: object } }
    expect(error).toMatchObject({ code: 'ambiguous', details: { candidates: [`worker:${name}`, `${agent}:${session_id}`] } })
    expect(error.message).toContain(`worker:${name}`)
    expect(error.message).toContain(`${agent}:${session_id}`)
  })
})

test(':fork @worker in the terminal UI makes a workspace of its own too', { timeout: 120_000 }, async () => {
  const source = await idle('claude-src')
  shell.tmux('new-session', '-d', '-s', 'ui', '-x', '140', '-y', '40', '-c', shell.work, '--', process.execPath, bin)
  const screen = () => shell.tmux('capture-pane', '-p', '-t', '=ui:')
  const seen = (text: string | RegExp) =>
    waitUntil(`${text} on the screen`, () => screen().match(text) !== null, { describe: screen })
  await seen(/claude .*One/)
  shell.tmux('send-keys', '-t', '=ui:', 'Enter')
  await seen('ask C')
  shell.tmux('send-keys', '-t', '=ui:', '-l', ':fork @claude-src ui-fork')
  await seen(':fork @claude-src ui-fork')
  shell.tmux('send-keys', '-t', '=ui:', 'Enter')
  await seen('ui-fork is a fork of claude-src')
  const made = await idle('ui-fork')
  expect(made.forked_from).toBe(source.id)
  expect(made.workspace?.path).not.toBe(source.workspace?.path)
  expect(files(made)).toContain('by-hand.txt')
  shell.tmux('kill-session', '-t', '=ui')
})

test('what is refused names what was given, and no flag that was not', { timeout: 120_000 }, async () => {
  const cases = [
    [['fork', 'worker:claude-src', 'second', '--to', 'codex'], /"second" names a worker/],
    [['fork', 'worker:claude-src', 'second', '--name', 'third'], /one place only/],
    [['fork', 'worker:claude-src', 'second', '--terminal', 'none'], /"second" names a worker/],
    [['fork', 'claude-srv', 'second'], /Did you mean worker:claude-src/, 3],
    [['fork', 'claude-srv'], /Did you mean worker:claude-src/, 3],
  ] as const
  for (const [args, message, status = 2] of cases) {
    const refused = await shell.run(...args)
    expect([args, refused.code]).toEqual([args, status])
    expect(refused.stderr).toMatch(message)
    expect(refused.stderr).not.toContain('--name')
  }
})

test('start --dry-run shows what a worker would be, and makes nothing', { timeout: 120_000 }, async () => {
  const before = [worktrees(), (await workers()).length]
  for (const where of [['--terminal', 'tmux'], ['--headless']]) {
    const planned = await shell.run('start', 'claude', 'Hello', ...where, '--name', 'ghost', '--dry-run')
    expect(planned.code, planned.stderr).toBe(0)
    expect(planned.stdout).toContain('offshoot/session/')
    expect(planned.stdout).toMatch(where.includes('tmux') ? /tmux pane/ : /without a terminal/)
    expect(planned.stdout).toContain('ghost')
  }
  expect([worktrees(), (await workers()).length]).toEqual(before)
  expect((await shell.run('start', 'claude', '--terminal', 'tmux', '--name', 'claude-src', '--dry-run')).code).toBe(4)
})

function files({ workspace }: WorkerJson): string[] {
  const folder = workspace?.path ?? ''
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : []
}
