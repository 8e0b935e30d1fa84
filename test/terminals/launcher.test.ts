// The launcher on its own, and in a pane where that is what it is about: job files, signals, the state of the terminal.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import { removeFolder, until } from '../../src/terminals/until.testkit.ts'
import { endServer, launcher, node, requireTmux, socketIn, tmuxIn } from './lib.ts'

beforeAll(requireTmux)

let root: string
let job: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-launcher-'))
  job = join(root, 'job')
  mkdirSync(job)
})
afterEach(async () => {
  endServer(root)
  await removeFolder(root)
})

const path = process.env.PATH ?? ''
function writeJob(argv: string[], more: Record<string, unknown> = {}): void {
  const content = { argv, cwd: root, unset: [], hold: false, tmuxTag: null, env: { PATH: path }, ...more }
  writeFileSync(join(job, 'job.json'), JSON.stringify(content), { mode: 0o600 })
}
const run = (env: Record<string, string> = { PATH: path }) => spawnSync(node, [launcher, job], { encoding: 'utf8', env })
const recorded = (name: string) => JSON.parse(readFileSync(join(job, name), 'utf8')) as Record<string, unknown>

describe('the job file', () => {
  test('is taken once', () => {
    writeJob(['sh', '-c', 'exit 5'])
    expect(run().status).toBe(5)
    expect(recorded('job.json')).toEqual({ program: 'sh', cwd: root })
    expect(recorded('exit.json')).toEqual({ status: 5, signal: null, error: null })
    rmSync(join(job, 'exit.json'))
    const again = run()
    expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(/started already/)])
    expect(existsSync(join(job, 'exit.json'))).toBe(false)
  })
  test('is refused when others may read it, or it is not there, or no job', () => {
    writeJob(['true'])
    chmodSync(join(job, 'job.json'), 0o644)
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/not a file of yours alone/) })
    rmSync(join(job, 'job.json'))
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/cannot be used/) })
    writeFileSync(join(job, 'job.json'), '{', { mode: 0o600 })
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/cannot be used/) })
  })
  test('of a pane that cannot be marked starts nothing', () => {
    writeJob(['touch', join(root, 'ran')], { tmuxTag: 'x' })
    expect(run({ PATH: path, TMUX: `${join(root, 'no-server')},1,0`, TMUX_PANE: '%0' }).status).toBe(1)
    expect(recorded('exit.json')).toMatchObject({ status: 1, error: expect.stringMatching(/does not let us mark the pane/) })
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })
  test('names a program that is gone by now', () => {
    writeJob(['offshoot-no-such-program'])
    expect(run().status).toBe(127)
    expect(recorded('exit.json')).toMatchObject({ status: 127, error: expect.stringMatching(/ENOENT/) })
  })
})

test("the environment is the job's, with the terminal's own words from the pane", () => {
  writeJob(['env'], { env: { PATH: path, A: '1', TERM: 'mine' }, unset: ['TERM_PROGRAM'] })
  const env = { PATH: '/usr/bin:/bin', B: '2', TERM: 'theirs', COLORTERM: 'truecolor', TERM_PROGRAM: 'x', WEZTERM_PANE: '3' }
  const lines = run(env).stdout.trim().split('\n').sort()
  expect(lines).toEqual([`A=1`, 'COLORTERM=truecolor', `PATH=${path}`, 'TERM=mine', 'WEZTERM_PANE=3'].sort())
})

test('inside tmux, what its server inherited from another terminal is left out', () => {
  writeJob(['env'])
  const lines = run({ PATH: path, TMUX: 't', TMUX_PANE: '%1', WEZTERM_PANE: '3', ITERM_SESSION_ID: 'i' })
    .stdout.trim()
    .split('\n')
  expect(lines.sort()).toEqual([`PATH=${path}`, 'TMUX=t', 'TMUX_PANE=%1'].sort())
})

