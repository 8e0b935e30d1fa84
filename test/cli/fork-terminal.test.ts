// What only a real terminal shows: the picker, the question, and the agent that opens here with signals and exit status.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Terminal } from '../real/lib/tmux.ts'
import { countForks, createShells, expectStatus, type Shells } from './open-shell.ts'
import { configureSetup, createFixture, type Fixture } from './run-cli.ts'

const session = 'claude:60309e1e'
let home: Fixture
let shells: Shells

beforeAll(async () => {
  home = await createFixture()
  shells = createShells(home)
})
afterAll(async () => {
  await shells.close()
  home.remove()
})

describe('the picker', () => {
  test('filters as one types, previews, and asks before anything is done', async () => {
    const terminal = await shells.open({ columns: 80, rows: 24 })
    await terminal.submit(`offshoot fork ${session}`)
    const opened = await terminal.waitFor('Sorted: tasks without a date come last.')
    expect(opened).toMatch(/^> Turn 3 +1d ago +\[after compaction\] Sort the list by due date\.$/m)
    terminal.key('Up')
    await terminal.waitFor('Three tests, all green.')
    await terminal.type('due')
    await terminal.waitFor('filter: due_  2/2')
    terminal.key('C-u')
    await terminal.type('give')
    await terminal.waitFor(/^> Turn 1 [\s\S]*Tasks now carry a `due` date/m)
    terminal.key('Enter')
    const plan = await terminal.waitFor('Fork? [y/N]')
    expect(plan).not.toContain('filter:')
    expect(terminal.scrollback()).toMatch(/turns +1 kept, 2 dropped/)
    terminal.key('n', 'Enter')
    await terminal.waitFor('Nothing was done.')
    await expectStatus(terminal, 130)
    expect(await countForks(home)).toBe(0)
  })

  test('fits a small terminal, and Esc gives the screen back', async () => {
    const terminal = await shells.open({ columns: 60, rows: 16 })
    await terminal.submit(`offshoot fork ${session}`)
    const screen = await terminal.waitFor('Sorted: tasks without a date come last.')
    expect(screen).toMatch(/^Fork at which turn\?/)
    expect(screen.split('\n').at(-1)).toContain('Esc leave')
    terminal.key('Escape')
    await terminal.waitFor('Nothing was done.')
    expect(terminal.screen()).toContain(`offshoot fork ${session}`)
    expect(terminal.screen()).not.toContain('filter:')
    await expectStatus(terminal, 130)
  })

  test('Ctrl-C leaves it too; a terminal that cannot draw gets the list instead', async () => {
    const terminal = await shells.open({ columns: 100, rows: 24 })
    await terminal.submit(`offshoot fork ${session}`)
    await terminal.waitFor('filter:')
    terminal.key('C-c')
    await expectStatus(terminal, 130)
    await terminal.submit(`TERM=dumb offshoot fork ${session}`)
    await terminal.waitFor('At which turn?')
    await expectStatus(terminal, 2)
  })
})

test('a plan that no longer holds when it is accepted is shown again before anything is done', async () => {
  const terminal = await shells.open({ columns: 120, rows: 60 })
  await terminal.submit(`offshoot fork ${session} --at 1 --terminal none`)
  const shown = /session\/(\w{8})/.exec(await terminal.waitFor('Fork? [y/N]'))?.[1]
  const late = join(home.repository, 'came-since.md')
  writeFileSync(late, 'typed in another window')
  terminal.key('y', 'Enter')
  const again = await terminal.waitFor(/no longer holds[\s\S]*came-since\.md[\s\S]*Fork\? \[y\/N\]/)
  const next = /session\/(\w{8})/.exec(again.slice(again.lastIndexOf('no longer holds')))?.[1]
  expect(next).not.toBe(shown)
  expect(await countForks(home)).toBe(0)
  terminal.key('y', 'Enter')
  await terminal.waitFor(`offshoot undo ${next}`)
  await home.run(['undo', next ?? ''])
  rmSync(late)
})

