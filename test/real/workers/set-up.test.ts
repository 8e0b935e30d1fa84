// What a workspace gets besides its code also holds for workers, on every surface: files of .worktreeinclude are there, and how the
// set-up command went is reported; its failure ends nothing.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin } from '../../cli/run-cli.ts'
import { connect, structured } from '../../mcp/clients.ts'
import { waitUntil } from '../lib/wait.ts'
import { serve } from '../server/serving.ts'
import { createShell, type Shell } from './shell.ts'

interface Made {
  readonly worker: { readonly name: string; readonly cwd: string; readonly state: string }
  readonly setup?: { readonly exit_code: number; readonly output: readonly string[] }
}

let shell: Shell
beforeAll(async () => {
  shell = await createShell()
  const { work } = shell
  writeFileSync(join(work, '.worktreeinclude'), '.env.local\n')
  writeFileSync(join(work, '.env.local'), 'KEPT=1\n')
  writeFileSync(join(work, '.gitignore'), '.env.local\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env: shell.vars })
  git('add', '.worktreeinclude', '.gitignore')
  git('-c', 'user.name=T', '-c', 'user.email=t@example.test', 'commit', '-qm', 'Name what a workspace needs')
  const folder = shell.vars.OFFSHOOT_HOME ?? ''
  mkdirSync(folder, { recursive: true })
  const command = 'echo the registry is away >&2; exit 3'
  appendFileSync(join(folder, 'config.toml'), `[repositories.${JSON.stringify(work)}]\nsetup = ${JSON.stringify(command)}\n`)
}, 60_000)
afterAll(() => shell.dispose(), 60_000)

const failed = { setup: { exit_code: 3, output: ['the registry is away'] } }
const expectMade = (made: Made) => {
  expect(made).toMatchObject(failed)
  expect(existsSync(join(made.worker.cwd, '.env.local'))).toBe(true)
}

test('the command line: start and fork of a worker', { timeout: 180_000 }, async () => {
  expectMade(await shell.json<Made>('start', 'claude', 'The first', '--headless', '--name', 'source'))
  expectMade(await shell.json<Made>('start', 'claude', '--headless', '--name', 'idle'))
  expectMade(await shell.json<Made>('fork', 'source', 'cli'))
  expectMade(await shell.json<Made>('fork', 'source', 'cli-at', '--at', '1', '--prompt', 'Go on', '--send'))
  const told = await shell.run('fork', 'source', 'told')
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('the registry is away')])
})

test('HTTP', { timeout: 120_000 }, async () => {
  const { serving, json } = await serve(shell.bench)
  try {
    expectMade(await json<Made>('/workers', { agent: 'claude', kind: 'headless', project_path: shell.work, name: 'http' }))
    expectMade(await json<Made>('/workers/source/fork', { new_id: 'http-fork' }))
  } finally {
    await serving.stop()
  }
})

test('MCP', { timeout: 120_000 }, async () => {
  const client = await connect('sdk 2 of 2026', { cwd: shell.work, env: { ...shell.vars, IS_SANDBOX: '1' } })
  try {
    const spawn = { workers: [{ agent_type: 'claude', name: 'mcp', terminal: 'headless' }] }
    const { workers } = structured<{ workers: Made[] }>(await client.call('spawn_workers', spawn))
    expect(workers[0]).toMatchObject(failed)
    expectMade(structured<Made>(await client.call('fork_worker', { worker: 'source', name: 'mcp-fork' })))
  } finally {
    await client.close()
  }
})

test('the terminal UI', { timeout: 120_000 }, async () => {
  shell.tmux('new-session', '-d', '-s', 'ui', '-x', '160', '-y', '40', '-c', shell.work, '--', process.execPath, bin)
  const screen = () => shell.tmux('capture-pane', '-p', '-t', '=ui:')
  const seen = (text: string | RegExp) =>
    waitUntil(`${text} on the screen`, () => screen().match(text) !== null, { describe: screen })
  await seen(/claude .*The first/)
  shell.tmux('send-keys', '-t', '=ui:', 'Enter')
  await seen('ask C')
  shell.tmux('send-keys', '-t', '=ui:', '-l', ':fork @source ui-fork')
  await seen(':fork @source ui-fork')
  shell.tmux('send-keys', '-t', '=ui:', 'Enter')
  await seen('ui-fork is a fork of source')
  await seen('the registry is away')
  shell.tmux('kill-session', '-t', '=ui')
})