test('signals to the launcher reach the agent, and what ended it is told', async () => {
  writeJob(['sh', '-c', 'trap "exit 9" TERM; echo ready; while :; do sleep 0.05; done'])
  const child = spawn(node, [launcher, job], { env: { PATH: path }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.on('exit', (status) => done(status)))
  await new Promise((done) => child.stdout.once('data', done))
  child.kill('SIGINT') // from a terminal, the agent has its own
  child.kill('SIGTERM')
  expect(await ended).toBe(9)
  expect(recorded('exit.json')).toMatchObject({ status: 9, signal: null })
})

describe('in a pane', () => {
  const open = (argv: string[]) => {
    const tmux = { socket: socketIn(root), config: '/dev/null' }
    const terminal = createTerminals({
      exec,
      vars: { PATH: path, HOME: root },
      folder: join(root, 'jobs'),
      node,
      launcher,
      tmux,
    }).get('tmux')
    return terminal.open({ argv, cwd: root, env: {}, unset: [], title: 'x', tag: 'x' }).then((pane) => ({ terminal, pane }))
  }
  /** Stops its whole group on Ctrl-Z, as Claude Code and Codex do, and tells when it is continued. */
  const agent = `
    process.stdin.setRawMode(true)
    process.on('SIGCONT', () => { process.stdin.setRawMode(true); console.log('CONTINUED') })
    process.stdin.on('data', (bytes) => { if (bytes[0] === 26) { process.stdin.setRawMode(false); process.kill(0, 'SIGTSTP') } })
    process.stdout.write('\\x1b[?1049h\\x1b[?2004h\\x1b[?1000hREADY\\r\\n')`

  test('an agent that stops itself is continued: no shell is there that could', async () => {
    const { terminal, pane } = await open([node, '-e', agent])
    const shows = (text: string) => until(text, async () => (await terminal.read(pane)).lines.some((line) => line.includes(text)))
    await shows('READY')
    tmuxIn(root, 'send-keys', '-t', pane.id, 'C-z')
    await shows('CONTINUED')
    expect((await terminal.status(pane)).state).toBe('running')
  })
  test('a killed agent leaves the terminal as it was', async () => {
    const { terminal, pane } = await open([node, '-e', agent])
    const format = (names: string) => tmuxIn(root, 'display-message', '-p', '-t', pane.id, names).trim()
    await until('the other screen', () => format('#{alternate_on} #{mouse_any_flag}') === '1 1')
    process.kill((await terminal.status(pane)).pid ?? 0, 'SIGKILL')
    await until('the first screen', () => format('#{alternate_on} #{mouse_any_flag} #{pane_dead}') === '0 0 1')
  })
  test('the launcher outlives nothing: with the pane both are gone', async () => {
    const { terminal, pane } = await open([node, '-e', agent])
    const { launcherPid } = JSON.parse(readFileSync(join(pane.job, 'started.json'), 'utf8'))
    await terminal.close(pane)
    await until('the launcher to end', () => spawnSync('kill', ['-0', String(launcherPid)]).status !== 0)
  })
})

test('where a pane closes with its program, a failure waits for Enter', async () => {
  tmuxIn(root, 'new-session', '-d', '-s', 'keep', '--', 'cat')
  writeJob(['sh', '-c', 'echo what went wrong; exit 3'], { hold: true })
  const id = tmuxIn(root, 'new-window', '-d', '-t', '=keep:', '-P', '-F', '#{pane_id}', '--', node, launcher, job).trim()
  await until('the words', () =>
    /went wrong[\s\S]*sh ended with status 3\. Press Enter/.test(tmuxIn(root, 'capture-pane', '-p', '-t', id)),
  )
  expect(recorded('exit.json')).toMatchObject({ status: 3 })
  tmuxIn(root, 'send-keys', '-t', id, 'Enter')
  await until('the pane to close', () => !tmuxIn(root, 'list-panes', '-a', '-F', '#{pane_id}').includes(id))
})