test('a set-up command that takes long shows what it is doing; Ctrl-C ends it, and the next command completes the fork', async () => {
  const forget = configureSetup(home, 'echo fetching packages; sleep 600')
  const terminal = await shells.open({ columns: 110, rows: 40 })
  try {
    await terminal.submit(`offshoot fork ${session} --at 1 --code head --terminal none --yes`)
    await terminal.waitFor(/Setting up \(echo fetching packages; sleep 600\), \d+ s: fetching packages/)
    terminal.key('C-c')
    await expectStatus(terminal, 130)
  } finally {
    forget()
  }
  const { stderr } = await home.run(['doctor', '--fix'])
  expect(stderr).toContain('had been cut off; it is finished now')
  await home.run(['undo'])
  expect(await countForks(home)).toBe(0)
})

describe('--terminal here', () => {
  let terminal: Terminal
  beforeEach(async () => {
    terminal = await shells.open({ columns: 120, rows: 50 })
    await terminal.submit(`offshoot fork ${session} --at 1`)
    await terminal.waitFor('Fork? [y/N]')
    terminal.key('y', 'Enter')
    await terminal.waitFor('HAS THE TERMINAL')
  })

  test('the agent has the terminal and the workspace, and its exit status is ours', async () => {
    const screen = terminal.screen()
    const folder = /workspace +\S+\/(\w+)$/m.exec(screen)?.[1]
    expect(screen).toMatch(new RegExp(`AGENT IN ${folder} WITH --settings=\\S+ --resume=[0-9a-f-]{36}`))
    await terminal.submit('hello')
    await terminal.waitFor('HEARD hello')
    await terminal.submit('exit 42')
    await terminal.waitFor('To undo this fork: offshoot undo')
    await expectStatus(terminal, 42)
  })

  test('Ctrl-C reaches the agent once and does not end offshoot; SIGTERM is passed on', async () => {
    terminal.key('C-c')
    await terminal.waitFor('GOT INT')
    await terminal.submit('still there')
    const screen = await terminal.waitFor('HEARD still there')
    expect(screen.match(/GOT INT/g)).toHaveLength(1)
    process.kill(childOf(terminal.pid), 'SIGTERM')
    await terminal.waitFor('GOT TERM')
    await expectStatus(terminal, 43)
  })

  test('an agent that stops itself gives the shell back, and goes on with fg; so does Ctrl-Z', async () => {
    await terminal.submit('stop')
    await terminal.waitFor(/Stopped[\s\S]*READY/)
    await terminal.submit('clear; fg')
    await terminal.waitFor('WENT ON')
    terminal.key('C-z')
    await terminal.waitFor(/Stopped[\s\S]*READY/)
    await terminal.submit('clear; fg')
    // What is typed before the shell has let go of the terminal is not echoed: `fg` says its command line when it has.
    await terminal.waitWhile('Stopped')
    await terminal.waitFor(/offshoot\.js/)
    await terminal.submit('hello')
    await terminal.waitFor('HEARD hello')
    await terminal.submit('exit 0')
    await expectStatus(terminal, 0)
  })
})

test('at the tip the agent forks by itself, under an id we know', async () => {
  const terminal = await shells.open({ columns: 200, rows: 50 })
  await terminal.submit(`offshoot fork ${session} --yes`)
  const screen = await terminal.waitFor('HAS THE TERMINAL')
  expect(screen).toMatch(/WITH --settings=\S+ --resume=60309e1e\S+ --fork-session --session-id=[0-9a-f-]{36}/)
  expect(screen).toContain('checked after the first prompt')
  await terminal.submit('exit 0')
  await expectStatus(terminal, 0)
  await terminal.submit('clear; offshoot undo')
  await terminal.waitFor('Undone: Fork of')
})

test('an agent that is not there: the fork stays, and how to open it is said', async () => {
  const tools = join(home.home, 'only-git')
  mkdirSync(tools)
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(tools, 'git'))
  const terminal = await shells.open({ columns: 200, rows: 50 }, `${tools}:/nowhere`)
  const before = await countForks(home)
  await terminal.submit(`offshoot fork ${session}@1 --code none --yes`)
  const screen = await terminal.waitFor('hint: Open it later')
  expect(screen).toContain('claude could not be started: it is not on the PATH')
  expect(screen).toMatch(/hint: Open it later with: cd \S+ && claude --resume=/)
  await expectStatus(terminal, 1)
  expect(await countForks(home)).toBe(before + 1)
})

function childOf(pid: number): number {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const child = rows.find(([, parent]) => parent === pid)?.[0]
  if (child === undefined) throw new Error(`${pid} has no child`)
  return child
}
